// What the versions of a history hold in one column, as numbers: what compares has its rank, then come rows in
// which the column is null, then rows of which no predicate can be sure, then the absence of a row. What a
// condition asks of the column is then a run of codes.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "history/history.hpp"
#include "history/predicate.hpp"

namespace assay::check {

using Code = std::uint32_t;

// What a version is to a predicate.
enum class Nature : std::uint8_t { row, unsure, absent };
inline constexpr Code kNatures = 3;

struct CodeRun {
  Code from = 0, to = 0;  // and to before
  bool has(Code code) const { return from <= code && code < to; }
};

class ColumnCodes {
 public:
  // `natures` is per version.
  ColumnCodes(const History& history, const Predicate::Column& column, std::span<const Nature> natures);

  Code of(Version v) const { return code_[index(v)]; }
  Code count() const { return null_ + kNatures; }
  CodeRun run_of(const Predicate::Interval& interval) const;
  // Which codes meet a condition without parts, and of which it is known whether they do.
  CodeRun that_meet(const Condition& condition) const;
  CodeRun that_are_known(const Condition& condition) const;

 private:
  Code rank(const Scalar& from) const;    // of the first that is not before it
  Code behind(const Scalar& last) const;  // of the first that is behind it
  CodeRun of_sort(Scalar::Sort sort) const;

  std::vector<Scalar> held_;  // by rank
  std::vector<Code> code_;    // per version
  Code null_ = 0;
};

// A condition on columns that have codes.
struct CodedCondition {
  Condition::Kind kind = Condition::Kind::all;
  std::uint32_t column = 0;
  CodeRun meet, known;
  std::vector<CodedCondition> parts;
};

// `columns[i]`: what stands for column i of the condition, and its codes.
using CodedColumns = std::vector<std::pair<std::uint32_t, const ColumnCodes*>>;
CodedCondition coded(const Condition& condition, const CodedColumns& columns);

}  // namespace assay::check
