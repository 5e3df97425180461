#include "report/page/page.hpp"

#include <stdexcept>
#include <string_view>

#include "report/page/data.hpp"
#include "report/page/embedded.hpp"

namespace assay::report {

using evidence::Examination;

namespace {

// JSON inside a script element ends at "</script" and changes its meaning at "<!--", wherever they stand. A
// '<' occurs in JSON only within strings, where it can be written as an escape.
std::string safe_in_script(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

// The page's own sources never contain these marks twice, and what replaces one is not searched again.
std::string filled(std::string_view page, std::string_view css, std::string_view data, std::string_view js) {
  std::string out;
  const auto up_to = [&](std::string_view mark, std::string_view replacement) {
    const std::size_t at = page.find(mark);
    if (at == std::string_view::npos) throw std::logic_error("web/report.html lacks a mark");
    out.append(page.substr(0, at)).append(replacement);
    page.remove_prefix(at + mark.size());
  };
  up_to("@STYLE@", css);
  up_to("@DATA@", data);
  up_to("@SCRIPT@", js);
  return out.append(page);
}

}  // namespace

std::string html(const Examination& examination, const PageContext& context) {
  constexpr std::size_t kLargestHistory = kLargestPage / 8;
  constexpr std::size_t kLongestCommand = 4000;
  PageContext fitting;
  if (context.small_history.size() <= kLargestHistory) fitting.small_history = context.small_history;
  if (context.command.size() <= kLongestCommand) fitting.command = context.command;
  for (PageLimits limits;; limits = limits.halved()) {
    const std::string data = safe_in_script(page_data(examination, limits, fitting));
    std::string page = filled(kPageHtml, kPageCss, data, kPageJs);
    if (page.size() < kLargestPage) return page;
  }
}

}  // namespace assay::report
