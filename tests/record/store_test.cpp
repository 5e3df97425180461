// What every store promises the recorder, checked on the real products. One test does all for one product,
// since each test is a process of its own and a server takes a while to start.
#include "record/store/store.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <thread>

#include "check/check.hpp"
#include "history/builder.hpp"
#include "record/fault/proxy.hpp"
#include "record/random.hpp"
#include "record/server/server.hpp"
#include "support/program.hpp"

namespace assay::record {
namespace {

struct Product {
  std::string name;
  std::string address;  // of what lives in this process; @ is a temporary folder
  std::string server;   // of the others
  std::string options = "";
};

void PrintTo(const Product& product, std::ostream* out) {
  *out << product.name;
}

// One product, alive. A server is reached through proxies, one before each node.
class Live {
 public:
  explicit Live(const Product& product) {
    if (product.server.empty()) {
      address_ = product.address;
      const std::size_t at = address_.find('@');
      if (at != std::string::npos) address_.replace(at, 1, folder_.file("store"));
    } else {
      server_ = start_server(product.server);
      std::vector<Endpoint> proxied;
      for (const Endpoint& endpoint : server_->endpoints()) {
        proxies_.push_back(std::make_unique<Proxy>(endpoint));
        proxied.push_back(proxies_.back()->endpoint());
      }
      // Short, so that what stalls is given up soon; long enough for a busy machine.
      address_ = server_->url(proxied) + "?timeout=2" + product.options;
    }
    store_ = open_store(address_);
    store_->prepare();
  }

  Store& store() { return *store_; }
  const std::string& address() const { return address_; }
  Server& server() { return *server_; }
  const std::vector<std::unique_ptr<Proxy>>& proxies() const { return proxies_; }
  Level strongest() const { return store_->modes().front().asked; }

