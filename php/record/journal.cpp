#include "record/journal.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "audit/wire/file_frame.hpp"

namespace assay::php {

namespace wire = audit::wire;

namespace {

constexpr std::size_t kFirstCapacity = std::size_t{1} << 20;
constexpr std::size_t kFrameWorthWriting = std::size_t{1} << 18;

// The two numbers in the head of the tail. A reader may look at any moment, after a kill at the latest.
void store_u64(char* at, std::uint64_t value) {
  std::atomic_signal_fence(std::memory_order_seq_cst);
  __atomic_store_n(reinterpret_cast<std::uint64_t*>(at), value, __ATOMIC_RELEASE);
}

}  // namespace

void Journal::close() {
  flush();
  if (is_open() && used_ == 0) unlink(tail_path_.c_str());
  forget();
}

void Journal::forget() {
  if (memory_ != nullptr) munmap(memory_, capacity_);
  if (report_ >= 0) ::close(report_);
  if (tail_ >= 0) ::close(tail_);
  memory_ = nullptr;
  report_ = tail_ = -1;
  capacity_ = used_ = 0;
  base_ = flushed_ = 0;
}

std::string Journal::path(const std::string& folder, std::uint64_t number) {
  char name[32];
  std::snprintf(name, sizeof name, "/worker-%06llu", static_cast<unsigned long long>(number));
  return folder + name;
}

std::string Journal::open(const std::string& folder, std::uint64_t number) {
  const std::string path = Journal::path(folder, number);
  number_ = number;
  const auto trouble = [&] { return path + ": cannot be created: " + std::strerror(errno); };
  tail_path_ = path + std::string(wire::kTailSuffix);
  report_ = ::open((path + std::string(wire::kReportSuffix)).c_str(),
                   O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0660);
  if (report_ < 0) return trouble();
  const std::string head = wire::file_head(wire::kReportMagic);
  if (::write(report_, head.data(), head.size()) != static_cast<ssize_t>(head.size())) return trouble();
  base_ = head.size();
  tail_ = ::open(tail_path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0660);
  if (tail_ < 0 || !reserve(kFirstCapacity)) {
    std::string why = trouble();
    forget();
    return why;
  }
  std::memcpy(memory_, head.data(), head.size());
  store_u64(memory_ + wire::kFileHead + 8, 0);
  store_u64(memory_ + wire::kFileHead, base_);
  return {};
}

// Really allocates the blocks, so that a full disk is an error here and not a signal at the first touch.
bool Journal::reserve(std::size_t bytes) {
  if (bytes <= capacity_) return true;
  std::size_t capacity = capacity_ == 0 ? kFirstCapacity : capacity_;
  while (capacity < bytes) capacity *= 2;
  if (posix_fallocate(tail_, 0, static_cast<off_t>(capacity)) != 0) return false;
  void* memory = memory_ == nullptr ? mmap(nullptr, capacity, PROT_READ | PROT_WRITE, MAP_SHARED, tail_, 0)
                                    : mremap(memory_, capacity_, capacity, MREMAP_MAYMOVE);
  if (memory == MAP_FAILED) return false;
  memory_ = static_cast<char*>(memory);
  capacity_ = capacity;
  return true;
}

bool Journal::append(std::string_view records) {
  if (!stage(records)) return false;
  confirm();
  return true;
}

bool Journal::stage(std::string_view records) {
  if (used_ + records.size() > wire::kLargestFrame) flush();
  if (!is_open() || !reserve(wire::kTailHead + used_ + records.size())) return false;
  std::memcpy(memory_ + wire::kTailHead + used_, records.data(), records.size());
  staged_ = records.size();
  return true;
}

void Journal::confirm() {
  if (!is_open()) return;
  used_ += staged_;
  staged_ = 0;
  store_u64(memory_ + wire::kFileHead + 8, used_);
}

bool Journal::overwrite(std::uint64_t place, char byte) {
  if (place < flushed_ || place >= end()) return false;
  memory_[wire::kTailHead + (place - flushed_)] = byte;
  return true;
}

void Journal::end_of_request() {
  if (used_ >= kFrameWorthWriting) flush();
}

void Journal::flush() {
  if (!is_open() || used_ == 0) return;
  const std::string frame = wire::frame(wire::Tag::records, {memory_ + wire::kTailHead, used_}, 3);
  if (::write(report_, frame.data(), frame.size()) != static_cast<ssize_t>(frame.size())) {
    // No room. The tail still has everything, as long as the report is no longer than it says.
    if (ftruncate(report_, static_cast<off_t>(base_)) != 0) forget();
    return;
  }
  base_ += frame.size();
  flushed_ += used_;
  used_ = 0;
  store_u64(memory_ + wire::kFileHead + 8, 0);
  store_u64(memory_ + wire::kFileHead, base_);
}

}  // namespace assay::php
