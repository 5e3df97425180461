#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "audit/front/front.hpp"
#include "audit/tell/collector_metrics.hpp"
#include "cli/audit/commands.hpp"
#include "cli/option/choice.hpp"
#include "cli/option/interrupt.hpp"
#include "cli/option/output.hpp"
#include "system/http.hpp"

namespace assay::cli {

namespace {

using audit::front::Counters;
using audit::front::Durability;
using audit::front::Front;
using audit::front::FrontOptions;

constexpr Choice<Durability> kDurabilities[] = {{"process", Durability::process},
                                                {"machine", Durability::machine}};

struct CollectCommand {
  FrontOptions front;
  std::string root, trace, durability = "process";
  std::vector<std::string> parameters;
  std::optional<std::string> metrics;
  bool quiet = false;
};

std::pair<std::string, std::string> parameter_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw UsageError(fmt::format("--param wants NAME=VALUE, not '{}'", text));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::string line_of(const Counters& counts, double seconds) {
  const std::uint64_t answered = counts.complete + counts.client_gone;
  return fmt::format("collecting: {} requests, {} answered, {:.0f}/s, {} MB of trace", counts.requests,
                     answered, seconds > 0 ? static_cast<double>(counts.requests) / seconds : 0.0,
                     counts.trace_bytes / 1'000'000);
}

std::string end_text(const Counters& counts, const std::string& trace) {
  return fmt::format(
      "recorded   {} requests: {} answered, {} whose client left, {} cut off, {} refused by PHP, {} given "
      "up\n"
      "answered   {} that were no requests to the application\n"
      "trace      {}, {} bytes\n",
      counts.requests, counts.complete, counts.client_gone, counts.server_gone, counts.php_refused,
      counts.given_up, counts.refused, trace, counts.trace_bytes);
}

// Serves until a signal asks it to end, or the trace cannot be written.
void serve(Front& front, const Interrupt& interrupt, Progress& progress) {
  std::exception_ptr error;
  std::atomic<bool> over = false;
  std::thread server([&] {
    try {
      front.run();
    } catch (...) {
      error = std::current_exception();
    }
    over = true;
  });
  const auto began = std::chrono::steady_clock::now();
  bool told = false;
  while (!over) {
    if (interrupt.asked() && !std::exchange(told, true)) front.stop();
    progress.phase(line_of(front.counters(),
                           std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count()));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  server.join();
  if (error) std::rethrow_exception(error);
}

Exit run_collect(const CollectCommand& command) {
  FrontOptions options = command.front;
  options.root = command.root;
  options.trace = command.trace;
  options.durability = chosen(kDurabilities, "--durability", command.durability);
  for (const std::string& each : command.parameters) options.parameters.push_back(parameter_of(each));
  if (!std::filesystem::is_directory(command.root))
    throw UsageError(fmt::format("there is no folder {}", command.root));
  options.note = [](const std::string& text) {
    wipe_progress();
    print_note(text);
  };
  const Interrupt interrupt(Interrupt::InBackground::is_heeded);
  Front front(options);
  std::optional<system::HttpServer> metrics;
  if (command.metrics) {
    metrics.emplace(system::address_of(*command.metrics), [&](const system::HttpRequest& request) {
      if (request.method != "GET" || request.target != "/metrics")
        return system::HttpAnswer{"404 Not Found", "text/plain; charset=utf-8", "not here\n"};
      return system::HttpAnswer{"200 OK", "text/plain; version=0.0.4; charset=utf-8",
                                audit::front::metrics_text(front.counters())};
    });
  }
  if (!command.quiet) {
    print(fmt::format("listening at {}\n", front.address()));
    if (metrics) print(fmt::format("metrics at http://{}/metrics\n", metrics->address()));
    flush_output();
  }
  {
    Progress progress(!command.quiet, "collecting");
    serve(front, interrupt, progress);
  }
  if (!command.quiet) print(end_text(front.counters(), command.trace));
  return Exit::holds;
}

}  // namespace

void add_audit_collect(CLI::App& audit, Action& chosen_action) {
  CLI::App* command = audit.add_subcommand(
      "collect", "Stand between clients and PHP, and write down every request and response");
  auto options = std::make_shared<CollectCommand>();
  FrontOptions& front = options->front;
  command->add_option("--listen", front.listen, "Where clients connect, with HTTP/1.1; port 0 is any")
      ->required()
      ->type_name("HOST:PORT");
  command->add_option("--php", front.php, "Where PHP takes FastCGI: fastcgi://HOST:PORT or unix:PATH")
      ->required()
      ->type_name("ADDRESS");
  command->add_option("--root", options->root, "Your copy of the application: which scripts there are")
      ->required()
      ->type_name("DIR");
  command->add_option("--root-at-php", front.root_at_php, "Where PHP has it, if not at the same path")
      ->type_name("DIR");
  command->add_option("-o,--trace", options->trace, "The trace; one that is there is gone on with")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--param", options->parameters,
                   "A FastCGI parameter for every request, as a web server's settings are; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command
      ->add_option("--durability", options->durability,
                   "What the trace outlives: the collector's death, or its machine's too")
      ->type_name(words(kDurabilities))
      ->capture_default_str();
  command->add_flag("--secure", front.secure, "Clients speak HTTPS to whoever stands before the collector");
  command
      ->add_option("--at-php", front.limits.at_php,
                   "How many requests PHP has at the same time; as many as it has workers")
      ->check(CLI::Range(1U, 65536U))
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--metrics", options->metrics, "Serve telemetry for Prometheus here, at /metrics")
      ->type_name("HOST:PORT");
  command->add_flag("-q,--quiet", options->quiet, "Print nothing but what goes wrong");
  command->footer(
      "An interrupt (SIGINT or SIGTERM) lets PHP end what it is at; a second one does not wait.\n"
      "Exit code: 0 ended by an interrupt, 3 bad command line or trace, or the address is taken,\n"
      "4 the trace could not be written, or a defect of Assay.\n"
      "\n"
      "Examples:\n"
      "  assay audit collect --listen 127.0.0.1:8080 --php unix:/run/php/app.sock --root /srv/forum \\\n"
      "      --trace monday.trace");
  command->callback(
      [options, &chosen_action] { chosen_action = [options] { return run_collect(*options); }; });
}

}  // namespace assay::cli
