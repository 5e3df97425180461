// The state of a watcher as bytes, and back. Loading trusts nothing: whatever the bytes say, the result keeps
// the promises that the rest relies on, or there is an InputError.
#include <fmt/format.h>

#include <algorithm>

#include "format/bytes.hpp"
#include "format/packed_block.hpp"
#include "history/error.hpp"
#include "watch/retired.hpp"
#include "watch/state.hpp"
#include "watch/watcher.hpp"

namespace assay::watch {

namespace {

using format::append_little;
using format::ByteCursor;

constexpr std::string_view kMagic = "assay watch 2\n";

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
  void clock(const Clock& value) {
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
  Clock clock(std::size_t sessions, std::string_view what) {
    const std::uint64_t n = in_.count(sizeof(std::uint32_t), what);
    if (n > sessions) in_.fail(fmt::format("{} speaks of {} sessions, but there are {}", what, n, sessions));
    Clock clock(n);
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

}  // namespace

void Watcher::save(std::string& out) const {
  const State& state = *state_;
  out += kMagic;
  Writer write(out);
  write.text(info(state.options.level).name);
  write.number(state.options.clock_drift);
  write.flag(state.options.unique_values);
  write.number(state.options.horizon);
  write.flag(state.timed);
  write.flag(state.started);
  write.flag(state.collected);
  write.flag(state.reported);
  write.flag(state.only_added);
  write.text(state.undecidable);
  write.text(state.unjudged);
  write.number(state.judged);
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
    write.number(session.positions);
    write.clock(session.clock);
    write.clock(session.visible);
  }
  write.clock(state.floor);

  write.history(state.held);
  for (const Place& place : state.places) {
    write.number(place.position);
    write.clock(place.begin);
    write.clock(place.commit);
    write.number(place.judged);
  }
  write.number<std::uint64_t>(state.arrivals.size());
  for (const History& arrival : state.arrivals) write.history(arrival);

  write.number<std::uint64_t>(state.entries.size());
  for (const auto& [key, entry] : state.entries) {
    write.atom(key);
    write.atom(entry.value);
    write.atom(entry.txn);
    write.number(entry.session);
    write.number(entry.position);
  }
  write.number<std::uint64_t>(state.excused.size());
  for (const VersionName& version : state.excused) {
    write.atom(version.key);
    write.atom(version.value);
  }
}

Watcher Watcher::load(std::string_view bytes, const std::string& path) {
  ByteCursor in(path, bytes);
  if (in.take(std::min(kMagic.size(), bytes.size()), "the first line") != kMagic) {
    in.fail_at(0, "expected the state of a watcher, which begins with \"assay watch 2\"");
  }
  Reader read(in);
  auto state = std::make_unique<State>();
  const std::size_t level_at = in.position();
  const std::optional<Level> level = find_level(read.text("the level"));
  if (!level) in.fail_at(level_at, "expected the name of a level");
  state->options.level = *level;
  state->options.clock_drift = read.number<std::int64_t>("the clock drift");
  if (state->options.clock_drift < 0) in.fail("the clock drift is negative");
  state->options.unique_values = read.flag("whether values are distinct");
  state->options.horizon = read.number<std::uint64_t>("the horizon");
  state->timed = read.flag("whether there were times");
  state->started = read.flag("whether a round was decided");
  state->collected = read.flag("whether something was dropped");
  state->reported = read.flag("whether a violation was reported");
  state->only_added = read.flag("whether nothing is dropped any more");
  state->undecidable = read.text("why no verdict can be given");
  state->unjudged = read.text("what was not judged");
  state->judged = read.number<std::uint64_t>("how many were judged");
  state->arrived_since_round = read.number<std::uint64_t>("how many have arrived");
  state->frozen = read.number<std::uint64_t>("how many are frozen");
  state->retirements = read.number<std::uint64_t>("how many keys were retired");

  const std::uint64_t sessions = read.count(8, "the number of sessions");
  for (std::uint64_t s = 0; s < sessions; ++s) {
    const std::string name(read.text("the name of a session"));
    if (!state->session_ids.emplace(name, static_cast<std::uint32_t>(s)).second) {
      in.fail(fmt::format("two sessions have the name {}", name));
    }
    SessionState session;
    session.name = read.atom("the name of a session");
    if (to_string(session.name.view()) != name) in.fail("a session has two names");
    session.named = read.flag("whether a session is named");
    session.open = read.flag("whether a session is open");
    session.late = read.flag("whether a session is late");
    session.positions = read.number<std::uint32_t>("the length of a session");
    session.clock = read.clock(sessions, "the clock of a session");
    session.visible = read.clock(sessions, "what a session has seen");
    state->sessions.push_back(std::move(session));
  }
  state->floor = read.clock(sessions, "the floor");

  const std::size_t held_at = in.position();
  state->held = read.history("what is kept");
  check_names(state->held, in);
  if (state->frozen > state->held.transactions()) in.fail("more are frozen than are kept");
  const auto agrees = [&](const History& history, std::uint32_t s) {
    const auto id = state->session_ids.find(to_string(history.name(Session{s})));
    return id != state->session_ids.end() ? std::optional(id->second) : std::nullopt;
  };
  if (state->held.transactions() > 0 || state->held.sessions() > 0) {
    if (state->held.sessions() > sessions) in.fail_at(held_at, "what is kept has too many sessions");
    for (std::uint32_t s = 0; s < state->held.sessions(); ++s) {
      if (agrees(state->held, s) != s) in.fail_at(held_at, "what is kept has other sessions");
    }
  }
  for (const Txn t : state->held.all_transactions()) {
    Place place;
    const SessionState& session = state->sessions[index(state->held.session_of(t))];
    place.position = read.below<std::uint32_t>(session.positions, "the place of a transaction");
    if (state->held.position_in_session(t) > 0 && state->places.back().position >= place.position) {
      in.fail("the places of the transactions of a session do not rise");
    }
    place.begin = read.clock(sessions, "the clock of a begin");
    place.commit = read.clock(sessions, "the clock of a commit");
    place.judged = read.number<std::uint64_t>("when a transaction was judged");
    state->places.push_back(std::move(place));
  }
  const std::uint64_t arrivals = read.count(8, "the number of fragments");
  for (std::uint64_t i = 0; i < arrivals; ++i) {
    const std::size_t at = in.position();
    state->arrivals.push_back(read.history("a fragment"));
    for (std::uint32_t s = 0; s < state->arrivals.back().sessions(); ++s) {
      if (!agrees(state->arrivals.back(), s)) in.fail_at(at, "a fragment has an unknown session");
    }
    state->waiting += state->arrivals.back().transactions();
  }
  if (state->arrived_since_round > state->waiting) in.fail("more have arrived than there are");
  state->waiting -= state->arrived_since_round;

  const std::uint64_t entries = read.count(8, "the number of entries");
  for (std::uint64_t i = 0; i < entries; ++i) {
    OwnedAtom key = read.atom("the key of an entry");
    Entry entry;
    entry.value = read.atom("the value of an entry");
    entry.txn = read.atom("the transaction of an entry");
    entry.session = read.below<std::uint32_t>(sessions, "the session of an entry");
    entry.position = read.number<std::uint32_t>("the place of an entry");
    if (!state->entries.emplace(std::move(key), std::move(entry)).second) {
      in.fail("a key has two entries");
    }
  }
  const std::uint64_t excused = read.count(8, "the number of excused versions");
  for (std::uint64_t i = 0; i < excused; ++i) {
    OwnedAtom key = read.atom("an excused key");
    state->excused.insert({std::move(key), read.atom("an excused value")});
  }
  if (in.remaining() != 0) in.fail(fmt::format("{} bytes too many", in.remaining()));
  return Watcher(std::move(state));
}

}  // namespace assay::watch
