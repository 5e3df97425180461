#include "watch/keep/state_bytes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "format/assay/packed_block.hpp"
#include "format/bytes.hpp"
#include "system/input_error.hpp"
#include "watch/forget/retired.hpp"

namespace assay::watch {

namespace {

using format::append_little;
using format::ByteCursor;

constexpr std::string_view kMagic = "assay watch 3\n", kBefore = "assay watch 2\n";

class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  template <class Number>
  void number(Number value) {
    append_little(out_, value);
  }
  void flag(bool value) { number<std::uint8_t>(value ? 1 : 0); }
  void text(std::string_view value) {
    number<std::uint64_t>(value.size());
    out_ += value;
  }
  void atom(const OwnedAtom& value) {
    number(static_cast<std::uint8_t>(value.kind));
    number(value.bits);
    text(value.text);
  }
  void clock(const VectorClock& value) {
    number<std::uint64_t>(value.size());
    for (const std::uint32_t count : value) number(count);
  }
  void history(const History& value) { text(PackedCodec::encode(value)); }

 private:
  std::string& out_;
};

class Reader {
 public:
  explicit Reader(ByteCursor& in) : in_(in) {}

  template <class Number>
  Number number(std::string_view what) {
    return in_.little<Number>(what);
  }
  // A number below `end`.
  template <class Number>
  Number below(std::uint64_t end, std::string_view what) {
    const auto value = in_.little<Number>(what);
    if (value >= end) in_.fail(fmt::format("{} is {}, expected a number below {}", what, value, end));
    return value;
  }
  bool flag(std::string_view what) { return below<std::uint8_t>(2, what) != 0; }
  std::uint64_t count(std::size_t least, std::string_view what) { return in_.count(least, what); }
  std::string_view text(std::string_view what) { return in_.take(in_.count(1, what), what); }
  OwnedAtom atom(std::string_view what) {
    OwnedAtom atom;
    atom.kind = static_cast<AtomKind>(below<std::uint8_t>(kAtomKinds, what));
    atom.bits = number<std::uint64_t>(what);
    atom.text = text(what);
    const bool is_number = atom.kind == AtomKind::integer || atom.kind == AtomKind::natural;
    if (is_number ? !atom.text.empty() : atom.bits != 0) {
      in_.fail(fmt::format("{} is a number and a text at once", what));
    }
    return atom;
  }
  // Of at most as many sessions as there are.
  VectorClock clock(std::size_t sessions, std::string_view what) {
    const std::uint64_t n = in_.count(sizeof(std::uint32_t), what);
    if (n > sessions) in_.fail(fmt::format("{} speaks of {} sessions, but there are {}", what, n, sessions));
    VectorClock clock(n);
    for (std::uint32_t& count : clock) count = number<std::uint32_t>(what);
    return clock;
  }
  History history(std::string_view what) {
    const std::uint64_t size = in_.count(1, what);
    const std::size_t origin = in_.position();
    ByteCursor inner(in_.path(), in_.take(size, what), origin);
    History history = PackedCodec::decode(inner);
    if (inner.remaining() != 0)
      inner.fail(fmt::format("{} bytes too many after {}", inner.remaining(), what));
    return history;
  }

