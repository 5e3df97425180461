#include "report/page/contention.hpp"

#include <algorithm>
#include <vector>

namespace assay::report {

namespace {

constexpr std::uint32_t kNobody = 0xFFFFFFFFU;

// Until when a key is in use: by the session that uses it longest, and by all the others.
struct InUse {
  std::int64_t longest = INT64_MIN, by_others = INT64_MIN;
  std::uint32_t session = kNobody;

  void until(std::int64_t end, std::uint32_t by) {
    if (by == session) {
      longest = std::max(longest, end);
    } else if (end > longest) {
      by_others = longest;
      longest = end;
      session = by;
    } else {
      by_others = std::max(by_others, end);
    }
  }
  bool by_another(std::int64_t at, std::uint32_t than) const {
    return (session == than ? by_others : longest) >= at;
  }
};

struct Use {
  InUse read, written;
};

template <typename Visit>
void each_key(const History& history, Op op, Visit visit) {
  switch (history.kind(op)) {
    case OpKind::list_read:
      visit(history.list(op).key);
      break;
    case OpKind::predicate_read:
    case OpKind::range_read:
      for (const Version version : history.query(op).results) visit(history.key_of(version));
      break;
    default:
      visit(history.key(op));
  }
}

}  // namespace

std::optional<Contention> contention_of(const History& history) {
  std::vector<Txn> by_start;
  for (const Txn t : history.all_transactions()) {
    const auto start = history.start(t);
    const auto end = history.end(t);
    if (history.status(t) == Status::committed && start && end && *end >= *start) by_start.push_back(t);
  }
  if (by_start.empty()) return std::nullopt;
  std::stable_sort(by_start.begin(), by_start.end(),
                   [&](Txn a, Txn b) { return *history.start(a) < *history.start(b); });

  Contention found;
  found.transactions = static_cast<std::uint32_t>(by_start.size());
  std::vector<Use> uses(history.keys());
  for (const Txn t : by_start) {
    const std::uint32_t session = index(history.session_of(t));
    const std::int64_t start = *history.start(t);
    bool met = false;
    for (const Op op : history.operations_of(t)) {
      const bool wrote = writes(history.kind(op));
      each_key(history, op, [&](Key key) {
        const Use& use = uses[index(key)];
        met = met || use.written.by_another(start, session) || (wrote && use.read.by_another(start, session));
      });
    }
    found.met += met ? 1 : 0;
    for (const Op op : history.operations_of(t)) {
      const bool wrote = writes(history.kind(op));
      each_key(history, op, [&](Key key) {
        Use& use = uses[index(key)];
        (wrote ? use.written : use.read).until(*history.end(t), session);
      });
    }
  }
  return found;
}

}  // namespace assay::report
