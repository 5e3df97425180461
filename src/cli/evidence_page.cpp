#include "cli/evidence_page.hpp"

#include <filesystem>
#include <optional>

#include "cli/option/command_line.hpp"
#include "evidence/shrink.hpp"
#include "format/format.hpp"
#include "report/page/page.hpp"
#include "report/selection.hpp"
#include "system/input.hpp"
#include "system/input_error.hpp"
#include "system/temporary_folder.hpp"

namespace assay::cli {

namespace {

// Of the violation that the page tells first. Empty where no smaller history can say it.
std::string small_history(const evidence::Examination& found, const check::Options& settings) {
  const auto told = report::worth_explaining(found);
  const evidence::Explanation* why =
      told.empty() ? nullptr : found.explanation_of(told.front().outcome->level);
  if (why == nullptr || why->counterexample.transactions.empty()) return "";
  const std::optional<History> part = evidence::shrink(*found.history, *why, settings);
  if (!part) return "";
  const system::TemporaryFolder folder("assay-page");
  const std::filesystem::path path = folder / "small.jsonl";
  try {
    format::write_history(*part, path, "jsonl");
  } catch (const InputError&) {
    return "";  // it has something that the format cannot express, or there is no room for it
  }
  return std::string(system::open_input(path.string()).input.files.front().bytes);
}

}  // namespace

std::string page_of(const evidence::Examination& found, const check::Options& settings) {
  return report::html(found, {command_line(), small_history(found, settings)});
}

}  // namespace assay::cli
