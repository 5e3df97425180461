#include "collect/file_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "format/bytes.hpp"
#include "system/folder.hpp"
#include "system/input_error.hpp"

namespace assay::collect {

namespace {

namespace fs = std::filesystem;
using format::append_little;

constexpr std::size_t kHead = 4096;
constexpr std::size_t kPiece = std::size_t{1} << 20;

std::uint64_t fingerprint(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

// The first `size` bytes of a file, or fewer; nothing if it cannot be read.
std::optional<std::string> first_bytes(int file, std::size_t size) {
  std::string bytes(size, '\0');
  std::size_t got = 0;
  while (got < size) {
    const ssize_t n = ::pread(file, bytes.data() + got, size - got, static_cast<off_t>(got));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::nullopt;
    if (n == 0) break;
    got += static_cast<std::size_t>(n);
  }
  bytes.resize(got);
  return bytes;
}

system::Descriptor open_file(const fs::path& path) {
  return system::Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
}

}  // namespace

FileSource::FileSource(fs::path path, std::string collector, const Progress& progress, Note note)
    : path_(std::move(path)),
      name_(path_.string()),
      collector_(std::move(collector)),
      note_(std::move(note)),
      stream_(name_),
      sequence_(progress.next),
      done_(progress.done) {
  if (done_ || progress.next == 0) return;
  open_rest(progress);
}

void FileSource::fail(const std::string& message) const {
  throw InputError(name_, "", message);
}

bool FileSource::follows(const struct stat& file) const {
  return file_ && opened_.st_dev == file.st_dev && opened_.st_ino == file.st_ino;
}

bool FileSource::open_current() {
  file_ = open_file(path_);
  if (!file_) {
    if (errno != ENOENT) fail(fmt::format("cannot be opened: {}", std::strerror(errno)));
    if (!told_waiting_) note_(fmt::format("{} is not there yet: waiting for it", name_));
    told_waiting_ = true;
    return false;
  }
  if (::fstat(file_.get(), &opened_) != 0) fail(fmt::format("cannot be read: {}", std::strerror(errno)));
  if (!S_ISREG(opened_.st_mode)) fail("this is not a regular file; a pipe can be given as standard input, -");
  offset_ = 0;
  head_.clear();
  return true;
}

// The file may have been rotated while nobody watched: then the rest of it is under another name in the same
// folder, and the file of this name comes after it.
void FileSource::open_rest(const Progress& progress) {
  format::ByteCursor in(name_, progress.cursor);
  const auto head_size = in.little<std::uint64_t>("the size of a fingerprint");
  const auto head_print = in.little<std::uint64_t>("a fingerprint");
  if (head_size > kHead) fail("the checkpoint's note of how far it was read cannot be understood");
  stream_ = HistoryStream::restore(name_, in.take(in.remaining(), "a position"));
  std::vector<fs::path> candidates{path_};
  const fs::path folder = path_.has_parent_path() ? path_.parent_path() : fs::path(".");
  try {
    for (const std::string& name : system::names_in(folder)) candidates.push_back(folder / name);
  } catch (const fs::filesystem_error&) {
    // Then it must be where it was.
  }
  for (const fs::path& candidate : candidates) {
    system::Descriptor file = open_file(candidate);
    struct stat status {};
    std::optional<std::string> head;
    if (file && ::fstat(file.get(), &status) == 0) {
      if (!S_ISREG(status.st_mode)) continue;
      if (static_cast<std::uint64_t>(status.st_size) < stream_.position()) continue;
      head = first_bytes(file.get(), head_size);
    }
    // Others in the folder are none of our business; this one would be taken for gone.
    if (!head && candidate == path_ && errno != ENOENT)
      fail(fmt::format("cannot be read: {}", std::strerror(errno)));
    if (!head || head->size() != head_size || fingerprint(*head) != head_print) continue;
    if (candidate != path_)
      note_(fmt::format("{} is now {}: reading the rest of it", name_, candidate.string()));
    file_ = std::move(file);
    opened_ = status;
    head_ = std::move(*head);
    offset_ = stream_.position();
    return;
  }
  fail(fmt::format(
      "this is not the file that was watched before, up to byte {}, and that is not beside it: what it "
      "held after that is missing; put it back, or begin anew with another checkpoint folder",
      stream_.position()));
}

std::string FileSource::cursor() const {
  const std::string_view head = std::string_view(head_).substr(
      0, static_cast<std::size_t>(std::min<std::uint64_t>({head_.size(), kHead, stream_.position()})));
  std::string out;
  append_little(out, std::uint64_t{head.size()});
  append_little(out, fingerprint(head));
  return out + stream_.state();
}

// Reads one piece; false at the end of the file.
bool FileSource::fill() {
  const auto piece = std::make_unique<std::array<char, kPiece>>();
  ssize_t n = 0;
  do {
    n = ::pread(file_.get(), piece->data(), piece->size(), static_cast<off_t>(offset_));
  } while (n < 0 && errno == EINTR);
  if (n < 0) fail(fmt::format("cannot be read: {}", std::strerror(errno)));
  if (n == 0) return false;
  const std::string_view bytes(piece->data(), static_cast<std::size_t>(n));
  if (head_.size() < kHead && offset_ == head_.size()) head_ += bytes.substr(0, kHead - head_.size());
  offset_ += bytes.size();
  stream_.push(bytes);
  return true;
}

void FileSource::take(Batch& into) {
  while (into.has_room()) {
    auto part = stream_.next();
    if (!part) break;
    into.add({collector_, sequence_++, false, cursor(), std::move(part->block), std::move(part->history)});
  }
}

void FileSource::emit_last(Batch& into) {
  into.add({collector_, sequence_++, true, cursor(), {}, {}});
  done_ = true;
  file_.reset();
}

void FileSource::collect(Batch& into) {
  if (done_) return;
  at_rest_ = false;
  if (!file_ && !open_current()) {
    at_rest_ = true;
    return;
  }
  take(into);
  while (into.has_room()) {
    if (stream_.ended() && stream_.unfinished() == 0) {
      emit_last(into);
      return;
    }
    if (!fill()) {
      if (replaced()) continue;
      at_rest_ = true;
      return;
    }
    take(into);
  }
}

// At the end of the file: whether another one has taken its place, or it begins anew, so that reading goes
// on.
bool FileSource::replaced() {
  struct stat here {};
  if (::fstat(file_.get(), &here) != 0) fail(fmt::format("cannot be read: {}", std::strerror(errno)));
  if (static_cast<std::uint64_t>(here.st_size) < offset_) {
    go_on_with_next("was truncated");
    return true;
  }
  struct stat named {};
  if (::stat(path_.c_str(), &named) != 0) {
    if (errno != ENOENT) fail(fmt::format("cannot be looked at: {}", std::strerror(errno)));
    return false;  // renamed; the next one is still to come
  }
  if (follows(named)) return false;
  // What was written to the old file before its successor appeared must be read first.
  if (static_cast<std::uint64_t>(here.st_size) > offset_) return true;
  go_on_with_next("was replaced by another file");
  return open_current();
}

void FileSource::go_on_with_next(const char* what) {
  if (stream_.unfinished() > 0) {
    fail(
        fmt::format("the file {} in the middle of a {}, at byte {}: the rest of that is lost, and a history "
                    "with a hole cannot be judged",
                    what, stream_.state().front() == 'p' ? "block" : "line", offset_));
  }
  note_(fmt::format("{} {} after byte {}: going on with the new one{}", name_, what, offset_,
                    std::string_view(what) == "was truncated"
                        ? "; anything written between the last look and that is not seen"
                        : ""));
  stream_ = stream_.continued();
  offset_ = 0;
  head_.clear();
}

void FileSource::finish(Batch& into) {
  if (done_) return;
  if (!file_) fail("there is no such file");
  const bool whole = stream_.may_end();
  if (whole) {
    stream_.no_more_bytes();
    while (auto part = stream_.next())
      into.add({collector_, sequence_++, false, cursor(), std::move(part->block), std::move(part->history)});
    emit_last(into);
    return;
  }
  note_(fmt::format("{} is not finished: it is judged as far as it goes{}", name_,
                    stream_.unfinished() > 0
                        ? fmt::format(", without the {} bytes at its end", stream_.unfinished())
                        : ""));
}

}  // namespace assay::collect
