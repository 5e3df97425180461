#include <algorithm>

#include "watch/forget/forget_weak.hpp"
#include "watch/forget/session_clocks.hpp"
#include "watch/level_rules.hpp"

namespace assay::watch {

namespace {

using check::Presence;
using check::Reads;
using check::Source;
using check::Write;

class HorizonForgetter {
 public:
  HorizonForgetter(const State& state, const Assembly& assembly, const Reads& reads, WeakOrder order)
      : state_(state),
        a_(assembly),
        h_(assembly.history),
        reads_(reads),
        order_(std::move(order)),
        stays_(h_.transactions(), 0) {}

  Forgetting run() {
    find_ages();
    for (std::uint32_t k = 0; k < h_.keys(); ++k) keep_newest_old_versions(Key{k});
    if (rules_of(state_.options.level).own_writes_last) {
      keep_last_writes_of_sessions();
      keep_what_unknown_fates_would_order();
    }
    c_.drop.resize(h_.transactions());
    for (std::uint32_t t = 0; t < h_.transactions(); ++t) c_.drop[t] = old_[t] && stays_[t] == 0 ? 1 : 0;
    c_.frozen.assign(h_.transactions(), 0);
    c_.entry_writer.assign(h_.keys(), kInitialTxn);
    c_.proven = proven_fates(h_, reads_);
    c_.session_clocks = session_clocks(state_, a_, order_);
    c_.positions = std::move(order_.positions);
    c_.commits = std::move(order_.before);
    return std::move(c_);
  }

 private:
  // Half of the horizon is for what may still be read, half for not knowing which of two versions is newer:
  // sessions do not arrive at the same pace.
  std::uint64_t half() const { return state_.options.horizon / 2; }

  void find_ages() {
    std::uint64_t now = state_.decided;
    for (const std::uint32_t fresh : a_.fresh) now += fresh;
    std::uint32_t held = 0;
    for (const Txn t : h_.all_transactions()) {
      decided_.push_back(a_.is_fresh(t) ? now : state_.places[held++].decided);
      old_.push_back(decided_.back() < now && now - decided_.back() > half());
    }
  }

  // A version stays until another of its key has come that is old, and came much later.
  void keep_newest_old_versions(Key k) {
    std::uint64_t newest = 0;
    const auto for_each_old = [&](const auto& visit) {
      for (const Write w : reads_.writes_of(k)) {
        if (!reads_.is_initial(w) && old_[index(reads_.writer(w))]) visit(index(reads_.writer(w)));
      }
    };
    for_each_old([&](std::uint32_t t) { newest = std::max(newest, decided_[t]); });
    for_each_old([&](std::uint32_t t) {
      if (newest - decided_[t] <= half()) stays_[t] = 1;
    });
  }

  // At read atomic a session sees what it wrote itself, however long ago, even if it was closed since and
  // comes back.
  void keep_last_writes_of_sessions() {
    for (std::uint32_t k = 0; k < h_.keys(); ++k) {
      Txn last = kInitialTxn;
      for (const Write w : reads_.writes_of(Key{k})) {
        if (reads_.is_initial(w)) continue;
        const Txn t = reads_.writer(w);
        if (last != kInitialTxn && h_.session_of(last) != h_.session_of(t)) stays_[index(last)] = 1;
        last = t;
      }
      if (last != kInitialTxn) stays_[index(last)] = 1;
    }
  }

  // If somebody still to come reads from a transaction of unknown fate, what later ones of its session read
  // of its keys comes after it. It leaves by its age alone, before these later ones do.
  void keep_what_unknown_fates_would_order() {
    std::vector<Key> written;  // by those of the session at hand
    for (const Txn t : h_.all_transactions()) {
      if (h_.position_in_session(t) == 0) written.clear();
      if (h_.status(t) == Status::unknown && reads_.presence(t) == Presence::absent && !old_[index(t)]) {
        for (const Op op : h_.operations_of(t)) {
          if (writes(h_.kind(op))) written.push_back(h_.key(op));
        }
      }
      if (written.empty()) continue;
      for (const Source source : reads_.reads_of(t)) {
        const Txn writer = reads_.writer(source.write());
        if (writer != kInitialTxn &&
            std::find(written.begin(), written.end(), reads_.key(source)) != written.end()) {
          stays_[index(writer)] = 1;
        }
      }
    }
  }

  const State& state_;
  const Assembly& a_;
  const History& h_;
  const Reads& reads_;
  WeakOrder order_;
  Forgetting c_;
  std::vector<std::uint64_t> decided_;  // per transaction: how many had been decided when it was
  std::vector<bool> old_;
  std::vector<std::uint8_t> stays_;
};

}  // namespace

Forgetting forget_beyond_horizon(const State& state, const Assembly& assembly, const check::Reads& reads,
                                 WeakOrder order) {
  return HorizonForgetter(state, assembly, reads, std::move(order)).run();
}

}  // namespace assay::watch
