#include "evidence/certificate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <iterator>
#include <vector>

#include "check/expand.hpp"
#include "check/reads.hpp"
#include "history/digest.hpp"

namespace assay::evidence {

using check::BadRead;
using check::Derivation;
using check::Event;
using check::Outcome;
using check::Rule;
using check::Step;
using check::Verdict;

namespace {

constexpr std::size_t kEventsPerLine = 16;

class Writer {
 public:
  explicit Writer(const History& history) : h_(history) {}

  void head(const Outcome& outcome, const check::Options& options) {
    line("assay-certificate 2");
    line("history {} sessions {} transactions {} operations {} keys {:016x}", h_.sessions(),
         h_.transactions(), h_.operations(), h_.keys(), digest(h_));
    line("level {}", info(outcome.level).name);
    line("sessions {}", options.sessions == check::SessionOrder::keep ? "keep" : "ignore");
    const auto drift = options.clock_drift.value_or(
        h_.clocks() == Clocks::one ? std::chrono::nanoseconds(0) : std::chrono::milliseconds(100));
    line("clock-drift {}", drift.count());
    line("verdict {}", outcome.verdict == Verdict::holds ? "holds" : "violated");
  }

  void order(std::span<const Event> events) {
    for (std::size_t i = 0; i < events.size(); i += kEventsPerLine) {
      std::string text = "order";
      for (std::size_t j = i; j < std::min(i + kEventsPerLine, events.size()); ++j)
        text += " " + event(events[j]);
      line("{}", text);
    }
  }

  // Where a read can have seen several, the verifier takes the latest of them that comes before it in the
  // order; this says which reads saw another.
  void sources(const Outcome& outcome) {
    std::optional<check::Expanded> expanded;
    if (h_.has_queries()) expanded = check::expand_queries(h_, check::what_is_not_returned(outcome.level));
    const History& plain = expanded ? expanded->history : h_;
    const check::Reads reads = check::resolve_reads(plain);
    std::vector<std::uint32_t> place(h_.transactions(), 0);  // 0: not in the order
    for (std::uint32_t i = 0; i < outcome.order.size(); ++i) place[index(outcome.order[i].txn)] = i + 1;
    auto choice = outcome.choices.begin();
    for (const Txn t : h_.all_transactions()) {
      for (std::uint32_t i = 0; i < reads.reads_of(t).size(); ++i) {
        const check::Source source = reads.reads_of(t)[i];
        if (!source.is_ambiguous()) continue;
        Txn latest = kInitialTxn;
        std::uint32_t latest_place = 0;
        for (const check::Write w : reads.candidates(source.set())) {
          if (reads.is_initial(w)) continue;
          const std::uint32_t its = place[index(reads.writer(w))];
          if (its <= latest_place || its >= place[index(t)]) continue;
          latest = reads.writer(w);
          latest_place = its;
        }
        const Txn seen = reads.writer(reads.candidates(source.set())[*choice++]);
        if (seen == latest) continue;
        const Op op = check::Reads::operation_of_read(plain, t, i);
        line("saw {} {}", operation(expanded ? expanded->operations[index(op)] : op, reads.key(source)),
             transaction(seen));
      }
    }
  }

  void bad_read(const BadRead& bad) {
    const bool two = bad.write != bad.read && !writes(h_.kind(bad.write));
    line("bad-read {}{}", operation(bad.read, bad.row), two ? " " + operation(bad.write, {}) : "");
  }

  // `first`: how many steps there are already.
  void derivation(const Derivation& d, std::size_t first) {
    std::size_t next = first;
    std::vector<std::size_t> number;  // of each step
    for (const Step& step : d.steps) {
      if (step.rule == Rule::decision) {  // its case has told it
        number.push_back(case_that_assumes(step));
        continue;
      }
      std::string text = fmt::format("step {} {}", next, rule(step));
      if (!step.premises.empty()) text += " :";
      for (const std::uint32_t premise : step.premises) text += fmt::format(" {}", number[premise]);
      line("{}", text);
      number.push_back(next++);
    }
    if (d.cases.empty()) {
      std::string text = "cycle";
      for (const std::uint32_t i : d.cycle) text += fmt::format(" {}", number[i]);
      line("{}", text);
      return;
    }
    const Step& one = d.cases.front().assumption;
    if (one.read != check::kNoOp) {
      line("split-read {}", operation(one.read, one.key));
    } else {
      line("split-order {} {} {}", index(one.key), index(one.from.txn), index(one.to.txn));
    }
    for (const Derivation::Case& c : d.cases) {
      if (one.read != check::kNoOp) {
        line("case {} {}", next, transaction(c.assumption.from.txn));
      } else {
        line("case {} {} {}", next, index(c.assumption.from.txn), index(c.assumption.to.txn));
      }
      cases_.push_back({c.assumption.from, c.assumption.to, next});
      derivation(c.derivation, next + 1);
      cases_.pop_back();
    }
    line("qed");
  }

