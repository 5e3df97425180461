#include "check/unexplained_reads.hpp"

#include <cstdint>

#include "history/query.hpp"

namespace assay::check {

namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFFU;

struct Writes {
  std::uint32_t aborted = kNone, intermediate = kNone;  // operations
};

// The writes of the versions that some read returned or may have seen.
class WritesOfVersions {
 public:
  WritesOfVersions(const History& history, std::span<const UnexplainedRead> reads)
      : h_(history), slot_(history.versions(), kNone) {
    for (const UnexplainedRead& read : reads) {
      look_for(read.version);
      if (!h_.is_set(read.version)) continue;
      for (const Version v : h_.members(read.version)) look_for(v);
    }
    for (const Txn t : h_.all_transactions()) {
      for (const Op op : h_.operations_of(t)) {
        if (!writes(h_.kind(op))) continue;
        const std::uint32_t slot = slot_[index(h_.version(op))];
        if (slot == kNone) continue;
        (h_.status(t) == Status::aborted ? found_[slot].aborted : found_[slot].intermediate) = index(op);
      }
    }
  }

  Writes of(Version v) const {
    Writes all = found_[slot_[index(v)]];
    if (!h_.is_set(v)) return all;
    for (const Version member : h_.members(v)) {
      const Writes& of_member = found_[slot_[index(member)]];
      if (of_member.aborted != kNone) all.aborted = of_member.aborted;
      if (of_member.intermediate != kNone) all.intermediate = of_member.intermediate;
    }
    return all;
  }

 private:
  void look_for(Version v) {
    if (slot_[index(v)] != kNone) return;
    slot_[index(v)] = static_cast<std::uint32_t>(found_.size());
    found_.emplace_back();
  }

  const History& h_;
  std::vector<std::uint32_t> slot_;  // version -> its place in found_
  std::vector<Writes> found_;
};

Op own_write_of(const History& h, Txn t, Version v) {
  for (const Op op : h.operations_of(t)) {
    if (writes(h.kind(op)) && h.covers(v, h.version(op))) return op;
  }
  return Op{kNone};
}

}  // namespace

std::vector<BadRead> explain(const History& h, std::span<const UnexplainedRead> reads) {
  std::vector<BadRead> bad_reads;
  if (reads.empty()) return bad_reads;
  const WritesOfVersions all(h, reads);
  for (const auto& [version, txn, op] : reads) {
    const Writes found = all.of(version);
    BadRead bad{BadRead::Kind::thin_air, txn, op, op};
    if (is_query(h, op)) bad.row = h.key_of(version);
    if (found.intermediate != kNone) {
      // Its own later write, or one that its writer replaced.
      const Op own = own_write_of(h, txn, version);
      const bool future = own != op && h.transaction_of(Op{found.intermediate}) == txn;
      bad.kind = future ? BadRead::Kind::future : BadRead::Kind::intermediate;
      bad.write = future ? own : Op{found.intermediate};
    } else if (found.aborted != kNone) {
      bad.kind = BadRead::Kind::aborted;
      bad.write = Op{found.aborted};
    }
    bad_reads.push_back(bad);
  }
  return bad_reads;
}

}  // namespace assay::check
