// The histories that come with Elle, and hand-made ones in its format: what Assay says of them is what Elle's suite
// expects, or the difference is explained in docs/evidence.md ("Elle's names").
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <string>

#include "evidence/examine.hpp"
#include "format/format.hpp"
#include "support/examined.hpp"
#include "support/neutral.hpp"

namespace assay {
namespace {

using enum Level;

struct Expected {
  const char* path;
  Level level;
  const char* name;  // empty: the level holds
  const char* code;
  check::SessionOrder sessions = check::SessionOrder::keep;
};

const Expected kExpected[] = {
    // elle-cli's own tests: G2-item, and G-single.
    {"elle-cli/histories/elle/list-append-gh-30.edn", serializable, "write-skew", "G2-item"},
    {"elle-cli/histories/elle/list-append-gh-30.edn", snapshot_isolation, "", ""},
    {"elle-cli/histories/elle/paper-example.edn", strict_serializable, "read-your-writes-violation",
     "G-single-session"},
    {"elle-cli/histories/elle/paper-example.edn", serializable, "single-anti-dependency-cycle", "G-single",
     check::SessionOrder::ignore},
    {"elle-cli/histories/elle/paper-example.json", strict_serializable, "read-your-writes-violation",
     "G-single-session"},
    // Differences, each with its reason in the docs.
    {"elle-cli/histories/elle/rw-register.edn", strict_serializable, "thin-air-read", ""},
    {"elle-cli/histories/jepsen/long-fork.edn", prefix, "thin-air-read", ""},
    // A long recording, of which Elle's suite asks no more than that it comes to an end.
    {"elle/histories/huge-scc-first6000.edn", serializable, "", ""},
    {"elle/histories/huge-scc-first6000.edn", strict_serializable, "stale-read", "G-single-realtime"},
    // One anomaly each, called after Elle's names.
    {"made/edn/list-aborted.edn", serializable, "dirty-update", ""},
    {"made/edn/list-dirty-write-G0.edn", serializable, "dirty-write", "G0"},
    {"made/edn/list-g-single.edn", serializable, "fractured-read", "G-single"},
    {"made/edn/list-incompatible-order.edn", serializable, "incompatible-order", ""},
    {"made/edn/list-intermediate.edn", serializable, "intermediate-read", "G1b"},
    {"made/edn/list-internal.edn", serializable, "internal-inconsistency", ""},
    {"made/edn/list-lost-update.edn", serializable, "lost-update", "P4"},
    {"made/edn/list-write-skew-G2.edn", serializable, "write-skew", "G2-item"},
    {"made/edn/aborted-read-G1a.edn", serializable, "aborted-read", "G1a"},
    {"made/edn/intermediate-read-G1b.edn", serializable, "intermediate-read", "G1b"},
    {"made/edn/circular-flow-G1c.edn", serializable, "circular-information-flow", "G1c"},
    {"made/edn/session-wr-cycle.edn", serializable, "circular-information-flow", "G1c-session"},
    {"made/edn/long-fork.edn", serializable, "long-fork", "G-nonadjacent"},
    {"made/edn/fork-join-order.edn", serializable, "long-fork", "G-nonadjacent-session"},
    {"made/edn/lost-update.edn", serializable, "lost-update", "P4"},
    {"made/edn/write-skew.edn", serializable, "write-skew", "G2-item"},
    {"made/edn/write-skew-3.edn", serializable, "anti-dependency-cycle", "G2-item"},
    {"made/edn/thin-air-read.edn", serializable, "thin-air-read", ""},
};

TEST(ElleNames, Agree) {
  if (!std::filesystem::exists(shared_histories())) GTEST_SKIP() << "no ../shared/histories";
  for (const Expected& expected : kExpected) {
    const History h = format::read_history(shared_histories() + "/" + expected.path, {});
    evidence::ExamineOptions options;
    options.check.sessions = expected.sessions;
    const auto found = evidence::examine(borrowed(h), std::array{expected.level}, options);
    std::string name, code;
    if (!found.explanations.empty()) {
      name = info(found.explanations[0].counterexample.anomaly).name;
      code = code_of(found.explanations[0].counterexample);
    }
    EXPECT_EQ(name, expected.name) << expected.path << " at " << info(expected.level).name;
    EXPECT_EQ(code, expected.code) << expected.path << " at " << info(expected.level).name;
  }
}

}  // namespace
}  // namespace assay