  std::string finish() {
    std::uint64_t sum = 0xCBF29CE484222325ULL;
    for (const char c : out_) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
    return out_ + fmt::format("end {} {:016x}\n", lines_, sum);
  }

 private:
  template <class... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Arguments>(arguments)...);
    out_ += '\n';
    ++lines_;
  }

  static std::string transaction(Txn t) { return t == kInitialTxn ? "init" : fmt::format("{}", index(t)); }
  static std::string event(const Event& e) {
    if (e.txn == kInitialTxn) return "init";
    return fmt::format("{}{}", e.side == Event::Side::begin ? 'b' : 'c', index(e.txn));
  }
  // Of a query with the key that is spoken of.
  std::string operation(Op op, std::optional<Key> row) const {
    const Txn t = h_.transaction_of(op);
    std::string text = fmt::format("{}.{}", index(t), index(op) - index(h_.operations_of(t)[0]));
    if (is_query(h_.kind(op)) && row) text += fmt::format("/{}", index(*row));
    return text;
  }

  std::string rule(const Step& s) const {
    const bool starts = s.rule == Rule::initial && s.from.txn == kInitialTxn;
    std::string text =
        fmt::format("{} {} {}", starts ? "start" : check::name(s.rule), event(s.from), event(s.to));
    if (s.rule == Rule::first_committer) text += fmt::format(" {}", index(s.key));
    if (s.read != check::kNoOp) text += " " + operation(s.read, s.key);
    return text;
  }

  // REQUIRES: the step is what one of the cases around it assumes.
  std::size_t case_that_assumes(const Step& step) const {
    const auto found = std::find_if(cases_.rbegin(), cases_.rend(), [&](const OpenCase& one) {
      return one.from == step.from && one.to == step.to;
    });
    assert(found != cases_.rend());
    return found->number;
  }

  struct OpenCase {
    Event from, to;  // what it assumes
    std::size_t number;
  };

  const History& h_;
  std::string out_;
  std::size_t lines_ = 0;
  std::vector<OpenCase> cases_;  // those that are being written, the innermost last
};

// Repeatable read asks for no order, only who took part.
std::vector<Event> everybody(const History& h) {
  std::vector<Event> all;
  for (const Txn t : h.all_transactions()) {
    if (h.status(t) != Status::aborted) all.push_back({t});
  }
  return all;
}

}  // namespace

std::optional<std::string> certificate(const History& history, const Outcome& outcome,
                                       const Counterexample* counterexample, const check::Options& options) {
  if (outcome.verdict == Verdict::undecided) return std::nullopt;
  Writer writer(history);
  writer.head(outcome, options);
  if (outcome.verdict == Verdict::holds) {
    if (outcome.level == Level::repeatable_read) {
      writer.order(everybody(history));
    } else {
      if (!outcome.choices.empty()) writer.sources(outcome);
      writer.order(outcome.order);
    }
    return writer.finish();
  }
  if (counterexample == nullptr) return std::nullopt;
  if (!counterexample->bad_reads.empty()) {
    writer.bad_read(counterexample->bad_reads.front());
  } else if (!counterexample->derivation.empty()) {
    writer.derivation(counterexample->derivation, 0);
  } else {
    return std::nullopt;
  }
  return writer.finish();
}

std::optional<std::string> certificate(const Examination& examination, const Outcome& outcome) {
  const Explanation* explanation = examination.explanation_of(outcome.level);
  check::Options options;
  options.sessions = examination.sessions;
  options.clock_drift = examination.clock_drift;
  return certificate(*examination.history, outcome,
                     explanation == nullptr ? nullptr : &explanation->counterexample, options);
}

}  // namespace assay::evidence
