#include "audit/tell/verdict_words.hpp"

#include <fmt/format.h>

#include <cctype>

#include "report/printable.hpp"

namespace assay::audit {

namespace {

constexpr std::size_t kLongestRequest = 100;

}  // namespace

std::string request_name(const Verdict& verdict, std::uint64_t rid) {
  for (const InvolvedRequest& request : verdict.involved) {
    if (request.rid == rid)
      return fmt::format("request {} ({})", rid, report::cut(request.line, kLongestRequest));
  }
  return fmt::format("request {}", rid);
}

std::string moment_name(const Verdict& verdict, const Moment& moment) {
  switch (moment.kind) {
    case Moment::Kind::arrival:
      return "the arrival of " + request_name(verdict, moment.rid);
    case Moment::Kind::departure:
      return "the response to " + request_name(verdict, moment.rid);
    case Moment::Kind::operation:
      break;
  }
  return fmt::format("operation {} of {}", moment.opnum, request_name(verdict, moment.rid));
}

std::string reason_of(const Precedence& step) {
  switch (step.kind) {
    case Precedence::Kind::program:
      return "the program does one thing after the other";
    case Precedence::Kind::log:
      return "so says the log of " + step.object;
    case Precedence::Kind::time:
      break;
  }
  return "the collector saw it so";
}

std::vector<std::string> finding_sentences(const Verdict& verdict) {
  const Finding& finding = *verdict.finding;
  std::string first = finding.sentence + ".";
  first.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(first.front())));
  std::vector<std::string> sentences = {std::move(first)};
  if (finding.rid && !verdict.involved.empty() && finding.cycle.empty())
    sentences.push_back(fmt::format("This is {}.", request_name(verdict, *finding.rid)));
  return sentences;
}

Sides sides_of(Reason reason) {
  if (reason == Reason::output_differs) return {"the program gives", "the client got"};
  return {"the program asks", "the log has"};
}

}  // namespace assay::audit
