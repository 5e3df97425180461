// Two verifiers that share no code, src/verify and examples/verify.py, say the same: both accept every
// certificate that Assay writes, and of changed ones they accept the same. ASSAY_RANDOM_CASES says how many
// histories of each shape.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "check/check.hpp"
#include "evidence/certificate.hpp"
#include "evidence/counterexample.hpp"
#include "format/assay/jsonl.hpp"
#include "format/format.hpp"
#include "support/judge/replay.hpp"
#include "support/memory_input.hpp"
#include "support/program.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_history.hpp"
#include "support/random/random_queries.hpp"
#include "support/tampering.hpp"
#include "system/input_error.hpp"
#include "verify/verify.hpp"

namespace assay::verify {
namespace {

using check::Outcome;
using check::Verdict;

bool is_accepted(const std::string& certificate, const History& history) {
  try {
    return verify(certificate, "test", history).accepted;
  } catch (const InputError&) {
    return false;
  }
}

// Histories with certificates for one run of the other verifier, and what this one says of each.
class Batch {
 public:
  // Keys are numbered by the file, so a certificate is of the history that was read from it.
  History as_file(const History& history, const std::string& header = "") {
    format::write_jsonl(history, folder_.file("history.jsonl"));
    text_ = testing::slurp(folder_.file("history.jsonl"));
    text_.insert(text_.find("\"version\":1") + std::string("\"version\":1").size(), header);
    return format::read_history({"test", false, {{"test", text_}}}, {}, "jsonl");
  }
  // REQUIRES: `history` came from as_file() just before.
  void add(const History& history, const std::vector<std::string>& certificates) {
    if (certificates.empty()) return;
    out_ << nlohmann::json{{"history", text_}, {"certificates", certificates}}.dump(
                -1, ' ', true, nlohmann::json::error_handler_t::replace)
         << "\n";
    for (const std::string& certificate : certificates) {
      said_.push_back({is_accepted(certificate, history), text_ + certificate});
    }
  }
  std::size_t certificates() const { return said_.size(); }
  std::size_t accepted() const {
    return static_cast<std::size_t>(
        std::count_if(said_.begin(), said_.end(), [](const Said& one) { return one.accepted; }));
  }

  void expect_the_same_from_the_other() {
    out_.close();
    const std::string program = std::string(ASSAY_SOURCE_DIR) + "/examples/verify.py";
    const testing::Ran ran =
        testing::run_shell("python3 -B " + program + " --batch " + folder_.file("batch"));
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    std::istringstream lines(ran.out);
    std::string line;
    for (const Said& one : said_) {
      ASSERT_TRUE(std::getline(lines, line));
      ASSERT_EQ(line.starts_with("accepted: "), one.accepted) << line << "\n" << one.text;
    }
    EXPECT_FALSE(std::getline(lines, line)) << line;
  }

