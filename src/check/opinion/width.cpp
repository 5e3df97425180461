#include "check/opinion/width.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>
#include <string>
#include <unordered_set>
#include <vector>

#include "check/limits.hpp"
#include "check/opinion/communication.hpp"
#include "check/opinion/second_opinion.hpp"
#include "memory/keyed_hash.hpp"

namespace assay::check {

namespace {

constexpr std::uint32_t kMostSessions = 4096;
constexpr std::size_t kMostPrefixes = 5'000'000;

// The transactions that may count, each session in order.
using Sessions = std::vector<std::vector<Txn>>;

Sessions sessions_of(const History& h, const Reads& reads, bool keep) {
  Sessions sessions;
  for (const Txn t : h.all_transactions()) {
    if (reads.presence(t) == Presence::absent) continue;
    const bool same = keep && !sessions.empty() && h.session_of(sessions.back().back()) == h.session_of(t);
    if (!same) sessions.emplace_back();
    sessions.back().push_back(t);
  }
  return sessions;
}

// Runs the sessions of one component. The state of a run is how far each session has come: what a key holds
// follows from that, because no version is overwritten while a read of it is still to come (the paper's valid
// extension). Where several writers come into question for a read this argument fails, and what such a key
// holds is part of the state.
class PrefixSearch {
 public:
  PrefixSearch(const History& h, const Reads& reads, const EventRules& rules, const Sessions& sessions,
               const Component& component, Limits& limits)
      : h_(h),
        reads_(reads),
        rules_(rules),
        limits_(limits),
        current_(reads.keys()),
        is_mine_(reads.keys(), false),
        locked_(reads.keys(), false),
        pending_(reads.writes(), 0),
        committed_(reads.transactions(), false),
        after_(reads.transactions()) {
    for (const std::uint32_t s : component.sessions) sessions_.push_back(&sessions[s]);
    for (const std::uint32_t k : component.keys) {
      is_mine_[k] = true;
      current_[k] = reads.initial_write(Key{k});
    }
    position_.assign(sessions_.size(), 0);
    prepare();
  }

  enum class Result { found, none, gave_up };

  Result search() {
    struct Frame {
      std::size_t trail;
      std::uint32_t first_session, next_option;
    };
    std::vector<Frame> frames;
    const auto arrive = [&](std::uint32_t first_session) {
      run_free_events();
      if (!stuck_.insert(state()).second) return false;
      frames.push_back({trail_.size(), first_session, 0});
      return true;
    };
    arrive(0);
    const auto options = static_cast<std::uint32_t>(2 * sessions_.size());
    while (!frames.empty()) {
      if (everything_ran()) return Result::found;
      if (limits_.exceeded()) return Result::gave_up;
      if (stuck_.size() > kMostPrefixes) {
        reason_ = "the search came across more than five million prefixes";
        return Result::gave_up;
      }
      Frame& frame = frames.back();
      take_back_to(frame.trail);
      if (frame.next_option == options) {
        frames.pop_back();
        continue;
      }
      const std::uint32_t option = frame.next_option++;
      const auto s = static_cast<std::uint32_t>((frame.first_session + option / 2) % sessions_.size());
      // Whoever went last waits until the others had their turn: sessions usually advance together.
      if (option % 2 == 0 ? run(s) : leave_out(s)) arrive(s + 1);
    }
    return Result::none;
  }

  const std::string& reason() const { return reason_; }

  std::vector<Event> order() const {
    std::vector<Event> events;
    for (const Move& move : trail_) {
      if (!move.left_out) events.push_back({move.txn, move.side});
    }
    return events;
  }

 private:
  struct Move {
    Txn txn;
    std::uint32_t session;
    Event::Side side;  // commit stands for both where they are one event
    bool left_out;
    std::size_t overwritten;  // size of overwritten_ before
  };
  struct Overwritten {
    Key key;
    Write write;
  };

  std::uint32_t events_per_transaction() const { return rules_.one_event ? 1 : 2; }

