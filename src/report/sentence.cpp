#include "report/sentence.hpp"

#include <fmt/format.h>

#include "evidence/missed_write.hpp"
#include "history/query.hpp"
#include "report/printable.hpp"
#include "report/words/counted.hpp"
#include "report/words/query_words.hpp"
#include "report/words/read_words.hpp"

namespace assay::report {

using check::Rule;
using check::Step;
using evidence::rests_on_missing_row;

namespace {

std::string key_name(const History& history, Key key) {
  return "key " + printable(history.name(key));
}

// The reader of the read that the step speaks of, and whose write it saw.
struct ReadOfStep {
  Txn reader, writer;
};
ReadOfStep read_of_step(const Step& step) {
  switch (step.rule) {
    case Rule::reads_from:
      return {step.to.txn, step.from.txn};
    case Rule::anti_dependency:
      return {step.from.txn, step.witness};
    case Rule::initial:
      return {step.from.txn, kInitialTxn};
    default:
      return {step.witness, step.to.txn};
  }
}

// Calls tell(words) with the read that the step speaks of. Evidence names it; a checker's own derivation
// leaves it to be found.
template <class Tell>
std::string with_read(const History& history, const Step& step, const Naming& naming, Tell tell) {
  const auto [reader, writer] = read_of_step(step);
  const Op op = step.read != check::kNoOp ? step.read : find_read(history, reader, step.key, writer);
  if (op != check::kNoOp) return tell(ReadWords(history, op, step.key, naming));
  return fmt::format("{} saw {} as {} left it", naming(reader), key_name(history, step.key), naming(writer));
}

// Times of a wall clock as a person reads them; of another clock its numbers.
std::string clock_times(const History& history, Txn from, Txn to) {
  const auto end = history.end(from), start = history.start(to);
  if (!end || !start) return "";
  constexpr std::int64_t kWallClock = 100'000'000'000'000'000;  // nanoseconds: in 1973
  if (*end < kWallClock || *start < *end) return fmt::format(" ({} ns, {} ns)", *end, *start);
  return fmt::format(" ({} and {} UTC, {} apart)", time_of_day(*end), time_of_day(*start),
                     duration_told(static_cast<std::uint64_t>(*start - *end)));
}

}  // namespace

bool has_key(const Step& step) {
  switch (step.rule) {
    case Rule::initial:
      return step.from.txn != kInitialTxn;
    case Rule::reads_from:
    case Rule::version_order:
    case Rule::overwritten:
    case Rule::anti_dependency:
    case Rule::first_committer:
    case Rule::axiom:
      return true;
    case Rule::program:
    case Rule::session:
    case Rule::real_time:
    case Rule::decision:
      return false;
  }
  return false;
}

bool has_witness(const Step& step) {
  return step.rule == Rule::overwritten || step.rule == Rule::anti_dependency || step.rule == Rule::axiom;
}

namespace {

// Why a row that a query did not return orders two transactions.
std::string missing_row(const History& history, const Step& step, const evidence::MissedWrite& row,
                        const Naming& naming) {
  const bool visible = step.rule == Rule::axiom || step.rule == Rule::overwritten;
  const Txn source = visible ? step.to.txn : step.rule == Rule::initial ? kInitialTxn : step.witness;
  const std::string missed =
      fmt::format("{} {}, which {} {}", naming(row.reader), did_not_see(history, row.read, row.key),
                  naming(row.writer), did_to(history, row.writer, row.key));
  if (!visible) {
    return source == kInitialTxn ? missed + ": that had not happened yet"
                                 : fmt::format("{0}: it saw that row as {1} left it, and {2} came after {1}",
                                               missed, naming(source), naming(row.writer));
  }
  return source == kInitialTxn ? fmt::format("{}, although that was visible to it", missed)
                               : fmt::format("{}: that was visible to it, so {} had changed the row since",
                                             missed, naming(source));
}

// Who read comes before whoever wrote what was not in it.
std::string missed(const History& history, const Step& step, const ReadWords& read, const Naming& naming) {
  const Txn writer = step.to.txn;
  if (read.is_list_of(writer)) return read.without(writer);
  const std::string_view did = did_to(history, writer, step.key);
  if (step.rule == Rule::initial)
    return fmt::format("{}, and {} {} that key", read.what(), naming(writer), did);
  return fmt::format("{}; {} {} that key too and comes after {}", read.from(step.witness), naming(writer),
                     did, naming(step.witness));
}

// What was there before a read, and is not what it saw, had been replaced by that.
std::string replaced(const History& history, const Step& step, const ReadWords& read, const Naming& naming) {
  const Txn writer = step.from.txn;
  const Txn source = step.to.txn;
  const bool axiom = step.rule == Rule::axiom;
  const std::string before = axiom ? "that was visible to it"
                                   : fmt::format("{} comes before {}", naming(writer), naming(step.witness));
  if (read.is_list_of(writer)) {
    if (source == kInitialTxn) return fmt::format("{}, although {}", read.without(writer), before);
    if (!read.lacks(writer)) return read.from_and_without(writer, source);
    return fmt::format("{}; {}, so it was appended first", read.from_and_without(source, writer), before);
  }
  const std::string did = fmt::format("{} {} that key", naming(writer), did_to(history, writer, step.key));
  if (source == kInitialTxn) return fmt::format("{}; {}, although {}", read.what(), did + " too", before);
  return fmt::format("{}; {} too and {}, so it had been overwritten by then", read.from(source), did, before);
}

}  // namespace

std::string reason(const History& history, const Step& step, const Naming& naming) {
  if (rests_on_missing_row(history, step)) {
    if (const auto row = evidence::missed_write(step)) return missing_row(history, step, *row, naming);
  }
  const Txn from = step.from.txn;
  const Txn to = step.to.txn;
  const auto key = [&] { return key_name(history, step.key); };
  switch (step.rule) {
    case Rule::program:
      return "a transaction begins before it commits";
    case Rule::session:
      return fmt::format("both ran in session {}, in this order",
                         printable(history.name(history.session_of(to))));
    case Rule::reads_from:
      return with_read(history, step, naming, [&](const ReadWords& read) { return read.from(from); });
    case Rule::initial:
    case Rule::anti_dependency:
      if (from == kInitialTxn) return "the initial state comes before everything";
      return with_read(history, step, naming,
                       [&](const ReadWords& read) { return missed(history, step, read, naming); });
    case Rule::real_time:
      return fmt::format("{} had ended before {} started, by the clock{}", naming(from), naming(to),
                         clock_times(history, from, to));
    case Rule::version_order: {
      const Op op =
          step.read != check::kNoOp ? step.read : find_list_read(history, step.witness, step.key, from, to);
      if (op == check::kNoOp) return fmt::format("the list at {} shows it", key());
      return ReadWords(history, op, step.key, naming).from_and_without(from, to);
    }
    case Rule::overwritten:
    case Rule::axiom:
      return with_read(history, step, naming,
                       [&](const ReadWords& read) { return replaced(history, step, read, naming); });
    case Rule::first_committer:
      return fmt::format(
          "both wrote {}, and {} began before {} committed: of two that overlap only one may commit", key(),
          naming(from), naming(to));
    case Rule::decision:
      if (step.witness == kInitialTxn) return "assumed: it is one of the two orders that were still possible";
      return "assumed: it is one of the writers that the read can have seen";
  }
  return "";
}

std::string assumption(const History& history, const Step& step, const Naming& naming) {
  const std::string key = printable(history.name(step.key));
  if (rests_on_missing_row(history, step)) {
    const std::string missed = naming(step.to.txn) + " " + did_not_see(history, step.read, step.key);
    return step.from.txn == kInitialTxn ? missed + " because it was not there at the beginning"
                                        : fmt::format("{} because {} {} it", missed, naming(step.from.txn),
                                                      did_to(history, step.from.txn, step.key));
  }
  if (step.read != check::kNoOp || step.witness != kInitialTxn) {
    return step.from.txn == kInitialTxn
               ? fmt::format("{} read the initial value of key {}", naming(step.to.txn), key)
               : fmt::format("{} read key {} from {}", naming(step.to.txn), key, naming(step.from.txn));
  }
  return fmt::format("{} wrote key {} before {} did", naming(step.from.txn), key, naming(step.to.txn));
}

}  // namespace assay::report
