// Sessions that come and go: what a watcher says of them and keeps, and that whatever comes in whatever order
// the verdict is never another than that of the whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "check/check.hpp"
#include "history/builder.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_history.hpp"
#include "support/random/random_stream.hpp"
#include "watch/watcher.hpp"

namespace assay::watch {
namespace {

using check::Verdict;

WatchOptions at(Level level) {
  WatchOptions options;
  options.level = level;
  options.clock_drift = 1;
  return options;
}

Verdict verdict_of(const History& h, const WatchOptions& options) {
  check::Options plain;
  plain.clock_drift = std::chrono::nanoseconds(options.clock_drift);
  return check::check(h, std::span(&options.level, 1), plain).front().verdict;
}

// A run of a few clients, each of which ends its session now and then and begins another.
History with_short_sessions(Rng& rng, const History& run) {
  struct Client {
    std::uint32_t sessions = 0, left = 0;
  };
  std::vector<Client> clients(run.sessions());
  const std::uint32_t longest = rng.between(1, 6);
  HistoryBuilder build;
  std::vector<Txn> order;
  for (const Txn t : run.all_transactions()) order.push_back(t);
  std::sort(order.begin(), order.end(), [&](Txn a, Txn b) { return run.name(a).bits < run.name(b).bits; });
  for (const Txn t : order) {
    Client& client = clients[index(run.session_of(t))];
    if (client.left == 0) {
      ++client.sessions;
      client.left = rng.between(1, longest);
    }
    --client.left;
    const auto name = static_cast<std::int64_t>(index(run.session_of(t)) * 1000 + client.sessions);
    build.begin(build.session(Atom::integer(name)), run.name(t));
    for (const Op op : run.operations_of(t)) {
      const Version v = run.version(op);
      const Atom key = run.name(run.key_of(v));
      if (run.kind(op) == OpKind::write) {
        build.write(key, run.value(v));
      } else if (run.is_initial(v)) {
        build.read_initial(key);
      } else {
        build.read(key, run.value(v));
      }
    }
    build.end(run.status(t), run.start(t), run.end(t));
  }
  return build.finish();
}

struct Watched {
  bool violated = false, undecided = false;
  std::uint64_t dropped = 0, left = 0;
  std::string told;  // the violation
};

// Brings a history to a watcher about in the order in which it happened: sessions are announced, or come with
// their first transactions; who is read from was heard of before.
class Delivery {
 public:
  Delivery(const History& h, const WatchOptions& options, std::uint64_t seed)
      : h_(h), rng_(seed), options_(options), next_(h.sessions(), 0), heard_(h.sessions(), false) {
    if (rng_.chance(0.5)) options_.round_transactions = rng_.between(1, 6);
    if (rng_.chance(0.5)) options_.round_cells = rng_.between(1, 300);
    if (rng_.chance(0.2)) options_.silence = rng_.between(1, 10);
    reach_ = rng_.chance(0.2) ? 20 : rng_.between(1, 5);
    longest_ = rng_.chance(0.3) ? 8 : 2;
    rounds_ = rng_.chance(0.5) ? 0.6 : 0.2;
    announces_ = rng_.chance(0.5);
    closes_ = rng_.chance(0.7) ? 1 : 0.3;
    saves_ = rng_.chance(0.2);
    knows_before_ = rng_.chance(0.7);
    arrival_ = rng_.chance(0.8) ? Watcher::Arrival::writers_first : Watcher::Arrival::any;
    writer_.assign(h.versions(), kInitialTxn);
    for (const Txn t : h.all_transactions()) {
      for (const Op op : h.operations_of(t)) {
        if (writes(h.kind(op))) writer_[index(h.version(op))] = t;
      }
    }
    for (std::uint32_t s = 0; s < h.sessions(); ++s) {
      if (!h.transactions_of(Session{s}).empty()) order_.push_back(s);
    }
    std::sort(order_.begin(), order_.end(),
              [&](std::uint32_t a, std::uint32_t b) { return begin_of(a) < begin_of(b); });
  }

