// The one way to make a History: readers, recorders, generators and tests all feed a builder.
//
//   HistoryBuilder build;
//   Session alice = build.session(Atom::string("alice"));
//   build.begin(alice, Atom::integer(1));
//   build.read(Atom::string("x"), Atom::integer(7));
//   build.write(Atom::string("x"), Atom::integer(8));
//   build.end(Status::committed);
//   History history = build.finish();
//
// Sessions may interleave transaction by transaction; inside a session transactions come in order.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "history/history.hpp"
#include "memory/intern.hpp"

namespace assay {

// One row that a query returned; no value: the row was there before the first transaction.
struct Row {
  Atom key;
  std::optional<Atom> value;
};

class HistoryBuilder {
 public:
  // About how many operations will come; room is set aside for them. A guess too high costs addresses, not
  // memory.
  void expect(std::size_t operations);

  // The session of that name; a new one if there is none yet.
  Session session(const Atom& name);

  // Opens a transaction. REQUIRES: none is open.
  void begin(Session session, const Atom& name);

  // Operations of the open transaction, in program order.
  void read(const Atom& key, const Atom& value) { add(OpKind::read, key, value); }
  void read_initial(const Atom& key) { add_initial(OpKind::read, key); }
  void write(const Atom& key, const Atom& value) { add(OpKind::write, key, value); }
  void insert(const Atom& key, const Atom& value) { add(OpKind::insert, key, value); }
  void erase(const Atom& key) { add_initial(OpKind::erase, key); }
  void erase(const Atom& key, const Atom& tombstone) { add(OpKind::erase, key, tombstone); }
  void append(const Atom& key, const Atom& element) { add(OpKind::append, key, element); }
  void list_read(const Atom& key, std::span<const Atom> elements);
  void predicate_read(const Atom& predicate, std::span<const Row> rows);
  void range_read(const std::optional<Atom>& low, const std::optional<Atom>& high, std::span<const Row> rows);
  void rows_read(std::span<const Row> rows);

  // For histories whose queries are taken apart. A set of versions of one key (no value: the initial one),
  // and a read that saw one of them.
  enum class VersionSet : std::uint32_t {};
  VersionSet version_set(const Atom& key, std::span<const std::optional<Atom>> members);
  void read_one_of(VersionSet set) { new_operation(OpKind::read, index(set)); }
  // The last operation saw the database at the same moment as the one before it.
  // REQUIRES: the open transaction has two or more operations.
  void same_moment();
  // Says that something that clients saw is not in here, and what.
  void left_out(std::string what) { history_.left_out_ = std::move(what); }

  // The key of that name, which has this number in the finished history too; a new one if there is none yet.
  Key key(const Atom& name) { return Key{key_id(name.kind, bits_of(name))}; }
  // Says that key(name) will be called soon.
  void prefetch_key(const Atom& name) const;
  // The same as read, write and so on, for whoever has the key already; without a value of its initial
  // version.
  void operation(OpKind kind, Key key, const Atom& value);
  void operation(OpKind kind, Key key);
  // The initial version of the key is a row, and not the absence of one.
  void initial_row(const Atom& key);

  // Closes the open transaction; times in nanoseconds.
  void end(Status status, std::optional<std::int64_t> start = std::nullopt,
           std::optional<std::int64_t> end = std::nullopt);

  void clocks(Clocks clocks) { history_.clocks_ = clocks; }
  void source(std::string path, std::string format);
  // Something the user should know about how the input was read.
  void note(std::string text) { history_.notes_.push_back(std::move(text)); }

  std::uint32_t transactions() const { return static_cast<std::uint32_t>(history_.statuses_.size()); }
  std::uint32_t operations() const { return static_cast<std::uint32_t>(history_.kinds_.size()); }

  // The history; the builder is spent. REQUIRES: no transaction is open.
  History finish();

  // Adds a note to a finished history: for what only the whole of it shows.
  static History noted(History history, std::string note);
  // The same for what is left out of it.
  static History with_left_out(History history, std::string what);

 private:
  // An operation or element whose key and version are still to be found. It waits twice for a cache line of a
  // table (see intern.hpp): kStage additions for its key's, then as many for its version's.
  struct Pending {
    std::uint64_t key_bits, value_bits;
    std::uint32_t key;
    std::uint32_t target;  // index into payloads_, or into elements_
    AtomKind key_kind, value_kind;
    bool element;
    bool initial;  // of the key's initial version: there is no value
    bool has_key;  // it is known from the start
  };
  static constexpr std::size_t kStage = 24;

  std::uint64_t bits_of(const Atom& atom);
  std::uint32_t key_id(AtomKind kind, std::uint64_t bits);
  void add(OpKind kind, const Atom& key, const Atom& value);
  void add_initial(OpKind kind, const Atom& key);
  std::uint32_t new_operation(OpKind kind, std::uint32_t payload);
  void look_up(const Pending& pending);
  void find_key(Pending& pending);
  void find_version(const Pending& pending);
  void add_element(const Atom& key, const std::optional<Atom>& value);
  std::uint32_t add_query_atom(const std::optional<Atom>& atom);
  void group_by_session();
  void group_versions_by_key();

  History history_;
  std::vector<std::uint32_t> version_keys_;  // in order of appearance
  std::array<InternTable, kAtomKinds> session_table_, key_table_, version_table_;
  std::array<Pending, 2 * kStage> pending_{};
  std::size_t pending_count_ = 0;
  bool open_ = false;
};

}  // namespace assay