 private:
  ByteCursor& in_;
};

// Names that were made here must be ones that can be read back.
void check_names(const History& held, const ByteCursor& in) {
  for (std::uint32_t k = 0; k < held.keys(); ++k) {
    const Atom name = held.name(Key{k});
    if (!is_retired(name)) continue;
    const std::size_t at = name.text.find(kRetired, 1);
    if (at == std::string_view::npos || at + 1 >= name.text.size() || name.text[at + 1] < '0' ||
        name.text[at + 1] >= static_cast<char>('0' + kAtomKinds)) {
      in.fail("the name of a retired key is damaged");
    }
  }
}

// The elements of a hash table in the order of their keys: the table's own order is another one in every process.
template <class Table, class KeyOf>
std::vector<const typename Table::value_type*> sorted(const Table& table, KeyOf key_of) {
  std::vector<const typename Table::value_type*> elements;
  elements.reserve(table.size());
  for (const auto& element : table) elements.push_back(&element);
  std::sort(elements.begin(), elements.end(),
            [&](const auto* a, const auto* b) { return key_of(*a) < key_of(*b); });
  return elements;
}

void read_settings(ByteCursor& in, Reader& read, State& state, bool before) {
  const std::size_t level_at = in.position();
  const std::optional<Level> level = find_level(read.text("the level"));
  if (!level) in.fail_at(level_at, "expected the name of a level");
  state.options.level = *level;
  state.options.clock_drift = read.number<std::int64_t>("the clock drift");
  if (state.options.clock_drift < 0) in.fail("the clock drift is negative");
  state.options.unique_values = read.flag("whether values are distinct");
  state.options.horizon = read.number<std::uint64_t>("the horizon");
  state.timed = read.flag("whether there were times");
  state.sessions_known = read.flag("whether all sessions are known");
  if (!before) {
    state.sessions_come = read.flag("whether sessions come and go");
    state.options.silence = read.number<std::uint64_t>("how long a session may be silent");
    state.rounds = read.number<std::uint64_t>("how many rounds there were");
    state.serials = read.number<std::uint64_t>("how many sessions there were");
    state.decided_before = read.number<std::uint64_t>("how many were judged before");
    state.frozen_until = read.number<std::int64_t>("when what is frozen had ended");
    state.trusted = read.text("who was trusted");
  }
  state.has_forgotten = read.flag("whether something was dropped");
  state.reported = read.flag("whether a violation was reported");
  state.only_added = read.flag("whether nothing is dropped any more");
  state.undecidable = read.text("why no verdict can be given");
  state.left_out = read.text("what was not judged");
  state.decided = read.number<std::uint64_t>("how many were judged");
  state.arrived_since_round = read.number<std::uint64_t>("how many have arrived");
  state.frozen = read.number<std::uint64_t>("how many are frozen");
  state.retirements = read.number<std::uint64_t>("how many keys were retired");
}

void read_sessions(ByteCursor& in, Reader& read, State& state, bool before) {
  state.fragments = 1;
  const std::uint64_t sessions = read.count(8, "the number of sessions");
  for (std::uint64_t s = 0; s < sessions; ++s) {
    const std::string name(read.text("the name of a session"));
    if (!state.session_ids.emplace(name, static_cast<std::uint32_t>(s)).second) {
      in.fail(fmt::format("two sessions have the name {}", name));
    }
    SessionState session;
    session.name = read.atom("the name of a session");
    if (to_string(session.name.view()) != name) in.fail("a session has two names");
    session.named = read.flag("whether a session is named");
    session.open = read.flag("whether a session is open");
    session.late = read.flag("whether a session is late");
    if (before) {
      session.serial = ++state.serials;
    } else {
      session.serial = read.number<std::uint64_t>("the number of a session");
      session.pin = read.number<std::uint64_t>("the pin of a session");
      session.since = read.number<std::uint64_t>("when a session came");
      session.last_heard = read.number<std::uint64_t>("when a session was last heard of");
    }
    session.positions = read.number<std::uint32_t>("the length of a session");
    session.clock = read.clock(sessions, "the clock of a session");
    session.visible = read.clock(sessions, "what a session has seen");
    state.sessions.push_back(std::move(session));
  }
  state.floor = read.clock(sessions, "the floor");
  if (!before) state.gone = read.clock(sessions, "what is gone");
  // What was frozen then had ended at a time that is not known.
  if (before) state.frozen_until = INT64_MAX;
}

// The state's number for a session of a history, if it has one.
std::optional<std::uint32_t> session_of(const State& state, const History& history, std::uint32_t s) {
  const auto id = state.session_ids.find(to_string(history.name(Session{s})));
  return id != state.session_ids.end() ? std::optional(id->second) : std::nullopt;
}

void read_held(ByteCursor& in, Reader& read, State& state) {
  const std::size_t held_at = in.position();
  state.held = read.history("what is kept");
  check_names(state.held, in);
  if (state.frozen > state.held.transactions()) in.fail("more are frozen than are kept");
  if (state.held.transactions() > 0 || state.held.sessions() > 0) {
    if (state.held.sessions() > state.sessions.size())
      in.fail_at(held_at, "what is kept has too many sessions");
    for (std::uint32_t s = 0; s < state.held.sessions(); ++s) {
      if (session_of(state, state.held, s) != s) in.fail_at(held_at, "what is kept has other sessions");
    }
  }
  for (const Txn t : state.held.all_transactions()) {
    Place place;
    const SessionState& session = state.sessions[index(state.held.session_of(t))];
    place.position = read.below<std::uint32_t>(session.positions, "the place of a transaction");
    if (state.held.position_in_session(t) > 0 && state.places.back().position >= place.position) {
      in.fail("the places of the transactions of a session do not rise");
    }
    place.begin = read.clock(state.sessions.size(), "the clock of a begin");
    place.commit = read.clock(state.sessions.size(), "the clock of a commit");
    place.decided = read.number<std::uint64_t>("when a transaction was judged");
    state.places.push_back(std::move(place));
  }
}

void read_arrivals(ByteCursor& in, Reader& read, State& state) {
  const std::uint64_t arrivals = read.count(8, "the number of fragments");
  for (std::uint64_t i = 0; i < arrivals; ++i) {
    const std::size_t at = in.position();
    state.arrivals.push_back(read.history("a fragment"));
    for (std::uint32_t s = 0; s < state.arrivals.back().sessions(); ++s) {
      const std::optional<std::uint32_t> session = session_of(state, state.arrivals.back(), s);
      if (!session) in.fail_at(at, "a fragment has an unknown session");
      state.sessions[*session].waiting += state.arrivals.back().transactions_of(Session{s}).size();
      state.sessions[*session].waiting_since = state.rounds;
    }
    state.waiting += state.arrivals.back().transactions();
  }
  if (state.arrived_since_round > state.waiting) in.fail("more have arrived than there are");
  state.waiting -= state.arrived_since_round;
}

void read_entries(ByteCursor& in, Reader& read, State& state, bool before) {
  const std::uint64_t entries = read.count(8, "the number of entries");
  for (std::uint64_t i = 0; i < entries; ++i) {
    OwnedAtom key = read.atom("the key of an entry");
    Entry entry;
    entry.value = read.atom("the value of an entry");
    entry.txn = read.atom("the transaction of an entry");
    if (before) {
      const auto s = read.below<std::uint32_t>(state.sessions.size(), "the session of an entry");
      entry.session = state.sessions[s].name;
      entry.serial = state.sessions[s].serial;
    } else {
      entry.session = read.atom("the session of an entry");
      entry.serial = read.number<std::uint64_t>("the number of a session");
    }
    entry.position = read.number<std::uint32_t>("the place of an entry");
    if (!state.entries.emplace(std::move(key), std::move(entry)).second) {
      in.fail("a key has two entries");
    }
  }
  const std::uint64_t excused = read.count(8, "the number of excused versions");
  for (std::uint64_t i = 0; i < excused; ++i) {
    OwnedAtom key = read.atom("an excused key");
    state.excused.insert({std::move(key), read.atom("an excused value")});
  }
}

}  // namespace