  Watched run() {
    Watcher watcher(options_);
    if (knows_before_) watcher.sessions_come_and_go(arrival_);
    std::vector<std::uint32_t> open;
    std::size_t begun = 0;
    while (begun < order_.size() || !open.empty()) {
      while (begun < order_.size() && open.size() < reach_) {
        open.push_back(order_[begun++]);
        if (announces_) hear(watcher, open.back());
      }
      if (!knows_before_ && rng_.chance(0.3)) watcher.sessions_come_and_go(arrival_);
      const std::uint32_t at = rng_.below(static_cast<std::uint32_t>(open.size()));
      const std::uint32_t s = open[at];
      send(watcher, s);
      if (next_[s] == h_.transactions_of(Session{s}).size()) {
        if (rng_.chance(closes_)) watcher.close(to_string(h_.name(Session{s})));
        open.erase(open.begin() + at);
      }
      if (rng_.chance(rounds_)) decide(watcher);
      if (watched_.violated) return watched_;
    }
    const Kept kept = watcher.kept();
    watched_.dropped = h_.transactions() - kept.live - kept.frozen - kept.waiting;
    watcher.all_sessions_known();
    for (std::uint32_t s = 0; s < h_.sessions(); ++s) {
      if (!gone_.contains(to_string(h_.name(Session{s})))) watcher.close(to_string(h_.name(Session{s})));
    }
    decide(watcher);
    return watched_;
  }

 private:
  std::uint64_t begin_of(std::uint32_t s) const { return h_.name(h_.transactions_of(Session{s})[0]).bits; }

  void hear(Watcher& watcher, std::uint32_t s) {
    if (!heard_[s]) watcher.admit(to_string(h_.name(Session{s})));
    heard_[s] = true;
  }

  void send(Watcher& watcher, std::uint32_t s) {
    HistoryBuilder fragment;
    const IdRange<Txn> all = h_.transactions_of(Session{s});
    std::vector<std::uint32_t> read_from;
    for (std::uint32_t n = rng_.between(1, longest_); n > 0 && next_[s] < all.size(); --n) {
      const Txn t = all[next_[s]++];
      fragment.begin(fragment.session(h_.name(Session{s})), h_.name(t));
      for (const Op op : h_.operations_of(t)) {
        const Version v = h_.version(op);
        const Atom key = h_.name(h_.key_of(v));
        if (h_.kind(op) == OpKind::write) {
          fragment.write(key, h_.value(v));
        } else if (h_.is_initial(v)) {
          fragment.read_initial(key);
        } else {
          fragment.read(key, h_.value(v));
          if (writer_[index(v)] != kInitialTxn) read_from.push_back(index(h_.session_of(writer_[index(v)])));
        }
      }
      fragment.end(h_.status(t), h_.start(t), h_.end(t));
    }
    for (const std::uint32_t writer : read_from) {
      if (writer != s) hear(watcher, writer);
    }
    heard_[s] = true;
    gone_.erase(to_string(h_.name(Session{s})));
    watcher.add(fragment.finish());
  }

  void decide(Watcher& watcher) {
    for (bool more = true; more;) {
      const Round round = watcher.decide();
      watched_.undecided = round.verdict == Verdict::undecided;
      more = round.more && !watched_.violated;
      if (round.verdict != Verdict::violated) continue;
      watched_.violated = true;
      watched_.told = drawing(*round.counterexample) + round.reason;
      if (round.reason.empty()) {
        EXPECT_EQ(verdict_of(*round.counterexample, options_), Verdict::violated)
            << drawing(*round.counterexample);
      }
    }
    for (const std::string& name : watcher.take_left()) {
      gone_.insert(name);
      ++watched_.left;
    }
    if (!saves_) return;
    std::string bytes;
    watcher.save(bytes);
    watcher = Watcher::load(bytes, "saved");
  }

