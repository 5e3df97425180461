// A server to audit, made and visited on this machine: an application on a private PHP with the recorder, the
// collector before it, visitors. What comes of it is what an audit needs.
#pragma once

#include <atomic>
#include <functional>
#include <map>

#include "audit/trial/application.hpp"
#include "audit/trial/private_php.hpp"

namespace assay::audit {

struct TrialOptions {
  std::filesystem::path application;
  std::filesystem::path recorder;
  std::filesystem::path folder;  // empty; everything is put there
  PhpKind php = PhpKind::fpm;
  std::uint64_t requests = 500;
  std::uint64_t clients = 8;
  std::uint64_t seed = 1;
  // Told how many requests were answered; by any thread.
  std::function<void(std::uint64_t)> progress = [](std::uint64_t) {};
  // Told what the collector says went wrong.
  std::function<void(const std::string&)> note = [](const std::string&) {};
  const std::atomic<bool>* stop = nullptr;  // ends the visits early
};

struct Trial {
  std::filesystem::path trace, reports, code, ini, state;
  std::uint64_t requests = 0;             // that were answered
  double seconds = 0;                     // from the first to the last
  std::map<int, std::uint64_t> statuses;  // how often each was given
};

// Throws InputError, std::filesystem::filesystem_error, std::system_error, std::runtime_error.
Trial run_trial(const TrialOptions& options);

}  // namespace assay::audit
