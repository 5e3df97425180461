// Causal: visible is whatever reaches the transaction by session order and reads-from, in any number of
// steps.
//
// Transactions are visited in causal order, each with its clock: for each chain, how far into it the causal
// past reaches. For a read of x from t1 only one writer of x per chain matters, the last inside the reader's
// past, and only if it is not in the past of t1 anyway; none does where t1 knows of all writers of x so far.
// A clock is kept while somebody will still need it: the next transaction of the chain, or a reader that has
// not been visited.
#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "check/weak/forcing.hpp"
#include "check/weak/key_writers.hpp"
#include "check/weak/latest_writers.hpp"
#include "memory/prefetch.hpp"

namespace assay::check {

namespace {

class CausalSweep {
 public:
  CausalSweep(const AttributedHistory& history, ForcedOrders& forced)
      : h_(history),
        forced_(forced),
        chains_(causal_chains(history)),
        writers_(history, chains_),
        state_(history.transactions()),
        rank_(history.transactions()) {
    for (std::uint32_t t = 0; t < h_.transactions(); ++t) {
      state_[t].chain = chains_.chain[t];
      state_[t].place = chains_.place[t];
    }
    for (std::uint32_t i = 0; i < h_.causal_order().size(); ++i) rank_[index(h_.causal_order()[i])] = i;
    next_in_chain_.assign(h_.transactions(), kNobody);
    previous_in_chain_.assign(h_.transactions(), kNobody);
    std::vector<Txn> tail(chains_.count, kNobody);
    for (const Txn t : h_.causal_order()) {
      Txn& last = tail[chains_.chain[index(t)]];
      previous_in_chain_[index(t)] = last;
      if (last != kNobody) next_in_chain_[index(last)] = t;
      last = t;
    }
  }

  // If the clocks do not fit, the chains are swept in several passes, as many in each as do.
  bool run(Limits& limits, std::size_t clock_bytes) {
    const std::size_t most = most_clocks_at_once();
    const std::size_t fitting = clock_bytes / sizeof(std::uint32_t) / most;
    const auto width =
        static_cast<std::uint32_t>(std::min<std::size_t>(chains_.count, std::max<std::size_t>(fitting, 1)));
    // Rows of whole vector registers.
    stride_ = (std::size_t{width} + 7) / 8 * 8;
    nothing_.assign(stride_, 0);
    clocks_ = std::make_unique_for_overwrite<std::uint32_t[]>(stride_ * most);
    for (std::uint32_t first = 0; first < chains_.count; first += width) {
      if (!sweep(first, std::min(chains_.count, first + width), limits)) return false;
    }
    return true;
  }

 private:
  static constexpr std::uint32_t kNoClock = 0xFFFFFFFFU;

  // All that is asked of a source, in one place: they come at random.
  struct State {
    std::uint32_t chain, place;
    std::uint32_t needed;            // how many will still ask for its clock
    std::uint32_t clock = kNoClock;  // the row in clocks_
  };

  State& state(Txn t) { return state_[index(t)]; }
  const State& state(Txn t) const { return state_[index(t)]; }

  void count_needs() {
    for (const Txn t : h_.all_transactions()) {
      state(t).needed =
          static_cast<std::uint32_t>(h_.readers(t).size()) + (next_in_chain_[index(t)] != kNobody ? 1U : 0U);
    }
  }

  // Calls released(t) when nobody needs the clock of t any more.
  template <class Released>
  void visited(Txn t, const Released& released) {
    const Txn previous = previous_in_chain_[index(t)];
    if (previous != kNobody && --state(previous).needed == 0) released(previous);
    for (std::uint32_t read = h_.first_read(t); read < h_.last_read(t); ++read) {
      const Txn source = h_.source(read);
      if (source != kNobody && --state(source).needed == 0) released(source);
    }
    if (state(t).needed == 0) released(t);
  }

