#include "check/strong/query/refine.hpp"

#include "check/expand.hpp"

namespace assay::check {

namespace {

bool has_written(const History& h, Txn t, Op before, Key k) {
  for (const Op op : h.operations_of(t)) {
    if (op < before && writes(h.kind(op)) && h.key(op) == k) return true;
  }
  return false;
}

}  // namespace

QueryRefinement::QueryRefinement(const QueryPlan& plan, const History& history, const Reads& reads,
                                 std::uint32_t most_of_one, Limits& limits)
    : plan_(plan),
      h_(history),
      reads_(reads),
      most_of_one_(most_of_one),
      limits_(limits),
      replay_(plan, history, reads) {}

void QueryRefinement::add_to(Problem& problem) const {
  std::size_t begin = 0;
  for (const Added& read : added_) {
    problem.add_read(read.reader, std::span(candidates_).subspan(begin, read.end - begin));
    begin = read.end;
  }
}

Refinement QueryRefinement::look_at(Problem& problem, std::span<const Node> order) {
  ++replays_;
  const std::vector<MissedRow> missed = replay_.missed_rows(problem, order, most_of_one_, limits_);
  for (const MissedRow& row : missed) {
    const std::vector<Write> instead = replay_.seen_instead(row);
    if (instead.empty() || has_written(h_, row.reader, plan_.asked()[row.asked].query, row.key)) {
      impossible_ = row;
      return Refinement::no_order_can_be_right;
    }
    candidates_.insert(candidates_.end(), instead.begin(), instead.end());
    added_.push_back({row.reader, candidates_.size()});
    problem.add_read(row.reader, instead);
  }
  return missed.empty() ? Refinement::nothing_is_wrong : Refinement::reads_were_added;
}

std::vector<BadRead> QueryRefinement::bad_reads() const {
  const Expanded expanded = expand_queries_among(h_, std::span(&impossible_.reader, 1), impossible_.key);
  std::vector<Presence> fates;
  for (const Txn t : h_.all_transactions()) fates.push_back(reads_.presence(t));
  const Reads reads = resolve_reads(expanded.history, fates);
  std::vector<BadRead> bad(reads.bad_reads().begin(), reads.bad_reads().end());
  for (BadRead& one : bad) speak_of_the_original(one, expanded);
  return bad;
}

}  // namespace assay::check
