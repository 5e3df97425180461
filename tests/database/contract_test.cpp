// What every store promises the recorder, checked on the real products. One test does all for one product,
// since each test is a process of its own and a server takes a while to start.
#include <atomic>
#include <barrier>
#include <set>
#include <thread>

#include "database/live.hpp"
#include "database/losses.hpp"
#include "database/promises.hpp"

namespace assay::database {
namespace {

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
  std::set<std::optional<Level>> offered;
  for (const Store::Mode& mode : live.store().modes()) {
    SCOPED_TRACE(std::string(mode.called));
    offered.insert(mode.asked);
    const std::string name(name_of(mode.asked));
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
  std::vector<std::optional<Level>> all{std::nullopt};
  for (const LevelInfo& level : levels()) all.emplace_back(level.level);
  for (const std::optional<Level> level : all) {
    if (offered.count(level) != 0) continue;
    try {
      session->begin(level);
      ADD_FAILURE() << "takes " << name_of(level);
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

void removing_leaves_nothing(Live& live) {
  {
    const auto session = live.store().open_session(0);
    in_transaction(*session, live.strongest(), [&] { session->write("removed", {"4711", 1}); });
  }
  live.store().remove();
  live.store().remove();  // there need not be anything
  live.store().prepare();
  const auto session = live.store().open_session(0);
  std::vector<StoredRow> rows;
  in_transaction(*session, live.strongest(), [&] { session->range_read("", "\xff", rows); });
  EXPECT_EQ(told(rows), "");
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
           {removing_leaves_nothing, "removal"},
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

}  // namespace
}  // namespace assay::database
