#include "check/key_writers.hpp"

namespace assay::check {

Chains session_chains(const AttributedHistory& h) {
  const std::uint32_t n = h.transactions();
  Chains chains{std::vector<std::uint32_t>(n), std::vector<std::uint32_t>(n), h.sessions()};
  for (std::uint32_t t = 0; t < n; ++t) {
    chains.chain[t] = h.session_of(t);
    chains.place[t] = t - h.session_begin(t) + 1;
  }
  return chains;
}

Chains causal_chains(const AttributedHistory& h) {
  const std::uint32_t n = h.transactions();
  Chains chains{std::vector<std::uint32_t>(n, 0), std::vector<std::uint32_t>(n, 0), 0};
  // A session stays in one piece: only its last transaction may be continued by a reader from elsewhere.
  std::vector<std::uint8_t> continued(n, 0);
  for (const std::uint32_t t : h.causal_order()) {
    std::uint32_t before = h.previous(t);
    for (std::uint32_t read = h.first_read(t); before == kNobody && read < h.last_read(t); ++read) {
      const std::uint32_t source = h.source(read);
      if (source != kNobody && h.next(source) == kNobody && !continued[source]) before = source;
    }
    if (before == kNobody) {
      chains.chain[t] = chains.count++;
      chains.place[t] = 1;
    } else {
      continued[before] = 1;
      chains.chain[t] = chains.chain[before];
      chains.place[t] = chains.place[before] + 1;
    }
  }
  // In order of transactions, so that the writers of a key (in that order, too) mostly come grouped already.
  std::vector<std::uint32_t> renamed(chains.count, kNobody);
  std::uint32_t named = 0;
  for (std::uint32_t t = 0; t < n; ++t) {
    if (chains.place[t] == 0) continue;
    std::uint32_t& name = renamed[chains.chain[t]];
    if (name == kNobody) name = named++;
    chains.chain[t] = name;
  }
  return chains;
}

KeyWriters::KeyWriters(const AttributedHistory& h, const Chains& chains) {
  const Reads& reads = h.reads();
  group_begin_.reserve(std::size_t{h.keys()} + 1);
  group_begin_.push_back(0);
  places_.reserve(reads.writes() - std::size_t{h.keys()});
  writers_.reserve(places_.capacity());
  struct Entry {
    std::uint32_t chain, place, writer;
  };
  std::vector<Entry> entries;
  for (std::uint32_t key = 0; key < h.keys(); ++key) {
    entries.clear();
    bool sorted = true;
    for (const Write w : reads.writes_of(Key{key})) {
      const std::uint32_t writer = index(reads.writer(w));
      if (writer == kNobody || !h.present(writer)) continue;
      const Entry entry{chains.chain[writer], chains.place[writer], writer};
      sorted &= entries.empty() || entries.back().chain < entry.chain ||
                (entries.back().chain == entry.chain && entries.back().place < entry.place);
      entries.push_back(entry);
    }
    if (!sorted) {
      std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
        return a.chain != b.chain ? a.chain < b.chain : a.place < b.place;
      });
    }
    for (const Entry& entry : entries) {
      const auto at = static_cast<std::uint32_t>(places_.size());
      if (groups_.size() == group_begin_.back() || groups_.back().chain != entry.chain) {
        groups_.push_back({entry.chain, at, at});
      }
      places_.push_back(entry.place);
      writers_.push_back(entry.writer);
      groups_.back().end = at + 1;
    }
    group_begin_.push_back(static_cast<std::uint32_t>(groups_.size()));
  }
  hints_.reserve(groups_.size());
  for (const Group& group : groups_) hints_.push_back(group.begin);
}

}  // namespace assay::check
