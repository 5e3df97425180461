#include "cli/check/told.hpp"

#include "format/bytes.hpp"

namespace assay::cli {

namespace {

void put(std::string& out, const std::string& text) {
  format::append_little<std::uint64_t>(out, text.size());
  out += text;
}

std::string text(format::ByteCursor& in) {
  return std::string(in.take(in.count(1, "a length"), "a text"));
}

}  // namespace

std::string Told::packed() const {
  std::string out;
  for (const std::string* each : {&verdict, &annotations, &json, &failure, &suite.markup}) put(out, *each);
  for (const std::size_t n : {suite.tests, suite.failures, suite.errors, suite.skipped})
    format::append_little<std::uint64_t>(out, n);
  format::append_little(out, suite.seconds);
  return out;
}

std::optional<Told> Told::unpacked(std::string_view bytes) {
  const std::string name = "a process of one's own";
  format::ByteCursor in(name, bytes);
  Told out;
  try {
    for (std::string* each : {&out.verdict, &out.annotations, &out.json, &out.failure, &out.suite.markup})
      *each = text(in);
    for (std::size_t* n : {&out.suite.tests, &out.suite.failures, &out.suite.errors, &out.suite.skipped})
      *n = in.little<std::uint64_t>("a number");
    out.suite.seconds = in.little<double>("seconds");
  } catch (const InputError&) {
    return std::nullopt;
  }
  return in.remaining() == 0 ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace assay::cli
