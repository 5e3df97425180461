// The real program while its calls to the system fail, one after the other: memory that is refused, reads and
// writes that do a part, are interrupted, meet a broken or a full disk; the n-th call alone, and all from the n-th on.
// It gives the right answer or says what is wrong; it never crashes, hangs, takes the fault for a defect of its own or leaves half
// a file; and a watch with a checkpoint loses nothing and tells nothing twice. ASSAY_RANDOM_CASES says how many calls of
// each kind are tried.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <thread>

#include "collect/sender.hpp"
#include "history/builder.hpp"
#include "support/fault/choice.hpp"
#include "support/fault/shared_plan.hpp"
#include "support/increments.hpp"
#include "support/inputs.hpp"
#include "support/random/random_history.hpp"
#include "support/running.hpp"
#include "system/input_error.hpp"

namespace assay::testing {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSerialAfterwards =
    R"({"s":0,"t":1,"status":"ok","ops":[["r",2,null],["w",2,1]]}
{"s":1,"t":1,"status":"ok","ops":[["r",2,1],["w",2,2]]}
)";

struct Mode {
  const char* name;
  Faulty calls;
  int error;
  bool stays;
};

constexpr Mode kModes[] = {{"OneAllocationFails", Faulty::allocations, 0, false},
                           {"AllocationsFailFromThereOn", Faulty::allocations, 0, true},
                           {"OneTransferIsShort", Faulty::io, kPart, false},
                           {"TransfersAreShort", Faulty::io, kPart, true},
                           {"OneCallIsInterrupted", Faulty::io, EINTR, false},
                           {"OneCallFails", Faulty::io, EIO, false},
                           {"CallsFailFromThereOn", Faulty::io, EIO, true},
                           {"TheDiskIsFullOnce", Faulty::io, ENOSPC, false},
                           {"TheDiskIsFullFromThereOn", Faulty::io, ENOSPC, true}};

struct Result {
  int exit_code = 0;  // -1: ended by a signal, -2: not at all
  std::string out, err;
  std::uint64_t made = 0, failed = 0;
};

// What is said while a watch waits for a disk to work again, for as long as it takes.
bool waits_for_the_disk(const std::string& said) {
  return said.find("until it works") != std::string::npos ||
         said.find("until that works") != std::string::npos;
}

class FaultyProgram : public ::testing::TestWithParam<Mode> {
 protected:
  void SetUp() override {
    if (!faults_can_be_injected()) GTEST_SKIP() << "a sanitizer has replaced what would fail";
  }

  // From call `first` on; 0: nothing fails. A watch that waits for its disk is asked to end.
  Result run(const std::vector<std::string>& arguments, std::uint64_t first) {
    SharedPlan plan(folder_.file("plan"));
    arm(*plan, first);
    RunningAssay program(arguments, plan.environment(ASSAY_FAULTS));
    if (first > 0 && GetParam().stays) {
      eventually([&] { return program.ended() || waits_for_the_disk(program.out() + program.err()); });
      program.signal(SIGTERM);
    }
    Result result{program.wait(), program.out(), program.err()};
    result.made = plan->made;
    result.failed = plan->failed;
    return result;
  }
  static void arm(FaultPlan& plan, std::uint64_t first) {
    plan.calls = GetParam().calls;
    plan.error = GetParam().error;
    if (first == 0) return;
    plan.first = first;
    plan.last = GetParam().stays ? UINT64_MAX : first;
  }

  // A different verdict is none of the right answers; being undecided, and saying why, is one.
  static void expect_answer_or_error(const Result& got, int right) {
    SCOPED_TRACE(got.err + got.out);
    EXPECT_TRUE(got.exit_code == right || got.exit_code == 2 || got.exit_code == 3) << got.exit_code;
    if (got.exit_code != right) {
      EXPECT_NE((got.err + got.out).find_first_not_of(" \n"), std::string::npos);
    }
    if (got.exit_code == 3) {
      EXPECT_NE(got.err.find("assay: error: "), std::string::npos);
    }
    EXPECT_EQ(got.err.find("defect"), std::string::npos);
    EXPECT_EQ(got.err.find("another watch"), std::string::npos) << "there is none";
    EXPECT_EQ(got.err.find("this is not the file"), std::string::npos) << "it is";
    EXPECT_EQ(got.err.find("basic_filebuf"), std::string::npos) << "nothing that a user can do with";
    const bool harmless =
        GetParam().calls == Faulty::io && (GetParam().error == kPart || GetParam().error == EINTR);
    if (got.failed == 0 || harmless) {
      EXPECT_EQ(got.exit_code, right);
    }
  }

