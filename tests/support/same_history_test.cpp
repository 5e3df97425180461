#include "support/same_history.hpp"

#include <string>

#include "history/builder.hpp"

namespace assay::testing {
namespace {

// Two sessions that write skew: r a, w b against r b, w a.
History skew(const std::string& a, const std::string& b, bool swapped, Status status = Status::committed) {
  HistoryBuilder build;
  for (const bool first : {!swapped, swapped}) {
    build.begin(build.session(Atom::string(first ? a : b)), Atom::integer(first ? 1 : 2));
    build.read_initial(Atom::string(first ? a : b));
    build.write(Atom::string(first ? b : a), Atom::integer(first ? 5 : 7));
    if (first) build.write(Atom::string(b), Atom::integer(6));
    build.end(first ? status : Status::committed);
  }
  return build.finish();
}

TEST(SameHistory, NamesAndTheOrderOfSessionsDoNotMatter) {
  EXPECT_TRUE(same_up_to_names(skew("x", "y", false), skew("p", "q", false)));
  EXPECT_TRUE(same_up_to_names(skew("x", "y", false), skew("p", "q", true)));
}

TEST(SameHistory, EverythingElseDoes) {
  EXPECT_FALSE(same_up_to_names(skew("x", "y", false), skew("x", "y", false, Status::unknown)));
  EXPECT_FALSE(same_up_to_names(skew("x", "y", false), skew("x", "x", false))) << "one key is not two";
  EXPECT_NE(describe(skew("x", "y", false)), describe(skew("p", "q", false)));
}

}  // namespace
}  // namespace assay::testing