  void prepare() {
    std::vector<bool> ambiguous(reads_.keys(), false);
    for (const auto* session : sessions_) {
      for (const Txn t : *session) {
        for (const Source r : reads_.reads_of(t)) {
          const std::uint32_t k = index(reads_.key(r));
          if (!is_mine_[k]) continue;
          if (r.is_ambiguous()) {
            ambiguous[k] = true;
          } else {
            ++pending_[index(r.write())];
          }
        }
      }
      if (rules_.real_time) {
        // The earliest end among a session's transactions from each position on.
        auto& ends =
            earliest_end_.emplace_back(session->size() + 1, std::numeric_limits<std::int64_t>::max());
        for (std::size_t i = session->size(); i-- > 0;) {
          ends[i] = std::min(ends[i + 1], finished(h_, (*session)[i]).value_or(ends[i + 1]));
        }
      }
    }
    for (std::uint32_t k = 0; k < reads_.keys(); ++k) {
      if (ambiguous[k]) ambiguous_keys_.push_back(k);
    }
    for (const Reads::VersionOrder& o : reads_.version_orders()) {
      if (is_mine_[index(o.key)]) after_[index(o.after)].push_back(o.before);
    }
  }

  bool everything_ran() const {
    for (std::size_t s = 0; s < sessions_.size(); ++s) {
      if (position_[s] != sessions_[s]->size() * events_per_transaction()) return false;
    }
    return true;
  }

  std::string state() const {
    std::string state;
    state.reserve(sizeof(std::uint32_t) * (position_.size() + ambiguous_keys_.size()));
    const auto put = [&](std::uint32_t number) {
      state.append(reinterpret_cast<const char*>(&number), sizeof number);
    };
    for (const std::uint32_t p : position_) put(p);
    for (const std::uint32_t k : ambiguous_keys_) put(index(current_[k]));
    return state;
  }

  bool at_begin(std::uint32_t s) const { return position_[s] % events_per_transaction() == 0; }
  bool at_end(std::uint32_t s) const {
    return position_[s] == sessions_[s]->size() * events_per_transaction();
  }
  // REQUIRES: !at_end(s).
  Txn next(std::uint32_t s) const {
    assert(!at_end(s));
    return (*sessions_[s])[position_[s] / events_per_transaction()];
  }

  bool writes_here(Txn t) const {
    const auto writes = reads_.writes_of(t);
    return std::any_of(writes.begin(), writes.end(), [&](Write w) { return is_mine_[index(reads_.key(w))]; });
  }

  bool reads_are_right(Txn t) const {
    const auto reads = reads_.reads_of(t);
    return std::all_of(reads.begin(), reads.end(), [&](Source r) {
      const Key k = reads_.key(r);
      if (!is_mine_[index(k)]) return true;
      if (!r.is_ambiguous()) return current_[index(k)] == r.write();
      const auto candidates = reads_.candidates(r.set());
      return std::binary_search(candidates.begin(), candidates.end(), current_[index(k)]);
    });
  }

  bool clock_allows(Txn t) const {
    const auto start = h_.start(t);
    if (!rules_.real_time || !start) return true;
    for (std::size_t s = 0; s < sessions_.size(); ++s) {
      const std::int64_t end = earliest_end_[s][position_[s] / events_per_transaction()];
      if (certainly_before(end, *start, rules_.drift)) return false;
    }
    return true;
  }

  template <class Visit>
  void for_each_write_here(Txn t, Visit visit) const {
    for (const Write w : reads_.writes_of(t)) {
      if (is_mine_[index(reads_.key(w))]) visit(w, reads_.key(w));
    }
  }

  bool locks_are_free(Txn t) const {
    bool free = true;
    for_each_write_here(t, [&](Write, Key k) { free &= !locked_[index(k)]; });
    return free;
  }

  // Adds to the number of certain reads that are still to come.
  void expect_reads(Txn t, bool again) {
    for (const Source r : reads_.reads_of(t)) {
      if (r.is_ambiguous() || !is_mine_[index(reads_.key(r))]) continue;
      again ? ++pending_[index(r.write())] : --pending_[index(r.write())];
    }
  }
  void lock(Txn t, bool locked) {
    if (rules_.disjoint) for_each_write_here(t, [&](Write, Key k) { locked_[index(k)] = locked; });
  }