  std::size_t most_clocks_at_once() {
    count_needs();
    std::size_t now = 0, most = 1;
    for (const Txn t : h_.causal_order()) {
      most = std::max(most, ++now);
      visited(t, [&](Txn) { --now; });
    }
    return most;
  }

  std::uint32_t* clock(Txn t) { return clocks_.get() + stride_ * state(t).clock; }

  bool sweep(std::uint32_t first_chain, std::uint32_t last_chain, Limits& limits) {
    count_needs();
    free_clocks_.clear();
    unused_clocks_ = 0;
    first_chain_ = first_chain;
    last_chain_ = last_chain;
    // In a pass over some of the chains nobody knows of the writers in the others.
    latest_.reset();
    if (whole()) latest_.emplace(h_.keys());
    std::uint32_t until_look_at_time = 0;
    const std::vector<Txn>& order = h_.causal_order();
    for (std::size_t i = 0; i < order.size(); ++i) {
      const Txn t = order[i];
      if (until_look_at_time-- == 0) {
        if (limits.exceeded_now()) return false;
        until_look_at_time = 4096;
      }
      // From the far end of what a visit will touch to the near one, each step needing the one before.
      if (i + 20 < order.size()) h_.prefetch_reads(order[i + 20]);
      if (i + 10 < order.size()) prefetch_keys_and_sources(order[i + 10]);
      if (i + 5 < order.size()) prefetch_clocks(order[i + 5]);
      enter(t);
      force_orders_for_reads_of(t);
      if (latest_) note_writes_of(t);
      if (in_pass(state(t).chain)) clock(t)[state(t).chain - first_chain_] = state(t).place;
      visited(t, [&](Txn released) {
        if (state(released).clock != kNoClock) free_clocks_.push_back(state(released).clock);
      });
    }
    return true;
  }

  bool whole() const { return first_chain_ == 0 && last_chain_ == chains_.count; }
  bool in_pass(std::uint32_t chain) const { return chain >= first_chain_ && chain < last_chain_; }

  // Makes the clock of what t knows when it reads: t itself is not part of that.
  void enter(Txn t) {
    const Txn previous = previous_in_chain_[index(t)];
    if (previous != kNobody && state(previous).needed == 1) {
      // Nobody but t needs it: take it over.
      state(t).clock = state(previous).clock;
      state(previous).clock = kNoClock;
    } else {
      if (free_clocks_.empty()) {
        state(t).clock = unused_clocks_++;
      } else {
        state(t).clock = free_clocks_.back();
        free_clocks_.pop_back();
      }
      if (previous == kNobody) {
        std::fill_n(clock(t), stride_, 0U);
      } else {
        std::copy_n(clock(previous), stride_, clock(t));
      }
    }
    // Latest first: they mostly know what the others know.
    std::uint32_t* const mine = clock(t);
    sources_.clear();
    for (std::uint32_t read = h_.first_read(t); read < h_.last_read(t); ++read) {
      const Txn source = h_.source(read);
      if (source != kNobody && !known(mine, source)) sources_.push_back(rank_[index(source)]);
    }
    std::sort(sources_.begin(), sources_.end());
    for (std::size_t i = sources_.size(); i-- > 0;) {
      const Txn source = h_.causal_order()[sources_[i]];
      if (known(mine, source)) continue;
      const std::uint32_t* const theirs = clock(source);
      for (std::size_t c = 0; c < stride_; ++c) mine[c] = std::max(mine[c], theirs[c]);
    }
  }

  bool known(const std::uint32_t* mine, Txn t) const {
    const State& its = state(t);
    return in_pass(its.chain) && mine[its.chain - first_chain_] >= its.place;
  }

  void note_writes_of(Txn t) {
    const std::uint32_t* const mine = clock(t);
    for (const Write w : h_.writes_of(t)) {
      latest_->visited(h_.reads().key(w), {state(t).chain, state(t).place},
                       [&](LatestWriters::Position other) { return mine[other.chain] >= other.place; });
    }
  }