void append_bytes(const State& state, std::string& out) {
  out += kMagic;
  Writer write(out);
  write.text(info(state.options.level).name);
  write.number(state.options.clock_drift);
  write.flag(state.options.unique_values);
  write.number(state.options.horizon);
  write.flag(state.timed);
  write.flag(state.sessions_known);
  write.flag(state.sessions_come);
  write.number(state.options.silence);
  write.number(state.rounds);
  write.number(state.serials);
  write.number(state.decided_before);
  write.number(state.frozen_until);
  write.text(state.trusted);
  write.flag(state.has_forgotten);
  write.flag(state.reported);
  write.flag(state.only_added);
  write.text(state.undecidable);
  write.text(state.left_out);
  write.number(state.decided);
  write.number(state.arrived_since_round);
  write.number(state.frozen);
  write.number(state.retirements);

  write.number<std::uint64_t>(state.sessions.size());
  std::vector<const std::string*> names(state.sessions.size());
  for (const auto& [name, id] : state.session_ids) names[id] = &name;
  for (std::size_t s = 0; s < state.sessions.size(); ++s) {
    const SessionState& session = state.sessions[s];
    write.text(*names[s]);
    write.atom(session.name);
    write.flag(session.named);
    write.flag(session.open);
    write.flag(session.late);
    write.number(session.serial);
    write.number(session.pin);
    write.number(session.since);
    write.number(session.last_heard);
    write.number(session.positions);
    write.clock(session.clock);
    write.clock(session.visible);
  }
  write.clock(state.floor);
  write.clock(state.gone);

  write.history(state.held);
  for (const Place& place : state.places) {
    write.number(place.position);
    write.clock(place.begin);
    write.clock(place.commit);
    write.number(place.decided);
  }
  write.number<std::uint64_t>(state.arrivals.size());
  for (const History& arrival : state.arrivals) write.history(arrival);

  write.number<std::uint64_t>(state.entries.size());
  for (const auto* entry : sorted(
           state.entries, [](const auto& e) -> auto& { return e.first; })) {
    write.atom(entry->first);
    write.atom(entry->second.value);
    write.atom(entry->second.txn);
    write.atom(entry->second.session);
    write.number(entry->second.serial);
    write.number(entry->second.position);
  }
  write.number<std::uint64_t>(state.excused.size());
  for (const VersionName* version : sorted(
           state.excused, [](const auto& v) -> auto& { return v; })) {
    write.atom(version->key);
    write.atom(version->value);
  }
}

State read_state(std::string_view bytes, const std::string& path) {
  ByteCursor in(path, bytes);
  const std::string_view magic = in.take(std::min(kMagic.size(), bytes.size()), "the first line");
  const bool before = magic == kBefore;
  if (magic != kMagic && !before) {
    in.fail_at(0, "expected the state of a watcher, which begins with \"assay watch 3\"");
  }
  Reader read(in);
  State state;
  read_settings(in, read, state, before);
  read_sessions(in, read, state, before);
  read_held(in, read, state);
  read_arrivals(in, read, state);
  read_entries(in, read, state, before);
  if (in.remaining() != 0) in.fail(fmt::format("{} bytes too many", in.remaining()));
  return state;
}

}  // namespace assay::watch
