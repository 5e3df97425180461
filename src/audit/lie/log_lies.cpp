// What the logs say was done is not what was done.
#include <algorithm>
#include <initializer_list>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "audit/lie/draw.hpp"
#include "audit/lie/plants.hpp"

namespace assay::audit::lie {

namespace {

// Exchanges the places of two neighbours of one log; with `fits` saying which two.
template <class Fits>
bool swap_neighbours(Draft& draft, Draw& draw, const Fits& fits) {
  std::vector<std::pair<std::size_t, std::size_t>> places;
  std::vector<std::size_t> order(draft.operations.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto key = [&](std::size_t i) {
    const DraftOperation& op = draft.operations[i];
    return std::tie(op.kind, op.object, op.seq);
  };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  for (std::size_t i = 1; i < order.size(); ++i) {
    const DraftOperation& before = draft.operations[order[i - 1]];
    const DraftOperation& after = draft.operations[order[i]];
    if (before.kind == after.kind && before.object == after.object && fits(before, after)) {
      places.emplace_back(order[i - 1], order[i]);
    }
  }
  if (places.empty()) return false;
  const auto [a, b] = places[draw.below(places.size())];
  std::swap(draft.operations[a].seq, draft.operations[b].seq);
  return true;
}

bool change_contents(Draft& draft, std::uint64_t seed, wire::ObjectKind kind) {
  Draw draw(seed);
  DraftOperation* op = pick(draft.operations, draw,
                            [&](const DraftOperation& o) { return o.kind == kind && !o.contents.empty(); });
  return op != nullptr && flip(op->contents, draw);
}

// A statement that was carried out and begins so.
bool is_statement(const DraftOperation& op, std::initializer_list<std::string_view> beginnings) {
  if (op.type != wire::OperationType::sql_statement || op.outcome != 0) return false;
  wire::Cursor in(op.contents);
  in.natural();  // the connection
  const std::string_view sql = in.bytes();
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](std::string_view word) { return sql.substr(0, word.size()) == word; });
}

}  // namespace

bool drop_operation(Draft& draft, std::uint64_t seed) {
  if (draft.operations.empty()) return false;
  Draw draw(seed);
  remove(draft.operations, &draft.operations[draw.below(draft.operations.size())]);
  return true;
}

// Drops the last operation of a request and counts one less, so that the reports still fit.
bool hide_operation(Draft& draft, std::uint64_t seed) {
  Draw draw(seed);
  Count* count = pick(draft.counts, draw, [](const Count& c) { return c.operations > 0; });
  if (count == nullptr) return false;
  const DraftOperation* last = pick(draft.operations, draw, [&](const DraftOperation& op) {
    return op.rid == count->rid && op.opnum == count->operations;
  });
  if (last == nullptr) return false;
  remove(draft.operations, last);
  --count->operations;
  return true;
}

bool duplicate_operation(Draft& draft, std::uint64_t seed) {
  if (draft.operations.empty()) return false;
  Draw draw(seed);
  const std::size_t at = draw.below(draft.operations.size());
  DraftOperation copy = draft.operations[at];
  for (const DraftOperation& op : draft.operations) copy.seq = std::max(copy.seq, op.seq + 1);
  draft.operations.push_back(std::move(copy));
  return true;
}

// An operation more, counted, at the end of its request and of its log.
bool forge_operation(Draft& draft, std::uint64_t seed) {
  Draw draw(seed);
  const DraftOperation* model = pick(draft.operations, draw, [](const DraftOperation&) { return true; });
  if (model == nullptr) return false;
  Count* count = pick(draft.counts, draw, [&](const Count& c) { return c.rid == model->rid; });
  if (count == nullptr) return false;
  DraftOperation forged = *model;
  forged.opnum = ++count->operations;
  for (const DraftOperation& op : draft.operations) forged.seq = std::max(forged.seq, op.seq + 1);
  draft.operations.push_back(std::move(forged));
  return true;
}

bool reorder_requests(Draft& draft, std::uint64_t seed) {
  Draw draw(seed);
  return swap_neighbours(draft, draw,
                         [](const DraftOperation& a, const DraftOperation& b) { return a.rid != b.rid; });
}

bool reorder_program(Draft& draft, std::uint64_t seed) {
  Draw draw(seed);
  return swap_neighbours(draft, draw,
                         [](const DraftOperation& a, const DraftOperation& b) { return a.rid == b.rid; });
}

bool retarget_operation(Draft& draft, std::uint64_t seed) {
  Draw draw(seed);
  DraftOperation* op = pick(draft.operations, draw, [](const DraftOperation&) { return true; });
  if (op == nullptr) return false;
  const DraftOperation* other =
      pick(draft.operations, draw, [&](const DraftOperation& o) { return o.rid != op->rid; });
  if (other == nullptr) return false;
  op->rid = other->rid;
  return true;
}

