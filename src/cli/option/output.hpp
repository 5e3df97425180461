// Standard output and standard error, and what may be written to each.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace assay::cli {

// Standard output cannot be written, for another reason than that its reader went away.
struct OutputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void print(std::string_view text);

// Hands over what print() kept. A reader that closed the pipe has seen enough: that is no error.
void flush_output();

// "assay: error: MESSAGE" on standard error, whatever bytes the message holds.
void print_error(std::string_view message);

// "assay: note: MESSAGE" on standard error: something that the user should know while the work goes on.
void print_note(std::string_view message);

// The error that there is no memory any more, which takes none to tell.
void print_out_of_memory() noexcept;

// A terminal that has not been asked to do without (NO_COLOR, TERM=dumb).
bool colour_on_output();
bool errors_are_on_a_terminal();

}  // namespace assay::cli
