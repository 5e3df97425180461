#include "verify/axioms.hpp"

#include <algorithm>
#include <array>
#include <compare>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace assay::verify {

namespace {

constexpr std::size_t kMostReads = 100'000'000;  // that queries come to
constexpr std::uint64_t kMostClocks = std::uint64_t{1} << 33;

// A read saw whom the certificate names, or else the latest before it in co that can have written what it
// returned: whatever was chosen, what remains is to look at every instance of the axiom. Repeatable read has
// no commit order; of the given one only the set of transactions counts.
class CommitOrder {
 public:
  CommitOrder(Facts& facts, const Claim& claim)
      : facts_(facts),
        h_(facts.h),
        level_(claim.level),
        has_order_(level_ != Level::repeatable_read),
        keep_sessions_(claim.keep_sessions && has_order_),
        position_(h_.transactions(), kNotThere) {}

  void saw(const Read& read, Txn writer) {
    require(saw_.emplace(std::pair(read.op, read.key), writer).second, "said twice");
  }
  void add(const Event& event) {
    const Txn t = event.txn;
    facts_.require_of(h_.status(t) != Status::aborted, t, "aborted but is in the order");
    facts_.require_of(!event.begins && !is_there(t), t, "is not in the order once, with its commit");
    position_[index(t)] = static_cast<std::uint32_t>(order_.size());
    order_.push_back(t);
  }
  void finish() {
    check_sessions();
    writers_ = Groups(h_.keys(), [&](auto visit) {
      for (const Txn t : h_.all_transactions()) {
        if (!is_there(t)) continue;
        facts_.for_each_write(t, [&](Op op, bool is_last) {
          if (is_last) visit(h_.key(op), t);
        });
      }
    });
    build_lists();
    find_sources();
    if (level_ == Level::causal) return check_causal();
    if (makes_visible(level_, "rs") || makes_visible(level_, "rsr")) find_what_sessions_saw();
    for (const Txn t : order_) check_transaction(t);
  }

 private:
  static constexpr std::uint32_t kNotThere = 0xFFFFFFFFU;
  // Whom a read saw.
  struct Source {
    Key key;
    Txn writer;
    Op op;  // reads of one query are one operation
  };

  bool is_there(Txn t) const { return position_[index(t)] != kNotThere; }
  bool before(Txn a, Txn b) const {
    if (a == b || b == kInitialTxn) return false;
    return a == kInitialTxn || position_[index(a)] < position_[index(b)];
  }
  std::span<const Source> reads(Txn t) const {
    return {sources_.data() + begin_[index(t)], sources_.data() + begin_[index(t) + 1]};
  }
  // Session order lives in chains: sessions or, where it is ignored, single transactions.
  std::uint32_t chains() const { return keep_sessions_ ? h_.sessions() : h_.transactions(); }
  std::uint32_t chain(Txn t) const { return keep_sessions_ ? index(h_.session_of(t)) : index(t); }
  IdRange<Txn> chain_before(Txn t) const {
    const std::uint32_t first = keep_sessions_ ? index(t) - h_.position_in_session(t) : index(t);
    return {first, index(t)};
  }

  void check_sessions() const {
    Txn last = kInitialTxn;
    for (const Txn t : h_.all_transactions()) {
      facts_.require_of(is_there(t) || h_.status(t) != Status::committed, t, "does not commit in the order");
      if (!is_there(t)) continue;
      const bool follows = keep_sessions_ && last != kInitialTxn && h_.session_of(last) == h_.session_of(t);
      facts_.require_of(!follows || before(last, t), t, "is not after the one before it in its session");
      last = t;
    }
  }

