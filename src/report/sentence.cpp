#include "report/sentence.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/printable.hpp"
#include "report/query_words.hpp"

namespace assay::report {

using check::BadRead;
using check::Rule;
using check::Step;

namespace {

constexpr std::size_t kMostElements = 12;  // of a list or a query result, in a sentence

std::string value_of(const History& history, Version version) {
  return history.is_initial(version) ? "the initial value" : printable(history.value(version));
}

std::string key_name(const History& history, Key key) {
  return "key " + printable(history.name(key));
}

std::string elements(const History& history, std::span<const Version> versions, bool with_keys) {
  std::string out = "[";
  const std::size_t shown = std::min(versions.size(), kMostElements);
  for (std::size_t i = 0; i < shown; ++i) {
    if (i != 0) out += ",";
    if (with_keys) out += printable(history.name(history.key_of(versions[i]))) + "=";
    out += history.is_initial(versions[i]) ? "initial" : printable(history.value(versions[i]));
  }
  if (versions.size() > shown) out += fmt::format(",… {} in all", versions.size());
  return out + "]";
}

std::string bound(const std::optional<Atom>& atom) {
  return atom ? printable(*atom) : "";
}

// What `reader` saw of `writer` on `key`, where it is one value: nullopt for a list.
std::optional<Version> value_read(const History& history, Txn reader, Txn writer, Key key) {
  const auto is_from_writer = [&](Version seen) {
    if (history.key_of(seen) != key) return false;
    if (writer == kInitialTxn) return history.is_initial(seen);
    for (const Op candidate : history.operations_of(writer)) {
      if (writes(history.kind(candidate)) && history.version(candidate) == seen) return true;
    }
    return false;
  };
  for (const Op op : history.operations_of(reader)) {
    if (is_query(history, op)) {
      for (const Version row : history.query(op).results) {
        if (is_from_writer(row)) return row;
      }
    } else if (history.kind(op) == OpKind::read && is_from_writer(history.version(op))) {
      return history.version(op);
    }
  }
  return std::nullopt;
}

// "A read x = 5, which B wrote", with what is known of it.
std::string read_of(const History& history, Txn reader, Txn writer, Key key, const Naming& naming) {
  if (writer == kInitialTxn) {
    return fmt::format("{} read the initial value of {}", naming(reader), key_name(history, key));
  }
  const std::optional<Version> seen = value_read(history, reader, writer, key);
  if (!seen)
    return fmt::format("{} saw what {} wrote to {}", naming(reader), naming(writer), key_name(history, key));
  return fmt::format("{} read {} of {}, which {} wrote", naming(reader), value_of(history, *seen),
                     key_name(history, key), naming(writer));
}

std::string clock_times(const History& history, Txn from, Txn to) {
  const auto ended = history.end(from);
  const auto started = history.start(to);
  if (!ended || !started) return "";
  return fmt::format(" ({} ns, {} ns)", *ended, *started);
}

}  // namespace

std::string full_name(const History& history, Txn txn) {
  if (txn == kInitialTxn) return "the initial state";
  return fmt::format("transaction {} of session {}", printable(history.name(txn)),
                     printable(history.name(history.session_of(txn))));
}

std::string operation(const History& history, Op op) {
  const auto simple = [&](std::string_view verb) {
    const Version version = history.version(op);
    return fmt::format("{}({})={}", verb, printable(history.name(history.key(op))),
                       history.is_initial(version) ? "initial" : printable(history.value(version)));
  };
  switch (history.kind(op)) {
    case OpKind::read:
      return simple("r");
    case OpKind::write:
      return simple("w");
    case OpKind::insert:
      return simple("insert");
    case OpKind::append:
      return simple("append");
    case OpKind::erase:
      return fmt::format("delete({})", printable(history.name(history.key(op))));
    case OpKind::list_read: {
      const ListRead list = history.list(op);
      return fmt::format("r({})={}", printable(history.name(list.key)),
                         elements(history, list.elements, false));
    }
    case OpKind::predicate_read: {
      const Query query = history.query(op);
      return fmt::format("where({})={}", bound(query.predicate), elements(history, query.results, true));
    }
    case OpKind::range_read: {
      const Query query = history.query(op);
      return fmt::format("range({}..{})={}", bound(query.low), bound(query.high),
                         elements(history, query.results, true));
    }
  }
  return "";
}

std::string_view anomaly(BadRead::Kind kind) {
  switch (kind) {
    case BadRead::Kind::internal:
      return "internal-inconsistency";
    case BadRead::Kind::aborted:
      return "aborted-read";
    case BadRead::Kind::intermediate:
      return "intermediate-read";
    case BadRead::Kind::future:
      return "future-read";
    case BadRead::Kind::thin_air:
      return "thin-air-read";
    case BadRead::Kind::incompatible_order:
      return "incompatible-order";
  }
  return "";
}

std::optional<Key> key_of(const History& history, const BadRead& bad) {
  switch (history.kind(bad.read)) {
    case OpKind::list_read:
      return history.list(bad.read).key;
    case OpKind::predicate_read:
    case OpKind::range_read:
      return bad.row;
    default:
      return history.key(bad.read);
  }
}

namespace {

std::string what_was_seen(const History& history, const BadRead& bad, const std::string& reader,
                          std::optional<Key> key) {
  if (key && is_query(history, bad.read)) {
    if (!returned(history, bad.read, *key)) return reader + " " + did_not_see(history, bad.read, *key);
    return fmt::format("{} saw {}, and so row {}", reader, operation(history, bad.read),
                       printable(history.name(*key)));
  }
  if (history.kind(bad.read) != OpKind::read) return reader + " saw " + operation(history, bad.read);
  return fmt::format("{} read {} of {}", reader, value_of(history, history.version(bad.read)),
                     key_name(history, history.key(bad.read)));
}

}  // namespace

std::string sentence(const History& history, const BadRead& bad) {
  const std::string reader = full_name(history, bad.txn);
  const std::optional<Key> key = key_of(history, bad);
  const std::string saw = what_was_seen(history, bad, reader, key);
  const bool has_write = bad.write != bad.read;
  const Txn writer = has_write ? history.transaction_of(bad.write) : kInitialTxn;
  const std::string wrote = has_write ? operation(history, bad.write) : "";
  switch (bad.kind) {
    case BadRead::Kind::internal:
      if (!has_write) return saw + ", which contradicts what it had itself read or written before.";
      return fmt::format("{}, although it had itself done {} before and should have seen that.", saw, wrote);
    case BadRead::Kind::aborted:
      if (!has_write) return saw + ", which only an aborted transaction wrote.";
      return fmt::format("{}, but that was written by {} ({}), which aborted.", saw,
                         full_name(history, writer), wrote);
    case BadRead::Kind::intermediate:
      if (!has_write) return saw + ", which its writer overwrote before it committed.";
      return fmt::format("{}, but {} overwrote that ({}) itself before it committed: nobody else may see it.",
                         saw, full_name(history, writer), wrote);
    case BadRead::Kind::future:
      return fmt::format("{}, which only this transaction itself writes, and only later.", saw);
    case BadRead::Kind::thin_air:
      if (key && is_query(history, bad.read) && !returned(history, bad.read, *key)) {
        return saw + ", although it was there from the beginning and nobody took it away.";
      }
      return fmt::format("{}, but nobody ever wrote that.", saw);
    case BadRead::Kind::incompatible_order:
      if (!has_write) return saw + ", which no list that the other reads show can have been.";
      return fmt::format("{}, but {} saw {}: no list can have been both.", saw, full_name(history, writer),
                         wrote);
  }
  return "";
}

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
std::string missing_row(const History& history, const Step& step, const Naming& naming) {
  const bool visible = step.rule == Rule::axiom || step.rule == Rule::overwritten;
  const Txn reader = visible ? step.witness : step.from.txn;
  const Txn writer = visible ? step.from.txn : step.to.txn;
  const Txn source = visible ? step.to.txn : step.rule == Rule::initial ? kInitialTxn : step.witness;
  const std::string missed =
      fmt::format("{} {}, which {} {}", naming(reader), did_not_see(history, step.read, step.key),
                  naming(writer), did_to(history, writer, step.key));
  if (!visible) {
    return source == kInitialTxn ? missed + ": that had not happened yet"
                                 : fmt::format("{0}: it saw that row as {1} left it, and {2} came after {1}",
                                               missed, naming(source), naming(writer));
  }
  return source == kInitialTxn ? fmt::format("{}, although that was visible to it", missed)
                               : fmt::format("{}: that was visible to it, so {} had changed the row since",
                                             missed, naming(source));
}

}  // namespace

