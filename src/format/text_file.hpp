// A text file being written: buffered, and every failure of the disk is an InputError that names the file.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace assay::format {

class TextFile {
 public:
  explicit TextFile(const std::filesystem::path& path);
  // Half a file would pass for a whole one: without close() none is left.
  ~TextFile();
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  TextFile& operator<<(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= kBuffered) flush();
    return *this;
  }
  // The file is complete only if this returns.
  void close();

 private:
  static constexpr std::size_t kBuffered = 1 << 16;
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void flush();
  [[noreturn]] void fail() const;

  std::string path_;
  std::string buffer_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace assay::format