  const History& h_;
  Rng rng_;
  WatchOptions options_;
  std::size_t reach_ = 1;
  std::uint32_t longest_ = 1;
  double rounds_ = 1, closes_ = 1;
  bool announces_ = false, saves_ = false, knows_before_ = true;
  Watcher::Arrival arrival_ = Watcher::Arrival::writers_first;
  std::vector<std::uint32_t> next_, order_;
  std::vector<bool> heard_;
  std::set<std::string> gone_;
  std::vector<Txn> writer_;
  Watched watched_;
};

bool is_wrong(const Watched& watched, Verdict whole) {
  if (watched.violated) return whole != Verdict::violated;
  return !watched.undecided && whole != Verdict::holds;
}

void compare_streams(const WatchOptions& options, double unknown, bool times, std::uint64_t cases,
                     std::uint64_t seed = random_seed()) {
  std::uint64_t holds = 0, said = 0, violated = 0, told = 0, dropped = 0, transactions = 0, left = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    Rng rng(seed + i);
    Stream stream = random_stream(rng);
    if (rng.chance(0.5)) stream.unknown = unknown;
    stream.times = times;
    const History h = with_short_sessions(rng, run_stream(rng, stream, options.level));
    const std::uint64_t cut = rng.next();
    const Verdict whole = verdict_of(h, options);
    const Watched watched = Delivery(h, options, cut).run();
    holds += whole == Verdict::holds ? 1 : 0;
    said += whole == Verdict::holds && !watched.undecided ? 1 : 0;
    violated += whole == Verdict::violated ? 1 : 0;
    told += watched.violated ? 1 : 0;
    left += watched.left;
    if (whole == Verdict::holds) {
      dropped += watched.dropped;
      transactions += h.transactions();
    }
    if (!is_wrong(watched, whole)) continue;
    const auto still = [&](const History& smaller) {
      for (std::uint64_t c = 0; c < 50; ++c) {
        if (is_wrong(Delivery(smaller, options, cut + c).run(), verdict_of(smaller, options))) return true;
      }
      return false;
    };
    FAIL() << "seed " << seed + i << " cut " << cut << " level " << info(options.level).name << ": whole "
           << (whole == Verdict::holds ? "holds" : "violated") << ", watched "
           << (watched.violated ? "violated: " + watched.told : "holds") << "\n"
           << drawing(h) << "\nshrunk:\n"
           << drawing(still(h) ? shrink(h, still) : h);
  }
  std::cout << info(options.level).name << ": of " << holds << " that hold " << said << " were said to, of "
            << violated << " violations " << told << " were told; of those that hold " << dropped << " of "
            << transactions << " transactions were dropped before the end, and " << left
            << " sessions left\n";
  EXPECT_GT(said * 2, holds) << "what holds must be said to in most cases";
}

// Once told as a violation: the writer of what was read waits itself, for its own writer.
TEST(ComeAndGo, AReaderWhoseWriterWaitsIsNoViolation) {
  const History h = draw(
      "1002: w(5,1)\n"
      "2001: r(5,2)\n"
      "1: r(5,1) w(5,2)");
  for (const Level level : {Level::serializable, Level::causal}) {
    for (std::uint64_t cut = 0; cut < 500; ++cut) {
      const Watched watched = Delivery(h, at(level), cut).run();
      EXPECT_FALSE(is_wrong(watched, Verdict::holds)) << "cut " << cut << ": " << watched.told;
    }
  }
}

// Once told as a violation: what pins allowed to be forgotten was not closed under what precedes it.
TEST(ComeAndGo, WhatPrecedesTheForgottenIsForgotten) {
  compare_streams(at(Level::strict_serializable), 0.1, true, 20, 814611355000004);
}

TEST(ComeAndGo, SerializableStreams) {
  compare_streams(at(Level::serializable), 0.1, false, random_cases(600));
}
TEST(ComeAndGo, StrictSerializableStreams) {
  compare_streams(at(Level::strict_serializable), 0.1, true, random_cases(300));
}
TEST(ComeAndGo, SnapshotIsolationStreams) {
  compare_streams(at(Level::snapshot_isolation), 0.1, false, random_cases(300));
}
TEST(ComeAndGo, StrongSnapshotIsolationStreams) {
  compare_streams(at(Level::strong_snapshot_isolation), 0.1, true, random_cases(200));
}
TEST(ComeAndGo, PrefixStreams) {
  compare_streams(at(Level::prefix), 0.1, false, random_cases(300));
}
TEST(ComeAndGo, CausalStreams) {
  compare_streams(at(Level::causal), 0.1, false, random_cases(600));
}
TEST(ComeAndGo, ReadCommittedStreams) {
  compare_streams(at(Level::read_committed), 0.1, false, random_cases(100));
}

}  // namespace
}  // namespace assay::watch
