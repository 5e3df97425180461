#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/command.hpp"
#include "cli/option/output.hpp"
#include "format/format.hpp"

namespace assay::cli {

namespace {

Exit run_formats() {
  std::size_t width = 0;
  for (const format::Format& format : format::formats()) width = std::max(width, format.name.size());
  std::string out;
  for (const format::Format& format : format::formats()) {
    out += fmt::format("{:<{}}  {:<10}  {:<9}  {}\n", format.name, width,
                       format.write == nullptr ? "read" : "read/write",
                       format.directory ? "directory" : "file", format.description);
  }
  print(out);
  return Exit::holds;
}

}  // namespace

void add_formats(CLI::App& root, Action& chosen_action) {
  CLI::App* command = root.add_subcommand("formats", "List the history formats that Assay reads and writes");
  command->footer(
      "A format is recognised by content, whatever the file is called.\n"
      "\n"
      "Examples:\n"
      "  assay formats\n"
      "  assay check history.bin --format dbcop    where recognising goes wrong");
  command->callback([&chosen_action] { chosen_action = run_formats; });
}

}  // namespace assay::cli
