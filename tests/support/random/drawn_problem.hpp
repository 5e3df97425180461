// A drawn history (draw.hpp) as the problem that a strong level makes of it.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "check/limits.hpp"
#include "check/reads.hpp"
#include "check/strong/problem.hpp"
#include "support/random/draw.hpp"

namespace assay {

struct DrawnProblem {
  DrawnProblem(std::string_view drawing, Level level)
      : history(draw(drawing)),
        reads(check::resolve_reads(history)),
        problem(check::Question{history, reads, check::strong_level(level), true, {}}) {}
  DrawnProblem(const DrawnProblem&) = delete;
  DrawnProblem& operator=(const DrawnProblem&) = delete;

  check::Node begin(std::uint32_t t) const { return problem.begin_of(Txn{t}); }
  check::Node commit(std::uint32_t t) const { return problem.commit_of(Txn{t}); }

  // Whether the nodes, in this order, respect what is known, and every read sees the last write before it. With
  // writers that exclude each other: whether none overlap.
  bool is_witness(const std::vector<check::Node>& order) const {
    std::vector<std::size_t> place(problem.nodes(), order.size());
    for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
    for (check::Node u = 0; u < problem.nodes(); ++u) {
      for (const check::Node v : problem.after()[u]) {
        if (place[u] >= place[v]) return false;
      }
    }
    for (const Txn t : history.all_transactions()) {
      for (const check::Source source : reads.reads_of(t)) {
        if (!sees(place, t, source)) return false;
      }
      for (const check::Write w : reads.writes_of(t)) {
        if (problem.level.writers_exclude && overlaps(place, t, reads.key(w))) return false;
      }
    }
    return true;
  }

  const History history;
  const check::Reads reads;
  check::Problem problem;
  check::Limits limits;

 private:
  bool sees(const std::vector<std::size_t>& place, Txn reader, check::Source source) const {
    check::Write last = reads.initial_write(reads.key(source));
    for (const check::Write w : reads.writes_of(reads.key(source))) {
      if (reads.is_initial(w) || reads.writer(w) == reader) continue;
      const std::size_t at = place[problem.commit_of(reads.writer(w))];
      if (at > place[problem.begin_of(reader)]) continue;
      if (reads.is_initial(last) || at > place[problem.commit_of(reads.writer(last))]) last = w;
    }
    if (!source.is_ambiguous()) return last == source.write();
    const auto candidates = reads.candidates(source.set());
    return std::find(candidates.begin(), candidates.end(), last) != candidates.end();
  }
  bool overlaps(const std::vector<std::size_t>& place, Txn t, Key key) const {
    for (const check::Write w : reads.writes_of(key)) {
      if (reads.is_initial(w) || reads.writer(w) == t) continue;
      const Txn other = reads.writer(w);
      if (place[problem.begin_of(t)] < place[problem.commit_of(other)] &&
          place[problem.begin_of(other)] < place[problem.commit_of(t)]) {
        return true;
      }
    }
    return false;
  }
};

}  // namespace assay