  // `begin` puts things as they are before each run, `end` looks at what is left after it.
  void fail_every_call(const std::vector<std::string>& arguments, const std::function<void()>& begin,
                       const std::function<void(const Result&, const Result&)>& end,
                       std::uint64_t most = 16) {
    begin();
    const Result right = run(arguments, 0);
    ASSERT_TRUE(right.exit_code == 0 || right.exit_code == 1) << right.err;
    end(right, right);
    std::mt19937_64 random(random_seed());
    for (const std::uint64_t n : calls_to_fail(right.made, random_cases(most), random)) {
      SCOPED_TRACE(fmt::format("{} of call {} of {}", GetParam().name, n, right.made));
      begin();
      const Result got = run(arguments, n);
      expect_answer_or_error(got, right.exit_code);
      end(got, right);
      if (HasFailure()) return;  // one says enough
    }
  }

  const TemporaryFolder folder_;
};

TEST_P(FaultyProgram, CheckAnswersOrSaysWhyNotAndLeavesNoHalfPage) {
  const std::string page = folder_.file("page.html");
  const std::string history = folder_.file("history", kLostUpdate);
  fail_every_call(
      {"check", history, "--report", page}, [&] { fs::remove(page); },
      [&](const Result& got, const Result& right) {
        if (got.exit_code == 1) {
          EXPECT_EQ(got.out, right.out);
        }
        if (got.exit_code == right.exit_code) {
          EXPECT_TRUE(fs::exists(page));
        }
        if (fs::exists(page)) {
          EXPECT_TRUE(file_text(page).ends_with("</html>\n"));
        }
      });
}

TEST_P(FaultyProgram, CheckOfSeveralGivesNoWrongVerdictOnAnyOfThem) {
  const std::string file = folder_.file("all.xml");
  const std::string violated = folder_.file("violated", kLostUpdate),
                    serial = folder_.file("serial", kSerial);
  fail_every_call(
      {"check", violated, serial, "--junit", file}, [&] { fs::remove(file); },
      [&](const Result& got, const Result&) {
        EXPECT_EQ(got.out.find(violated + "  holds"), std::string::npos) << got.out;
        EXPECT_EQ(got.out.find(serial + "    violated"), std::string::npos) << got.out;
        if (got.exit_code == 1) {
          EXPECT_NE(got.out.find(violated + "  violated: lost update\n"), std::string::npos) << got.out;
        }
        if (fs::exists(file)) {
          EXPECT_TRUE(file_text(file).ends_with("</testsuites>\n"));
        }
      });
}

TEST_P(FaultyProgram, VerifyAcceptsOrSaysWhyNot) {
  const std::string history = folder_.file("history", kLostUpdate), certificate = folder_.file("certificate");
  ASSERT_EQ(run_assay({"check", history, "-q", "--certificate", certificate}).exit_code, 1);
  fail_every_call(
      {"verify", certificate, history}, [] {},
      [](const Result& got, const Result& right) {
        if (got.exit_code == 0) {
          EXPECT_EQ(got.out, right.out);
        }
      });
}

TEST_P(FaultyProgram, ConvertWritesAllOfItOrFails) {
  const std::string history = folder_.file("history", kSerial);
  fail_every_call(
      {"convert", history, "-", "--to", "text"}, [] {},
      [](const Result& got, const Result& right) {
        if (got.exit_code == 0) {
          EXPECT_EQ(got.out, right.out);
        }
      });
}

// The digests of the violations that were told, or may have been when a watch was stopped.
struct Told {
  std::multiset<std::string> digests;
  std::size_t interrupted = 0;

  void add(const std::string& out) {
    std::istringstream lines(out);
    for (std::string line; std::getline(lines, line) && !lines.eof();) {
      const nlohmann::json event = nlohmann::json::parse(line);
      if (event["event"] == "violation") digests.insert(event["digest"]);
      if (event["event"] == "note" &&
          event["text"].get<std::string>().find("was being told when") != std::string::npos)
        ++interrupted;
    }
  }
};

// A watch of a file, begun anew or gone on with from a checkpoint, comes to the verdict that it comes to without faults,
// sooner or later: when it is started again on a machine that works.
class FaultyWatch : public FaultyProgram {
 protected:
  std::vector<std::string> watch() const {
    return {
        "watch",      source_, "--until-end",  "--json-lines",       "--report-dir", folder_.file("pages"),
        "--sessions", "2",     "--checkpoint", folder_.file("state")};
  }
  void begin(const std::string& content) {
    for (const char* const name : {"pages", "state"}) fs::remove_all(folder_.file(name));
    folder_.file("source", content);
    told_ = {};
  }
  void expect_the_same_in_the_end(const Result& got, const Result& right, std::size_t violations) {
    SCOPED_TRACE(got.out + got.err);
    const Result again = run(watch(), 0);
    EXPECT_EQ(again.exit_code, right.exit_code) << again.err;
    for (const Result& one : {got, again}) told_.add(one.out);
    EXPECT_LE(told_.digests.size(), violations) << "told twice";
    EXPECT_GE(told_.digests.size() + told_.interrupted, violations) << "never told\n" << again.out;
    if (!fs::exists(folder_.file("pages"))) return;
    for (const auto& page : fs::directory_iterator(folder_.file("pages"))) {
      if (page.is_regular_file()) {
        EXPECT_TRUE(file_text(page.path()).ends_with("</html>\n")) << page.path();
      }
    }
  }

