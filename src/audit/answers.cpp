#include "audit/answers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "audit/operation_words.hpp"

namespace assay::audit {

namespace {

// As a client would see it.
std::string response_text(std::uint32_t status, const wire::Pairs& headers, wire::Bytes body) {
  std::string text = fmt::format("status {}\n", status);
  for (const wire::Pair& header : headers) text += fmt::format("{}: {}\n", header.name, header.value);
  text += '\n';
  text += body;
  return text;
}

}  // namespace

Answers::Answers(const Trace& trace, const Reports& reports, const OperationMap& map, const Results& results,
                 std::function<void()> on_finished, OpenResponses open_responses)
    : trace_(trace),
      reports_(reports),
      map_(map),
      results_(results),
      open_responses_(open_responses),
      finished_(trace.requests().size(), false),
      on_finished_(std::move(on_finished)) {
  // What was not run need not be run again.
  for (std::size_t i = 0; i < finished_.size(); ++i) finished_[i] = trace.requests()[i].fate == Fate::refused;
}

void Answers::contradict(Finding finding) {
  const std::lock_guard lock(mutex_);
  // Of several at the same time the earliest request: the same verdict however the threads run, mostly.
  if (!contradiction_ || finding.rid < contradiction_->rid) contradiction_ = std::move(finding);
  stopped_ = true;
}

void Answers::fail(Finding finding) {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::move(finding);
}

void Answers::finished(RequestIndex request) {
  const std::lock_guard lock(mutex_);
  if (finished_[index(request)]) return;
  finished_[index(request)] = true;
  on_finished_();
}

std::optional<Finding> Answers::contradiction() const {
  const std::lock_guard lock(mutex_);
  return contradiction_;
}

std::optional<Finding> Answers::failure() const {
  const std::lock_guard lock(mutex_);
  if (failure_) return failure_;
  const auto missing = std::find(finished_.begin(), finished_.end(), false);
  if (missing == finished_.end()) return std::nullopt;
  const std::uint64_t rid = trace_.requests()[static_cast<std::size_t>(missing - finished_.begin())].rid;
  return Finding{
      Reason::not_rerun, rid, {}, fmt::format("request {} was not executed again", rid), {}, {}, {}};
}

Run::Run(Answers& answers, RequestIndex request, Weight weight)
    : answers_(answers),
      request_(request),
      rid_(answers.trace_[request].rid),
      weight_(weight),
      values_(answers.reports_.oracle(rid_)) {}

Finding Run::finding(Reason reason, std::string sentence) const {
  Finding made;
  made.reason = reason;
  made.rid = rid_;
  made.sentence = std::move(sentence);
  return made;
}

void Run::contradict(Finding finding) {
  state_ = State::contradicted;
  if (weight_ == Weight::verdict) answers_.contradict(std::move(finding));
}

Answer Run::operation(const Question& question) {
  if (state_ != State::running) return {true, 0, {}};
  const std::uint32_t opnum = asked_ + 1;
  if (opnum > answers_.map_.count(request_)) {
    // A request without a whole response may have been cut off anywhere, and so here.
    state_ = State::cut;
    if (whole()) {
      Finding found =
          finding(Reason::operation_not_logged,
                  fmt::format("request {} performs an operation on {} after {} others, which no log has",
                              rid_, object_name(question.object, question.name), asked_));
      found.opnum = opnum;
      found.expected = operation_words(question.type, question.contents);
      contradict(std::move(found));
    }
    return {true, 0, {}};
  }
  const Place place = answers_.map_.place(request_, opnum);
  const Object& object = answers_.reports_[place.object];
  const LoggedOperation& logged = object.log[place.position];
  if (object.kind != question.object || object.name != question.name || logged.type != question.type ||
      logged.contents() != question.contents) {
    Finding found = finding(Reason::operation_differs,
                            fmt::format("{} is on {}, but the log of {} has something else in its place",
                                        operation_name(rid_, opnum),
                                        object_name(question.object, question.name), object_name(object)));
    found.opnum = opnum;
    found.expected = operation_words(question.type, question.contents);
    found.found = operation_words(logged.type, logged.contents());
    contradict(std::move(found));
    return {true, 0, {}};
  }
  asked_ = opnum;
  return {false, logged.outcome, answers_.results_[place]};
}

OracleAnswer Run::oracle(wire::NdKind kind) {
  if (state_ != State::running) return {true, {}};
  Stream& stream = streams_[static_cast<std::size_t>(kind)];
  if (stream.next < values_.size() && values_[stream.next].kind == kind &&
      stream.given == values_[stream.next].repeat) {
    ++stream.next;
    stream.given = 0;
  }
  while (stream.next < values_.size() && values_[stream.next].kind != kind) ++stream.next;
  if (stream.next == values_.size()) {
    state_ = State::cut;
    if (whole()) {
      contradict(finding(Reason::oracle_exhausted,
                         fmt::format("request {} asks for more values of kind {} than are reported", rid_,
                                     static_cast<unsigned>(kind))));
    }
    return {true, {}};
  }
  ++stream.given;
  return {false, values_[stream.next].value};
}

void Run::value_refused() {
  if (state_ != State::running) return;
  state_ = State::cut;
  if (!whole()) return;
  contradict(
      finding(Reason::oracle_exhausted,
              fmt::format("request {} asks for a value, and the one that is reported next cannot be the "
                          "answer",
                          rid_)));
}

void Run::check_all_asked() {
  const std::uint32_t count = answers_.map_.count(request_);
  if (asked_ == count) return;
  Finding found = finding(
      Reason::operations_missing,
      fmt::format("request {} ends after {} operations, but the logs have {} of it", rid_, asked_, count));
  found.opnum = asked_ + 1;
  contradict(std::move(found));
}

void Run::check_output(const Output& output) {
  const TracedRequest& traced = answers_.trace_[request_];
  if (!traced.has_response) return;
  if (traced.fate == Fate::open && answers_.open_responses_ == Answers::OpenResponses::later) return;
  const Loaded<wire::Response> response = answers_.trace_.response(request_);
  const wire::Response& seen = response.record;
  if (traced.fate != Fate::whole && seen.headers.empty() && seen.body.empty()) return;
  const auto differ = [&](std::string_view what) {
    Finding made = finding(
        Reason::output_differs,
        fmt::format("the response to request {} is not what the program gives: {} differs", rid_, what));
    made.expected = response_text(output.status, output.headers, output.body);
    made.found = response_text(seen.status, seen.headers, seen.body);
    contradict(std::move(made));
  };
  if (output.status != seen.status) {
    differ("the status");
  } else if (!std::equal(output.headers.begin(), output.headers.end(), seen.headers.begin(),
                         seen.headers.end(), [](const wire::Pair& a, const wire::Pair& b) {
                           return a.name == b.name && a.value == b.value;
                         })) {
    differ("the header");
  } else if (traced.fate == Fate::whole ? output.body != seen.body
                                        : output.body.substr(0, seen.body.size()) != seen.body) {
    differ("the body");
  }
}

void Run::finish(const Output& output) {
  if (state_ == State::contradicted) return;
  check_all_asked();
  if (state_ != State::contradicted) check_output(output);
  if (state_ == State::contradicted) return;
  agreed_ = true;
  answers_.finished(request_);
}

void Run::fail(const std::string& why) {
  state_ = State::cut;
  if (weight_ == Weight::trial) return;
  Finding made = finding(Reason::rerun_failed, fmt::format("the re-execution of request {} {}", rid_, why));
  answers_.fail(std::move(made));
}

}  // namespace assay::audit
