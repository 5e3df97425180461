// An application to try the audit on: a folder with PHP scripts and workload.json, which says how its first
// state is made and what its visitors do (docs/audit-run.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace assay::audit {

struct RequestPattern {
  std::uint64_t weight = 1;
  std::string method = "GET";
  std::string query, form;  // with {names} to be filled in
  std::string script;       // another one than the application's; may be empty
};

// What a name stands for: one of these words, or a number between two.
struct DrawnFrom {
  std::vector<std::string> words;  // if there are any
  std::uint64_t least = 0, most = 0;
};

struct Application {
  std::filesystem::path folder;
  std::string script;  // that is asked for
  // A program that puts the scripts in the folder w of the folder that is its argument, and the data in its
  // folder data; may be empty: then the scripts are here.
  std::string install;
  std::string setup;                                            // makes the first state; may be empty
  std::vector<std::string> extensions;                          // of PHP
  std::vector<std::pair<std::string, std::string>> settings;    // of PHP, which override those of a trial
  std::vector<std::pair<std::string, std::string>> parameters;  // of every request; {data} is the data folder
  std::map<std::string, DrawnFrom> names;
  std::uint64_t sessions = 1;         // {session} is 1 to this
  std::vector<RequestPattern> first;  // what every visitor begins with
  std::vector<RequestPattern> requests;
};

// Throws InputError.
Application read_application(const std::filesystem::path& folder);

}  // namespace assay::audit
