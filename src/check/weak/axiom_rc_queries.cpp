// Read committed for histories with queries: what a transaction had read from by an earlier operation is
// visible to a read. The rows of one query are seen at once, so what one of them shows is not visible to the
// others.
#include <vector>

#include "check/weak/common_keys.hpp"
#include "check/weak/forcing.hpp"

namespace assay::check {

void force_read_committed_by_moments(const AttributedHistory& h, ForcedOrders& forced) {
  constexpr std::uint32_t kNoRead = 0xFFFFFFFFU;
  CommonKeys keys(h);
  FirstFromSource first_from_source(h);
  std::vector<std::uint32_t> next_of_same_key;  // per read of the transaction
  std::vector<std::uint32_t> upcoming;          // per key of the transaction: its first read after the moment
  for (const Txn t : h.all_transactions()) {
    const std::uint32_t first = h.first_read(t), last = h.last_read(t);
    if (last - first < 2) continue;
    keys.load(t);
    next_of_same_key.resize(last - first);
    upcoming.assign(keys.size(), kNoRead);
    for (std::uint32_t read = last; read-- > first;) {
      std::uint32_t& next = upcoming[keys.slot_of(h.key(read))];
      next_of_same_key[read - first] = next;
      next = read;
    }
    for (std::uint32_t begin = first, end = first; begin < last; begin = end) {
      // A query reads a key once, so what is upcoming when its reads are behind is of a later moment.
      for (; end < last && !h.is_before(begin, end); ++end) {
        upcoming[keys.slot_of(h.key(end))] = next_of_same_key[end - first];
      }
      for (std::uint32_t read = begin; read < end; ++read) {
        const Txn source = h.source(read);
        if (source == kNobody) continue;
        const std::uint32_t next = next_of_same_key[read - first];
        if (next != kNoRead && h.is_before(read, next)) forced.add(source, h.source(next));
        if (!first_from_source(t, read)) continue;
        keys.for_each_written_by(source, [&](std::uint32_t slot) {
          if (upcoming[slot] != kNoRead) forced.add(source, h.source(upcoming[slot]));
        });
      }
    }
  }
}

}  // namespace assay::check
