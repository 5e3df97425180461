// What an exception comes to: one message and an exit code.
#pragma once

#include <functional>
#include <string>

#include "cli/command.hpp"

namespace assay::cli {

struct Failure {
  Exit code;
  std::string message;
};

// The exit code of `action`; where it throws, that of the failure, which is told. Memory that runs out is not told
// this way, which takes more of it: std::bad_alloc goes through.
Exit unless_it_fails(const Action& action, const std::function<void(const Failure&)>& tell);

}  // namespace assay::cli
