#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "audit/trial/parts.hpp"
#include "audit/trial/private_php.hpp"
#include "cli/audit/commands.hpp"
#include "cli/option/output.hpp"

namespace assay::cli {

namespace {

struct ConfigCommand {
  std::string reports = "/var/lib/assay/reports";
  std::string code;
  unsigned megabytes = 64;
  unsigned workers = 64;
  bool pool = false;
};

Exit run_config(const ConfigCommand& command) {
  if (command.pool) {
    print(
        "; php-fpm.conf: as many workers as the collector has places at PHP, and some time for them to\n"
        "; end in peace.\n" +
        audit::recorder_pool(command.workers));
    return Exit::holds;
  }
  if (command.code.empty()) throw UsageError("--code is required: the application's folder on the server");
  const audit::RecorderSettings settings{audit::recorder_extension(),
                                         std::filesystem::absolute(command.reports),
                                         std::filesystem::absolute(command.code), command.megabytes};
  print(
      "; php.ini, after pdo and pdo_sqlite. The folder of the reports must exist, and PHP's user must be\n"
      "; able to write to it.\n" +
      audit::recorder_ini(settings));
  return Exit::holds;
}

}  // namespace

void add_audit_config(CLI::App& audit, Action& chosen_action) {
  CLI::App* command = audit.add_subcommand("config", "Print the settings of PHP that load the recorder");
  auto options = std::make_shared<ConfigCommand>();
  command->add_option("--code", options->code, "The application's folder on the server")->type_name("DIR");
  command->add_option("--reports", options->reports, "Where the recorder writes")
      ->type_name("DIR")
      ->capture_default_str();
  command->add_option("--memory", options->megabytes, "Shared memory for cached values and sessions")
      ->check(CLI::Range(1U, 65536U))
      ->type_name("MB")
      ->capture_default_str();
  command->add_flag("--pool", options->pool, "Print the settings of php-fpm's pool instead");
  command->add_option("--workers", options->workers, "How many processes the pool has")
      ->check(CLI::Range(1U, 65536U))
      ->type_name("N")
      ->capture_default_str();
  command->footer(
      "Examples:\n"
      "  assay audit config --code /srv/forum > /etc/php/8.2/fpm/conf.d/99-assay.ini\n"
      "  assay audit config --pool --workers 32");
  command->callback(
      [options, &chosen_action] { chosen_action = [options] { return run_config(*options); }; });
}

}  // namespace assay::cli
