// Shell completions, derived from the parser itself so that they know every option the program has.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "cli/audit/tampering.hpp"
#include "cli/command.hpp"
#include "cli/option/choice.hpp"
#include "cli/option/names.hpp"
#include "cli/option/output.hpp"

namespace assay::cli {

namespace {

// An option as a shell needs to know it.
struct Described {
  std::vector<std::string> spellings;  // "--level", "-l"
  std::string text;
  bool takes_value = false;
  bool takes_several = false;       // joined by commas
  std::vector<std::string> values;  // empty: a path or anything
};

std::vector<std::string> values_of(const std::string& type_name) {
  if (type_name == "LEVEL") return level_names();
  if (type_name == "FORMAT") return format_names();
  if (type_name == "LIE") return lie_names();
  if (type_name == "KIND") return {"postgres", "postgres:3", "mariadb", "galera:3", "redis"};
  if (type_name == "URL")
    return {"sqlite:", "postgres://", "mysql://", "rocksdb:", "redis://", "memory:serializable"};
  return type_name.find('|') == std::string::npos ? std::vector<std::string>{}
                                                  : CLI::detail::split(type_name, '|');
}

std::vector<Described> options_of(const CLI::App& command) {
  std::vector<Described> out;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) continue;
    Described described;
    for (const std::string& name : option->get_lnames()) described.spellings.push_back("--" + name);
    for (const std::string& name : option->get_snames()) described.spellings.push_back("-" + name);
    described.text = option->get_description();
    described.takes_value = option->get_items_expected_min() > 0;  // not a flag
    if (described.takes_value) described.values = values_of(option->get_type_name());
    described.takes_several = option->get_delimiter() == ',';
    out.push_back(std::move(described));
  }
  return out;
}

// The words that the last argument of a command may be; empty: a path or nothing.
std::vector<std::string> positional_words(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) return values_of(option->get_type_name());
  }
  return {};
}

std::vector<const CLI::App*> commands_of(const CLI::App& root) {
  return root.get_subcommands([](const CLI::App*) { return true; });
}

std::string names_of(const CLI::App& root) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(root)) names.push_back(command->get_name());
  return fmt::format("{}", fmt::join(names, " "));
}

bool is_group(const CLI::App& command) {
  return !commands_of(command).empty();
}

// What a leaf completes, or a group at the word `at`.
std::string bash_command(const CLI::App& command, int at) {
  std::string out = fmt::format("      {})\n", command.get_name());
  if (is_group(command)) {
    out += fmt::format(
        "        if ((COMP_CWORD == {})); then words='{} --help'; else\n        case ${{COMP_WORDS[{}]}} "
        "in\n",
        at, names_of(command), at);
    for (const CLI::App* each : commands_of(command)) out += bash_command(*each, at + 1);
    return out + "        esac; fi ;;\n";
  }
  out += "        case $prev in\n";
  std::string spellings;
  for (const Described& option : options_of(command)) {
    for (const std::string& spelling : option.spellings)
      spellings += (spellings.empty() ? "" : " ") + spelling;
    if (!option.takes_value) continue;
    out += fmt::format("          {}) ", fmt::join(option.spellings, "|"));
    out += option.values.empty() ? "COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n"
                                 : fmt::format("words='{}' ;;\n", fmt::join(option.values, " "));
  }
  return out +
         fmt::format(
             "          *) if [[ $cur == -* ]]; then words='{}'; else words='{}'; fi ;;\n        esac ;;\n",
             spellings, fmt::join(positional_words(command), " "));
}

std::string bash(const CLI::App& root) {
  std::string out =
      "# Completions of assay for bash.\n"
      "_assay() {\n"
      "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=''\n"
      "  [[ $cur == '=' ]] && cur=''\n"
      "  [[ $prev == '=' ]] && prev=${COMP_WORDS[COMP_CWORD-2]}\n"
      "  COMPREPLY=()\n";
  out += fmt::format("  if ((COMP_CWORD == 1)); then\n    words='{} --help --version'\n  else\n",
                     names_of(root));
  out += "    case ${COMP_WORDS[1]} in\n";
  for (const CLI::App* command : commands_of(root)) out += bash_command(*command, 2);
  out +=
      "    esac\n"
      "  fi\n"
      "  if [[ $words && $cur == *,* ]]; then\n"
      "    COMPREPLY=($(compgen -P \"${cur%,*},\" -W \"$words\" -- \"${cur##*,}\"))\n"
      "  elif [[ $words ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
      "  else\n"
      "    COMPREPLY=($(compgen -f -- \"$cur\"))\n"
      "  fi\n"
      "  [[ ${COMPREPLY[0]-} == *[:/] ]] && compopt -o nospace 2>/dev/null\n"
      "}\n"
      "complete -o filenames -F _assay assay\n";
  return out;
}

// For a single-quoted string of zsh or fish, without the characters that zsh's _arguments gives a meaning.
std::string quotable(std::string text) {
  text.erase(std::remove_if(text.begin(), text.end(), [](char c) { return c == '\'' || c == '\\'; }),
             text.end());
  std::replace(text.begin(), text.end(), '[', '(');
  std::replace(text.begin(), text.end(), ']', ')');
  std::replace(text.begin(), text.end(), ':', ',');
  return text;
}

