// A fragment: the next part of what one collector saw. Collectors number their fragments from 0, without
// gaps; a fragment continues the sessions of those before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "collect/frame.hpp"
#include "history/history.hpp"

namespace assay::collect {

struct Fragment {
  std::string collector;
  std::uint64_t sequence = 0;
  bool last = false;   // the collector's sessions end here; there is no history
  std::string cursor;  // for the source: how to go on after this fragment in another process
  std::string block;   // the history as PackedCodec gives it; may be empty where nobody packed it yet
  History history;
};

// How far a collector has come.
struct Progress {
  std::uint64_t next = 0;  // sequence number of the fragment that comes next
  bool done = false;
  std::string cursor;
  bool announced = false;  // its first fragment named all of its sessions, and held nothing else
};

// By collector; what was taken in for good.
using ProgressOf = std::map<std::string, Progress, std::less<>>;
// By session: the collector that sends it. Two that send one session would leave its order to chance.
using OwnerOf = std::map<std::string, std::string, std::less<>>;

// What is sent for a block of a recording: the block itself, or several that continue each other where it has
// more bytes than `largest`, or would unpack to more than `unpacked`. Each of them names all of its sessions. One
// transaction is never taken apart.
std::vector<std::string> sendable(std::string block, const History& history,
                                  std::size_t largest = kLargestBlock,
                                  std::uint64_t unpacked = kLargestUnpacked);

// What sources hand over at a time. They stop when there is no more room; one fragment may overshoot.
class Batch {
 public:
  Batch(OwnerOf& owners, std::size_t room) : owners_(owners), room_(room) {}

  bool has_room() const { return room_ > 0; }
  bool empty() const { return fragments_.empty(); }
  // Throws InputError, and takes nothing, if it has a session that another collector sends.
  void add(Fragment fragment);
  std::vector<Fragment> take() { return std::move(fragments_); }

  // Calls collect(i) for each of several that take turns. Each may use an equal part of the room, and of what
  // those before it left: a long backlog of one does not keep the sessions of the others from being heard.
  template <class Collect>
  void share(std::size_t among, const Collect& collect) {
    std::size_t left = room_;
    for (std::size_t i = 0; i < among; ++i) {
      const std::size_t part = left / (among - i);
      room_ = part;
      collect(i);
      left -= part - room_;
    }
    room_ = left;
  }

 private:
  OwnerOf& owners_;
  std::vector<Fragment> fragments_;
  std::size_t room_;  // bytes, about
};

}  // namespace assay::collect
