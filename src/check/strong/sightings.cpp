#include "check/strong/sightings.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>

namespace assay::check {

void Sightings::follow_problem() {
  const auto before = static_cast<std::uint32_t>(sightings_.size());
  const auto now = static_cast<std::uint32_t>(p_.ambiguous_reads().size());
  if (before == now) return;
  seen_by_.resize(p_.reads.writes(), kNone);
  sightings_.resize(now);
  doubts_.resize((now + std::size_t{63}) / 64, 0);
  for (std::uint32_t q = before; q < now; ++q) doubt(q);
}

void Sightings::follow_moves(std::span<const Write> touched) {
  if (sightings_.empty()) return;
  for (const Write w : touched) doubt_those_that_saw(w);
  for (const std::span<const Node> moved : {order_.moved_earlier(), order_.moved_later()}) {
    for (const Node u : moved) {
      if (!p_.is_event(u)) continue;
      const Txn t = p_.txn_of(u);
      if (p_.is_commit(u)) {
        for (const Write w : p_.reads.writes_of(t)) doubt_those_that_saw(w);
      }
      if (!p_.is_begin(u)) continue;
      for (std::uint32_t q = choices_.first_of(t); q != Choices::kNone; q = choices_.next(q)) doubt(q);
    }
  }
}

void Sightings::doubt_those_that_saw(Write w) {
  std::uint32_t q = seen_by_[index(w)];
  if (q == kNone) return;
  const std::uint32_t from = writes_.position(w);
  const std::uint32_t to = writes_.has_next(w) ? writes_.position(writes_.next(w)) : kNone;
  for (; q != kNone; q = sightings_[q].next) {
    const std::uint32_t reader = position_of_reader(q);
    if (reader <= from || reader > to) doubt(q);
  }
}

std::uint32_t Sightings::find_blind(std::uint32_t from) {
  for (std::uint32_t q = next_doubt(from); q != kNone; q = next_doubt(q)) {
    if (!look(q)) return q;
  }
  // That each sees one is said of the order, not of the lists.
  for (std::uint32_t q = 0; q < sightings_.size(); ++q) {
    if (look(q)) continue;
    assert(false && "a read saw a candidate no more, and nobody doubted it");
    return q;
  }
  return kNone;
}

std::uint32_t Sightings::next_doubt(std::uint32_t from) const {
  const std::size_t words = doubts_.size();
  if (words == 0) return kNone;
  std::size_t at = from / 64;
  std::uint64_t word = doubts_[at] & ~std::uint64_t{0} << from % 64;
  for (std::size_t i = 0; word == 0 && i < words; ++i) {
    at = at + 1 == words ? 0 : at + 1;
    word = doubts_[at];
  }
  return word == 0 ? kNone
                   : static_cast<std::uint32_t>(64 * at) + static_cast<std::uint32_t>(std::countr_zero(word));
}

bool Sightings::look(std::uint32_t q) {
  const auto candidates = p_.candidates(p_.ambiguous_reads()[q]);
  const Write seen = writes_.last_before(p_.reads.key(candidates[0]), position_of_reader(q));
  if (!std::binary_search(candidates.begin(), candidates.end(), seen)) {
    doubt(q);
    return false;
  }
  doubts_[q / 64] &= ~(std::uint64_t{1} << q % 64);
  note(q, seen);
  return true;
}

// Moves a read from the list of what it saw before into that of w.
void Sightings::note(std::uint32_t q, Write w) {
  const auto [write, next, previous] = sightings_[q];
  if (write == index(w)) return;
  if (write != kNone) {
    (previous == kNone ? seen_by_[write] : sightings_[previous].next) = next;
    if (next != kNone) sightings_[next].previous = previous;
  }
  std::uint32_t& first = seen_by_[index(w)];
  sightings_[q] = {index(w), first, kNone};
  if (first != kNone) sightings_[first].previous = q;
  first = q;
}

}  // namespace assay::check
