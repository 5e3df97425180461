// What a re-execution asks, and what it is told: the paper's CheckOp and SimOp (OROCHI, figure 3.3). A
// request that is run again asks for its operations and for the oracle's values in its own order; each
// operation must be the one in the log, each answer comes from the redo, and in the end its output must be
// the response in the trace.
//
// Requests are independent of each other: a Run may live on any thread, many at a time, and a request may be
// run twice. The first contradiction found is the verdict's.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "audit/fit.hpp"
#include "audit/redo.hpp"
#include "audit/reports.hpp"
#include "audit/trace.hpp"
#include "audit/verdict.hpp"

namespace assay::audit {

struct Question {
  wire::ObjectKind object;
  wire::Bytes name;  // of the object
  wire::OperationType type;
  wire::Bytes contents;
};

struct Answer {
  bool stop = false;          // end this request now: it was cut here, or a contradiction was found
  std::uint64_t outcome = 0;  // not 0: the operation was not performed, and why
  wire::Bytes result;         // wire/results.hpp; lives as long as the redo's results
};

struct OracleAnswer {
  bool stop = false;
  wire::Bytes value;
};

// What a request produced.
struct Output {
  std::uint32_t status = 200;
  wire::Pairs headers;
  wire::Bytes body;
};

class Answers {
 public:
  // The responses of open requests are compared now, or when a later audit knows all that they did.
  enum class OpenResponses : bool { now, later };
  // `on_finished` is told of each request that agreed; by any thread, one at a time.
  Answers(
      const Trace& trace, const Reports& reports, const OperationMap& map, const Results& results,
      std::function<void()> on_finished = [] {}, OpenResponses open_responses = OpenResponses::now);

  const Trace& trace() const { return trace_; }
  bool stopped() const { return stopped_; }  // a contradiction was found: nothing more need be run
  // The first contradiction; or else the first failure, or a request that was never finished: undecided.
  std::optional<Finding> contradiction() const;
  std::optional<Finding> failure() const;

 private:
  friend class Run;
  void contradict(Finding finding);
  void fail(Finding finding);
  void finished(RequestIndex request);

  const Trace& trace_;
  const Reports& reports_;
  const OperationMap& map_;
  const Results& results_;
  const OpenResponses open_responses_;
  std::atomic<bool> stopped_ = false;
  mutable std::mutex mutex_;  // guards what follows
  std::optional<Finding> contradiction_, failure_;
  std::vector<bool> finished_;
  std::function<void()> on_finished_;
};

// One execution of one request.
class Run {
 public:
  // What a trial finds against the server is not believed, but to be looked at by another run. Only that it agrees is.
  enum class Weight : bool { verdict, trial };
  Run(Answers& answers, RequestIndex request, Weight weight = Weight::verdict);

  RequestIndex request() const { return request_; }
  Answer operation(const Question& question);
  OracleAnswer oracle(wire::NdKind kind);
  // The program asked for a value, and the one that it got cannot be the answer: random bytes of another length.
  void value_refused();
  // The end of a request, or all that it had produced when it was told to stop.
  void finish(const Output& output);
  // The re-execution itself went wrong; `why` goes on after "the re-execution of request 17".
  void fail(const std::string& why);
  // After finish(): nothing was found, and the request need not be run again.
  bool agreed() const { return agreed_; }

 private:
  enum class State : std::uint8_t { running, cut, contradicted };
  struct Stream {  // of the values of one kind
    std::size_t next = 0;
    std::uint64_t given = 0;
  };

  bool whole() const { return answers_.trace_[request_].fate == Fate::whole; }
  Finding finding(Reason reason, std::string sentence) const;
  void contradict(Finding finding);
  void check_all_asked();
  void check_output(const Output& output);

  Answers& answers_;
  RequestIndex request_;
  std::uint64_t rid_;
  std::uint32_t asked_ = 0;
  Weight weight_;
  State state_ = State::running;
  bool agreed_ = false;
  std::span<const OracleValue> values_;
  std::array<Stream, 8> streams_{};
};

}  // namespace assay::audit
