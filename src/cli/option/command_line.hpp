// How the program was called, to be repeated: words that a shell reads as the same arguments, without passwords.
#pragma once

#include <string>

namespace assay::cli {

void remember_command_line(int argc, const char* const* argv);
const std::string& command_line();

}  // namespace assay::cli
