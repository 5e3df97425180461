// Writes the history while it happens, or hands it to somebody else. Each session hands its ended
// transactions to a ring of its own (see ring.hpp); one thread gathers them and appends them to the
// file, a block at a time, at least once a second. What it has written stays readable whatever happens to
// this process.
//
// What it has written is also complete in itself, wherever a crash cuts it off: see cut.hpp. Who
// read what a transaction wrote that is not known to have ended waits for it, and so does the reader's
// session.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "format/assay/packed.hpp"
#include "history/atom.hpp"
#include "record/cut.hpp"
#include "record/ring.hpp"
#include "system/thread_safety.hpp"

namespace assay::record {

// The times in a history: the wall clock as it stood when the recording began, moved on by the monotonic
// clock, so that they mean something to a reader of logs and never step.
class RecordingClock {
 public:
  std::int64_t nanoseconds() const {
    const auto passed = std::chrono::steady_clock::now() - monotonic_;
    return wall_ + std::chrono::duration_cast<std::chrono::nanoseconds>(passed).count();
  }
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - monotonic_).count();
  }

 private:
  std::chrono::steady_clock::time_point monotonic_ = std::chrono::steady_clock::now();
  std::int64_t wall_ = std::chrono::duration_cast<std::chrono::nanoseconds>(
                           std::chrono::system_clock::now().time_since_epoch())
                           .count();
};

class Recorder {
 public:
  // Where blocks go: to a file, to whoever else wants them, or both; then to the file first. `also` may wait,
  // which slows the recording down; what it throws ends up in finish().
  struct Output {
    std::optional<std::filesystem::path> file;
    std::function<void(History)> also;
  };

  // Sessions are called by their numbers, from 1. Throws InputError if the file cannot be written.
  Recorder(const std::filesystem::path& path, std::uint32_t sessions) : Recorder({path, {}}, sessions, "") {}
  // `about`, if there is any, is the first note, in a first block that tells the sessions and comes at once:
  // whatever `also` throws at it is thrown here.
  Recorder(const Output& output, std::uint32_t sessions, const std::string& about);
  // Ends the file as finish() does, but keeps errors to itself.
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  const RecordingClock& clock() const { return clock_; }
  // From now on the history's times are this far ahead of the clock: a fault. The history then says that its
  // times come from several clocks, which do not quite agree.
  void step_clock(std::chrono::nanoseconds ahead) {
    stepped_ = true;
    ahead_ = ahead.count();
  }
  std::int64_t nanoseconds_ahead() const { return ahead_.load(std::memory_order_relaxed); }
  // REQUIRES: used by one thread at a time.
  Ring& ring(std::uint32_t session) { return *rings_[session]; }
  // Something that happened to the whole recording; with the time since its start. From any thread.
  void annotate(const std::string& text);
  // The same for what a transaction saw. Many may see it: the first few are told, the others counted.
  void remark(const std::string& text);
  // A fact about the recording, without a time.
  void note(std::string text);

  // Writes the rest and closes the file. Throws what went wrong with it at any time. REQUIRES: no session
  // records any more.
  void finish();

 private:
  // Waits that long, or until somebody calls finish(): then it is true.
  bool finishing_within(std::chrono::milliseconds time);
  void write_until_finished();
  // All transactions that came, or those that need no other.
  void append_block(bool all);
  std::vector<std::size_t> take_consistently();

  RecordingClock clock_;
  std::atomic<std::int64_t> ahead_ = 0;
  std::atomic<bool> stepped_ = false;
  std::optional<format::PackedWriter> out_;
  std::function<void(History)> also_;
  std::vector<std::unique_ptr<Ring>> rings_;
  std::vector<std::string> taken_;  // by session: what is still to be written
  Cut cut_;
  std::int64_t next_name_ = 0;

  system::Mutex mutex_;
  system::Condition wake_;
  std::vector<std::string> notes_ GUARDED_BY(mutex_);
  std::uint64_t remarks_ GUARDED_BY(mutex_) = 0;
  bool finishing_ GUARDED_BY(mutex_) = false;

  std::exception_ptr failure_;  // of the writer, until it has ended
  std::thread writer_;
};

}  // namespace assay::record
