#include "split/division.hpp"

#include <algorithm>
#include <cassert>
#include <map>
#include <string>

#include "order/graph.hpp"
#include "split/meetings.hpp"
#include "split/sets.hpp"

namespace assay::split {

namespace {

constexpr std::uint32_t kNone = order::kNoNode;

// Calls visit(key) for each key that an operation touches.
template <class Visit>
void for_each_key(const History& h, Op op, Visit visit) {
  const OpKind kind = h.kind(op);
  if (kind == OpKind::list_read) return visit(h.list(op).key);
  if (!is_query(kind)) return visit(h.key(op));
  for (const Version v : h.query(op).results) visit(h.key_of(v));
}

void join_tenants(const History& h, const TenantPattern& tenants, Sets& keys) {
  std::map<std::string, std::uint32_t, std::less<>> first;
  for (std::uint32_t k = 0; k < h.keys(); ++k) {
    const std::string name = to_string(h.name(Key{k}));
    const auto tenant = tenants.tenant_of(name);
    if (!tenant) continue;
    const auto known = first.find(*tenant);
    if (known == first.end()) {
      first.emplace(*tenant, k);
    } else {
      keys.join(known->second, k);
    }
  }
}

Division numbered(std::vector<std::uint32_t> part_of, std::uint32_t most) {
  std::vector<std::uint32_t> number(most, kNone);
  Division result;
  for (std::uint32_t& part : part_of) {
    if (number[part] == kNone) number[part] = result.parts++;
    part = number[part];
  }
  result.part_of = std::move(part_of);
  return result;
}

}  // namespace

std::vector<std::uint32_t> Division::sizes() const {
  std::vector<std::uint32_t> result(parts, 0);
  for (const std::uint32_t part : part_of) ++result[part];
  return result;
}

bool can_be_divided(const History& history) {
  return !history.has(OpKind::predicate_read) && !history.has(OpKind::range_read) && !history.has_moments() &&
         history.left_out().empty();
}

Division divide(const History& history, const std::optional<TenantPattern>& tenants) {
  assert(can_be_divided(history));
  Sets keys(history.keys());
  if (tenants) join_tenants(history, *tenants, keys);
  std::vector<std::uint32_t> key_of(history.transactions(), kNone);
  for (const Txn t : history.all_transactions()) {
    std::uint32_t& first = key_of[index(t)];
    std::uint32_t last = kNone;
    for (const Op op : history.operations_of(t)) {
      for_each_key(history, op, [&](Key k) {
        if (index(k) == last) return;
        last = index(k);
        if (first == kNone) {
          first = last;
        } else {
          keys.join(first, last);
        }
      });
    }
  }
  // Sessions without any key stand behind the keys.
  std::vector<std::uint32_t> part_of(history.transactions());
  for (std::uint32_t s = 0; s < history.sessions(); ++s) {
    std::uint32_t neighbour = history.keys() + s;
    for (const Txn t : history.transactions_of(Session{s})) {
      if (key_of[index(t)] == kNone) continue;
      neighbour = keys.find(key_of[index(t)]);
      break;
    }
    for (const Txn t : history.transactions_of(Session{s})) {
      if (key_of[index(t)] != kNone) neighbour = keys.find(key_of[index(t)]);
      part_of[index(t)] = neighbour;
    }
  }
  return numbered(std::move(part_of), history.keys() + history.sessions());
}

Division made_a_forest(const History& history, const Division& fine, check::SessionOrder sessions) {
  if (sessions == check::SessionOrder::ignore) return fine;
  Sets parts(fine.parts);
  Meetings(history, fine.part_of, fine.parts).join_circles(parts);
  return joined(fine, parts.numbered());
}

Division with_larger_parts(const History& history, const Division& forest, check::SessionOrder sessions,
                           std::uint64_t least) {
  Sets clusters(forest.parts);
  std::vector<std::uint64_t> weight(forest.parts, 0);
  for (const std::uint32_t part : forest.part_of) ++weight[part];
  const auto join = [&](std::uint32_t a, std::uint32_t b) {
    a = clusters.find(a);
    b = clusters.find(b);
    const std::uint64_t both = a == b ? weight[a] : weight[a] + weight[b];
    const std::uint32_t one = clusters.join(a, b);
    weight[one] = both;
    return one;
  };
  // Joins `part` with what waits at `place` for company, or leaves it waiting there.
  const auto offer = [&](std::uint32_t part, std::uint32_t& place) {
    part = place == kNone ? clusters.find(part) : join(part, place);
    place = weight[part] < least ? part : kNone;
  };
  std::uint32_t alone = kNone;  // of a tree that is done
  if (sessions == check::SessionOrder::ignore) {
    for (std::uint32_t part = 0; part < forest.parts; ++part) offer(part, alone);
    return joined(forest, clusters.numbered());
  }
  const Meetings meetings(history, forest.part_of, forest.parts);
  std::vector<std::uint32_t> parent(meetings.nodes(), kNone), waiting(meetings.sessions(), kNone), order;
  std::vector<bool> seen(meetings.nodes(), false);
  for (std::uint32_t root = meetings.sessions(); root < meetings.nodes(); ++root) {
    if (seen[root]) continue;
    order.assign(1, root);
    seen[root] = true;
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (const std::uint32_t next : meetings.graph().successors(order[i])) {
        if (seen[next]) continue;
        seen[next] = true;
        parent[next] = order[i];
        order.push_back(next);
      }
    }
    // From the leaves on: parts that share a session are joined, and with the part on its other side.
    for (std::size_t i = order.size(); i-- > 0;) {
      const std::uint32_t node = order[i];
      if (!meetings.is_part(node)) {
        if (waiting[node] != kNone) join(waiting[node], meetings.part(parent[node]));
      } else if (weight[clusters.find(meetings.part(node))] < least) {
        offer(meetings.part(node), node == root ? alone : waiting[parent[node]]);
      }
    }
  }
  return joined(forest, clusters.numbered());
}

Division joined(const Division& division, const std::vector<std::uint32_t>& group_of) {
  assert(group_of.size() == division.parts);
  std::vector<std::uint32_t> part_of(division.part_of.size());
  std::uint32_t most = 0;
  for (std::size_t t = 0; t < part_of.size(); ++t) {
    part_of[t] = group_of[division.part_of[t]];
    most = std::max(most, part_of[t] + 1);
  }
  return numbered(std::move(part_of), most);
}

}  // namespace assay::split
