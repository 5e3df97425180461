#include "check/outcome.hpp"

namespace assay::check {

std::string_view name(Rule rule) {
  switch (rule) {
    case Rule::program:
      return "program";
    case Rule::session:
      return "session";
    case Rule::reads_from:
      return "reads-from";
    case Rule::initial:
      return "initial";
    case Rule::real_time:
      return "real-time";
    case Rule::version_order:
      return "version-order";
    case Rule::overwritten:
      return "overwritten";
    case Rule::anti_dependency:
      return "anti-dependency";
    case Rule::first_committer:
      return "first-committer";
    case Rule::axiom:
      return "axiom";
    case Rule::decision:
      return "decision";
  }
  return "";
}

}  // namespace assay::check
