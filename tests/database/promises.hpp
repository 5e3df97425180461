// Every level that a store offers, under a load of conflicts, judged by Assay itself.
#pragma once

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "check/check.hpp"
#include "database/live.hpp"
#include "history/builder.hpp"
#include "system/random.hpp"

namespace assay::database {

// What one session did and saw, as far as it is certain.
struct Lived {
  struct Op {
    enum class Kind { read, write, insert, append, list, range } kind;
    std::string key, high;
    std::vector<std::pair<std::string, std::uint64_t>> seen;  // version 0 of a key: not there
    std::uint64_t version = 0;
  };
  std::vector<Op> ops;
  Status status = Status::aborted;
  std::int64_t start = 0, end = 0;
};

inline Atom as_atom(std::uint64_t version) {
  return Atom::integer(static_cast<std::int64_t>(version));
}

inline std::int64_t clock_ns() {
  return std::chrono::steady_clock::now().time_since_epoch().count();
}

// One operation on few keys, so that everything conflicts with everything. Rows are never erased and lists
// are not read after an own append, which keeps the history within what every promise is about.
inline Lived::Op live_one(StoreSession& session, system::Random& random, std::uint64_t version) {
  using Kind = Lived::Op::Kind;
  const std::uint64_t dice = random.below(20U);
  Lived::Op op{Kind::read, "h/" + std::to_string(random.below(6U)), "", {}, version};
  if (dice < 8) {
    const auto found = session.read(op.key);
    op.seen.emplace_back(op.key, found ? found->version : 0);
  } else if (dice < 14) {
    op.kind = Kind::write;
    session.write(op.key, {std::to_string(dice), version});
  } else if (dice < 16) {
    op.kind = Kind::insert;
    op.key = "h/5/" + std::to_string(random.below(1000U));
    if (!session.insert(op.key, {"", version})) op.version = 0;
  } else if (dice < 18) {
    op.kind = Kind::range;
    op.high = "h/6";
    std::vector<StoredRow> rows;
    session.range_read(op.key, op.high, rows);
    for (const StoredRow& row : rows) op.seen.emplace_back(row.key, row.stored.version);
  } else {
    op.key = "hl/" + std::to_string(random.below(2U));
    op.kind = dice == 18 ? Kind::append : Kind::list;
    std::vector<ListElement> elements;
    if (dice == 18) session.append(op.key, version);
    if (dice == 19) session.read_list(op.key, elements);
    for (const ListElement element : elements) op.seen.emplace_back(op.key, element.version);
  }
  return op;
}

// A range is told as a read of each key in it that anybody ever created, so that a phantom is a stale read.
inline void add_to(HistoryBuilder& build, const Lived::Op& op, const std::set<std::string>& keys) {
  using Kind = Lived::Op::Kind;
  const Atom key = Atom::string(op.key);
  std::vector<Atom> elements;
  for (const auto& [at, version] : op.seen) elements.push_back(as_atom(version));
  switch (op.kind) {
    case Kind::read:
      if (op.seen.front().second == 0) return build.read_initial(key);
      return build.read(key, elements.front());
    case Kind::write:
      return build.write(key, as_atom(op.version));
    case Kind::insert:
      if (op.version != 0) build.insert(key, as_atom(op.version));
      return;
    case Kind::append:
      return build.append(key, as_atom(op.version));
    case Kind::list:
      return build.list_read(key, elements);
    case Kind::range: {
      const std::map<std::string, std::uint64_t> seen(op.seen.begin(), op.seen.end());
      for (auto at = keys.lower_bound(op.key); at != keys.end() && *at <= op.high; ++at) {
        const auto row = seen.find(*at);
        if (row == seen.end()) {
          build.read_initial(Atom::string(*at));
        } else {
          build.read(Atom::string(*at), as_atom(row->second));
        }
      }
      return;
    }
  }
}

inline std::vector<Lived> live_session(StoreSession& session, std::optional<Level> level,
                                       std::uint32_t number, std::uint64_t seed) {
  std::vector<Lived> lived(40);
  system::Random random(seed * 100 + number);
  std::uint64_t version = 1 + number * 1000;
  for (Lived& transaction : lived) {
    transaction.start = clock_ns();
    try {
      session.begin(level);
      std::set<std::string> appended;
      for (std::uint64_t ops = 1 + random.below(5U); ops > 0; --ops) {
        Lived::Op op = live_one(session, random, version++);
        if (op.kind == Lived::Op::Kind::append) appended.insert(op.key);
        if (op.kind == Lived::Op::Kind::list && appended.count(op.key) != 0) continue;
        transaction.ops.push_back(std::move(op));
      }
      session.commit();
      transaction.status = Status::committed;
    } catch (const StoreError& error) {
      EXPECT_EQ(error.failure(), Failure::aborted) << error.what();
    }
    transaction.end = clock_ns();
  }
  return lived;
}

inline void promises_are_kept(Live& live) {
  constexpr std::uint32_t kSessions = 4;
  std::uint64_t seed = 0;
  for (const Store::Mode& mode : live.store().modes()) {
    if (!mode.promised) continue;
    SCOPED_TRACE(std::string(mode.called));
    live.store().prepare();
    std::vector<std::vector<Lived>> lived(kSessions);
    std::vector<std::thread> threads;
    ++seed;
    for (std::uint32_t number = 0; number < kSessions; ++number) {
      threads.emplace_back([&, number, session = live.store().open_session(number)] {
        lived[number] = live_session(*session, mode.asked, number, seed);
      });
    }
    for (std::thread& thread : threads) thread.join();
    std::set<std::string> keys;
    for (const auto& transactions : lived) {
      for (const Lived& transaction : transactions) {
        for (const Lived::Op& op : transaction.ops) {
          if (op.kind == Lived::Op::Kind::write || op.kind == Lived::Op::Kind::insert) keys.insert(op.key);
        }
      }
    }
    HistoryBuilder build;
    std::int64_t name = 0;
    std::size_t committed = 0;
    for (std::uint32_t number = 0; number < kSessions; ++number) {
      const Session session = build.session(Atom::integer(number));
      for (const Lived& transaction : lived[number]) {
        build.begin(session, Atom::integer(name++));
        for (const Lived::Op& op : transaction.ops) add_to(build, op, keys);
        build.end(transaction.status, transaction.start, transaction.end);
        if (transaction.status == Status::committed) ++committed;
      }
    }
    EXPECT_GT(committed, 0U);
    const History history = build.finish();
    const Level promised[] = {*mode.promised};
    check::Options limits;
    limits.timeout_seconds = 60;
    const auto outcome = check::check(history, promised, limits);
    EXPECT_EQ(outcome.front().verdict, check::Verdict::holds)
        << info(*mode.promised).name << ": " << outcome.front().reason << " " << outcome.front().method;
  }
}

}  // namespace assay::database
