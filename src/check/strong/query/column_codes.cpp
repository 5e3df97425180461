#include "check/strong/query/column_codes.hpp"

#include <algorithm>

namespace assay::check {

ColumnCodes::ColumnCodes(const History& history, const Predicate::Column& column,
                         std::span<const Nature> natures)
    : code_(history.versions(), 0) {
  std::vector<std::pair<Scalar, Version>> rows;  // in which the column is not null
  for (const Version v : IdRange<Version>{0, history.versions()}) {
    if (natures[index(v)] != Nature::row) continue;
    Scalar its = held(column, history.name(history.key_of(v)), history.value(v));
    if (!its.is_null()) rows.emplace_back(std::move(its), v);
  }
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<bool> has_rank(history.versions(), false);
  for (auto& [its, v] : rows) {
    if (held_.empty() || !(held_.back() == its)) held_.push_back(std::move(its));
    code_[index(v)] = static_cast<Code>(held_.size() - 1);
    has_rank[index(v)] = true;
  }
  held_.shrink_to_fit();
  null_ = static_cast<Code>(held_.size());
  for (std::uint32_t v = 0; v < history.versions(); ++v) {
    if (!has_rank[v]) code_[v] = null_ + static_cast<Code>(natures[v]);
  }
}

Code ColumnCodes::rank(const Scalar& from) const {
  return static_cast<Code>(std::lower_bound(held_.begin(), held_.end(), from) - held_.begin());
}

Code ColumnCodes::behind(const Scalar& last) const {
  return static_cast<Code>(std::upper_bound(held_.begin(), held_.end(), last) - held_.begin());
}

CodeRun ColumnCodes::of_sort(Scalar::Sort sort) const {
  const auto begin = std::partition_point(held_.begin(), held_.end(),
                                          [&](const Scalar& held) { return held.sort() < sort; });
  const auto end =
      std::partition_point(begin, held_.end(), [&](const Scalar& held) { return held.sort() == sort; });
  return {static_cast<Code>(begin - held_.begin()), static_cast<Code>(end - held_.begin())};
}

CodeRun ColumnCodes::run_of(const Predicate::Interval& interval) const {
  CodeRun run = of_sort(interval.low ? interval.low->sort() : interval.high->sort());
  if (interval.low) run.from = interval.low_open ? behind(*interval.low) : rank(*interval.low);
  if (interval.high) run.to = interval.high_open ? rank(*interval.high) : behind(*interval.high);
  run.to = std::max(run.from, run.to);
  return run;
}

CodeRun ColumnCodes::that_are_known(const Condition& condition) const {
  if (condition.kind == Condition::Kind::is_null) return {0, null_ + 1};
  return condition.constant.comparable() ? of_sort(condition.constant.sort()) : CodeRun{};
}

CodeRun ColumnCodes::that_meet(const Condition& condition) const {
  using Kind = Condition::Kind;
  if (condition.kind == Kind::is_null) return {null_, null_ + 1};
  CodeRun run = that_are_known(condition);
  if (run.from == run.to) return run;
  if (condition.kind == Kind::starts_with) {
    const std::string& prefix = condition.constant.bytes();
    run.from = rank(condition.constant);
    const auto end =
        std::partition_point(held_.begin() + run.from, held_.begin() + run.to,
                             [&](const Scalar& held) { return held.bytes().starts_with(prefix); });
    run.to = static_cast<Code>(end - held_.begin());
    return run;
  }
  if (condition.kind == Kind::equal || condition.kind == Kind::at_least) run.from = rank(condition.constant);
  if (condition.kind == Kind::more) run.from = behind(condition.constant);
  if (condition.kind == Kind::equal || condition.kind == Kind::at_most) run.to = behind(condition.constant);
  if (condition.kind == Kind::less) run.to = rank(condition.constant);
  return run;
}

CodedCondition coded(const Condition& condition, const CodedColumns& columns) {
  CodedCondition made;
  made.kind = condition.kind;
  if (condition.parts.empty()) {
    const auto& [column, codes] = columns[condition.column];
    made.column = column;
    made.meet = codes->that_meet(condition);
    made.known = codes->that_are_known(condition);
  }
  for (const Condition& part : condition.parts) made.parts.push_back(coded(part, columns));
  return made;
}

}  // namespace assay::check
