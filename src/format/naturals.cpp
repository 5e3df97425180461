#include "format/naturals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "system/input_error.hpp"

namespace assay::format {

namespace {

std::optional<std::uint64_t> natural(const Atom& atom) {
  if (atom.kind == AtomKind::natural) return atom.bits;
  if (atom.kind == AtomKind::integer && static_cast<std::int64_t>(atom.bits) >= 0) return atom.bits;
  return std::nullopt;
}

template <class Id, class Counts>
std::vector<std::uint64_t> numbers(const History& history, std::uint32_t count, Counts counts) {
  std::vector<std::uint64_t> names(count, 0), sorted;
  bool usable = true;
  for (std::uint32_t i = 0; i < count && usable; ++i) {
    if (!counts(Id{i})) continue;
    const auto number = natural(history.name(Id{i}));
    usable = number.has_value();
    names[i] = number.value_or(0);
    sorted.push_back(names[i]);
  }
  std::sort(sorted.begin(), sorted.end());
  usable = usable && std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
  if (!usable) std::iota(names.begin(), names.end(), std::uint64_t{0});
  return names;
}

}  // namespace

void Target::refuse(const std::string& what) const {
  throw InputError(path, "", fmt::format("format {} cannot express {}", format, what));
}

void require_reads_and_writes(const History& history, const Target& target) {
  if (history.count(OpKind::read) + history.count(OpKind::write) != history.operations()) {
    target.refuse("operations other than reads and writes of single keys");
  }
}

std::uint64_t require_natural(const Atom& atom, std::string_view what, const Target& target) {
  const auto number = natural(atom);
  if (!number)
    target.refuse(fmt::format("the {} {}: it is not a natural number of 64 bits", what, to_json(atom)));
  return *number;
}

std::vector<std::uint64_t> transaction_numbers(const History& history) {
  return numbers<Txn>(history, history.transactions(),
                      [&](Txn t) { return history.status(t) != Status::aborted; });
}

std::vector<std::uint64_t> session_numbers(const History& history) {
  return numbers<Session>(history, history.sessions(), [](Session) { return true; });
}

}  // namespace assay::format
