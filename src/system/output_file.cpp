#include "system/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <utility>

#include "system/input_error.hpp"

namespace assay::system {

OutputFile::OutputFile(const std::filesystem::path& path, Unfinished unfinished)
    : path_(path.string()), unfinished_(unfinished) {
  file_ = Descriptor(path_ == "-" ? ::dup(STDOUT_FILENO)
                                  : ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file_) fail("cannot create the file");
}

OutputFile::~OutputFile() {
  if (!file_) return;
  struct stat status {};
  if (unfinished_ == Unfinished::keep) {
    try {
      flush();
    } catch (const std::exception&) {
      // A destructor has nobody to tell; close() has.
    }
  } else if (path_ != "-" && ::fstat(file_.get(), &status) == 0 && S_ISREG(status.st_mode)) {
    ::unlink(path_.c_str());
  }
}

void OutputFile::fail(const char* doing) const {
  throw InputError(path_, "", std::string(doing) + ": " + std::strerror(errno));
}

void OutputFile::flush() {
  std::string_view left = buffer_;
  while (!left.empty()) {
    const ssize_t written = ::write(file_.get(), left.data(), left.size());
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
  if (::close(file_.release()) != 0) fail("cannot write");
}

}  // namespace assay::system
