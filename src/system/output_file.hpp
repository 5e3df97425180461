// A file being written: buffered, and every failure of the system is an error with the file's name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "system/descriptor.hpp"

namespace assay::system {

class OutputFile {
 public:
  // What happens to a file that is destroyed before close(): half a history helps nobody, but a recorder's
  // does.
  enum class Unfinished : std::uint8_t { remove, keep };

  // Creates or truncates the file; "-" is standard output. Throws InputError.
  explicit OutputFile(const std::filesystem::path& path, Unfinished unfinished = Unfinished::remove);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  OutputFile(OutputFile&&) noexcept = default;
  OutputFile& operator=(OutputFile&&) = delete;

  void put(std::string_view bytes) {
    buffer_ += bytes;
    if (buffer_.size() >= kFlushAt) flush();
  }
  // Hands everything to the operating system.
  void flush();
  void close();

 private:
  static constexpr std::size_t kFlushAt = std::size_t{1} << 20;

  [[noreturn]] void fail(const char* doing) const;

  std::string path_;
  std::string buffer_;
  Descriptor file_;
  Unfinished unfinished_;
};

}  // namespace assay::system
