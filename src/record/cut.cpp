#include "record/cut.hpp"

#include <algorithm>

#include "record/transaction_bytes.hpp"

namespace assay::record {

std::vector<std::size_t> Cut::of(std::span<const std::string> sent,
                                 std::span<const std::int64_t> open_since) {
  const std::size_t sessions = sent.size();
  std::vector<std::vector<SentTransaction>> all(sessions);
  std::vector<std::size_t> included(sessions);
  // The last version of those of its session that are included, and of all that it sent.
  std::vector<std::uint64_t> last = written_, last_sent = written_;
  for (std::size_t s = 0; s < sessions; ++s) {
    all[s] = look_through(sent[s]);
    included[s] = all[s].size();
    for (const SentTransaction& t : all[s]) last_sent[s] = std::max(last_sent[s], t.last_written);
    last[s] = last_sent[s];
  }
  const auto waits = [&](const SentTransaction& t) {
    return std::any_of(t.read.begin(), t.read.end(), [&](std::uint64_t version) {
      const std::size_t writer = version % sessions;
      if (version <= last[writer]) return false;
      // Who wrote it had begun when this one ended. If its session has nothing open from then, it was not
      // recorded, and never will be: a value from nowhere.
      return version <= last_sent[writer] || open_since[writer] <= t.end;
    });
  };
  // The largest set that needs nothing outside it.
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t s = 0; s < sessions; ++s) {
      for (std::size_t i = 0; i < included[s]; ++i) {
        if (!waits(all[s][i])) continue;
        included[s] = i;
        last[s] = written_[s];
        for (std::size_t j = 0; j < i; ++j) last[s] = std::max(last[s], all[s][j].last_written);
        changed = true;
      }
    }
  }
  written_ = std::move(last);
  std::vector<std::size_t> bytes(sessions, 0);
  for (std::size_t s = 0; s < sessions; ++s) {
    if (included[s] > 0) bytes[s] = all[s][included[s] - 1].end_of_bytes;
  }
  return bytes;
}

}  // namespace assay::record