  // Each list as the commits made it. Without commit order a list has some order of its own, and the longest
  // read shows as much of it as anybody saw.
  void build_lists() {
    if (!h_.has(OpKind::append) && !h_.has(OpKind::list_read)) return;
    lists_.resize(h_.keys());
    for (const Txn t : order_) {
      for (const Op op : h_.operations_of(t)) {
        if (has_order_ && h_.kind(op) == OpKind::append) lists_[index(h_.key(op))].push_back(h_.version(op));
        if (has_order_ || h_.kind(op) != OpKind::list_read || h_.status(t) != Status::committed) continue;
        const auto [key, elements] = h_.list(op);
        if (elements.size() > lists_[index(key)].size())
          lists_[index(key)].assign(elements.begin(), elements.end());
      }
    }
  }

  // --- whom each read saw ---

  void find_sources() {
    writers_of_versions_ = Groups(h_.versions(), [&](auto visit) {
      for (const Txn t : order_) {
        facts_.for_each_write(t, [&](Op op, bool is_last) {
          if (is_last) visit(h_.version(op), t);
        });
      }
    });
    for (const Txn t : h_.all_transactions()) {
      if (h_.status(t) == Status::committed) {
        for (const Read& read : facts_.reads_of(t)) {
          facts_.require_of(read.fits_own, t, read.key, "does not see the transaction's own write");
          if (!read.is_list && read.after_own) continue;
          const auto writer = read.is_list ? source_of_list(read) : source_of_register(read);
          facts_.require_of(writer.has_value(), t, read.key, "sees what was not there before");
          sources_.push_back({read.key, *writer, read.op});
          require(sources_.size() <= kMostReads, "its queries ask for too many keys");
        }
      }
      begin_.push_back(sources_.size());
    }
  }
  std::optional<Txn> source_of_register(const Read& read) {
    if (const auto named = saw_.find({read.op, read.key}); named != saw_.end()) {
      const Txn w = named->second;
      const bool was_there = w == kInitialTxn || (is_there(w) && (!has_order_ || before(w, read.reader)));
      return was_there && facts_.is_candidate(read, w) ? std::optional(w) : std::nullopt;
    }
    // Without a name, the latest before the reader; without commit order, the latest of all.
    const std::span<const Txn> all = candidates(read.seen);
    auto end = all.end();
    if (has_order_) {
      end = std::partition_point(all.begin(), end, [&](Txn w) { return before(w, read.reader); });
    }
    if (end != all.begin() && *(end - 1) == read.reader) --end;
    if (end != all.begin()) return *(end - 1);
    return facts_.is_candidate(read, kInitialTxn) ? std::optional(kInitialTxn) : std::nullopt;
  }
  // Who left one of these versions for others to see, in the given order.
  std::span<const Txn> candidates(Seen seen) {
    if (!facts_.is_set(seen)) return writers_of_versions_[Version{index(seen)}];
    const auto known = writers_of_sets_.find(seen);
    if (known != writers_of_sets_.end()) return known->second;
    std::vector<Txn>& all = writers_of_sets_[seen];
    facts_.for_each_version(seen, [&](Version v) {
      all.insert(all.end(), writers_of_versions_[v].begin(), writers_of_versions_[v].end());
      return true;
    });
    std::sort(all.begin(), all.end(), [&](Txn a, Txn b) { return before(a, b); });
    return all;
  }
  // A list is read from whoever appended its last element, shows whole transactions, and own appends stand
  // right behind.
  std::optional<Txn> source_of_list(const Read& read) const {
    const std::vector<Version>& list = lists_[index(read.key)];
    const std::span<const Version> shown = facts_.elements(read.op);
    const auto by = [&](Version v) { return facts_.writers(v)[0]; };
    if (shown.size() > list.size() || !std::equal(shown.begin(), shown.end(), list.begin())) return {};
    const std::size_t size = read.list.size();
    if (has_order_) {
      const Txn source = size == 0 ? kInitialTxn : by(list[size - 1]);
      const bool is_whole = size == 0 || size == list.size() || by(list[size]) != source;
      return is_whole && before(source, read.reader) ? std::optional(source) : std::nullopt;
    }
    if (facts_.is_torn(read)) return {};
    for (const Version v : read.list) {
      if (!is_there(by(v))) return {};
    }
    return size == 0 ? kInitialTxn : by(read.list.back());
  }

