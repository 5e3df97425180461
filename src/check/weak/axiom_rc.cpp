// Read committed (and, with the same axiom, monotonic atomic view): what a read's transaction had read from
// before is visible to the read. Also repeatable read, which looks at one key at a time.
#include <vector>

#include "check/weak/common_keys.hpp"
#include "check/weak/forcing.hpp"

namespace assay::check {

namespace {

constexpr std::uint32_t kNoRead = 0xFFFFFFFFU;

}  // namespace

// When t2 is first read from, only the next read of each key that it writes needs an order; further reads of
// that key follow through the source of that next one, because consecutive reads of one key order their
// sources.
void force_read_committed(const AttributedHistory& h, ForcedOrders& forced) {
  CommonKeys keys(h);
  FirstFromSource first_from_source(h);
  std::vector<std::uint32_t> next_of_same_key;  // per read of the transaction
  std::vector<std::uint32_t> upcoming;  // per key of the transaction: its first read after the current
  for (std::size_t i = 0; i < h.causal_order().size(); ++i) {
    const Txn t = h.causal_order()[i];
    const std::uint32_t first = h.first_read(t), last = h.last_read(t);
    keys.prefetch_after(i);
    if (last - first < 2) continue;
    keys.load(t);
    next_of_same_key.resize(last - first);
    upcoming.assign(keys.size(), kNoRead);
    for (std::uint32_t read = last; read-- > first;) {
      std::uint32_t& next = upcoming[keys.slot_of(h.key(read))];
      next_of_same_key[read - first] = next;
      next = read;
    }
    for (std::uint32_t read = first; read + 1 < last; ++read) {
      const std::uint32_t next = next_of_same_key[read - first];
      upcoming[keys.slot_of(h.key(read))] = next;
      const Txn source = h.source(read);
      if (source == kNobody) continue;
      if (next != kNoRead) forced.add(source, h.source(next));
      if (!first_from_source(t, read)) continue;
      keys.for_each_written_by(source, [&](std::uint32_t slot) {
        if (upcoming[slot] != kNoRead) forced.add(source, h.source(upcoming[slot]));
      });
    }
  }
}

// Two reads of one key from two writers would need each writer before the other.
void force_repeatable_read(const AttributedHistory& h, ForcedOrders& forced) {
  CommonKeys keys(h);
  std::vector<Txn> first_source;
  for (const Txn t : h.all_transactions()) {
    if (h.last_read(t) - h.first_read(t) < 2) continue;
    keys.load(t);
    if (keys.size() == h.last_read(t) - h.first_read(t)) continue;
    first_source.clear();
    for (std::uint32_t read = h.first_read(t); read < h.last_read(t); ++read) {
      const std::uint32_t slot = keys.slot_of(h.key(read));
      if (slot == first_source.size()) first_source.push_back(h.source(read));
      forced.add(first_source[slot], h.source(read));
      forced.add(h.source(read), first_source[slot]);
    }
  }
}

}  // namespace assay::check
