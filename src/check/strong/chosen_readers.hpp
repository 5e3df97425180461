// Which ambiguous reads were decided to have read which write: per write a list of the literals that say so,
// the newest first. Taken back in reverse, as the decisions are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "check/reads.hpp"
#include "check/strong/learn.hpp"

namespace assay::check {

class ChosenReaders {
 public:
  // Before the first use, and again when there may be more writes.
  void make_room(std::uint32_t writes) { newest_.resize(writes, kNone); }

  std::uint32_t height() const { return static_cast<std::uint32_t>(pool_.size()); }

  void add(Lit choice, Write w) {
    std::uint32_t& newest = newest_[index(w)];
    pool_.push_back({choice, w, newest});
    newest = static_cast<std::uint32_t>(pool_.size() - 1);
  }

  // Takes back what came later, but for those of which stays(choice): they were made for good in between.
  template <class Stays>
  void undo_to(std::uint32_t height, Stays stays) {
    std::vector<Chosen> kept;
    while (pool_.size() > height) {
      const Chosen last = pool_.back();
      pool_.pop_back();
      newest_[index(last.write)] = last.next;
      if (stays(last.choice)) kept.push_back(last);
    }
    for (std::size_t i = kept.size(); i-- > 0;) add(kept[i].choice, kept[i].write);
  }

  template <class Visit>
  void for_each(Write w, Visit visit) const {
    if (newest_.empty()) return;
    for (std::uint32_t i = newest_[index(w)]; i != kNone; i = pool_[i].next) visit(pool_[i].choice);
  }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;
  struct Chosen {
    Lit choice;
    Write write;
    std::uint32_t next;  // in pool_
  };

  std::vector<std::uint32_t> newest_;  // by write: in pool_
  std::vector<Chosen> pool_;
};

}  // namespace assay::check
