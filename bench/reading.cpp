// assay_reading FILE FORMAT: reads a history and nothing else, so that what the process costs is what reading
// costs. Prints how many operations there are and how many bytes each takes in memory.
#include <fmt/format.h>

#include <exception>
#include <span>

#include "format/format.hpp"

int main(int argc, char** argv) {
  const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
  if (arguments.size() != 3) {
    fmt::print(stderr, "usage: assay_reading FILE FORMAT\n");
    return 2;
  }
  try {
    const assay::History history = assay::format::read_history(arguments[1], {}, arguments[2]);
    fmt::print("{} {:.1f}\n", history.operations(),
               static_cast<double>(history.resident_bytes()) / history.operations());
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "assay_reading: {}\n", error.what());
    return 3;
  }
}