// Two operations of different requests exchange their owners; the reports still fit.
bool exchange_owners(Draft& draft, std::uint64_t seed) {
  Draw draw(seed);
  DraftOperation* one = pick(draft.operations, draw, [](const DraftOperation&) { return true; });
  if (one == nullptr) return false;
  DraftOperation* other = pick(draft.operations, draw, [&](const DraftOperation& o) {
    return o.rid != one->rid && (o.kind != one->kind || o.object != one->object || o.type != one->type ||
                                 o.contents != one->contents);
  });
  if (other == nullptr) return false;
  std::swap(one->rid, other->rid);
  std::swap(one->opnum, other->opnum);
  return true;
}

bool change_key_value(Draft& draft, std::uint64_t seed) {
  return change_contents(draft, seed, wire::ObjectKind::key_value);
}

bool change_session(Draft& draft, std::uint64_t seed) {
  return change_contents(draft, seed, wire::ObjectKind::session);
}

// Not of a pragma: what it then asks for may be unknown, and the audit undecided.
bool change_statement(Draft& draft, std::uint64_t seed) {
  Draw draw(seed);
  DraftOperation* op = pick(draft.operations, draw, [](const DraftOperation& o) {
    return o.kind == wire::ObjectKind::database && !o.contents.empty() &&
           o.contents.find("PRAGMA") == std::string::npos;
  });
  return op != nullptr && flip(op->contents, draw);
}

bool claim_busy(Draft& draft, std::uint64_t seed) {
  Draw draw(seed);
  DraftOperation* op = pick(draft.operations, draw, [](const DraftOperation& o) {
    return o.type == wire::OperationType::sql_statement && o.outcome == 0;
  });
  if (op == nullptr) return false;
  op->outcome = 5;
  return true;
}

bool deny_busy(Draft& draft, std::uint64_t seed) {
  Draw draw(seed);
  DraftOperation* op = pick(draft.operations, draw, [](const DraftOperation& o) { return o.outcome != 0; });
  if (op == nullptr) return false;
  op->outcome = 0;
  return true;
}

// Not neighbours: between two changes there may be all that both requests do.
bool swap_changes(Draft& draft, std::uint64_t seed) {
  Draw draw(seed);
  const auto changes = [](const DraftOperation& op) {
    return is_statement(op, {"COMMIT", "INSERT", "UPDATE", "DELETE", "REPLACE"});
  };
  DraftOperation* one = pick(draft.operations, draw, changes);
  if (one == nullptr) return false;
  DraftOperation* other = pick(draft.operations, draw, [&](const DraftOperation& op) {
    return changes(op) && op.rid != one->rid && op.object == one->object;
  });
  if (other == nullptr) return false;
  std::swap(one->seq, other->seq);
  return true;
}

// A query is said to have been asked before another request's commit that it saw.
bool move_read(Draft& draft, std::uint64_t seed) {
  Draw draw(seed);
  std::map<std::string, std::vector<const DraftOperation*>> commits;  // by database
  for (const DraftOperation& op : draft.operations) {
    if (is_statement(op, {"COMMIT"})) commits[op.object].push_back(&op);
  }
  const auto comes_before = [](const DraftOperation& read) {
    return [&](const DraftOperation* commit) { return commit->rid != read.rid && commit->seq < read.seq; };
  };
  DraftOperation* read = pick(draft.operations, draw, [&](const DraftOperation& op) {
    const auto found = commits.find(op.object);
    return found != commits.end() && is_statement(op, {"SELECT"}) &&
           std::any_of(found->second.begin(), found->second.end(), comes_before(op));
  });
  if (read == nullptr) return false;
  std::vector<const DraftOperation*>& of_database = commits.at(read->object);
  const std::uint64_t before = (*pick(of_database, draw, comes_before(*read)))->seq;
  for (DraftOperation& op : draft.operations) {
    if (op.seq >= before) ++op.seq;
  }
  read->seq = before;
  return true;
}

// A change that its client was told of is not in the log; everything else is made to fit.
bool lose_update(Draft& draft, std::uint64_t seed) {
  Draw draw(seed);
  const DraftOperation* lost = pick(draft.operations, draw, [](const DraftOperation& op) {
    return is_statement(op, {"INSERT", "UPDATE", "DELETE", "REPLACE"});
  });
  if (lost == nullptr) return false;
  const std::uint64_t rid = lost->rid, opnum = lost->opnum;
  remove(draft.operations, lost);
  for (DraftOperation& op : draft.operations) {
    if (op.rid == rid && op.opnum > opnum) --op.opnum;
  }
  for (DraftValue& value : draft.values) {
    if (value.rid == rid && value.after >= opnum) --value.after;
  }
  for (Count& count : draft.counts) {
    if (count.rid == rid) --count.operations;
  }
  return true;
}

}  // namespace assay::audit::lie
