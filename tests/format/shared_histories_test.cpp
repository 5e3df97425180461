// Every public history in a format of this family is read, and agrees with the reference conversions that
// stand beside it and with its twins in other formats.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "format/format.hpp"
#include "support/every_history.hpp"
#include "support/memory_input.hpp"
#include "support/plain_history.hpp"
#include "system/input_error.hpp"

namespace assay::format {
namespace {

using namespace assay::testing;
namespace fs = std::filesystem;

const fs::path kHistories = fs::path(ASSAY_SOURCE_DIR) / "../shared/histories";

// The neutral files follow dbcop's own reading: failed statements dropped, the transaction kept.
ReadOptions as_the_reference() {
  ReadOptions options;
  options.failed_statements = FailedStatements::drop;
  return options;
}

std::vector<fs::path> histories_of_this_family() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(kHistories)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_directory()) {
      for (const auto& inner : fs::directory_iterator(entry.path())) {
        const std::string log = inner.path().filename().string();
        if (log.front() == 'T' && inner.path().extension() == ".log") {
          found.push_back(entry.path());
          break;
        }
      }
    } else if (name == "history.bincode" || entry.path().extension() == ".txt") {
      found.push_back(entry.path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

class SharedHistories : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kHistories)) GTEST_SKIP() << "no shared histories beside this tree";
  }
};

TEST(Fingerprint, TellsHistoriesApartThatDifferInMoreThanNames) {
  const auto of = [](std::string_view text) {
    return fingerprint(plain(read_history(one_file(text), {}, "text")));
  };
  const auto lost_update = of("r(1,0,1,1)\nw(1,1,1,1)\nr(1,0,2,2)\nw(1,2,2,2)\n");
  EXPECT_EQ(of("r(7,0,5,2)\nw(7,9,5,2)\nr(7,0,3,1)\nw(7,4,3,1)\n"), lost_update);
  EXPECT_NE(of("r(1,0,1,1)\nw(1,1,1,1)\nr(1,1,2,2)\nw(1,2,2,2)\n"), lost_update) << "another value read";
  EXPECT_NE(of("r(1,0,1,1)\nw(2,1,1,1)\nr(1,0,2,2)\nw(1,2,2,2)\n"), lost_update) << "another key written";
  EXPECT_NE(of("r(1,0,1,1)\nw(1,1,1,1)\nr(1,0,2,2)\nw(1,1,2,2)\n"), lost_update) << "one value written twice";
  EXPECT_NE(of("r(1,0,1,1)\nw(1,1,1,1)\nr(1,0,1,2)\nw(1,2,1,2)\n"), lost_update) << "one session";
  EXPECT_NE(of("r(1,0,1,1)\nw(1,1,1,1)\nr(1,0,2,2)\nw(1,2,2,3)\n"), lost_update) << "three transactions";
}

TEST_F(SharedHistories, AllAreRead) {
  std::size_t read = 0;
  for (const fs::path& path : histories_of_this_family()) {
    SCOPED_TRACE(path.string());
    const History history = read_history(path.string());
    EXPECT_GT(history.transactions(), 0U);
    if (history.operations() < 20'000) {
      EXPECT_EQ(broken_promise(history), "");
    }
    ++read;
  }
  EXPECT_GE(read, 400U);
}

TEST_F(SharedHistories, AgreeWithTheirReferenceConversions) {
  std::size_t compared = 0;
  for (const fs::path& path : histories_of_this_family()) {
    const fs::path relative = fs::relative(path, kHistories);
    std::vector<fs::path> references = {kHistories / "neutral" / (relative.string() + ".jsonl")};
    const std::string top = relative.begin()->string();
    if (top == "made" || top == "random") {
      const fs::path named = path.filename() == "history.bincode" ? path.parent_path() : path;
      references.push_back(kHistories / top / "neutral" / (named.stem().string() + ".jsonl"));
    }
    for (const fs::path& reference : references) {
      if (!fs::exists(reference)) continue;
      SCOPED_TRACE(path.string());
      ReadOptions options = as_the_reference();
      if (top == "isovista") options.initial = Initial::first_transaction;
      EXPECT_EQ(fingerprint(plain(read_history(path.string(), options))), fingerprint(read_plain(reference)));
      ++compared;
    }
  }
  EXPECT_GE(compared, 600U);
}

TEST_F(SharedHistories, OneRunInSeveralFormatsIsOneHistory) {
  const auto of = [](const char* path, Initial initial = Initial::automatic) {
    ReadOptions options;
    options.initial = initial;
    return fingerprint(plain(read_history((kHistories / path).string(), options)));
  };
  EXPECT_EQ(of("veristrong/history/fig11/si/viper/1000/log"),
            of("veristrong/history/fig11/si/dbcop/1000/history.bincode"));
  EXPECT_EQ(of("veristrong/history/fig11/si/viper/3000/log"), of("veristrong/history/fig11/si/dbcop/3000"));
  EXPECT_EQ(of("cobralogs/one-shot-chengRW/chengRW-1000"),
            of("veristrong/history/fig11/ser/dbcop/chengRW-1000"));
  EXPECT_EQ(of("cobralogs/one-shot-chengRW/chengRW-4000"),
            of("veristrong/history/fig11/ser/dbcop/chengRW-4000"));
  EXPECT_EQ(of("polysi/artifact/PolySIHistories/violations/yugabyte/yugabyte.txt"),
            of("isovista/history/bugs/yugabyte_tcc.txt", Initial::first_transaction));
}

TEST_F(SharedHistories, PackAndUnpackUnchanged) {
  const TemporaryFolder folder;
  for (const fs::path& path : histories_of_this_family()) {
    if (path.string().find("/random/") != std::string::npos) continue;
    if (fs::is_regular_file(path) && fs::file_size(path) > 100'000) continue;
    const History history = read_history(path.string());
    write_history(history, folder / "h", "packed");
    ASSERT_EQ(listing(read_history((folder / "h").string())), listing(history)) << path;
  }
}

// Cut anywhere, a file is an error or, where the cut falls between two transactions of a format without an
// end mark, the history of what is left.
TEST_F(SharedHistories, TruncationIsNoticed) {
  const auto check = [](const fs::path& path, std::size_t step,
                        const std::function<bool(std::string_view)>& may_pass) {
    const std::string bytes = slurp(path);
    ASSERT_FALSE(bytes.empty()) << path;
    for (std::size_t n = 1; n < bytes.size(); n += step) {
      const std::string cut = bytes.substr(0, n);
      const std::string error = error_of([&] { read_history(one_file(cut)); });
      ASSERT_TRUE(error != "no error" || may_pass(cut)) << path << " cut to " << n << " bytes";
    }
  };
  const auto never = [](std::string_view) { return false; };
  check(kHistories / "made/dbcop/lost-update/history.bincode", 1, never);
  check(kHistories / "veristrong/history/fig5/BL-1k/hist-00000/history.bincode", 97, never);
  check(kHistories / "polysi/artifact/PolySIHistories/violations/galera/galera.txt", 1,
        [](std::string_view cut) { return cut.back() == ')' || cut.back() == '\n'; });
  const fs::path awdit = kHistories / "awdit/histories/tests/causal/generated/l20e200sqrt.txt";
  check(awdit, 1, [](std::string_view cut) {
    const std::string_view line = cut.substr(cut.rfind('\n') + 1);
    return line.empty() || line.find_first_not_of("-=") == std::string_view::npos ||
           std::count(line.begin(), line.end(), ' ') == 2;
  });
}

}  // namespace
}  // namespace assay::format
