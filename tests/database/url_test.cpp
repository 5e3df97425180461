// Addresses of stores: what is wrong with one is said, and what it names is not harmed.
#include "database/url.hpp"

#include <gtest/gtest.h>

#include "database/fault/proxy.hpp"
#include "database/store.hpp"
#include "support/program.hpp"

namespace assay::database {
namespace {

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
            "redis: expected :PORT behind the host, a number from 1 to 65535");
  EXPECT_EQ(refusal("redis://a,b"), "redis: expected one host");
  EXPECT_EQ(refusal("redis://[::1"), "redis: a '[' in the host has no ']'");
  EXPECT_EQ(refusal("redis:localhost"), "redis: expected redis://host");
  EXPECT_EQ(refusal("mysql://localhost"), "mysql: expected mysql://host/database");
  EXPECT_EQ(refusal("memory:eventual").substr(0, 57),
            "memory: expected memory:LEVEL with one of read-committed,");
  EXPECT_EQ(refusal("memory:si?fault=fire").substr(0, 45), "memory: there is no fault 'fire'; there are l");
}

TEST(StoreAddress, NoMessageRepeatsAPassword) {
  for (const char* address :
       {"mysql://bob:S3cr/et@h", "mysql://bob:S3cr/et@h/x", "mysql://bob:S3cr?et@h/x", "mysql://bob:S3cr",
        "mysql://bob:p@S3cr/et@h/x", "postgres://bob:1234/S3cr@127.0.0.1:1/x", "redis://:S3cr/1@h",
        "redis://:%S3cr@h", "mysql://bob:S3cr@h:x/y", "mysql://bob:S3cr@h/", "memory://bob:S3cr@h/x"}) {
    const std::string told = refusal(address);
    EXPECT_NE(told, "opened") << address;
    EXPECT_EQ(told.find("S3cr"), std::string::npos) << told;
    EXPECT_EQ(told.find("et@"), std::string::npos) << told;
  }
}

TEST(StoreAddress, APasswordMayComeBesideIt) {
  StoreUrl url("mysql://bob@h/x");
  url.set_password("S3cr/et@");
  EXPECT_EQ(url.password(), "S3cr/et@");
  EXPECT_THROW(StoreUrl("mysql://bob:one@h/x").set_password("two"), StoreError);
  EXPECT_THROW(StoreUrl("sqlite:file").set_password("two"), StoreError);
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
}  // namespace assay::database