  // --- the axiom, for all reads of one transaction ---

  // A transaction has to see what is visible to it in every key that it reads. To look at each read and each
  // visible writer would take the product of the two. But of the reads of a key only the one with the
  // earliest source can fail first, and of writers and keys that are read it is enough to go through the
  // fewer.
  void check_transaction(Txn t) {
    find_floors(t);
    if (floors_.empty() || level_ == Level::repeatable_read) return;
    if (makes_visible(level_, "s")) {
      for_each_read_key([&](Key k) { require_seen(earlier_in_session(t, k), t, k); });
    }
    if (makes_visible(level_, "rs")) {
      for_each_read_key([&](Key k) { require_seen(seen_before(t, t, k), t, k); });
    }
    // ... r: through whom the transaction read.
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      const Txn w = seen_[i].first;
      const bool same_writer = i > 0 && seen_[i - 1].first == w;
      const bool last_of_chain = i + 1 == seen_.size() || chain(seen_[i + 1].first) != chain(w);
      if (makes_visible(level_, "r") && !same_writer) check_seen_directly(t, w, seen_[i].second);
      if (!last_of_chain) continue;  // who comes later in a chain makes more visible, and later writers
      if (makes_visible(level_, "sr")) {
        for_each_common_key(facts_.writes_of(chain_before(w)),
                            [&](Key k) { require_seen(earlier_in_session(w, k), t, k); });
      }
      if (makes_visible(level_, "rsr")) check_seen_by_chain(t, w);
    }
  }
  // By an earlier operation, where these are told apart: first at `op`.
  void check_seen_directly(Txn t, Txn w, Op op) const {
    const bool one_by_one = level_ == Level::read_committed || level_ == Level::monotonic_atomic_view;
    for_each_common_key(facts_.writes_of(w), [&](Key k) {
      if (facts_.writes_key(w, k)) require_seen(w, t, k, one_by_one ? std::optional(op) : std::nullopt);
    });
  }
  void check_seen_by_chain(Txn t, Txn w) const {
    const auto known = what_is_known_to(chain(w));
    const auto check = [&](Key k) { require_seen(seen_before(w, Txn{index(w) + 1}, k), t, k); };
    if (known.size() > floors_.size()) return for_each_read_key(check);
    for (const Knowledge& one : known) check(std::get<1>(one));
  }

  // A read, and of it and the later reads of its key by the same transaction the earliest source.
  struct Floor {
    Key key;
    Op op;
    Txn source;
  };
  // Also finds whom t read from, with the first operation that did.
  void find_floors(Txn t) {
    floors_.clear();
    seen_.clear();
    for (const Source& read : reads(t)) {
      floors_.push_back({read.key, read.op, read.writer});
      if (read.writer != kInitialTxn) seen_.emplace_back(read.writer, read.op);
    }
    std::sort(seen_.begin(), seen_.end());
    std::sort(floors_.begin(), floors_.end(),
              [](const Floor& a, const Floor& b) { return std::pair(a.key, a.op) < std::pair(b.key, b.op); });
    for (std::size_t i = floors_.size(); i-- > 1;) {
      Floor& earlier = floors_[i - 1];
      if (earlier.key != floors_[i].key) continue;
      facts_.require_of(has_order_ || earlier.source == floors_[i].source, t, earlier.key,
                        "cannot be repeated");
      if (before(floors_[i].source, earlier.source)) earlier.source = floors_[i].source;
    }
  }
  template <class Visit>
  void for_each_read_key(Visit visit) const {
    for (std::size_t i = 0; i < floors_.size(); ++i) {
      if (i == 0 || floors_[i].key != floors_[i - 1].key) visit(floors_[i].key);
    }
  }
  // At least the keys that the transaction reads and these operations write.
  template <class Visit>
  void for_each_common_key(std::span<const Op> written, Visit visit) const {
    if (written.size() > floors_.size()) return for_each_read_key(visit);
    for (const Op op : written) visit(h_.key(op));
  }
  // Who is visible to t (kInitialTxn: nobody) comes before all from whom t read the key, or read it later
  // than at that operation.
  void require_seen(Txn visible, Txn t, Key k, std::optional<Op> after = std::nullopt) const {
    if (visible == kInitialTxn) return;
    const auto floor = std::partition_point(floors_.begin(), floors_.end(), [&](const Floor& f) {
      return f.key < k || (f.key == k && after && f.op <= *after);
    });
    if (floor != floors_.end() && floor->key == k) require_before(visible, t, k, floor->source);
  }
  void require_before(Txn visible, Txn t, Key k, Txn source) const {
    facts_.require_of(visible == source || before(visible, source), t, k,
                      "does not see what the level lets it see");
  }
  // The last writer of a key before t in its session, which is the last in co as well.
  Txn earlier_in_session(Txn t, Key k) const {
    const auto all = writers_[k];
    const auto after = std::lower_bound(all.begin(), all.end(), t);
    return after == all.begin() || chain(*(after - 1)) != chain(t) ? kInitialTxn : *(after - 1);
  }