// In _arguments a colon ends a part.
std::string zsh_words(const std::vector<std::string>& words) {
  std::string out;
  for (const char c : fmt::format("{}", fmt::join(words, " "))) {
    if (c == ':') out += '\\';
    out += c;
  }
  return out;
}

// Offers the commands of a group, or goes on to the one that was chosen.
std::string zsh_group(const CLI::App& group) {
  std::string out = "  commands=(\n";
  for (const CLI::App* command : commands_of(group)) {
    out += fmt::format("    '{}:{}'\n", command->get_name(), quotable(command->get_description()));
  }
  out +=
      "  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  command=${words[2]}\n"
      "  shift words\n"
      "  (( CURRENT-- ))\n"
      "  case $command in\n";
  for (const CLI::App* command : commands_of(group)) {
    out += fmt::format("    {})\n", command->get_name());
    if (is_group(*command)) {
      out += zsh_group(*command) + "      ;;\n";
      continue;
    }
    out += "      _arguments";
    for (const Described& option : options_of(*command)) {
      for (const std::string& spelling : option.spellings) {
        out += fmt::format(" \\\n        '*{}[{}]", spelling, quotable(option.text));
        if (option.takes_value) {
          out += option.values.empty() ? ":value:_files"
                 : option.takes_several
                     ? fmt::format(":value:_sequence compadd - {}", zsh_words(option.values))
                     : fmt::format(":value:({})", zsh_words(option.values));
        }
        out += "'";
      }
    }
    const std::vector<std::string> words = positional_words(*command);
    out += words.empty() ? " \\\n        '*:file:_files' ;;\n"
                         : fmt::format(" \\\n        '*:word:({})' ;;\n", zsh_words(words));
  }
  return out + "  esac\n";
}

std::string zsh(const CLI::App& root) {
  return "#compdef assay\n_assay() {\n  local -a commands\n  local command\n" + zsh_group(root) +
         "}\ncompdef _assay assay\n";
}

// Where a command's options are offered: behind its name, and behind that of its group or of none.
void fish_command(std::string& out, const CLI::App& command, const std::string& where) {
  const std::string line =
      fmt::format("complete -c assay -n '{}; and __fish_seen_subcommand_from {}'", where, command.get_name());
  for (const Described& option : options_of(command)) {
    out += line;
    for (const std::string& spelling : option.spellings) {
      out += spelling.starts_with("--") ? " -l " + spelling.substr(2) : " -s " + spelling.substr(1);
    }
    if (option.takes_value) {
      const std::string words = fmt::format("{}", fmt::join(option.values, " "));
      out += words.empty()          ? " -r"
             : option.takes_several ? fmt::format(" -x -a '(__fish_append , {})'", words)
                                    : fmt::format(" -x -a '{}'", words);
    }
    out += fmt::format(" -d '{}'\n", quotable(option.text));
  }
  const std::vector<std::string> words = positional_words(command);
  if (!words.empty()) out += fmt::format("{} -f -a '{}'\n", line, fmt::join(words, " "));
}

void fish_names(std::string& out, const CLI::App& group, const std::string& where) {
  for (const CLI::App* command : commands_of(group)) {
    out += fmt::format("complete -c assay -n '{}' -f -a {} -d '{}'\n", where, command->get_name(),
                       quotable(command->get_description()));
  }
}

std::string fish(const CLI::App& root) {
  std::string out = "# Completions of assay for fish.\n", groups;
  for (const CLI::App* command : commands_of(root)) {
    if (is_group(*command)) groups += " " + command->get_name();
  }
  fish_names(out, root, "__fish_use_subcommand");
  for (const CLI::App* command : commands_of(root)) {
    if (!is_group(*command)) {
      fish_command(out, *command, "not __fish_seen_subcommand_from" + groups);
      continue;
    }
    const std::string inside = "__fish_seen_subcommand_from " + command->get_name();
    fish_names(out, *command, inside + "; and not __fish_seen_subcommand_from " + names_of(*command));
    for (const CLI::App* each : commands_of(*command)) fish_command(out, *each, inside);
  }
  return out;
}

using Script = std::string (*)(const CLI::App&);
constexpr Choice<Script> kShells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};

}  // namespace

void add_completion(CLI::App& root, Action& chosen_action) {
  CLI::App* command =
      root.add_subcommand("completion", "Print a script that completes commands and options in a shell");
  auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "The shell")->required()->type_name(words(kShells));
  command->footer(
      "Examples:\n"
      "  source <(assay completion bash)\n"
      "  assay completion zsh > ~/.zfunc/_assay\n"
      "  assay completion fish > ~/.config/fish/completions/assay.fish");
  command->callback([shell, &root, &chosen_action] {
    chosen_action = [shell, &root] {
      print(chosen(kShells, "SHELL", *shell)(root));
      return Exit::holds;
    };
  });
}

}  // namespace assay::cli