 private:
  struct Said {
    bool accepted;
    std::string text;
  };
  const testing::TemporaryFolder folder_;
  std::ofstream out_{folder_.file("batch")};
  std::string text_;
  std::vector<Said> said_;
};

std::optional<std::string> certificate_of(const History& h, Level level, const check::Options& options) {
  const std::array<Level, 1> asked{level};
  const Outcome outcome = std::move(check::check(h, asked, options)[0]);
  evidence::Counterexample found;
  if (outcome.verdict == Verdict::violated) found = evidence::find_counterexample(h, outcome, options);
  return evidence::certificate(h, outcome, &found, options);
}

bool has_python() {
  return testing::run_shell("python3 --version").exit_code == 0;
}

// Every level, and of each certificate some that were changed and summed up again.
void compare(const std::function<History(Rng&)>& make, std::uint64_t cases, int changes,
             const std::string& header = "") {
  if (!has_python()) GTEST_SKIP() << "there is no python3 here";
  const std::uint64_t seed = random_seed();
  Batch batch;
  std::size_t written = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    Rng rng(seed + i);
    const History h = batch.as_file(make(rng), header);
    check::Options options;
    options.sessions = rng.chance(0.2) ? check::SessionOrder::ignore : check::SessionOrder::keep;
    options.clock_drift = std::chrono::nanoseconds(rng.below(2));
    std::vector<std::string> certificates;
    for (const LevelInfo& level : levels()) {
      const auto text = certificate_of(h, level.level, options);
      if (!text) continue;
      ASSERT_TRUE(is_accepted(*text, h))
          << "seed " << seed + i << ": " << verify::verify(*text, "test", h).reason << "\n"
          << *text;
      ++written;
      certificates.push_back(*text);
      for (int n = 0; n < changes; ++n) {
        std::string body = tampered(rng, body_of(*text));
        if (rng.chance(0.3)) body = tampered(rng, body);
        certificates.push_back(with_end(body));
      }
    }
    batch.add(h, certificates);
  }
  batch.expect_the_same_from_the_other();
  std::printf("%zu certificates, %zu with changes, %zu accepted by both\n", written, batch.certificates(),
              batch.accepted());
  EXPECT_GE(batch.accepted(), written);
  EXPECT_GT(written, cases);
}

void compare(const Shape& shape, std::uint64_t cases) {
  compare([shape](Rng& rng) { return random_history(rng, shape); }, cases, 2);
}

TEST(SecondVerifier, AgreesOnRegisters) {
  Shape shape;
  shape.times = true;
  compare(shape, random_cases(30));
}

TEST(SecondVerifier, AgreesOnEverything) {
  Shape shape = shape_with_everything();
  shape.times = true;
  compare(shape, random_cases(30));
}

TEST(SecondVerifier, AgreesOnManyCandidates) {
  Shape shape = shape_with_everything();
  shape.duplicates = 0.6;
  shape.unknown = 0.3;
  compare(shape, random_cases(30));
}

TEST(SecondVerifier, AgreesOnLists) {
  Shape shape = shape_of_lists();
  shape.times = true;
  compare(shape, random_cases(30));
}

TEST(SecondVerifier, AgreesOnLongSessions) {
  Shape shape;
  shape.max_transactions = 9;
  shape.max_sessions = 3;
  shape.times = true;
  compare(shape, random_cases(30));
}

TEST(SecondVerifier, AgreesOnQueries) {
  compare([](Rng& rng) { return random_query_draft(rng, 5).build(); }, random_cases(30), 2);
}

TEST(SecondVerifier, AgreesOnOpenTables) {
  const auto make = [](Rng& rng) {
    while (true) {
      const QueryDraft draft = random_query_draft(rng, 5);
      if (draft.named) return draft.build();
    }
  };
  compare(make, random_cases(30), 2, R"(,"open":["t:"])");
}

// What the file spells in its own ways: names of every sort, both clocks, sessions without transactions, keys
// that first stand in a list.
TEST(SecondVerifier, ReadsHistoriesAsTheFirstDoes) {
  if (!has_python()) GTEST_SKIP() << "there is no python3 here";
  const std::string text = R"({"assay":"history","version":1,"clocks":"several","sessions":["idle"]}
{"s":"\u00e4 b","t":1,"status":"ok","start":-5,"end":7,"ops":[["w","k\n",1.50],["w",-9223372036854775808,true]],"x-y":{"z":[1]}}

{ "s" : 18446744073709551615, "t":-3, "name":"T\"3", "status":"info", "ops":[["append","l",1],["append","m",2]]}
{"s":2,"t":3,"status":"ok","ops":[["r","n",[]],["r","l",[1]],["r","m",null],["r","k\n",1.50]]}
{"s":2,"t":4,"status":"fail","ops":[["insert",12345678901234567890123,"x"],["delete","k\n","gone"]]}
{"assay":"end","transactions":4}
)";
  const testing::TemporaryFolder folder;
  const std::string history = folder.file("history.jsonl", text), proof = folder.file("proof");
  for (const char* level : {"serializable", "causal", "read-committed", "snapshot-isolation"}) {
    const testing::Ran checked =
        testing::run_assay({"check", history, "--level", level, "--certificate", proof});
    ASSERT_LT(checked.exit_code, 2) << checked.out << checked.err;
    const testing::Ran first = testing::run_assay({"verify", proof, history});
    const testing::Ran second = testing::run_shell("python3 -B " + std::string(ASSAY_SOURCE_DIR) +
                                                   "/examples/verify.py " + proof + " " + history);
    EXPECT_EQ(first.exit_code, 0) << first.out << first.err;
    EXPECT_EQ(second.exit_code, 0) << second.out << second.err;
    EXPECT_EQ(first.out, second.out);
  }
}

}  // namespace
}  // namespace assay::verify
