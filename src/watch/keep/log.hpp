// The write-ahead log of a watch: every fragment that was taken in, in order, and where rounds were cut, so
// that a process that starts again comes to the same violations in the same rounds. Segment files of frames;
// docs/collect.md gives the bytes. Fragments are numbered over all collectors; a checkpoint makes
// those before its number dispensable.
//
// Two threads use it: the one that takes fragments in and the one that decides. Every function locks but
// open(), which comes before there are two, and whose visitor may call the others.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "collect/fragment.hpp"
#include "collect/source.hpp"
#include "system/disk.hpp"
#include "system/thread_safety.hpp"

namespace assay::watch {

class Log {
 public:
  explicit Log(system::Disk& disk, std::uint64_t segment_bytes = std::uint64_t{1} << 26)
      : disk_(disk), segment_bytes_(segment_bytes) {}

  struct Visitor {
    std::function<void(std::uint64_t index, collect::Fragment fragment)> fragment;
    // All fragments below `end` had been added when a round was decided.
    std::function<void(std::uint64_t end)> round;
    // Asked before a fragment is unpacked, if given: whether to leave its content out. What it throws, if that is
    // no InputError, ends open().
    std::function<bool(std::uint64_t index, const std::string& collector, std::uint64_t unpacked_bytes)>
        skips = {};
  };
  // Calls back for all that is in the log from fragment `from` on, then makes the log ready to append. What a
  // crash left unfinished at its very end was never acknowledged: it is cut off with a note. Throws
  // InputError where the log is damaged otherwise, or has a gap. Returns the number of the next fragment.
  std::uint64_t open(std::uint64_t from, const Visitor& visit,
                     const collect::Note& note) BEFORE_OTHER_THREADS;

  // The fragment's number. It is safe only after sync().
  std::uint64_t append(const collect::Fragment& fragment);
  void append_round(std::uint64_t end);
  // Throws StorageError; then nothing is lost, and sync() may be tried again.
  void sync();
  // Removes segments that hold only fragments below `index`.
  void forget_before(std::uint64_t index);

  std::uint64_t bytes() const;

 private:
  struct Segment {
    std::uint64_t first;  // number of its first fragment
    std::string name;
    std::uint64_t bytes = 0;
  };
  std::vector<Segment> segments_on_disk() const;
  void read(const Segment& segment, bool is_last, std::uint64_t from, const Visitor& visit,
            const collect::Note& note, std::uint64_t& good) BEFORE_OTHER_THREADS;
  void begin_segment() REQUIRES_LOCK(mutex_);

  system::Disk& disk_;
  const std::uint64_t segment_bytes_;
  mutable system::Mutex mutex_;
  std::vector<Segment> segments_ GUARDED_BY(mutex_);
  // Appended since the last sync(); its place is behind segments_.back().bytes.
  std::string waiting_ GUARDED_BY(mutex_);
  std::uint64_t next_ GUARDED_BY(mutex_) = 0;    // number of the next fragment
  std::uint64_t synced_ GUARDED_BY(mutex_) = 0;  // the same at the last sync()
};

}  // namespace assay::watch
