// Inputs in memory and in temporary folders for the tests of readers and writers.
#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "format/format.hpp"
#include "support/program.hpp"
#include "system/input_error.hpp"

namespace assay::testing {

// `bytes` must outlive the input.
inline format::Input one_file(std::string_view bytes) {
  return {"test", false, {{"test", bytes}}};
}

using NamedBytes = std::vector<std::pair<std::string, std::string>>;

inline format::Input directory_of(const NamedBytes& files) {
  format::Input input{"dir", true, {}};
  for (const auto& [name, bytes] : files) input.files.push_back({"dir/" + name, bytes});
  return input;
}

inline std::string slurp(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void spit(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// What the InputError of an action says; "no error" if there is none.
inline std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace assay::testing
