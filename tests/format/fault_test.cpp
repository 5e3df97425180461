// Every call that a reader makes to the system fails once, and then from there on: it says so, or reads the same
// history, and keeps no memory. ASSAY_RANDOM_CASES says how many calls of each input are tried.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdio>
#include <new>

#include "format/format.hpp"
#include "support/every_history.hpp"
#include "support/fault/choice.hpp"
#include "support/fault/plan.hpp"
#include "support/inputs.hpp"
#include "support/program.hpp"
#include "support/random/random_history.hpp"

namespace assay::testing {
namespace {

namespace fs = std::filesystem;

struct Sample {
  std::string format, path;
};

// One history of every format that Assay writes, and what the fuzzers begin with of the others.
std::vector<Sample> samples(const TemporaryFolder& folder) {
  std::vector<Sample> found;
  const History history =
      assay::testing::random_history(4, {.in_turn = true, .initial_reads = false, .large_numbers = false});
  for (const format::Format& format : format::formats()) {
    const std::string name(format.name);
    if (format.write != nullptr) {
      const std::string path = folder.file(name);
      format::write_history(history, path, name);
      found.push_back({name, path});
      continue;
    }
    const fs::path corpus = fs::path(ASSAY_SOURCE_DIR) / "tests/fuzz/corpus";
    // A link in a folder has to be looked at before it is known to be a file.
    const auto link = [&](const char* from, const std::string& to) {
      fs::create_directories(fs::path(folder.file(to)).parent_path());
      fs::create_symlink(corpus / from, folder.file(to));
    };
    if (name == "viper") link("viper/all.log", "viper/J1.log");
    if (name == "viper") link("viper/all.log", "viper/J2.log");
    if (name == "edn") link("elle_edn/all.edn", "edn");
    if (name == "elle-json") link("elle_json/array.json", "elle-json");
    found.push_back({name, folder.file(name)});
  }
  return found;
}

// What comes of reading while the plan is in force.
struct Read {
  std::string history;    // as text
  std::string complaint;  // or what is said instead
  bool out_of_memory = false;
  std::int64_t unreleased = 0;
};

Read read_with(const Sample& sample, FaultPlan& plan) {
  Read read;
  std::optional<History> history;
  char complaint[1024] = "";  // which takes no memory
  {
    const InjectedFaults faults(plan);
    try {
      history = format::read_history(sample.path, {}, sample.format);
    } catch (const InputError& error) {
      std::snprintf(complaint, sizeof complaint, "%s", error.what());
    } catch (const std::bad_alloc&) {
      read.out_of_memory = true;
    }
  }
  if (history) read.history = listing(*history);
  {
    const InjectedFaults releases(plan);
    history.reset();
  }
  read.complaint = complaint;
  read.unreleased = plan.unreleased;
  return read;
}

struct Mode {
  const char* name;
  Faulty calls;
  int error;
  bool stays;
};

void expect_the_history_or_an_error(const Sample& sample, const Mode& mode, std::mt19937_64& random) {
  FaultPlan counting;
  counting.calls = mode.calls;
  counting.error = mode.error;
  const Read right = read_with(sample, counting);
  for (const std::uint64_t n : calls_to_fail(counting.made, random_cases(1000), random)) {
    SCOPED_TRACE(fmt::format("{}, {}, call {}", sample.path, mode.name, n));
    FaultPlan plan;
    const auto read = [&] {
      plan.made = plan.failed = 0;
      plan.unreleased = 0;
      plan.calls = mode.calls;
      plan.error = mode.error;
      plan.first = n;
      plan.last = mode.stays ? UINT64_MAX : n;
      return read_with(sample, plan);
    };
    Read got = read();
    // What is made once and kept, as the text of an error is by the C library, is no leak: it is not made again.
    if (mode.calls == Faulty::allocations && got.unreleased != 0) got = read();
    if (mode.calls == Faulty::allocations) {
      EXPECT_EQ(got.unreleased, 0);
    }
    const bool met = plan.failed > 0;
    EXPECT_EQ(met, n <= counting.made);
    if (!met || (mode.calls == Faulty::io && mode.error <= EINTR && mode.error != EIO)) {
      EXPECT_EQ(got.history, right.history);
      EXPECT_EQ(got.complaint, right.complaint);
    } else if (mode.calls == Faulty::allocations) {
      EXPECT_TRUE(got.out_of_memory || got.history == right.history ||
                  got.complaint.find("memory") != std::string::npos)
          << got.complaint;
    } else if (got.complaint.empty()) {
      EXPECT_EQ(got.history, right.history);
    } else if (got.complaint != right.complaint) {
      EXPECT_NE(got.complaint.find("Input/output error"), std::string::npos) << got.complaint;
    }
  }
}

class FaultyReaders : public ::testing::TestWithParam<Mode> {};

TEST_P(FaultyReaders, ReadTheSameOrSayWhyNot) {
  if (!faults_can_be_injected()) GTEST_SKIP() << "a sanitizer has replaced what would fail";
  const TemporaryFolder folder;
  std::mt19937_64 random(random_seed());
  for (const Sample& sample : samples(folder)) expect_the_history_or_an_error(sample, GetParam(), random);
}

INSTANTIATE_TEST_SUITE_P(Every, FaultyReaders,
                         ::testing::Values(Mode{"OneAllocationFails", Faulty::allocations, 0, false},
                                           Mode{"AllocationsFailFromThereOn", Faulty::allocations, 0, true},
                                           Mode{"OneReadIsShort", Faulty::io, kPart, false},
                                           Mode{"ReadsAreShort", Faulty::io, kPart, true},
                                           Mode{"OneCallIsInterrupted", Faulty::io, EINTR, false},
                                           Mode{"OneCallFails", Faulty::io, EIO, false},
                                           Mode{"CallsFailFromThereOn", Faulty::io, EIO, true}),
                         [](const auto& mode) { return std::string(mode.param.name); });

}  // namespace
}  // namespace assay::testing
