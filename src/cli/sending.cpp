#include "cli/sending.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/option/names.hpp"
#include "cli/option/output.hpp"
#include "cli/option/progress.hpp"
#include "system/address.hpp"

namespace assay::cli {

void add_sending_options(CLI::App& command, SendingOptions& options, const std::string& name,
                         const std::string& text) {
  command.add_option(name, options.watcher, text)->type_name("HOST:PORT|unix:PATH");
  command
      .add_option("--secret", options.secret,
                  "The file of a secret that the watcher knows too; each proves it to the other")
      ->type_name("FILE");
  in_seconds(
      command.add_option(
          "--send-patience", options.patience,
          "How long to wait for a watcher that was there and does not answer: 30, 30s or 2m; for one that "
          "is connected and takes nothing, at least 10"))
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
}

std::chrono::milliseconds patience_of(const SendingOptions& options) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::duration<double>(options.patience));
}

std::optional<collect::Secret> secret_of(const SendingOptions& options) {
  if (!options.secret) return std::nullopt;
  return collect::Secret::from_file(*options.secret);
}

std::chrono::milliseconds silence_of(const SendingOptions& options) {
  return std::max(patience_of(options), std::chrono::milliseconds(10'000));
}

std::unique_ptr<collect::Delivery> delivery_to(const SendingOptions& options, bool quiet) {
  collect::DeliveryOptions delivery;
  delivery.patience = patience_of(options);
  delivery.silence = silence_of(options);
  delivery.secret = secret_of(options);
  if (!quiet) {
    delivery.note = [](const std::string& text) {
      wipe_progress();
      print_note(text);
    };
  }
  return std::make_unique<collect::Delivery>(system::address_of(*options.watcher), delivery);
}

Exit finished(collect::Delivery& delivery, const SendingOptions& options, bool quiet) {
  collect::Delivery::Result result;
  {
    const Progress progress(!quiet, "waiting for the watcher");
    result = delivery.finish();
  }
  if (!quiet) print(fmt::format("sent       {} transactions to {}\n", result.transactions, *options.watcher));
  if (!result.failure) return Exit::holds;
  flush_output();
  print_error(fmt::format("{}: {} transactions were not delivered", *result.failure, result.undelivered));
  return Exit::undecided;
}

}  // namespace assay::cli
