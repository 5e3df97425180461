// Manual pages, derived from the parser itself so that they say what the help says.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "assay/assay.hpp"
#include "cli/command.hpp"
#include "cli/option/output.hpp"

namespace assay::cli {

namespace {

// A text as roff shows it unchanged: backslashes and dashes are no commands, nor is a dot or quote at the start of a line.
std::string roff(const std::string& text) {
  std::string out;
  bool line_starts = true;
  for (const char c : text) {
    if (line_starts && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    line_starts = c == '\n';
  }
  return out;
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

// "assay audit check", or "assay-audit-check" as the page is called.
std::string full_name(const CLI::App& app, const char* between) {
  return app.get_parent() == nullptr ? app.get_name()
                                     : full_name(*app.get_parent(), between) + between + app.get_name();
}

std::string title(const CLI::App& app) {
  std::string name = full_name(app, "-");
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return fmt::format(".TH {} 1 \"\" \"assay {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n", roff(name),
                     roff(std::string(api::version())), roff(full_name(app, "-")),
                     roff(app.get_description()));
}

std::string synopsis(const CLI::App& app) {
  std::string out = fmt::format(".SH SYNOPSIS\n.B {}\n", roff(full_name(app, " ")));
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional()) continue;
    const std::string name = roff(option->get_name(true));
    const char* const several = option->get_expected_max() > 1 ? "..." : "";
    out += option->get_required() ? fmt::format("\\fI{}\\fR{}\n", name, several)
                                  : fmt::format("[\\fI{}\\fR{}]\n", name, several);
  }
  if (!commands_of(app).empty()) out += ".I COMMAND\n";
  return out + "[\\fIOPTION\\fR]...\n";
}

std::string options(const CLI::App& app) {
  std::string out;
  for (const CLI::Option* option : app.get_options()) {
    std::string spelled;
    const bool takes_value = option->get_items_expected_min() > 0;
    if (option->get_positional()) {
      spelled = fmt::format("\\fI{}\\fR", roff(option->get_name(true)));
    } else {
      for (const std::string& name : option->get_snames())
        spelled += fmt::format("\\fB\\-{}\\fR, ", roff(name));
      for (const std::string& name : option->get_lnames())
        spelled += fmt::format("\\fB\\-\\-{}\\fR, ", roff(name));
      spelled.resize(spelled.size() - 2);
      if (takes_value) spelled += fmt::format(" \\fI{}\\fR", roff(option->get_type_name()));
    }
    std::string text = option->get_description();
    if (takes_value && !option->get_default_str().empty()) {
      text += fmt::format(" [{}]", option->get_default_str());
    }
    out += fmt::format(".TP\n{}\n{}\n", spelled, roff(text));
  }
  return out.empty() ? out : ".SH OPTIONS\n" + out;
}

std::string page(const CLI::App& app) {
  std::string out = title(app) + synopsis(app) + options(app);
  const auto commands = commands_of(app);
  if (!commands.empty()) out += ".SH COMMANDS\n";
  for (const CLI::App* command : commands) {
    out += fmt::format(".TP\n.BR {} (1)\n{}\n", roff(full_name(*command, "-")),
                       roff(command->get_description()));
  }
  if (const std::string footer = app.get_footer(); !footer.empty()) {
    out += fmt::format(".SH NOTES\n.nf\n{}\n.fi\n", roff(footer));
  }
  if (app.get_parent() != nullptr) {
    out += fmt::format(".SH SEE ALSO\n.BR {} (1)\n", roff(full_name(*app.get_parent(), "-")));
  }
  return out;
}

// The command and all below it, by the names of their pages.
void collect(const CLI::App& app, std::vector<std::pair<std::string, const CLI::App*>>& pages) {
  pages.emplace_back(full_name(app, "-"), &app);
  for (const CLI::App* command : commands_of(app)) collect(*command, pages);
}

std::string asked_page(const CLI::App& root, const std::string& name, bool list) {
  std::vector<std::pair<std::string, const CLI::App*>> pages;
  collect(root, pages);
  std::string names;
  for (const auto& [each, app] : pages) {
    if (!list && each == name) return page(*app);
    names += each + "\n";
  }
  if (!list) throw UsageError(fmt::format("there is no page '{}'; 'assay manual --list' names them", name));
  return names;
}

}  // namespace

void add_manual(CLI::App& root, Action& chosen_action) {
  CLI::App* command = root.add_subcommand("manual", "Print a manual page, made from what --help says");
  struct Asked {
    std::string page = "assay";
    bool list = false;
  };
  auto asked = std::make_shared<Asked>();
  command->add_option("PAGE", asked->page, "Which page")->type_name("NAME")->capture_default_str();
  command->add_flag("--list", asked->list, "Print the names of the pages, one in a line");
  command->footer(
      "Examples:\n"
      "  assay manual assay-check | man -l -\n"
      "  assay manual assay-audit-run > assay-audit-run.1");
  command->callback([asked, &root, &chosen_action] {
    chosen_action = [asked, &root] {
      print(asked_page(root, asked->page, asked->list));
      return Exit::holds;
    };
  });
}

}  // namespace assay::cli