  // Whether the writer that was read knows of all writers of the key so far.
  bool knows_all(Txn source, Key key) const {
    if (!latest_) return false;
    if (source == kNobody) return latest_->none(key);
    return latest_->is_only(key, {state(source).chain, state(source).place});
  }

  void force_orders_for_reads_of(Txn t) {
    const std::uint32_t* const mine = clock(t);
    for (std::uint32_t read = h_.first_read(t); read < h_.last_read(t); ++read) {
      const Txn source = h_.source(read);
      const Key key = h_.key(read);
      if (knows_all(source, key)) continue;
      const std::uint32_t* const theirs = source == kNobody ? nothing_.data() : clock(source);
      if (const auto groups = in_pass(writers_.groups(key)); !groups.empty()) {
        for (const KeyWriters::Group& group : groups) {
          const std::uint32_t chain = group.chain - first_chain_;
          if (mine[chain] <= theirs[chain]) continue;
          const std::uint32_t at = writers_.last_up_to(group, mine[chain]);
          if (at != KeyWriters::kNone && writers_.entry(at).place > theirs[chain]) {
            forced_.add(writers_.writer(at), source);
          }
        }
        continue;
      }
      // Not only the last of a chain, then; the others do no harm, and hardly any entry passes.
      for (const KeyWriters::Entry& entry : in_pass(writers_.entries(key))) {
        const std::uint32_t chain = entry.chain - first_chain_;
        // theirs < place <= mine in one comparison that is nearly always false; the past of a source is part
        // of its reader's, so theirs <= mine.
        if (entry.place - theirs[chain] - 1 < mine[chain] - theirs[chain]) {
          forced_.add(writers_.writer(entry), source);
        }
      }
    }
  }

  template <class OfOneChain>
  std::span<const OfOneChain> in_pass(std::span<const OfOneChain> all) const {
    if (whole()) return all;
    const auto below = [](const OfOneChain& one, std::uint32_t chain) { return one.chain < chain; };
    const auto begin = std::lower_bound(all.begin(), all.end(), first_chain_, below);
    return {begin, std::lower_bound(begin, all.end(), last_chain_, below)};
  }

  void prefetch_keys_and_sources(Txn t) const {
    for (std::uint32_t read = h_.first_read(t); read < h_.last_read(t); ++read) {
      if (latest_) {
        latest_->prefetch(h_.key(read));
      } else {
        writers_.prefetch(h_.key(read));
      }
      if (h_.source(read) != kNobody) prefetch(&state(h_.source(read)));
    }
  }
  void prefetch_clocks(Txn t) const {
    for (std::uint32_t read = h_.first_read(t); read < h_.last_read(t); ++read) {
      const Txn source = h_.source(read);
      if (source == kNobody || state(source).clock == kNoClock) continue;
      const std::uint32_t* const theirs = clocks_.get() + stride_ * state(source).clock;
      for (std::size_t c = 0; c < std::min<std::size_t>(stride_, 64); c += 16) prefetch(theirs + c);
    }
  }

  const AttributedHistory& h_;
  ForcedOrders& forced_;
  Chains chains_;
  KeyWriters writers_;
  std::optional<LatestWriters> latest_;  // in a pass over all chains
  std::vector<Txn> next_in_chain_, previous_in_chain_;
  std::vector<State> state_;
  std::vector<std::uint32_t> rank_;  // place in the causal order
  std::vector<std::uint32_t> sources_;
  std::size_t stride_ = 0;
  std::unique_ptr<std::uint32_t[]> clocks_;
  std::vector<std::uint32_t> nothing_;  // the clock of the initial transaction
  std::vector<std::uint32_t> free_clocks_;
  std::uint32_t unused_clocks_ = 0;
  std::uint32_t first_chain_ = 0, last_chain_ = 0;
};

}  // namespace

bool force_causal(const AttributedHistory& history, ForcedOrders& forced, Limits& limits,
                  std::size_t clock_bytes) {
  return CausalSweep(history, forced).run(limits, clock_bytes);
}

}  // namespace assay::check