  // --- what sessions have seen ---

  using Knowledge = std::tuple<std::uint32_t, Key, Txn, Txn>;  // chain, key, reader, writer
  struct ChainRead {
    std::uint32_t chain;
    Txn writer, reader;
    auto operator<=>(const ChainRead&) const = default;
  };

  // Per chain, key and transaction: the latest writer of the key that the chain had read by then.
  void find_what_sessions_saw() {
    std::vector<ChainRead> first;  // of those of a chain that read from a writer
    for (const Txn t : order_) {
      for (const Source& read : reads(t)) {
        if (read.writer != kInitialTxn) first.push_back({chain(t), read.writer, t});
      }
    }
    std::sort(first.begin(), first.end());
    const auto same = [](const ChainRead& a, const ChainRead& b) {
      return a.chain == b.chain && a.writer == b.writer;
    };
    first.erase(std::unique(first.begin(), first.end(), same), first.end());
    for (const ChainRead& read : first) {
      facts_.for_each_write(read.writer, [&](Op op, bool is_last) {
        if (is_last) knowledge_.emplace_back(read.chain, h_.key(op), read.reader, read.writer);
      });
    }
    std::sort(knowledge_.begin(), knowledge_.end());
    for (std::size_t i = 1; i < knowledge_.size(); ++i) {
      const auto& [last_chain, last_key, last_reader, latest] = knowledge_[i - 1];
      auto& [next_chain, next_key, reader, writer] = knowledge_[i];
      if (last_chain == next_chain && last_key == next_key && before(writer, latest)) writer = latest;
    }
  }
  std::span<const Knowledge> what_is_known_to(std::uint32_t of_chain) const {
    const auto chain_less = [](const Knowledge& known, std::uint32_t c) { return std::get<0>(known) < c; };
    const auto begin = std::lower_bound(knowledge_.begin(), knowledge_.end(), of_chain, chain_less);
    return {begin, std::lower_bound(begin, knowledge_.end(), of_chain + 1, chain_less)};
  }
  // What the chain of t knows of a key by what those before `end` read.
  Txn seen_before(Txn t, Txn end, Key k) const {
    const auto after =
        std::partition_point(knowledge_.begin(), knowledge_.end(), [&](const Knowledge& known) {
          return std::tie(std::get<0>(known), std::get<1>(known), std::get<2>(known)) <
                 std::tuple(chain(t), k, end);
        });
    if (after == knowledge_.begin()) return kInitialTxn;
    const auto& [of_chain, of_key, reader, writer] = *(after - 1);
    return of_chain == chain(t) && of_key == k ? writer : kInitialTxn;
  }

