// Where fragments come from: a file that grows, a folder of them, a pipe, collectors at a socket.
#pragma once

#include <poll.h>

#include <functional>
#include <string>
#include <vector>

#include "collect/fragment.hpp"

namespace assay::collect {

// Told to the user while watching goes on.
using Note = std::function<void(const std::string&)>;

// Why what came is not all that was sent, or not from whom it should be.
struct Doubt {
  std::string why;
  std::string collector = {};  // whose next fragment settles it; empty: nothing that still comes does
};

class Source {
 public:
  Source() = default;
  virtual ~Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  // Adds what has arrived, without waiting, as long as there is room. Throws InputError where the input is
  // wrong and the source cannot go on.
  virtual void collect(Batch& into) = 0;
  // All that was collected is safe.
  virtual void acknowledge() {}
  // Nothing will ever come any more.
  virtual bool ended() const = 0;
  // All that is there now has been collected.
  virtual bool at_rest() const = 0;
  // Takes what is at the end now for the end: adds what only the end completes.
  virtual void finish(Batch&) {}
  // As of now: while there is one, nobody may say that all is well.
  virtual std::vector<Doubt> doubts() const { return {}; }
  // Adds descriptors that are worth waking up for.
  virtual void wake(std::vector<pollfd>&) const {}
};

}  // namespace assay::collect
