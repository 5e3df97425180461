#include "report/page/provenance.hpp"

#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

namespace assay::report {

namespace {

constexpr std::string_view kFault = "fault, ";

// Takes the text up to `mark` off the front of `rest`; nothing is taken where the mark is missing.
std::optional<std::string> up_to(std::string_view& rest, std::string_view mark) {
  const std::size_t at = rest.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  std::string out(rest.substr(0, at));
  rest.remove_prefix(at + mark.size());
  return out;
}

// "recorded by PROGRAM on STORE at ISOLATION: workload W, N sessions, seed S, begun TIME", as record/recording.cpp
// writes it.
std::optional<Provenance> read(std::string_view note) {
  if (!note.starts_with("recorded by ")) return std::nullopt;
  if (!up_to(note, " on ")) return std::nullopt;
  const auto place = up_to(note, ": workload ");
  if (!place) return std::nullopt;
  const std::size_t at = place->rfind(" at ");
  if (at == std::string::npos) return std::nullopt;
  auto workload = up_to(note, ", ");
  auto sessions = up_to(note, " sessions, seed ");
  auto seed = up_to(note, ", begun ");
  if (!workload || !sessions || !seed) return std::nullopt;
  return Provenance{
      place->substr(0, at), place->substr(at + 4), *workload, *sessions, *seed, std::string(note), {}};
}

std::optional<double> seconds_in(const std::string& text) {
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && std::isfinite(seconds) && seconds >= 0 ? std::optional(seconds) : std::nullopt;
}

// "1.00 s to 2.00 s after the start: …", as record/recording.cpp writes it. Without its times it is told all the same.
ToldFault fault_in(const std::string& text) {
  ToldFault fault{text, 0, 0};
  std::string_view rest = text;
  const auto from = up_to(rest, " s to ");
  const auto to = up_to(rest, " s after the start: ");
  if (!from || !to) return fault;
  const auto begin = seconds_in(*from), end = seconds_in(*to);
  if (begin && end && *begin <= *end) {
    fault.from = *begin;
    fault.to = *end;
  }
  return fault;
}

}  // namespace

std::optional<Provenance> provenance_of(const History& history) {
  std::optional<Provenance> found;
  std::vector<ToldFault> faults;
  for (const std::string& note : history.notes()) {
    if (!found) found = read(note);
    if (note.starts_with(kFault)) faults.push_back(fault_in(note.substr(kFault.size())));
  }
  if (found) found->faults = std::move(faults);
  return found;
}

}  // namespace assay::report
