#include "check/fates.hpp"

#include <fmt/format.h>

namespace assay::check {

Outcome decide_fates(const History& history, const Reads& reads,
                     const std::function<Outcome(const Reads&)>& decide) {
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
    return decide(resolve_reads(history, fates));
  };
  // All or none of them is the most likely answer, and all there is if there are many.
  const Outcome all = with(~std::uint64_t{0});
  if (all.verdict == Verdict::holds) return all;
  Outcome last = with(0);
  if (last.verdict == Verdict::holds) return last;
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
    if (last.verdict == Verdict::undecided) {
      all_violated = false;
      break;
    }
  }
  if (all_violated) return all;
  if (last.verdict == Verdict::violated) last = all;
  return last;
}

}  // namespace assay::check