std::string reason(const History& history, const Step& step, const Naming& naming) {
  const bool misses = step.rule == Rule::initial || step.rule == Rule::overwritten ||
                      step.rule == Rule::anti_dependency || step.rule == Rule::axiom;
  if (misses && rests_on_missing_row(history, step)) return missing_row(history, step, naming);
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
      return read_of(history, to, from, step.key, naming);
    case Rule::initial:
      if (from == kInitialTxn) return "the initial state comes before everything";
      return fmt::format("{} read the initial value of {}, and {} wrote that key", naming(from), key(),
                         naming(to));
    case Rule::real_time:
      return fmt::format("{} had ended before {} started, by the clock{}", naming(from), naming(to),
                         clock_times(history, from, to));
    case Rule::version_order:
      return fmt::format("a read of the list at {} shows what {} appended before what {} did", key(),
                         naming(from), naming(to));
    case Rule::overwritten:
      return fmt::format("{}; {} wrote that key too and comes before {}, so it had been overwritten by then",
                         read_of(history, step.witness, to, step.key, naming), naming(from),
                         naming(step.witness));
    case Rule::anti_dependency:
      return fmt::format("{}; {} overwrites that, so it had not happened yet",
                         read_of(history, from, step.witness, step.key, naming), naming(to));
    case Rule::first_committer:
      return fmt::format(
          "both wrote {}, and {} began before {} committed: of two that overlap only one may commit", key(),
          naming(from), naming(to));
    case Rule::axiom:
      return fmt::format(
          "{}; what {} wrote to that key was visible to this read, so it had been overwritten by then",
          read_of(history, step.witness, to, step.key, naming), naming(from));
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
