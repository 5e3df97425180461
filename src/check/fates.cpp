#include "check/fates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace assay::check {

Outcome decide_fates(const History& history, const Reads& reads,
                     const std::function<Outcome(const Reads&)>& decide, QueryReads queries) {
  std::vector<Presence> fates;
  std::vector<Txn> open;
  for (const Txn t : history.all_transactions()) {
    fates.push_back(reads.presence(t));
    if (reads.presence(t) == Presence::conditional) open.push_back(t);
  }
  if (open.empty()) return decide(reads);

  const auto with = [&](std::uint64_t committed) {
    for (std::size_t i = 0; i < open.size(); ++i) {
      const bool present = i < 64 ? (committed >> i & 1U) != 0 : committed != 0;
      fates[index(open[i])] = present ? Presence::present : Presence::absent;
    }
    return decide(resolve_reads(history, fates, queries));
  };
  // All or none of them is the most likely answer, and all there is if there are many.
  Outcome all = with(~std::uint64_t{0});
  if (all.verdict == Verdict::holds) return all;
  std::set<Txn> core(all.core.begin(), all.core.end());
  Outcome last = with(0);
  if (last.verdict == Verdict::holds) return last;
  core.insert(last.core.begin(), last.core.end());
  bool all_violated = all.verdict == Verdict::violated && last.verdict == Verdict::violated;
  if (open.size() > kMostFates) {
    last.verdict = Verdict::undecided;
    last.reason = fmt::format(
        "the fate of {} transactions is unknown and other transactions wrote the same values: too many "
        "combinations",
        open.size());
    return last;
  }
  for (std::uint64_t committed = 1; committed + 1 < std::uint64_t{1} << open.size(); ++committed) {
    last = with(committed);
    if (last.verdict == Verdict::holds) return last;
    core.insert(last.core.begin(), last.core.end());
    if (last.verdict == Verdict::undecided) {
      all_violated = false;
      break;
    }
  }
  if (all_violated) {
    // Each choice is refuted by some transactions, and the reads that leave the choice open belong to them.
    for (const Txn t : history.all_transactions()) {
      for (const Source source : reads.reads_of(t)) {
        if (!source.is_ambiguous()) continue;
        const auto candidates = reads.candidates(source.set());
        if (std::none_of(candidates.begin(), candidates.end(), [&](Write w) {
              return !reads.is_initial(w) && reads.presence(reads.writer(w)) == Presence::conditional;
            })) {
          continue;
        }
        core.insert(t);
        for (const Write w : candidates) {
          if (!reads.is_initial(w)) core.insert(reads.writer(w));
        }
      }
    }
    all.core.assign(core.begin(), core.end());
    return all;
  }
  if (last.verdict == Verdict::violated) last = all;
  return last;
}

}  // namespace assay::check
