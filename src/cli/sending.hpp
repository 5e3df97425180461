// What 'assay record --send' and 'assay send' share: where a history is sent to, and what is said of it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/command.hpp"
#include "collect/delivery.hpp"

namespace assay::cli {

struct SendingOptions {
  std::optional<std::string> watcher;
  double patience = 30;  // seconds
  std::optional<std::string> secret;
};

// `name` is the option, or the argument, that names the watcher.
void add_sending_options(CLI::App& command, SendingOptions& options, const std::string& name,
                         const std::string& text);

std::chrono::milliseconds patience_of(const SendingOptions& options);
// Throws InputError.
std::optional<collect::Secret> secret_of(const SendingOptions& options);
// With one that is connected but takes nothing: it may only be busy.
std::chrono::milliseconds silence_of(const SendingOptions& options);

// REQUIRES: a watcher is named. Throws UsageError or InputError: nobody listens there.
std::unique_ptr<collect::Delivery> delivery_to(const SendingOptions& options, bool quiet);

// Waits for the rest to be acknowledged, and says what was.
Exit finished(collect::Delivery& delivery, const SendingOptions& options, bool quiet);

}  // namespace assay::cli
