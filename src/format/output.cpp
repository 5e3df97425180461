#include "format/output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "history/error.hpp"

namespace assay::format {

OutputFile::OutputFile(const std::filesystem::path& path, Unfinished unfinished)
    : path_(path.string()), unfinished_(unfinished) {
  descriptor_ = path_ == "-" ? ::dup(STDOUT_FILENO)
                             : ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail("cannot create the file");
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      buffer_(std::move(other.buffer_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      unfinished_(other.unfinished_) {}

OutputFile::~OutputFile() {
  if (descriptor_ < 0) return;
  struct stat status {};
  if (unfinished_ == Unfinished::keep) {
    try {
      flush();
    } catch (const InputError&) {
      // A destructor has nobody to tell; close() has.
    }
  } else if (path_ != "-" && ::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode)) {
    ::unlink(path_.c_str());
  }
  ::close(descriptor_);
}

void OutputFile::fail(const char* doing) const {
  throw InputError(path_, "", std::string(doing) + ": " + std::strerror(errno));
}

void OutputFile::flush() {
  std::string_view left = buffer_;
  while (!left.empty()) {
    const ssize_t written = ::write(descriptor_, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int error = errno;
      buffer_.clear();  // a second attempt in the destructor would write a file with a hole
      errno = error;
      fail("cannot write");
    }
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  buffer_.clear();
}

void OutputFile::close() {
  flush();
  if (::close(std::exchange(descriptor_, -1)) != 0) fail("cannot write");
}

}  // namespace assay::format