  // Visible is from whom a path of session order and reads-from leads to the reader. That past is a start of
  // every chain, known by the number of the first transaction that is not in it; some chains at a time, so
  // that memory stays linear.
  void check_causal() {
    constexpr std::uint32_t kAtATime = 16;
    require(std::uint64_t{chains()} * h_.transactions() <= kMostClocks,
            "the history is too large to confirm causal consistency");
    std::vector<std::array<std::uint32_t, kAtATime>> pasts(h_.transactions());
    for (std::uint32_t first = 0; first < chains(); first += kAtATime) {
      std::vector<Txn> last_of_chain(chains(), kInitialTxn);
      for (const Txn t : order_) {
        auto& past = pasts[index(t)];
        past.fill(0);
        const auto include = [&](Txn other) {
          if (other == kInitialTxn) return;
          for (std::uint32_t c = 0; c < kAtATime; ++c) past[c] = std::max(past[c], pasts[index(other)][c]);
          const std::uint32_t c = chain(other) - first;  // huge if below
          if (c < kAtATime) past[c] = std::max(past[c], index(other) + 1);
        };
        include(std::exchange(last_of_chain[chain(t)], t));
        for (const Source& read : reads(t)) include(read.writer);
        for (const Source& read : reads(t)) {
          const auto all = writers_[read.key];
          const auto chain_less = [&](Txn w, std::uint32_t c) { return chain(w) < c; };
          auto at = std::lower_bound(all.begin(), all.end(), first, chain_less);
          // Of each chain only the last writer in the past matters: co contains session order.
          while (at != all.end() && chain(*at) - first < kAtATime) {
            const auto end = std::lower_bound(at, all.end(), chain(*at) + 1, chain_less);
            const auto unseen = std::lower_bound(at, end, Txn{past[chain(*at) - first]});
            if (unseen != at) require_before(*(unseen - 1), t, read.key, read.writer);
            at = end;
          }
        }
      }
    }
  }

  Facts& facts_;
  const History& h_;
  Level level_;
  bool has_order_, keep_sessions_;
  std::map<std::pair<Op, Key>, Txn> saw_;
  std::vector<Txn> order_;
  std::vector<std::uint32_t> position_;
  Groups writers_;              // of keys
  Groups writers_of_versions_;  // in the given order
  std::map<Seen, std::vector<Txn>> writers_of_sets_;
  std::vector<std::vector<Version>> lists_;
  std::vector<Source> sources_;        // per read that others answered
  std::vector<std::size_t> begin_{0};  // per transaction, in sources_
  std::vector<Knowledge> knowledge_;
  // Of the transaction that is looked at:
  std::vector<Floor> floors_;             // by key and operation
  std::vector<std::pair<Txn, Op>> seen_;  // by writer and operation
};

}  // namespace

bool makes_visible(Level level, std::string_view path) {
  switch (level) {
    case Level::read_committed:         // only if t had read t2 before that read
    case Level::monotonic_atomic_view:  // the same
    case Level::repeatable_read:        // only if t read the same key from t2
      return path == "r";
    case Level::read_atomic:
      return path == "r" || path == "s";
    case Level::read_your_writes:
      return path == "s";
    case Level::monotonic_reads:
      return path == "rs";
    case Level::monotonic_writes:
      return path == "sr";
    case Level::writes_follow_reads:
      return path == "rr" || path == "rsr";
    default:
      return level == Level::causal && path.find_first_not_of("sr") == std::string_view::npos;
  }
}

void check_axioms(Lines& lines, Facts& facts, const Claim& claim) {
  CommitOrder order(facts, claim);
  while (lines.peek() == "saw") {
    lines.next("saw");
    const Read read = facts.read(lines.word());
    order.saw(read, facts.writer(lines.word()));
  }
  for_each_event(lines, facts, [&](const Event& event) { order.add(event); });
  order.finish();
}

}  // namespace assay::verify
