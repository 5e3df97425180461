// What a watcher keeps from round to round.
#pragma once

#include <bit>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "history/history.hpp"
#include "memory/keyed_hash.hpp"
#include "watch/keep/vector_clock.hpp"
#include "watch/owned_atom.hpp"
#include "watch/watch_options.hpp"

namespace assay::watch {

struct SessionState {
  // A transaction of it may still come, or waits.
  bool has_more() const { return open || behind; }

  OwnedAtom name;
  std::uint64_t serial = 0;  // tells sessions apart that had one name after each other
  bool named = false;        // by the input's own atom, not only by a text
  bool open = true;
  bool behind = false;        // some of what it sent was not let into a round: set anew in every round
  std::uint32_t waiting = 0;  // of those not let in, the first so many were looked at before
  // That what is frozen precedes all that it will send does not follow from its clock: before more of it is
  // let in, the clock is raised to the floor.
  bool late = false;
  // What was judged when so many transactions had been is taken to precede all that it will send. One that came
  // with its first transactions has no pin before a round looks at it.
  static constexpr std::uint64_t kNoPinYet = UINT64_MAX;
  std::uint64_t pin = 0;
  std::uint64_t announced = 0;      // the fragment before which it was heard of
  std::uint64_t since = 0;          // the round before which it was heard of
  std::uint64_t waiting_since = 0;  // the round that first let it wait, if some of it waits
  std::uint64_t last_heard = 0;     // how many transactions had been judged when it last sent something
  std::uint32_t positions = 0;      // transactions that were let into a round
  VectorClock clock;                // what precedes all that will follow them
  VectorClock visible;              // at causal: what of that does so by session order and reads-from
};

// The version of a key that a transaction which is gone left behind. All writers of the key that are still
// live come after it, all that are frozen before.
struct Entry {
  OwnedAtom value;
  OwnedAtom txn;
  OwnedAtom session;  // which may have left
  std::uint64_t serial = 0;
  std::uint32_t position = 0;
};

// A transaction that is kept, besides its operations.
struct Place {
  std::uint32_t position = 0;  // in its session, counted from the session's first transaction
  // What precedes these events; where they are one, only `commit` is used. At causal `begin` is what is
  // visible to the transaction, and `commit` what must commit before it.
  VectorClock begin, commit;
  std::uint64_t decided = 0;  // how many transactions had been decided when this one was, itself included
};

struct VersionName {
  OwnedAtom key, value;

  auto operator<=>(const VersionName&) const = default;
};
struct VersionNameHash {
  std::size_t operator()(const VersionName& v) const {
    return words_(atoms_(v.key) ^ std::rotl(atoms_(v.value), 32));
  }

 private:
  AtomHash atoms_;
  KeyedWordHash words_;
};
struct VersionNameEqual {
  bool operator()(const VersionName& a, const VersionName& b) const {
    return AtomEqual{}(a.key, b.key) && AtomEqual{}(a.value, b.value);
  }
};

class State {
 public:
  WatchOptions options;

  std::vector<SessionState> sessions;
  std::unordered_map<std::string, std::uint32_t, KeyedTextHash> session_ids;

  // The transactions that take part in the next round too; sessions are numbered as in `sessions`.
  History held;
  std::vector<Place> places;  // per transaction of `held`

  // What has arrived and was not let into a round yet, as it came. Sessions go by name.
  std::vector<History> arrivals;
  std::uint64_t arrived_since_round = 0;
  std::uint64_t waiting = 0;

  std::unordered_map<OwnedAtom, Entry, AtomHash, AtomEqual> entries;
  VectorClock floor;  // of the last forgetting
  VectorClock gone;   // at causal: what must commit before something that was dropped, that included
  // At the levels with real time: when all that was ever frozen had ended; the greatest number if that is not
  // known of all.
  std::int64_t frozen_until = INT64_MIN;

  // Versions whose writer was part of a violation that was reported: reading them is no evidence any more.
  std::unordered_set<VersionName, VersionNameHash, VersionNameEqual> excused;

  bool timed = false;  // a transaction with a time has arrived
  // Nobody but `sessions` sends anything. Until then a session that was not heard of may still send what
  // precedes anything that is here, so nothing is frozen, and a read may be of what it wrote.
  bool sessions_known = false;
  // Sessions may come at any time; nobody who was heard of has read from one that was not.
  bool sessions_come = false;
  bool has_forgotten = false;     // something was dropped
  bool reported = false;          // a violation was
  bool only_added = false;        // nothing dropped any more: something arrived for which no rule is proven
  std::uint64_t frozen = 0;       // of those in `held`
  std::uint64_t retirements = 0;  // numbers the older parts of keys
  std::uint64_t decided = 0;      // transactions that were let into a round
  std::uint64_t decided_before = 0;  // the same before the last round
  std::uint64_t rounds = 0;
  std::uint64_t fragments = 0;
  std::uint64_t serials = 0;  // numbers the sessions
  std::string undecidable;    // not empty: why no verdict can be given any more
  std::string left_out;       // not empty: what could not be decided, so that "holds" cannot be said any more
  // Not empty: the first session that was taken to begin above the floor and did not show it. What follows
  // only from transactions that are gone is no proof of a violation any more.
  std::string trusted;

  std::uint32_t session_id(std::string_view name);
  // A session that was closed sends something again.
  void reopen(SessionState& session);
  // Puts a late session above the floor, before some of it is let into a round.
  void raise(SessionState& session) const;
  // Whether a transaction may still come, or waits.
  bool any_to_come() const;
  // Reading what it wrote is no evidence any more.
  void excuse(const History& history, Txn t);
  // Goes on without the promise of distinct values, if nothing was built on it yet.
  void values_repeat(const std::string& where);
};

}  // namespace assay::watch
