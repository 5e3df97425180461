// A database that breaks its promise does so again and again. Of each kind of violation the first few are told in full,
// then they are counted; and nobody is called for a kind more often than they asked to be.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace assay::cli {

class Repetition {
 public:
  using Clock = std::chrono::steady_clock;

  Repetition(std::size_t in_full, std::chrono::nanoseconds between_alerts)
      : in_full_(in_full), between_alerts_(between_alerts) {}

  struct Next {
    std::uint64_t of_its_kind = 0;  // 1 for the first
    bool in_full = false;
    bool alert = false;
  };
  Next next(const std::string& kind, Clock::time_point now);

  // By kind, how many there were.
  std::map<std::string, std::uint64_t> counts() const;
  // "240 lost update, 5 write skew": the most frequent first.
  std::string told() const;

 private:
  struct Kind {
    std::uint64_t count = 0;
    std::optional<Clock::time_point> alerted;
  };
  std::size_t in_full_;
  std::chrono::nanoseconds between_alerts_;
  std::map<std::string, Kind> kinds_;
};

}  // namespace assay::cli
