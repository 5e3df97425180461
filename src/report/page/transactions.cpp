#include "report/page/transactions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "history/query.hpp"
#include "report/printable.hpp"
#include "report/report.hpp"
#include "report/words/value_words.hpp"

namespace assay::report {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t kLongestValue = 400;  // bytes
constexpr std::size_t kMostElements = 12;

std::string elements(const History& history, std::span<const Version> versions, bool with_keys) {
  std::string out = "[";
  for (std::size_t i = 0; i < std::min(versions.size(), kMostElements); ++i) {
    if (i != 0) out += ", ";
    if (with_keys) out += printable(history.name(history.key_of(versions[i]))) + "=";
    out += history.is_initial(versions[i]) ? "initial" : value_told(history, versions[i]);
  }
  if (versions.size() > kMostElements) out += fmt::format(", … {} in all", versions.size());
  return cut(out + "]", kLongestValue);
}

std::string_view name_of(Status status) {
  switch (status) {
    case Status::committed:
      return "committed";
    case Status::aborted:
      return "aborted";
    case Status::unknown:
      return "unknown";
  }
  return "";
}

}  // namespace

bool PageTransactions::involve(Txn txn) {
  if (involved_.count(txn) != 0) return true;
  if (involved_.size() == limits_.transactions) return false;
  involved_.emplace(txn, std::set<Key>());
  return true;
}

void PageTransactions::matters(Txn txn, Key key) {
  const auto found = involved_.find(txn);
  if (found != involved_.end()) found->second.insert(key);
}

Json PageTransactions::transactions() const {
  std::set<Txn> all;
  for (const auto& [txn, keys] : involved_) {
    const auto session = history_.transactions_of(history_.session_of(txn));
    const std::uint32_t at = history_.position_in_session(txn);
    const auto reach = static_cast<std::uint32_t>(limits_.neighbours);
    const std::uint32_t last = std::min(at + reach, session.size() - 1);
    for (std::uint32_t i = at - std::min(at, reach); i <= last; ++i) all.insert(session[i]);
  }
  Json out = Json::array();
  for (const Txn txn : all) out.push_back(transaction(txn));
  return out;
}

Json PageTransactions::sessions() const {
  std::set<Session> all;
  for (const auto& [txn, keys] : involved_) all.insert(history_.session_of(txn));
  Json out = Json::array();
  for (const Session s : all) {
    out.push_back({{"id", index(s)},
                   {"name", printable(history_.name(s))},
                   {"transactions", history_.transactions_of(s).size()}});
  }
  return out;
}

Json PageTransactions::transaction(Txn txn) const {
  const auto found = involved_.find(txn);
  const bool involved = found != involved_.end();
  Json out = {{"id", index(txn)},
              {"name", printable(history_.name(txn))},
              {"session", index(history_.session_of(txn))},
              {"position", history_.position_in_session(txn)},
              {"status", name_of(history_.status(txn))},
              {"involved", involved}};
  if (const auto time = since_first(history_.start(txn))) out["start"] = *time;
  if (const auto time = since_first(history_.end(txn))) out["end"] = *time;
  const auto operations = history_.operations_of(txn);
  const std::vector<Op> shown = involved ? choose(operations, found->second, limits_.operations)
                                         : choose(operations, {}, limits_.neighbour_operations);
  Json list = Json::array();
  for (const Op op : shown) list.push_back(operation_of(op, index(op) - index(operations[0])));
  out["operations"] = std::move(list);
  out["count"] = operations.size();
  return out;
}

// Up to `most`, in program order; those that matter are preferred.
std::vector<Op> PageTransactions::choose(IdRange<Op> operations, const std::set<Key>& keys,
                                         std::size_t most) const {
  std::vector<Op> chosen;
  for (const bool wanted : {true, false}) {
    for (const Op op : operations) {
      if (chosen.size() == most) break;
      const auto key = key_of_operation(op);
      const bool counts =
          operations_.count(op) != 0 ||
          (key ? keys.count(*key) != 0
               : std::any_of(keys.begin(), keys.end(), [&](Key k) { return asks_for(history_, op, k); }));
      if (counts == wanted) chosen.push_back(op);
    }
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

std::optional<Key> PageTransactions::key_of_operation(Op op) const {
  switch (history_.kind(op)) {
    case OpKind::list_read:
      return history_.list(op).key;
    case OpKind::predicate_read:
    case OpKind::range_read:
    case OpKind::rows_read:
      return std::nullopt;
    default:
      return history_.key(op);
  }
}

Json PageTransactions::operation_of(Op op, std::uint32_t position) const {
  const OpKind kind = history_.kind(op);
  Json out = {{"at", position}, {"kind", name(kind)}};
  if (const auto key = key_of_operation(op)) {
    out["keyId"] = index(*key);
    out["key"] = printable(history_.name(*key));
    if (kind == OpKind::list_read) {
      out["value"] = elements(history_, history_.list(op).elements, false);
    } else if (history_.is_initial(history_.version(op))) {
      out["initial"] = true;
    } else {
      out["value"] = value_told(history_, history_.version(op));
    }
    return out;
  }
  const Query query = history_.query(op);
  const auto bound = [](const std::optional<Atom>& atom) { return atom ? printable(*atom) : ""; };
  out["key"] = kind == OpKind::rows_read ? "rows"
               : kind == OpKind::predicate_read
                   ? fmt::format("where {}", bound(query.predicate))
                   : fmt::format("{} to {}", bound(query.low), bound(query.high));
  out["value"] = elements(history_, query.results, true);
  return out;
}

// Seconds since the earliest time among the transactions that are involved: what a person can compare.
std::optional<double> PageTransactions::since_first(std::optional<std::int64_t> time) const {
  if (!time) return std::nullopt;
  if (!first_) {
    first_ = *time;
    for (const auto& [txn, keys] : involved_) {
      if (const auto start = history_.start(txn)) first_ = std::min(*first_, *start);
    }
  }
  const auto t = static_cast<std::uint64_t>(*time);
  const auto f = static_cast<std::uint64_t>(*first_);
  return (*time >= *first_ ? static_cast<double>(t - f) : -static_cast<double>(f - t)) / 1e9;
}

}  // namespace assay::report