  bool can_overwrite(Txn t) const {
    const auto& before = after_[index(t)];
    bool can = std::all_of(before.begin(), before.end(), [&](Txn b) { return committed_[index(b)]; });
    for_each_write_here(t, [&](Write, Key k) { can &= pending_[index(current_[index(k)])] == 0; });
    return can;
  }

  bool run(std::uint32_t s) {
    if (at_end(s)) return false;
    const Txn t = next(s);
    const bool begins = at_begin(s);
    const bool commits = rules_.one_event || !begins;
    if (begins) {
      if (!clock_allows(t) || !reads_are_right(t)) return false;
      if (rules_.disjoint && !locks_are_free(t)) return false;
      expect_reads(t, false);
    }
    if (commits && !can_overwrite(t)) {
      if (begins) expect_reads(t, true);
      return false;
    }
    trail_.push_back({t, s, commits ? Event::Side::commit : Event::Side::begin, false, overwritten_.size()});
    ++position_[s];
    if (begins) lock(t, true);
    if (commits) {
      lock(t, false);
      committed_[index(t)] = true;
      for_each_write_here(t, [&](Write w, Key k) {
        overwritten_.push_back({k, current_[index(k)]});
        current_[index(k)] = w;
      });
    }
    return true;
  }

  bool leave_out(std::uint32_t s) {
    if (at_end(s) || !at_begin(s) || reads_.presence(next(s)) != Presence::conditional) return false;
    trail_.push_back({next(s), s, Event::Side::commit, true, overwritten_.size()});
    position_[s] += events_per_transaction();
    return true;
  }

  void take_back_to(std::size_t size) {
    for (; trail_.size() > size; trail_.pop_back()) {
      const Move& move = trail_.back();
      if (move.left_out) {
        position_[move.session] -= events_per_transaction();
        continue;
      }
      --position_[move.session];
      const bool commits = move.side == Event::Side::commit;
      if (commits) {
        for (; overwritten_.size() > move.overwritten; overwritten_.pop_back()) {
          current_[index(overwritten_.back().key)] = overwritten_.back().write;
        }
        committed_[index(move.txn)] = false;
        lock(move.txn, !rules_.one_event);
      } else {
        lock(move.txn, false);
      }
      if (!commits || rules_.one_event) expect_reads(move.txn, true);
    }
  }

  // An event that changes nothing for others can happen as soon as it may: no run gets worse by it.
  void run_free_events() {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::uint32_t s = 0; s < sessions_.size(); ++s) {
        while (!at_end(s) && is_free(s) && run(s)) moved = true;
      }
    }
  }
  bool is_free(std::uint32_t s) const {
    const Txn t = next(s);
    if (reads_.presence(t) == Presence::conditional) return false;
    const bool only_begins = !rules_.one_event && at_begin(s);
    return (only_begins && !rules_.disjoint) || !writes_here(t);
  }

  const History& h_;
  const Reads& reads_;
  const EventRules& rules_;
  Limits& limits_;
  std::vector<const std::vector<Txn>*> sessions_;
  std::vector<std::uint32_t> position_;  // per session: events that ran
  std::vector<Write> current_;           // per key
  std::vector<bool> is_mine_;            // per key: belongs to this component
  std::vector<bool> locked_;             // per key: a writer of it is running
  std::vector<std::uint32_t> pending_;   // per write: certain reads of it that are still to come
  std::vector<bool> committed_;
  std::vector<std::vector<Txn>> after_;  // per transaction: whose writes of some list come before its own
  std::vector<std::vector<std::int64_t>> earliest_end_;  // per session and position
  std::vector<std::uint32_t> ambiguous_keys_;
  std::vector<Move> trail_;
  std::vector<Overwritten> overwritten_;
  std::unordered_set<std::string, KeyedTextHash> stuck_;
  std::string reason_;
};