  const std::string source_ = folder_.file("source");
  Told told_;
};

TEST_P(FaultyWatch, ComesToTheVerdictOfAGoodHistory) {
  fail_every_call(
      watch(), [&] { begin(kSerial); },
      [&](const Result& got, const Result& right) { expect_the_same_in_the_end(got, right, 0); });
}

TEST_P(FaultyWatch, TellsAViolationOnce) {
  fail_every_call(
      watch(), [&] { begin(kLostUpdate); },
      [&](const Result& got, const Result& right) { expect_the_same_in_the_end(got, right, 1); });
}

// A file whose size could not be asked for was taken for an empty one: the violations that it held were forgotten, and the
// watch said "holds".
TEST_P(FaultyWatch, GoesOnFromItsCheckpoint) {
  fail_every_call(
      watch(),
      [&] {
        begin(kLostUpdate);
        told_.add(run(watch(), 0).out);
        std::ofstream(source_, std::ios::app) << kSerialAfterwards;
      },
      [&](const Result& got, const Result& right) { expect_the_same_in_the_end(got, right, 1); });
}

TEST_P(FaultyWatch, WithoutACheckpointAnswersOrSaysWhyNot) {
  std::vector<std::string> without = watch();
  without.resize(without.size() - 2);
  fail_every_call(
      without, [&] { begin(kLostUpdate); }, [](const Result&, const Result&) {});
}

// A file of a folder that could not be looked at was left out, and the rest was said to hold.
TEST_P(FaultyWatch, OfAFolderLeavesNoFileOut) {
  const std::string sources = folder_.file("sources");
  fs::create_directory(sources);
  std::istringstream lines(kLostUpdate);
  for (std::string line, name = "a"; std::getline(lines, line); ++name[0])
    std::ofstream(fs::path(sources) / name) << line << "\n";
  std::vector<std::string> folder = watch();
  folder[1] = sources;
  folder.resize(folder.size() - 2);
  fail_every_call(
      folder, [&] { begin(""); }, [](const Result&, const Result&) {});
}

// What a collector was told to be safe is there when the watch is started again; the collector sends the rest.
TEST_P(FaultyWatch, LosesNothingOfWhatACollectorSent) {
  if (GetParam().stays && GetParam().error != kPart) GTEST_SKIP() << "nobody can be heard";
  std::vector<std::string> listening = watch();
  listening[1] = "--listen";
  listening.insert(listening.begin() + 2, "unix:" + folder_.file("socket"));
  std::vector<std::string> going_on = listening;
  std::erase(going_on, "--until-end");
  const auto send = [&](bool& sent) {
    try {
      collect::Sender sender(system::address_of("unix:" + folder_.file("socket")), "one");
      for (const bool second : {false, true}) {
        HistoryBuilder build;
        const Session session = build.session(Atom::natural(second ? 1 : 0));
        build.begin(session, Atom::natural(0));
        build.read_initial(Atom::natural(1));
        build.write(Atom::natural(1), Atom::natural(second ? 2 : 1));
        build.end(Status::committed);
        sender.send(build.finish());
      }
      sender.finish();
      sent = true;
    } catch (const InputError& error) {
      ADD_FAILURE() << error.what();
    }
  };
  const auto deliver = [&](std::uint64_t first) {
    begin("");
    SharedPlan plan(folder_.file("plan"));
    arm(*plan, first);
    bool sent = false;
    auto program = std::make_unique<RunningAssay>(listening, plan.environment(ASSAY_FAULTS));
    std::thread collector([&] { send(sent); });
    const int code = program->wait();
    told_.add(program->out());
    if (first > 0) {
      expect_answer_or_error({code, program->out(), program->err(), plan->made, plan->failed}, 1);
    }
    // If it ended before the collector knew that all is safe, another one tells it.
    program = std::make_unique<RunningAssay>(going_on);
    collector.join();
    EXPECT_TRUE(sent);
    EXPECT_TRUE(program->says("\"address\":")) << program->err();
    program->signal(SIGTERM);
    EXPECT_EQ(program->wait(), 1) << program->err();
    told_.add(program->out());
    EXPECT_LE(told_.digests.size(), 1U) << "told twice";
    EXPECT_GE(told_.digests.size() + told_.interrupted, 1U) << "never told\n" << program->out();
    return plan->made.load();
  };
  const std::uint64_t made = deliver(0);
  std::mt19937_64 random(random_seed());
  for (const std::uint64_t n : calls_to_fail(made, random_cases(8), random)) {
    SCOPED_TRACE(fmt::format("{} of call {} of {}", GetParam().name, n, made));
    deliver(n);
    if (HasFailure()) return;
  }
}

std::string name_of(const ::testing::TestParamInfo<Mode>& mode) {
  return mode.param.name;
}
INSTANTIATE_TEST_SUITE_P(Every, FaultyProgram, ::testing::ValuesIn(kModes), name_of);
INSTANTIATE_TEST_SUITE_P(Every, FaultyWatch, ::testing::ValuesIn(kModes), name_of);

}  // namespace
}  // namespace assay::testing
