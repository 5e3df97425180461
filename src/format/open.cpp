#include "format/open.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "history/error.hpp"

namespace assay::format {

namespace {

// Below this a copy is cheaper than a mapping, and a directory of many small files does not use up the
// process's maps.
constexpr std::size_t kMapFrom = std::size_t{1} << 20;

[[noreturn]] void fail(const std::string& path, const char* doing) {
  throw InputError(path, "", std::string(doing) + ": " + std::strerror(errno));
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

class MappedFile : public FileBytes {
 public:
  MappedFile(void* start, std::size_t size) : start_(start), size_(size) {}
  ~MappedFile() override { ::munmap(start_, size_); }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  std::string_view bytes() const override { return {static_cast<const char*>(start_), size_}; }

 private:
  void* start_;
  std::size_t size_;
};

class ReadFile : public FileBytes {
 public:
  explicit ReadFile(std::string bytes) : bytes_(std::move(bytes)) {}
  std::string_view bytes() const override { return bytes_; }

 private:
  std::string bytes_;
};

std::string read_to_end(int fd, std::size_t expected, const std::string& path) {
  std::string bytes;
  bytes.resize(expected + 1);  // one more, so that the end of a file of the expected size shows in one call
  std::size_t used = 0;
  for (;;) {
    if (used == bytes.size()) bytes.resize(bytes.size() * 2);
    const ssize_t got = ::read(fd, bytes.data() + used, bytes.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path, "cannot read");
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
  }
  bytes.resize(used);
  return bytes;
}

std::unique_ptr<FileBytes> bytes_of(int fd, const std::string& path) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) fail(path, "cannot read");
  const bool regular = S_ISREG(status.st_mode);
  const auto size = regular ? static_cast<std::size_t>(status.st_size) : std::size_t{0};
  if (size >= kMapFrom) {
    void* start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (start != MAP_FAILED) {
      ::madvise(start, size, MADV_SEQUENTIAL);
      return std::make_unique<MappedFile>(start, size);
    }
  }
  return std::make_unique<ReadFile>(read_to_end(fd, regular ? size : std::size_t{65535}, path));
}

void add_file(OpenedInput& opened, const std::string& path, const std::string& shown) {
  const Descriptor file(path == "-" ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) fail(shown, "cannot open");
  opened.owners.push_back(bytes_of(file.get(), shown));
  opened.input.files.push_back({shown, opened.owners.back()->bytes()});
}

void add_directory(OpenedInput& opened, const std::string& path) {
  opened.input.directory = true;
  std::error_code error;
  std::vector<std::string> names;
  for (std::filesystem::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code gone;  // a file that vanished between listing and looking is not there
    if (!entry->is_regular_file(gone)) continue;
    std::string name = entry->path().filename().string();
    if (name.front() != '.') names.push_back(std::move(name));
  }
  if (error) throw InputError(path, "", "cannot list the directory: " + error.message());
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    const std::string file = (std::filesystem::path(path) / name).string();
    add_file(opened, file, file);
  }
}

}  // namespace

OpenedInput open_input(const std::string& path) {
  OpenedInput opened;
  if (path == "-") {
    opened.input.path = "standard input";
    add_file(opened, path, opened.input.path);
    return opened;
  }
  opened.input.path = path;
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) {
    throw InputError(path, "", "there is no such file or directory");
  }
  if (error) throw InputError(path, "", "cannot open: " + error.message());
  if (std::filesystem::is_directory(status)) {
    add_directory(opened, path);
  } else {
    add_file(opened, path, path);
  }
  return opened;
}

}  // namespace assay::format
