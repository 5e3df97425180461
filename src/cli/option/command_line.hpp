// How the program was called, to be repeated: words that a shell reads as the same arguments, without passwords.
#pragma once

#include <span>
#include <string>

namespace assay::cli {

void remember_command_line(int argc, const char* const* argv);
// The call that does one of several things alone: without the words for the others.
void remember_without(std::span<const std::string> words, const std::string& but);
std::string command_line();

}  // namespace assay::cli
