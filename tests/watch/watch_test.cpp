// A whole watch without the command line: rounds that it cuts by itself, and another process that goes on.
#include "watch/watch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "collect/directory_source.hpp"
#include "collect/file_source.hpp"
#include "format/assay/jsonl.hpp"
#include "history/builder.hpp"
#include "system/temporary_folder.hpp"

namespace assay::watch {
namespace {

// Two sessions that update one key in turn; `losing` times both update a key of its own from the same version.
History with_lost_updates(std::int64_t losing) {
  HistoryBuilder build;
  const Session a = build.session(Atom::string("a")), b = build.session(Atom::string("b"));
  std::int64_t shared = 0, name = 0;
  const auto update = [&](Session session, const Atom& key, std::int64_t seen, std::int64_t written) {
    build.begin(session, Atom::integer(++name));
    seen == 0 ? build.read_initial(key) : build.read(key, Atom::integer(seen));
    build.write(key, Atom::integer(written));
    build.end(assay::Status::committed);
  };
  for (std::int64_t i = 1; i <= losing; ++i) {
    for (const Session session : {a, b, a, b}) {
      update(session, Atom::string("shared"), shared, shared + 1);
      ++shared;
    }
    const std::string lost = "lost " + std::to_string(i);
    update(a, Atom::string(lost), 0, 1);
    update(b, Atom::string(lost), 0, 2);
  }
  return build.finish();
}

Settings in_rounds_of(std::uint32_t transactions) {
  Settings settings;
  settings.watcher.round_transactions = transactions;
  settings.feed.until_end = true;
  return settings;
}

struct Heard {
  std::vector<std::uint64_t> violations;  // their digests
  Status status;
};

Heard watch_to_the_end(const std::string& file, const Settings& settings) {
  Heard heard;
  const std::atomic<bool> interrupted = false;
  const collect::Note no_note = [](const std::string&) {};
  Watch watch(settings,
              [&](const collect::ProgressOf& known) {
                const std::string name = collect::file_collector(file);
                const auto progress = known.find(name);
                std::vector<std::unique_ptr<collect::Source>> sources;
                sources.push_back(std::make_unique<collect::FileSource>(
                    file, name, progress == known.end() ? collect::Progress{} : progress->second, no_note));
                return sources;
              },
              {[&](const Violation& violation) {
                 heard.violations.push_back(violation.digest);
                 return [] {};
               },
               {},
               no_note});
  watch.run(interrupted);
  heard.status = watch.status();
  return heard;
}

class WholeWatch : public ::testing::Test {
 protected:
  WholeWatch() { format::write_jsonl(with_lost_updates(12), file_); }

  system::TemporaryFolder folder_;
  std::string file_ = folder_.file("history.jsonl");
};

TEST_F(WholeWatch, TheSizeOfRoundsChangesNothingThatIsFound) {
  for (const std::uint32_t size : {1U, 5U, 30'000U}) {
    const Heard heard = watch_to_the_end(file_, in_rounds_of(size));
    EXPECT_EQ(heard.violations.size(), 12U) << size;
    EXPECT_EQ(heard.status.transactions, 72U);
    EXPECT_EQ(heard.status.kept.waiting, 0U);
  }
}

// Stopped in the middle of a backlog, it goes on with the rest, in the same rounds.
TEST_F(WholeWatch, AnotherProcessComesToTheSameRounds) {
  const Heard whole = watch_to_the_end(file_, in_rounds_of(5));
  Settings settings = in_rounds_of(5);
  settings.checkpoint = folder_.file("state");
  settings.stop = true;
  Heard parts = watch_to_the_end(file_, settings);
  ASSERT_EQ(parts.violations.size(), 1U);
  EXPECT_GT(parts.status.kept.waiting, 0U);
  settings.stop = false;
  const Heard rest = watch_to_the_end(file_, settings);
  parts.violations.insert(parts.violations.end(), rest.violations.begin(), rest.violations.end());
  EXPECT_EQ(parts.violations, whole.violations);
  EXPECT_EQ(rest.status.kept.waiting, 0U);
  EXPECT_TRUE(watch_to_the_end(file_, settings).violations.empty()) << "nothing is told twice";
}

}  // namespace
}  // namespace assay::watch
