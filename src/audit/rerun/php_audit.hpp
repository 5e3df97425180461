// The audit of a PHP server, from files to a verdict.
#pragma once

#include <filesystem>

#include "audit/audit.hpp"

namespace assay::audit {

struct PhpAudit {
  std::filesystem::path trace;    // the collector's file
  std::filesystem::path reports;  // the recorder's folder
  std::filesystem::path code;     // the program, at the same path as on the server
  std::filesystem::path ini;      // the server's php.ini
  std::filesystem::path worker;   // assay-php
  InitialState initial;
  std::uint64_t trace_bytes = ~std::uint64_t{0};  // how much of the trace there is to audit
  unsigned workers = 1;                           // PHP processes at the same time
  unsigned seconds_per_request = 60;              // then a worker ends itself, and the audit is undecided
  unsigned lanes = 0;                             // how many requests may be run as one; 0: each alone
  AuditOptions options;
};

// Throws InputError, std::filesystem::filesystem_error, std::runtime_error.
Verdict audit_php(const PhpAudit& what);

}  // namespace assay::audit
