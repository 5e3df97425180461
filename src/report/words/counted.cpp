#include "report/words/counted.hpp"

#include <fmt/format.h>

namespace assay::report {

std::string grouped(std::uint64_t n) {
  std::string digits = fmt::format("{}", n);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

std::string counted(std::uint64_t n, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(n), noun, n == 1 ? "" : "s");
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  const double share = whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
  return fmt::format("{:.{}f} %", 100 * share, share < 0.1 ? 1 : 0);
}

std::string time_of_day(std::int64_t nanoseconds) {
  const std::int64_t microseconds = nanoseconds / 1000, seconds = microseconds / 1'000'000;
  return fmt::format("{:02}:{:02}:{:02}.{:06}", seconds / 3600 % 24, seconds / 60 % 60, seconds % 60,
                     microseconds % 1'000'000);
}

std::string duration_told(std::uint64_t nanoseconds) {
  struct Unit {
    std::string_view name;
    double nanoseconds;
  };
  constexpr Unit kUnits[] = {{"s", 1e9}, {"ms", 1e6}, {"µs", 1e3}};
  for (const Unit& unit : kUnits) {
    const double size = static_cast<double>(nanoseconds) / unit.nanoseconds;
    if (size >= 1) return fmt::format("{:.{}f} {}", size, size >= 100 ? 0 : size >= 10 ? 1 : 2, unit.name);
  }
  return fmt::format("{} ns", nanoseconds);
}

}  // namespace assay::report
