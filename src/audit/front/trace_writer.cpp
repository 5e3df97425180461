#include "audit/front/trace_writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <system_error>

#include "system/input_error.hpp"

namespace assay::audit::front {

namespace {

// Reads all of it unless the file ends first; says how much.
std::size_t read_at(int file, std::uint64_t offset, char* into, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t n = ::pread(file, into + done, size - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw std::system_error(errno, std::generic_category(), "cannot read the trace");
    if (n == 0) break;
    done += static_cast<std::size_t>(n);
  }
  return done;
}

// The frame at `offset`; it points into `bytes`.
wire::Parsed read_frame(int file, std::uint64_t offset, std::string& bytes, wire::FrameView& frame) {
  bytes.resize(wire::kFrameHead);
  bytes.resize(read_at(file, offset, bytes.data(), bytes.size()));
  const wire::Parsed head = wire::parse_frame(bytes, frame);
  if (head != wire::Parsed::partial || bytes.size() < wire::kFrameHead) return head;
  const std::size_t stored = frame.stored_length;
  bytes.resize(wire::kFrameHead + stored);
  char* const rest = bytes.data() + wire::kFrameHead;
  bytes.resize(wire::kFrameHead + read_at(file, offset + wire::kFrameHead, rest, stored));
  return wire::parse_frame(bytes, frame);
}

}  // namespace

TraceWriter::TraceWriter(const std::filesystem::path& path, Durability durability)
    : path_(path.string()),
      durability_(durability),
      file_(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600)) {
  if (!file_) fail("cannot open");
  if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
    throw InputError(path_, "", "another collector writes this trace");
  }
  struct stat facts {};
  if (::fstat(file_.get(), &facts) != 0) fail("cannot look at");
  if (!S_ISREG(facts.st_mode)) throw InputError(path_, "", "a trace is a plain file");
  bytes_ = static_cast<std::uint64_t>(facts.st_size);
  go_on();
  if (bytes_ == 0) {
    const std::string head = wire::file_head(wire::kTraceMagic);
    if (::write(file_.get(), head.data(), head.size()) != static_cast<ssize_t>(head.size()))
      fail("cannot write");
    bytes_ = head.size();
  }
  uncommitted_ = true;
  commit();
  if (durability_ == Durability::machine) {
    const std::string folder = std::filesystem::absolute(path).parent_path().string();
    const system::Descriptor names(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!names || ::fsync(names.get()) != 0) fail("cannot make safe the folder of");
  }
}

void TraceWriter::fail(const char* what) const {
  throw std::system_error(errno, std::generic_category(), fmt::format("{} {}", what, path_));
}

// Finds the last number and time of a trace that is there, and its end.
void TraceWriter::go_on() {
  const std::string expected = wire::file_head(wire::kTraceMagic);
  std::string bytes(expected.size(), '\0');
  bytes.resize(read_at(file_.get(), 0, bytes.data(), bytes.size()));
  if (bytes != std::string_view(expected).substr(0, bytes.size()))
    throw InputError(path_, "byte 0", "this is no trace");
  std::uint64_t good = bytes.size() == expected.size() ? expected.size() : 0;
  std::string body;
  while (good > 0 && good < bytes_) {
    wire::FrameView frame;
    const wire::Parsed parsed = read_frame(file_.get(), good, bytes, frame);
    // What a writer was killed in, or the machine lost power in, is the last frame and no other.
    const bool wrong_checksum = parsed == wire::Parsed::damaged && frame.stored.data() != nullptr;
    if (parsed == wire::Parsed::partial || (wrong_checksum && good + frame.whole() == bytes_)) break;
    const bool known = frame.tag == static_cast<std::uint32_t>(wire::Tag::request) ||
                       frame.tag == static_cast<std::uint32_t>(wire::Tag::response);
    if (parsed == wire::Parsed::damaged || !known || !wire::unpack(frame, body)) {
      throw InputError(path_, fmt::format("byte {}", good), "this frame of the trace is damaged");
    }
    wire::Cursor cursor(body);
    last_rid_ = std::max(last_rid_, cursor.natural());
    last_time_ = std::max(last_time_, cursor.u64());
    good += frame.whole();
  }
  cut_off_ = bytes_ - good;
  if (cut_off_ > 0 && ::ftruncate(file_.get(), static_cast<off_t>(good)) != 0) fail("cannot cut the end of");
  bytes_ = good;
}

std::uint64_t TraceWriter::time() {
  const auto now = std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::system_clock::now().time_since_epoch());
  last_time_ = std::max(last_time_, static_cast<std::uint64_t>(now.count()));
  return last_time_;
}

void TraceWriter::append(wire::Tag tag, std::string_view record) {
  const std::string frame = wire::frame(tag, record);
  ssize_t written = 0;
  do {
    written = ::write(file_.get(), frame.data(), frame.size());
  } while (written < 0 && errno == EINTR);
  if (written < 0) fail("cannot write");
  // A full disk takes a part. It stays, as the cut end of a trace that goes no further.
  if (static_cast<std::size_t>(written) != frame.size()) {
    errno = ENOSPC;
    fail("cannot write");
  }
  bytes_ += frame.size();
  uncommitted_ = true;
}

void TraceWriter::request(std::uint64_t rid, const fastcgi::Params& params, std::string_view body) {
  wire::Request record;
  record.rid = rid;
  record.time = time();
  for (const auto& [name, value] : params) record.params.push_back({name, value});
  record.stdin_bytes = body;
  append(wire::Tag::request, wire::encode(record));
  last_rid_ = rid;
}

void TraceWriter::response(std::uint64_t rid, wire::EndReason end, const CgiHead* head,
                           std::string_view body) {
  wire::Response record;
  record.rid = rid;
  record.time = time();
  record.end = end;
  if (head != nullptr) {
    record.status = head->status;
    for (const Field& field : head->fields) record.headers.push_back({field.name, field.value});
    record.body = body;
  }
  append(wire::Tag::response, wire::encode(record));
}

void TraceWriter::commit() {
  if (durability_ == Durability::machine && uncommitted_ && ::fdatasync(file_.get()) != 0)
    fail("cannot make safe");
  uncommitted_ = false;
}

}  // namespace assay::audit::front
