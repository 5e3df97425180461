#include "check/weak/key_writers.hpp"

namespace assay::check {

Chains session_chains(const AttributedHistory& h) {
  const std::uint32_t n = h.transactions();
  Chains chains{std::vector<std::uint32_t>(n), std::vector<std::uint32_t>(n), h.sessions()};
  for (const Txn t : h.all_transactions()) {
    chains.chain[index(t)] = h.session_of(t);
    chains.place[index(t)] = index(t) - index(h.session_begin(t)) + 1;
  }
  return chains;
}

Chains causal_chains(const AttributedHistory& h) {
  const std::uint32_t n = h.transactions();
  Chains chains{std::vector<std::uint32_t>(n, 0), std::vector<std::uint32_t>(n, 0), 0};
  // A session stays in one piece: only its last transaction may be continued by a reader from elsewhere.
  std::vector<std::uint8_t> continued(n, 0);
  for (const Txn t : h.causal_order()) {
    Txn before = h.previous(t);
    for (std::uint32_t read = h.first_read(t); before == kNobody && read < h.last_read(t); ++read) {
      const Txn source = h.source(read);
      if (source != kNobody && h.next(source) == kNobody && !continued[index(source)]) before = source;
    }
    if (before == kNobody) {
      chains.chain[index(t)] = chains.count++;
      chains.place[index(t)] = 1;
    } else {
      continued[index(before)] = 1;
      chains.chain[index(t)] = chains.chain[index(before)];
      chains.place[index(t)] = chains.place[index(before)] + 1;
    }
  }
  // In order of transactions, so that the writers of a key (in that order, too) mostly come grouped already.
  std::vector<std::uint32_t> renamed(chains.count, KeyWriters::kNone);
  std::uint32_t named = 0;
  for (std::uint32_t t = 0; t < n; ++t) {
    if (chains.place[t] == 0) continue;
    std::uint32_t& name = renamed[chains.chain[t]];
    if (name == KeyWriters::kNone) name = named++;
    chains.chain[t] = name;
  }
  return chains;
}

KeyWriters::KeyWriters(const AttributedHistory& h, const Chains& chains) {
  const Reads& reads = h.reads();
  entry_begin_.reserve(std::size_t{h.keys()} + 1);
  entry_begin_.push_back(0);
  group_begin_.reserve(std::size_t{h.keys()} + 1);
  group_begin_.push_back(0);
  entries_.reserve(reads.writes() - std::size_t{h.keys()});
  writers_.reserve(entries_.capacity());
  constexpr std::uint32_t kAhead = 16;
  const auto prefetch_place = [&](Txn t) {
    if (t == kNobody) return;
    assay::prefetch(&chains.chain[index(t)]);
    assay::prefetch(&chains.place[index(t)]);
  };
  struct Labelled {
    Entry entry;
    Txn writer;
  };
  std::vector<Labelled> of_key;
  for (std::uint32_t key = 0; key < h.keys(); ++key) {
    of_key.clear();
    bool sorted = true;
    std::size_t chains_of_key = 0;
    for (const Write w : reads.writes_of(Key{key})) {
      if (index(w) + kAhead < reads.writes()) prefetch_place(reads.writer(Write{index(w) + kAhead}));
      const Txn writer = reads.writer(w);
      if (writer == kNobody || !h.present(writer)) continue;
      const Entry entry{chains.chain[index(writer)], chains.place[index(writer)]};
      sorted &= of_key.empty() || of_key.back().entry < entry;
      of_key.push_back({entry, writer});
    }
    if (!sorted) {
      std::sort(of_key.begin(), of_key.end(),
                [](const Labelled& a, const Labelled& b) { return a.entry < b.entry; });
    }
    for (std::size_t i = 0; i < of_key.size(); ++i) {
      entries_.push_back(of_key[i].entry);
      writers_.push_back(of_key[i].writer);
      chains_of_key += i == 0 || of_key[i - 1].entry.chain != of_key[i].entry.chain ? 1 : 0;
    }
    const std::uint32_t begin = entry_begin_.back();
    entry_begin_.push_back(static_cast<std::uint32_t>(entries_.size()));
    if (of_key.size() > kManyPerChain * chains_of_key) {
      for (std::uint32_t i = begin; i < entry_begin_.back(); ++i) {
        if (i == begin || entries_[i].chain != entries_[i - 1].chain) {
          groups_.push_back({entries_[i].chain, i, i});
          hints_.push_back(i);
        }
        groups_.back().end = i + 1;
      }
    }
    group_begin_.push_back(static_cast<std::uint32_t>(groups_.size()));
  }
}

}  // namespace assay::check
