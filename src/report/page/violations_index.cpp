#include "report/page/violations_index.hpp"

#include <fmt/format.h>

namespace assay::report {

namespace {

constexpr std::string_view kHead = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Violations · Assay</title>
<style>
body { font: 16px/1.55 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font: 600 1.8rem/1.2 ui-serif, Georgia, serif; }
table { border-collapse: collapse; }
td, th { text-align: left; padding: .2rem 1.5rem .2rem 0; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
</style>
</head>
<body>
)";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

void append_link(std::string& out, const ListedPage& page, const std::string& text) {
  out += fmt::format("<li><a href=\"{}\">{}</a></li>\n", escaped(page.file), escaped(text));
}

}  // namespace

std::string violations_index(std::string_view level, const std::map<std::string, std::uint64_t>& counts,
                             const std::vector<ListedPage>& pages) {
  std::uint64_t total = 0;
  for (const auto& [kind, count] : counts) total += count;
  std::string out(kHead);
  out += fmt::format("<h1>{}: {} violation{}</h1>\n<table>\n", escaped(level), total, total == 1 ? "" : "s");
  for (const auto& [kind, count] : counts)
    out += fmt::format("<tr><td>{}</td><td class=\"number\">{}</td></tr>\n", escaped(kind), count);
  out += "</table>\n";
  for (const auto& [kind, count] : counts) {
    out += fmt::format("<h2>{}</h2>\n<ul>\n", escaped(kind));
    std::uint64_t shown = 0;
    for (const ListedPage& page : pages) {
      if (page.kind != kind) continue;
      append_link(out, page, fmt::format("violation {}", page.number));
      ++shown;
    }
    out += "</ul>\n";
    if (count > shown) out += fmt::format("<p>{} more were counted and have no page.</p>\n", count - shown);
  }
  std::string earlier;
  for (const ListedPage& page : pages) {
    if (page.kind.empty()) append_link(earlier, page, page.file);
  }
  if (!earlier.empty()) out += "<h2>Of earlier watches</h2>\n<ul>\n" + earlier + "</ul>\n";
  return out + "</body>\n</html>\n";
}

}  // namespace assay::report
