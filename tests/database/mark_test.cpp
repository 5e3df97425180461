// What has the names of Assay's tables but was made by somebody else is not touched.
#include <fmt/format.h>

#include <functional>

#include "database/live.hpp"
#include "database/url.hpp"

namespace assay::database {
namespace {

std::string refusal(const std::string& address) {
  try {
    open_store(address)->prepare();
  } catch (const StoreError& error) {
    EXPECT_EQ(error.failure(), Failure::fatal);
    return error.what();
  }
  return "prepared";
}

bool is_refused(const std::string& address, const std::string& what) {
  const std::string told = refusal(address);
  return told.find(what + " is there, and Assay did not make it") != std::string::npos;
}

// Runs statements as another program would.
using Client = std::function<testing::Ran(const std::string&)>;

void tables_of_others_stay(const std::string& address, const Client& client) {
  for (const std::string table : {"assay_rows", "assay_lists"}) {
    EXPECT_EQ(client("DROP TABLE IF EXISTS assay_rows; DROP TABLE IF EXISTS assay_lists").exit_code, 0);
    ASSERT_EQ(
        client("CREATE TABLE " + table + " (a INTEGER); INSERT INTO " + table + " VALUES (4711)").exit_code,
        0);
    EXPECT_TRUE(is_refused(address, "the table " + table)) << refusal(address);
    const testing::Ran rows = client("SELECT a FROM " + table);
    EXPECT_NE(rows.out.find("4711"), std::string::npos) << rows.out << rows.err;
  }
  EXPECT_EQ(client("DROP TABLE IF EXISTS assay_rows; DROP TABLE IF EXISTS assay_lists").exit_code, 0);
  EXPECT_EQ(refusal(address), "prepared");
  EXPECT_EQ(refusal(address), "prepared") << "its own are known again";
}

TEST(Mark, SqliteTablesOfOthersStay) {
  const testing::TemporaryFolder folder;
  const std::string file = folder.file("store");
  const auto client = [&](const std::string& sql) {
    return testing::run_shell(
        "python3 -c \"import sqlite3, sys; c = sqlite3.connect(sys.argv[1]);\n"
        "for s in sys.argv[2].split(';'): print(c.execute(s).fetchall())\n"
        "c.commit()\" '" +
        file + "' \"" + sql + "\"");
  };
  tables_of_others_stay("sqlite:" + file, client);
  EXPECT_EQ(client("DROP TABLE assay_rows; CREATE VIEW Assay_Rows AS SELECT 1").exit_code, 0);
  EXPECT_TRUE(is_refused("sqlite:" + file, "the view Assay_Rows")) << "names know no case here";
}

TEST(Mark, PostgresTablesOfOthersStay) {
  if (const auto missing = missing_for_server("postgres")) GTEST_SKIP() << *missing;
  const auto server = start_server("postgres");
  tables_of_others_stay(server->url(), [&](const std::string& sql) {
    return testing::run_shell("psql -q '" + server->url() + "' -c '" + sql + "' 2>&1");
  });
}

TEST(Mark, MariadbTablesOfOthersStay) {
  if (const auto missing = missing_for_server("mariadb")) GTEST_SKIP() << *missing;
  const auto server = start_server("mariadb");
  const StoreUrl url(server->url());
  const Endpoint at = server->endpoints().front();
  tables_of_others_stay(server->url(), [&](const std::string& sql) {
    return testing::run_shell(fmt::format("mariadb -h {} -P {} -u {} -p{} {} -e '{}' 2>&1", at.host, at.port,
                                          url.user(), url.password(), url.path(), sql));
  });
}

// Rows without a mark: a session writes them before anything was prepared.
void write_a_row(Store& store) {
  const auto session = store.open_session(0);
  in_transaction(*session, store.modes().front().asked, [&] { session->write("precious", {"4711", 1}); });
}

std::string row_in(Store& store) {
  const auto session = store.open_session(0);
  std::string found;
  in_transaction(*session, store.modes().front().asked, [&] { found = told(session->read("precious")); });
  return found;
}

void keys_of_others_stay(const std::string& address) {
  const auto store = open_store(address);
  write_a_row(*store);
  EXPECT_THROW(store->prepare(), StoreError);
  EXPECT_THROW(store->remove(), StoreError);
  EXPECT_EQ(row_in(*store), "4711 by 1");
  const auto session = store->open_session(0);
  in_transaction(*session, store->modes().front().asked, [&] { session->erase("precious"); });
}

TEST(Mark, RedisKeysOfOthersStay) {
  if (const auto missing = missing_for_server("redis")) GTEST_SKIP() << *missing;
  const auto server = start_server("redis");
  keys_of_others_stay(server->url());
  const StoreUrl url(server->url());
  const auto client = [&](const std::string& command) {
    return testing::run_shell(fmt::format("redis-cli -p {} --no-auth-warning -a {} {} 2>&1",
                                          server->endpoints().front().port, url.password(), command));
  };
  EXPECT_EQ(client("FLUSHALL").exit_code, 0);
  EXPECT_EQ(refusal(server->url()), "prepared");
  EXPECT_EQ(client("SET assay:settings precious").exit_code, 0);
  EXPECT_EQ(refusal(server->url()), "prepared") << "its own are known again";
  EXPECT_NE(client("GET assay:settings").out.find("precious"), std::string::npos) << "no key of a recording";
}

TEST(Mark, RocksdbKeysOfOthersStay) {
  const testing::TemporaryFolder folder;
  const std::string address = "rocksdb:" + folder.file("store");
  {
    const auto store = open_store(address);
    write_a_row(*store);
    EXPECT_THROW(store->prepare(), StoreError);
    EXPECT_EQ(row_in(*store), "4711 by 1");
  }
  const std::string fresh = "rocksdb:" + folder.file("fresh");
  EXPECT_EQ(refusal(fresh), "prepared");
  write_a_row(*open_store(fresh));
  EXPECT_EQ(refusal(fresh), "prepared") << "its own are known again";
  EXPECT_EQ(row_in(*open_store(fresh)), "nothing");
}

}  // namespace
}  // namespace assay::database
