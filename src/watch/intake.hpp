// Takes fragments in: collects from the sources, writes the log, acknowledges, and hands over what is safe. It
// does one step at a time and never waits, so that whoever calls it decides when: a thread (feed.hpp), or a
// test that plays all parts in turn.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "collect/source.hpp"
#include "watch/keep/log.hpp"

namespace assay::watch {

class Intake {
 public:
  // `log` may be null: then "safe" means to be in memory. `first` is the number of the first fragment.
  // `until_end`: all that is there now is all.
  Intake(std::vector<std::unique_ptr<collect::Source>> sources, collect::OwnerOf owners, Log* log,
         std::uint64_t first, bool until_end, collect::Note note);

  enum class Step : std::uint8_t {
    took,   // something, and there may be more
    idle,   // nothing has come
    stuck,  // the log cannot be written: what was collected waits, and is tried again by the next step
    ended,  // nothing will come any more
  };
  struct Taken {
    Step step = Step::idle;
    std::uint64_t first = 0;  // number of the first of them
    std::vector<collect::Fragment> fragments;
  };
  // Collects at most about `room` bytes. What a source throws is thrown by the step after the one that hands
  // over what came before the mistake.
  Taken step(std::size_t room);

  // The log could not be written when it was last tried. From any thread.
  bool stuck() const { return stuck_; }
  // What the sources have against saying that all is well.
  std::vector<collect::Doubt> doubts() const;
  // Descriptors that are worth waking up for.
  void wake(std::vector<pollfd>& into) const;

 private:
  void collect(std::size_t room);
  bool make_safe();

  std::vector<std::unique_ptr<collect::Source>> sources_;
  collect::OwnerOf owners_;
  Log* log_;
  std::uint64_t next_;
  bool until_end_;
  collect::Note note_;
  std::vector<collect::Fragment> unsafe_;  // collected, and in the log, but not known to be on the disk
  bool at_the_end_ = false;
  std::exception_ptr failure_;
  std::atomic<bool> stuck_ = false;
};

}  // namespace assay::watch