 private:
  testing::TemporaryFolder folder_;
  std::unique_ptr<Server> server_;
  std::vector<std::unique_ptr<Proxy>> proxies_;
  std::string address_;
  std::unique_ptr<Store> store_;
};

std::string told(const std::optional<StoredValue>& stored) {
  return stored ? stored->value + " by " + std::to_string(stored->version) : "nothing";
}

std::string told(const std::vector<StoredRow>& rows) {
  std::string all;
  for (const StoredRow& row : rows) all += row.key + "=" + told(row.stored) + "; ";
  return all;
}

std::string told(const std::vector<ListElement>& elements) {
  std::string all;
  for (const ListElement element : elements) all += std::to_string(element.version) + " ";
  return all;
}

// Runs until it commits. A conflict with nobody in sight may still be reported, for example by a vacuum.
template <typename Body>
void in_transaction(StoreSession& session, Level level, const Body& body) {
  for (int attempt = 0;; ++attempt) {
    try {
      session.begin(level);
      body();
      session.commit();
      return;
    } catch (const StoreError& error) {
      if (error.failure() != Failure::aborted || attempt == 20) throw;
    }
  }
}

void rows_are_kept(Live& live) {
  const auto writer = live.store().open_session(0);
  const auto reader = live.store().open_session(1);
  in_transaction(*writer, live.strongest(), [&] {
    EXPECT_EQ(told(writer->read("rows/a")), "nothing");
    writer->write("rows/a", {"first", 1});
    EXPECT_EQ(told(writer->read("rows/a")), "first by 1") << "own write";
    writer->write("rows/a", {"second", UINT64_MAX});
    EXPECT_EQ(told(writer->read("rows/a")), "second by 18446744073709551615") << "own later write";
    EXPECT_FALSE(writer->insert("rows/a", {"third", 3})) << "the row is there";
    EXPECT_TRUE(writer->insert("rows/b", {"", 4})) << "an empty value is a value";
    EXPECT_FALSE(writer->erase("rows/c")) << "there is no such row";
  });
  in_transaction(*reader, live.strongest(), [&] {
    EXPECT_EQ(told(reader->read("rows/a")), "second by 18446744073709551615");
    EXPECT_EQ(told(reader->read("rows/b")), " by 4");
    EXPECT_TRUE(reader->erase("rows/a"));
    EXPECT_EQ(told(reader->read("rows/a")), "nothing") << "own erase";
    EXPECT_TRUE(reader->insert("rows/a", {"again", 5})) << "after the erase";
    EXPECT_TRUE(reader->erase("rows/b"));
  });
  const std::string long_value(5000, 'x');
  const std::string odd("quote ' zero \0 byte \xff", 20);
  in_transaction(*writer, live.strongest(), [&] {
    EXPECT_EQ(told(writer->read("rows/a")), "again by 5");
    EXPECT_EQ(told(writer->read("rows/b")), "nothing");
    writer->write("rows/long", {long_value, 6});
    writer->write("rows/odd", {odd, 7});
  });
  in_transaction(*reader, live.strongest(), [&] {
    EXPECT_EQ(reader->read("rows/long")->value, long_value);
    EXPECT_EQ(reader->read("rows/odd")->value, odd);
  });
}

void aborts_leave_nothing(Live& live) {
  const auto session = live.store().open_session(0);
  in_transaction(*session, live.strongest(), [&] { session->write("abort/kept", {"before", 1}); });
  session->begin(live.strongest());
  session->write("abort/kept", {"after", 2});
  session->write("abort/new", {"after", 3});
  session->append("abort/list", 4);
  session->abort();
  {
    const auto vanishing = live.store().open_session(1);
    vanishing->begin(live.strongest());
    vanishing->write("abort/new", {"never committed", 5});
    EXPECT_EQ(told(vanishing->read("abort/new")), "never committed by 5");
  }
  in_transaction(*session, live.strongest(), [&] {
    EXPECT_EQ(told(session->read("abort/kept")), "before by 1");
    EXPECT_EQ(told(session->read("abort/new")), "nothing");
    std::vector<ListElement> elements{{1}};
    session->read_list("abort/list", elements);
    EXPECT_TRUE(elements.empty());
  });
}

void scans_find_rows(Live& live) {
  const auto session = live.store().open_session(0);
  std::vector<StoredRow> rows{{"stale", {"stale", 1}}};
  in_transaction(*session, live.strongest(), [&] {
    session->write("scan/B", {"7", 1});
    session->write("scan/a", {"-5", 2});
    session->write("scan/aa", {"12", 3});
    session->write("scan/b", {"not a number", 4});
    session->write("scan/c\xff", {"9223372036854775807", 5});
    session->write("scan0", {"7", 6});
  });
  in_transaction(*session, live.strongest(), [&] {
    session->range_read("scan/B", "scan/b", rows);
    EXPECT_EQ(told(rows), "scan/B=7 by 1; scan/a=-5 by 2; scan/aa=12 by 3; scan/b=not a number by 4; ")
        << "both bounds belong to it, in the order of bytes";
    session->range_read("scan/a0", "scan/a1", rows);
    EXPECT_EQ(told(rows), "");
    session->range_read("scan/b", "scan/a", rows);
    EXPECT_EQ(told(rows), "") << "bounds the wrong way round";
    session->filter_read({"scan/", -5, 7}, rows);
    EXPECT_EQ(told(rows), "scan/B=7 by 1; scan/a=-5 by 2; ") << "both bounds belong to it";
    session->filter_read({"scan/"}, rows);
    EXPECT_EQ(rows.size(), 4U) << "what is not a number passes no filter: " << told(rows);
    session->filter_read({"scan/c\xff", INT64_MAX, INT64_MAX}, rows);
    EXPECT_EQ(told(rows), "scan/c\xff=9223372036854775807 by 5; ");
    session->filter_read({"", 7, 7}, rows);
    EXPECT_EQ(told(rows), "scan/B=7 by 1; scan0=7 by 6; ") << "all keys start with the empty prefix";
  });
  in_transaction(*session, live.strongest(), [&] {
    session->write("scan/a", {"6", 7});
    session->write("scan/ab", {"7", 8});
    session->erase("scan/aa");
    session->range_read("scan/a", "scan/b", rows);
    EXPECT_EQ(told(rows), "scan/a=6 by 7; scan/ab=7 by 8; scan/b=not a number by 4; ") << "own writes";
    session->filter_read({"scan/a", 0, 10}, rows);
    EXPECT_EQ(told(rows), "scan/a=6 by 7; scan/ab=7 by 8; ") << "own writes";
  });
}

void lists_grow(Live& live) {
  const auto first = live.store().open_session(0);
  const auto second = live.store().open_session(1);
  std::vector<ListElement> elements;
  in_transaction(*first, live.strongest(), [&] {
    first->append("list", 1);
    first->append("list", UINT64_MAX / 4);
    first->read_list("list", elements);
    EXPECT_EQ(told(elements), "1 4611686018427387903 ") << "own elements";
  });
  in_transaction(*second, live.strongest(), [&] {
    second->append("list", 3);
    second->read_list("list", elements);
    EXPECT_EQ(told(elements), "1 4611686018427387903 3 ") << "own elements behind the others'";
    second->read_list("no list", elements);
    EXPECT_EQ(told(elements), "");
  });
  in_transaction(*first, live.strongest(), [&] {
    first->read_list("list", elements);
    EXPECT_EQ(told(elements), "1 4611686018427387903 3 ");
    EXPECT_EQ(told(first->read("list")), "nothing") << "rows live elsewhere";
  });
}

void levels_work(Live& live) {
  const auto session = live.store().open_session(0);
  std::set<Level> offered;
  for (const Store::Mode& mode : live.store().modes()) {
    SCOPED_TRACE(std::string(mode.called));
    offered.insert(mode.asked);
    const std::string name(info(mode.asked).name);
    in_transaction(*session, mode.asked, [&] {
      session->write("level", {name, 1});
      session->append("level", 1);
      EXPECT_EQ(told(session->read("level")), name + " by 1");
    });
    std::vector<StoredRow> rows;
    in_transaction(*session, mode.asked, [&] {
      session->range_read("level", "level", rows);
      EXPECT_TRUE(session->erase("level"));
      EXPECT_TRUE(session->insert("level", {name, 2}));
    });
    EXPECT_EQ(told(rows), "level=" + name + " by 1; ");
  }
  EXPECT_FALSE(offered.empty());
  for (const LevelInfo& level : levels()) {
    if (offered.count(level.level) != 0) continue;
    try {
      session->begin(level.level);
      ADD_FAILURE() << "takes " << level.name;
      session->abort();
    } catch (const StoreError& error) {
      EXPECT_EQ(error.failure(), Failure::fatal) << error.what();
    }
  }
}

// Both read the counter before either writes, or one of them cannot even read it: one at most may commit.
void conflicts_abort(Live& live) {
  {
    const auto session = live.store().open_session(0);
    in_transaction(*session, live.strongest(), [&] { session->write("counter", {"0", 1}); });
  }
  std::barrier both_have_read(2);
  std::atomic<int> committed{0}, aborted{0};
  const auto increment = [&](std::uint32_t number) {
    const auto session = live.store().open_session(number);
    bool arrived = false;
    try {
      session->begin(live.strongest());
      const auto seen = session->read("counter");
      arrived = true;
      both_have_read.arrive_and_wait();
      session->write("counter", {std::to_string(std::stoi(seen->value) + 1), 2 + number});
      session->commit();
      ++committed;
    } catch (const StoreError& error) {
      EXPECT_EQ(error.failure(), Failure::aborted) << error.what();
      ++aborted;
      if (!arrived) both_have_read.arrive_and_drop();
    }
  };
  std::thread other(increment, 0);
  increment(1);
  other.join();
  EXPECT_LE(committed, 1);
  EXPECT_GE(aborted, 1);
  const auto session = live.store().open_session(2);
  in_transaction(*session, live.strongest(),
                 [&] { EXPECT_EQ(session->read("counter")->value, std::to_string(committed)); });
}

// No update is lost, and everybody gets through in the end.
void increments_add_up(Live& live) {
  constexpr std::uint32_t kThreads = 3;
  constexpr std::uint32_t kEach = 8;
  {
    const auto session = live.store().open_session(0);
    in_transaction(*session, live.strongest(), [&] { session->write("sum", {"0", 1}); });
  }
  std::vector<std::thread> threads;
  for (std::uint32_t number = 0; number < kThreads; ++number) {
    threads.emplace_back([&, number] {
      const auto session = live.store().open_session(number);
      for (std::uint32_t i = 0; i < kEach;) {
        try {
          session->begin(live.strongest());
          const int sum = std::stoi(session->read("sum")->value);
          const std::uint64_t version = 2 + number * kEach + i;
          session->write("sum", {std::to_string(sum + 1), version});
          session->append("who added", version);
          session->commit();
          ++i;
        } catch (const StoreError& error) {
          ASSERT_EQ(error.failure(), Failure::aborted) << error.what();
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto session = live.store().open_session(0);
  std::vector<ListElement> elements;
  in_transaction(*session, live.strongest(), [&] {
    EXPECT_EQ(session->read("sum")->value, std::to_string(kThreads * kEach));
    session->read_list("who added", elements);
  });
  EXPECT_EQ(elements.size(), kThreads * kEach);
  for (std::uint32_t number = 0; number < kThreads; ++number) {
    std::uint64_t last = 0;
    for (const ListElement element : elements) {
      if ((element.version - 2) / kEach != number) continue;
      EXPECT_GT(element.version, last) << "the elements of one session stand in its order";
      last = element.version;
    }
  }
}

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

Atom as_atom(std::uint64_t version) {
  return Atom::integer(static_cast<std::int64_t>(version));
}

std::int64_t clock_ns() {
  return std::chrono::steady_clock::now().time_since_epoch().count();
}

// One operation on few keys, so that everything conflicts with everything. Rows are never erased and lists
// are not read after an own append, which keeps the history within what every promise is about.
Lived::Op live_one(StoreSession& session, Random& random, std::uint64_t version) {
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
void add_to(HistoryBuilder& build, const Lived::Op& op, const std::set<std::string>& keys) {
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

std::vector<Lived> live_session(StoreSession& session, Level level, std::uint32_t number,
                                std::uint64_t seed) {
  std::vector<Lived> lived(40);
  Random random(seed * 100 + number);
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

// Every level that is offered, under a load of conflicts, judged by Assay itself.
void promises_are_kept(Live& live) {
  constexpr std::uint32_t kSessions = 4;
  std::uint64_t seed = 0;
  for (const Store::Mode& mode : live.store().modes()) {
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
    const Level promised[] = {mode.promised};
    check::Options limits;
    limits.timeout_seconds = 60;
    const auto outcome = check::check(history, promised, limits);
    EXPECT_EQ(outcome.front().verdict, check::Verdict::holds)
        << info(mode.promised).name << ": " << outcome.front().reason << " " << outcome.front().method;
  }
}

// Begins again and again, as a recorder does, until the server is back.
void begin_when_possible(StoreSession& session, Level level) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (true) {
    try {
      session.begin(level);
      session.read("reachable");
      return;
    } catch (const StoreError& error) {
      ASSERT_EQ(error.failure(), Failure::aborted) << error.what();
      ASSERT_LT(std::chrono::steady_clock::now(), give_up) << error.what();
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
}

void lost_connections_are_told(Live& live) {
  Proxy& proxy = *live.proxies().front();
  const auto session = live.store().open_session(0);
  session->begin(live.strongest());
  session->write("lost", {"before", 1});
  EXPECT_EQ(told(session->read("lost")), "before by 1");
  session->read("something");
  proxy.reset_all();
  try {
    // The reset may take a moment; commit must not come through after it.
    while (true) session->read("something else");
  } catch (const StoreError& error) {
    EXPECT_EQ(error.failure(), Failure::aborted) << error.what();
  }
  begin_when_possible(*session, live.strongest());
  EXPECT_EQ(told(session->read("lost")), "nothing");
  session->write("lost", {"stalled", 2});
  session->read("something");
  proxy.set_stalled(true);
  try {
    session->commit();
    ADD_FAILURE() << "commit cannot have been answered";
  } catch (const StoreError& error) {
    EXPECT_EQ(error.failure(), Failure::unknown) << error.what();
  }
  proxy.set_stalled(false);
  proxy.set_delay(std::chrono::milliseconds(20));
  begin_when_possible(*session, live.strongest());
  const std::string now = told(session->read("lost"));
  EXPECT_TRUE(now == "nothing" || now == "stalled by 2") << now;
  session->abort();
  proxy.set_delay(std::chrono::milliseconds(0));
}

// Sessions insert rows of their own while the server is killed. Afterwards what was called committed is there
// and what was called aborted is not.
void a_killed_server_is_told_truly(Live& live) {
  constexpr std::uint32_t kThreads = 3;
  std::map<std::string, Failure> failed[kThreads];
  std::vector<std::string> committed[kThreads];
  std::atomic<std::uint32_t> commits{0};
  std::atomic<bool> killed{false};
  std::vector<std::thread> threads;
  for (std::uint32_t number = 0; number < kThreads; ++number) {
    threads.emplace_back([&, number, session = live.store().open_session(0)] {
      for (int i = 0; !killed || failed[number].empty(); ++i) {
        const std::string key = "killed/" + std::to_string(number) + "/" + std::to_string(i);
        try {
          session->begin(live.strongest());
          session->write(key, {key, 1});
          session->commit();
          committed[number].push_back(key);
          ++commits;
        } catch (const StoreError& error) {
          ASSERT_NE(error.failure(), Failure::fatal) << error.what();
          failed[number].emplace(key, error.failure());
        }
      }
    });
  }
  while (commits < 10 * kThreads) std::this_thread::yield();
  live.server().kill(0);
  killed = true;
  for (std::thread& thread : threads) thread.join();
  live.server().restart(0);

  const auto session = live.store().open_session(0);
  begin_when_possible(*session, live.strongest());
  for (std::uint32_t number = 0; number < kThreads; ++number) {
    for (const std::string& key : committed[number]) EXPECT_EQ(told(session->read(key)), key + " by 1");
    for (const auto& [key, failure] : failed[number]) {
      if (failure != Failure::aborted) continue;
      EXPECT_EQ(told(session->read(key)), "nothing") << key;
    }
  }
  session->abort();
}

void preparing_clears(Live& live) {
  const auto again = open_store(live.address());
  again->prepare();
  const auto session = again->open_session(0);
  std::vector<StoredRow> rows;
  in_transaction(*session, live.strongest(), [&] { session->range_read("", "\xff", rows); });
  EXPECT_EQ(told(rows), "");
}

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ASSAY_THREAD_SANITIZER
#endif
#endif
#if defined(__SANITIZE_THREAD__) || defined(ASSAY_THREAD_SANITIZER)
constexpr bool kThreadSanitizer = true;
#else
constexpr bool kThreadSanitizer = false;
#endif

class StoreContract : public ::testing::TestWithParam<Product> {};

TEST_P(StoreContract, Holds) {
  const Product& product = GetParam();
  if (!product.server.empty()) {
    if (const auto missing = missing_for_server(product.server)) GTEST_SKIP() << *missing;
  }
  // The thread sanitizer sees RocksDB's memory accesses but not the atomics of a library that it did not
  // build.
  if (kThreadSanitizer && product.address.starts_with("rocksdb:"))
    GTEST_SKIP() << "not under the thread sanitizer";
  Live live(product);
  EXPECT_FALSE(live.store().description().empty());
  for (const auto& [check, what] : std::initializer_list<std::pair<void (*)(Live&), const char*>>{
           {rows_are_kept, "rows"},
           {aborts_leave_nothing, "aborts"},
           {scans_find_rows, "scans"},
           {lists_grow, "lists"},
           {levels_work, "levels"},
           {conflicts_abort, "conflicts"},
           {increments_add_up, "increments"},
       }) {
    SCOPED_TRACE(what);
    check(live);
  }
  // Clusters are known to break theirs now and then, which is for a recording to find out.
  if (live.proxies().size() <= 1) promises_are_kept(live);
  if (!product.server.empty()) {
    lost_connections_are_told(live);
    // One node of two alone is no cluster.
    if (live.server().endpoints().size() == 1) a_killed_server_is_told_truly(live);
  }
  // What lives in this process cannot be opened twice.
  if (product.name != "memory" && product.name.find("rocksdb") == std::string::npos) preparing_clears(live);
}

INSTANTIATE_TEST_SUITE_P(
    Every, StoreContract,
    ::testing::Values(Product{"memory", "memory:strict-serializable", ""},
                      Product{"sqlite", "sqlite:@?timeout=2", ""},
                      Product{"sqlite_immediate", "sqlite:@?begin=immediate&timeout=2", ""},
                      Product{"rocksdb", "rocksdb:@?timeout=2", ""},
                      Product{"rocksdb_optimistic", "rocksdb:@?mode=optimistic", ""},
                      Product{"postgres", "", "postgres"}, Product{"mariadb", "", "mariadb"},
                      Product{"redis", "", "redis"}, Product{"galera", "", "galera:2", "&sync_wait=7"}),
    [](const auto& product) { return product.param.name; });

std::string refusal(const std::string& address) {
  try {
    open_store(address);
  } catch (const StoreError& error) {
    EXPECT_EQ(error.failure(), Failure::fatal);
    return error.what();
  }
  return "opened";
}

TEST(StoreAddress, MessagesSayWhatIsWrong) {
  EXPECT_EQ(refusal("oracle://localhost"),
            "there is no store 'oracle'; there are sqlite:FILE, postgres://user:password@host:port/database, "
            "mysql://user:password@host:port/database, rocksdb:FOLDER, redis://:password@host:port/number, "
            "memory:LEVEL");
  EXPECT_EQ(refusal("mydata.db"),
            "a store is named by an address such as sqlite:FILE or postgres://user@host/database");
  EXPECT_EQ(refusal("sqlite:"), "sqlite: expected sqlite:FILE");
  EXPECT_EQ(refusal("sqlite:x?begin=never"),
            "sqlite: the option 'begin' is one of deferred, immediate, not 'never'");
  EXPECT_EQ(refusal("sqlite:x?colour=blue"),
            "sqlite: there is no option 'colour'; there are timeout, begin, sync");
  EXPECT_EQ(refusal("sqlite:x?timeout=-1"),
            "sqlite: the option 'timeout' is a whole number up to 86400, not '-1'");
  EXPECT_EQ(refusal("sqlite:x?timeout=1&timeout=2"), "sqlite: the option 'timeout' is given twice");
  EXPECT_EQ(refusal("sqlite:x?timeout"), "sqlite: expected option=value behind the '?', found 'timeout'");
  EXPECT_EQ(refusal("sqlite:x%2"), "sqlite: a '%' must be followed by two hexadecimal digits");
  EXPECT_EQ(refusal("redis://localhost:99999"),
            "redis: expected :PORT behind the host 'localhost', found ':99999'");
  EXPECT_EQ(refusal("redis://a,b"), "redis: expected one host");
  EXPECT_EQ(refusal("redis://[::1"), "redis: a '[' in the host has no ']'");
  EXPECT_EQ(refusal("redis:localhost"), "redis: expected redis://host");
  EXPECT_EQ(refusal("mysql://localhost"), "mysql: expected mysql://host/database");
  EXPECT_EQ(refusal("memory:eventual").substr(0, 57),
            "memory: expected memory:LEVEL with one of read-committed,");
  EXPECT_EQ(refusal("memory:si?fault=fire").substr(0, 45), "memory: there is no fault 'fire'; there are l");
}

TEST(StoreAddress, NobodyThereIsFatal) {
  // A proxy to nowhere accepts and then resets; nothing listens where it was once it is gone.
  Endpoint gone;
  {
    const Proxy proxy({"127.0.0.1", 1});
    gone = proxy.endpoint();
  }
  const std::string host = "127.0.0.1:" + std::to_string(gone.port);
  EXPECT_NE(refusal("postgres://user:secret@" + host + "/x"), "opened");
  EXPECT_NE(refusal("mysql://user:secret@" + host + "/x"), "opened");
  EXPECT_NE(refusal("redis://:secret@" + host), "opened");
  EXPECT_EQ(refusal("postgres://user:secret@" + host + "/x").find("secret"), std::string::npos);
}

TEST(StoreAddress, FilesInTheWayAreLeftAlone) {
  const testing::TemporaryFolder folder;
  const std::string file = folder.file("somebody's", "precious");
  EXPECT_EQ(refusal("sqlite:" + file), "opened") << "SQLite opens when it is used";
  EXPECT_THROW(open_store("sqlite:" + file)->prepare(), StoreError);
  const std::string around = file.substr(0, file.rfind('/'));
  EXPECT_EQ(refusal("rocksdb:" + around), "rocksdb: " + around + " is a folder with something else in it");
}

TEST(MemoryStoreUrl, LetsTheFaultThrough) {
  const auto store = open_store("memory:serializable?fault=lost-update&seed=3");
  const auto alice = store->open_session(0);
  const auto bob = store->open_session(1);
  for (StoreSession* session : {alice.get(), bob.get()}) {
    session->begin(Level::serializable);
    session->read("x");
  }
  alice->write("x", {"alice", 1});
  bob->write("x", {"bob", 2});
  alice->commit();
  EXPECT_NO_THROW(bob->commit());
}

}  // namespace
}  // namespace assay::record
