#include "format/text_file.hpp"

#include <cerrno>
#include <cstring>

#include "history/error.hpp"

namespace assay::format {

TextFile::TextFile(const std::filesystem::path& path)
    : path_(path.string()), file_(std::fopen(path_.c_str(), "wb")) {
  if (!file_) fail();
}

TextFile::~TextFile() {
  std::error_code ignored;
  if (file_ && std::filesystem::is_regular_file(path_, ignored)) std::filesystem::remove(path_, ignored);
}

void TextFile::fail() const {
  throw InputError(path_, "", std::string("cannot be written: ") + std::strerror(errno));
}

void TextFile::flush() {
  if (std::fwrite(buffer_.data(), 1, buffer_.size(), file_.get()) != buffer_.size()) fail();
  buffer_.clear();
}

void TextFile::close() {
  flush();
  if (std::fclose(file_.release()) != 0) fail();
}

}  // namespace assay::format
