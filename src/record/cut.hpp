// Which of the transactions that have ended may be written now, such that the file is complete in itself: if
// a transaction is in it, so is each that it read from. Otherwise a file that a crash cut off would accuse
// the database of values from nowhere. Times alone cannot decide this: where sessions are busy, there is no
// moment at which none has a transaction open. So the versions that were read decide; they tell their
// writers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace assay::record {

class Cut {
 public:
  // Version v was written by session v % sessions, and the versions of a session rise.
  explicit Cut(std::uint32_t sessions) : written_(sessions, 0) {}

  // Of each session so many of the bytes that it sent and that are not written yet. `open_since`: when the
  // session began what it had not sent when those were taken, or for one without: a time before that.
  std::vector<std::size_t> of(std::span<const std::string> sent, std::span<const std::int64_t> open_since);

 private:
  std::vector<std::uint64_t> written_;  // per session: its last version in the file
};

}  // namespace assay::record