std::vector<Component> components_of(const Reads& reads, const EventRules& rules, const Sessions& sessions) {
  bool conditional = false;
  std::vector<std::vector<std::uint32_t>> users(reads.keys());
  for (std::uint32_t s = 0; s < sessions.size(); ++s) {
    for (const Txn t : sessions[s]) {
      conditional |= reads.presence(t) == Presence::conditional;
      const auto use = [&](Key k) {
        auto& sessions_of_key = users[index(k)];
        if (sessions_of_key.empty() || sessions_of_key.back() != s) sessions_of_key.push_back(s);
      };
      for (const Write w : reads.writes_of(t)) use(reads.key(w));
      for (const Source r : reads.reads_of(t)) use(reads.key(r));
    }
  }
  // Real time ties all sessions together, and the fate of a transaction must be the same in all components.
  if (rules.real_time || conditional) {
    Component all;
    all.sessions.resize(sessions.size());
    std::iota(all.sessions.begin(), all.sessions.end(), 0U);
    for (std::uint32_t k = 0; k < users.size(); ++k) {
      if (!users[k].empty()) all.keys.push_back(k);
    }
    return {all};
  }
  return communicating_components(static_cast<std::uint32_t>(sessions.size()), users);
}

// One order that contains the orders of all components; theorem 5.2 says that there is one.
std::vector<Event> weave(const std::vector<std::vector<Event>>& orders, std::uint32_t transactions) {
  const auto number = [](Event e) { return 2 * index(e.txn) + (e.side == Event::Side::commit ? 1U : 0U); };
  std::vector<std::vector<std::uint32_t>> after(std::size_t{2} * transactions);
  std::vector<std::uint32_t> waiting_for(after.size(), 0);
  std::vector<bool> occurs(after.size(), false);
  for (const auto& order : orders) {
    for (std::size_t i = 0; i < order.size(); ++i) {
      occurs[number(order[i])] = true;
      if (i == 0) continue;
      after[number(order[i - 1])].push_back(number(order[i]));
      ++waiting_for[number(order[i])];
    }
  }
  std::vector<std::uint32_t> ready;
  for (std::uint32_t e = 0; e < after.size(); ++e) {
    if (occurs[e] && waiting_for[e] == 0) ready.push_back(e);
  }
  std::vector<Event> woven;
  while (!ready.empty()) {
    const std::uint32_t e = ready.back();
    ready.pop_back();
    woven.push_back({Txn{e / 2}, e % 2 == 1 ? Event::Side::commit : Event::Side::begin});
    for (const std::uint32_t next : after[e]) {
      if (--waiting_for[next] == 0) ready.push_back(next);
    }
  }
  return woven;
}

}  // namespace

Outcome decide_by_width(const History& history, const Reads& reads, Level level, const Options& options) {
  if (auto known = answer_without_search(history, reads, level, options)) return *std::move(known);
  const EventRules rules = event_rules(history, level, options);
  const Sessions sessions = sessions_of(history, reads, rules.keep_session);
  if (sessions.size() > kMostSessions) {
    return undecided(level,
                     "the history has more than 4096 sessions (or transactions, without session "
                     "order), too many for a bounded-width search");
  }
  Limits limits(options.timeout_seconds, options.memory_bytes);
  if (limits.exceeded_now()) return undecided(level, limits.reason());
  std::vector<std::vector<Event>> orders;
  for (const Component& component : components_of(reads, rules, sessions)) {
    PrefixSearch search(history, reads, rules, sessions, component, limits);
    switch (search.search()) {
      case PrefixSearch::Result::none:
        return violated_by(level, "width: exhaustive search");
      case PrefixSearch::Result::gave_up:
        return undecided(level, search.reason().empty() ? limits.reason() : search.reason());
      case PrefixSearch::Result::found:
        orders.push_back(search.order());
    }
  }
  return holds_by(level, reads, "width: a run was found", weave(orders, history.transactions()));
}

}  // namespace assay::check
