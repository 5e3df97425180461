// What every lie needs: a place drawn from a seed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "audit/draft.hpp"

namespace assay::audit::lie {

// splitmix64: a seed gives the same lie everywhere.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed) {}
  std::size_t below(std::size_t bound) {
    state_ += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return static_cast<std::size_t>((z ^ (z >> 31)) % bound);
  }

 private:
  std::uint64_t state_;
};

// One of those that fit, or null.
template <class Element, class Fits>
Element* pick(std::vector<Element>& all, Draw& draw, const Fits& fits) {
  std::vector<Element*> fitting;
  for (Element& element : all) {
    if (fits(element)) fitting.push_back(&element);
  }
  return fitting.empty() ? nullptr : fitting[draw.below(fitting.size())];
}

template <class Element>
void remove(std::vector<Element>& all, const Element* gone) {
  all.erase(all.begin() + (gone - all.data()));
}

inline bool flip(std::string& bytes, Draw& draw) {
  if (bytes.empty()) return false;
  char& byte = bytes[draw.below(bytes.size())];
  byte = static_cast<char>(byte ^ static_cast<char>(1U << draw.below(7)));
  return true;
}

inline bool is_whole_response(const DraftEvent& event) {
  return event.is_response &&
         (event.end == wire::EndReason::complete || event.end == wire::EndReason::client_gone);
}

}  // namespace assay::audit::lie
