// Histories of several tenants, decided by tenants and as a whole: on tiny random ones the verdicts must be the same, each
// must prove itself, and where the theorem of docs/scale.md says that the tenants tell all, nothing may have been joined.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <vector>

#include "check/check.hpp"
#include "history/builder.hpp"
#include "split/division.hpp"
#include "split/split.hpp"
#include "support/judge/brute_force.hpp"
#include "support/judge/replay.hpp"
#include "support/random/random_history.hpp"

namespace assay::split {
namespace {

using check::Outcome;
using check::Verdict;

constexpr char kTenant[] = "?";  // the first digit of a key

struct Drawn {
  History history;
  bool forest = true;      // of sessions and tenants, told from the drawing alone
  bool sequential = true;  // each transaction ended before the next of its session began, or has no successor
};

// Takes leaves away until nothing or a circle is left: not how the program does it.
bool is_forest(std::set<std::pair<std::uint32_t, std::uint32_t>> meetings, std::uint32_t sessions,
               std::uint32_t tenants) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    std::vector<int> of_session(sessions, 0), of_tenant(tenants, 0);
    for (const auto& [s, k] : meetings) {
      ++of_session[s];
      ++of_tenant[k];
    }
    smaller = std::erase_if(meetings, [&](const auto& edge) {
                return of_session[edge.first] == 1 || of_tenant[edge.second] == 1;
              }) > 0;
  }
  return meetings.empty();
}

// The transactions of each tenant are those of a random history of its own; each of its sessions becomes one of the common
// ones, where they wait for their turn.
class TenantsDrawer {
 public:
  TenantsDrawer(Rng& rng, const Shape& shape) : rng_(rng), shape_(shape) {}

  Drawn draw() {
    const std::uint32_t tenants = rng_.between(2, 3), sessions = rng_.between(1, 4);
    std::vector<std::vector<Step>> queues(sessions);
    std::vector<History> histories;
    for (std::uint32_t tenant = 0; tenant < tenants; ++tenant)
      histories.push_back(random_history(rng_, shape_));
    for (std::uint32_t tenant = 0; tenant < tenants; ++tenant) {
      const History& h = histories[tenant];
      for (std::uint32_t s = 0; s < h.sessions(); ++s) {
        std::vector<Step>& queue = queues[rng_.below(sessions)];
        std::size_t at = 0;
        for (const Txn t : h.transactions_of(Session{s})) {
          at = rng_.between(static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(queue.size()));
          queue.insert(queue.begin() + static_cast<std::ptrdiff_t>(at++), {tenant, t});
        }
      }
    }
    Drawn drawn;
    HistoryBuilder build;
    std::set<std::pair<std::uint32_t, std::uint32_t>> meetings;
    std::int64_t name = 0;
    for (std::uint32_t s = 0; s < sessions; ++s) {
      std::int64_t now = rng_.between(1, 4);
      for (std::size_t i = 0; i < queues[s].size(); ++i) {
        const Step step = queues[s][i];
        const History& h = histories[step.tenant];
        meetings.insert({s, step.tenant});
        build.begin(build.session(Atom::integer(s)), Atom::integer(++name));
        for (const Op op : h.operations_of(step.txn)) add(build, h, op, step.tenant);
        const Status status = h.status(step.txn);
        if (!shape_.times) {
          build.end(status);
          continue;
        }
        const std::int64_t start = now, end = start + rng_.between(0, 6);
        now = end + rng_.between(1, 3);
        if (status == Status::unknown) {
          build.end(status, start);
          if (i + 1 < queues[s].size()) drawn.sequential = false;
        } else {
          build.end(status, start, end);
        }
      }
    }
    drawn.history = build.finish();
    drawn.forest = is_forest(meetings, sessions, tenants);
    return drawn;
  }

 private:
  struct Step {
    std::uint32_t tenant;
    Txn txn;
  };

  static Atom key(const History& h, Key k, std::uint32_t tenant) {
    return Atom::integer((tenant + 1) * 100 + static_cast<std::int64_t>(h.name(k).bits));
  }

  static void add(HistoryBuilder& build, const History& h, Op op, std::uint32_t tenant) {
    if (h.kind(op) == OpKind::list_read) {
      std::vector<Atom> elements;
      for (const Version v : h.list(op).elements) elements.push_back(h.value(v));
      return build.list_read(key(h, h.list(op).key, tenant), elements);
    }
    const Version v = h.version(op);
    const Key there = build.key(key(h, h.key_of(v), tenant));
    h.is_initial(v) ? build.operation(h.kind(op), there) : build.operation(h.kind(op), there, h.value(v));
  }

  Rng& rng_;
  const Shape& shape_;
};

// A serial run of transactions of several tenants in common sessions, in which some reads go back: each tenant often
// holds where the whole does not.
Drawn draw_run(Rng& rng, bool times) {
  struct Written {
    std::int64_t key;
    std::vector<std::int64_t> values;
  };
  const std::uint32_t tenants = rng.between(2, 4), sessions = rng.between(2, 4), n = rng.between(4, 10);
  std::vector<Written> keys;
  for (std::uint32_t k = 0; k < tenants; ++k) {
    for (std::uint32_t i = 1; i <= 2; ++i) keys.push_back({(k + 1) * 100 + i, {}});
  }
  std::vector<std::int64_t> ended(sessions, 0);
  Drawn drawn;
  HistoryBuilder build;
  std::set<std::pair<std::uint32_t, std::uint32_t>> meetings;
  std::int64_t value = 0;
  const double stale = rng.chance(0.3) ? 0 : 0.25;
  for (std::uint32_t t = 0; t < n; ++t) {
    const std::uint32_t s = rng.below(sessions), tenant = rng.below(tenants);
    meetings.insert({s, tenant});
    build.begin(build.session(Atom::integer(s)), Atom::integer(t + 1));
    std::vector<std::pair<Written*, std::int64_t>> wrote;
    for (std::uint32_t i = rng.between(1, 3); i > 0; --i) {
      Written& key = keys[2 * tenant + rng.below(2)];
      const Atom name = Atom::integer(key.key);
      const bool own =
          std::any_of(wrote.begin(), wrote.end(), [&](const auto& one) { return one.first == &key; });
      if (own) continue;
      if (rng.chance(0.5)) {
        build.write(name, Atom::integer(++value));
        wrote.emplace_back(&key, value);
        continue;
      }
      const auto latest = static_cast<std::uint32_t>(key.values.size());
      const std::uint32_t seen = rng.chance(stale) ? rng.between(0, latest) : latest;
      seen == 0 ? build.read_initial(name) : build.read(name, Atom::integer(key.values[seen - 1]));
    }
    for (const auto& [key, written] : wrote) key->values.push_back(written);
    const std::int64_t start = std::max<std::int64_t>(ended[s] + 1, std::int64_t{4} * t - rng.below(6)),
                       end = start + rng.below(6);
    ended[s] = end;
    times ? build.end(Status::committed, start, end) : build.end(Status::committed);
  }
  drawn.history = build.finish();
  drawn.forest = is_forest(meetings, sessions, tenants);
  return drawn;
}

std::uint64_t count(const Outcome& outcome, std::string_view name) {
  for (const check::Count& one : outcome.counts) {
    if (one.name == name) return one.value;
  }
  return 0;
}

bool proves_itself(const History& h, const Outcome& outcome, const check::Options& options) {
  if (outcome.verdict == Verdict::violated) {
    return !outcome.bad_reads.empty() || !outcome.derivation.empty() || !outcome.core.empty();
  }
  if (outcome.level == Level::repeatable_read || !outcome.choices.empty()) return true;
  return !replay(h, outcome.level, options.sessions == check::SessionOrder::keep,
                 options.clock_drift.value_or(std::chrono::nanoseconds(0)), outcome.order);
}

struct Tally {
  std::uint64_t forests = 0, circles = 0, joined = 0, merged = 0, violated = 0, holds = 0;
};

void compare(const std::function<Drawn(Rng&)>& draw, bool times, std::uint64_t cases, bool brute) {
  std::vector<Level> asked;
  for (const LevelInfo& level : levels()) {
    if (!level.real_time || times) asked.push_back(level.level);
  }
  const std::uint64_t seed = random_seed();
  Tally tally;
  for (std::uint64_t i = 0; i < cases; ++i) {
    Rng rng(seed + i);
    const Drawn drawn = draw(rng);
    const History& h = drawn.history;
    if (h.transactions() == 0) continue;
    check::Options options;
    options.sessions = rng.chance(0.85) ? check::SessionOrder::keep : check::SessionOrder::ignore;
    options.clock_drift = std::chrono::nanoseconds(rng.chance(0.7) ? 0 : rng.below(4));
    options.threads = 1;
    const std::vector<Outcome> whole = check::check(h, asked, options);
    const std::vector<Outcome> parts = decide(h, asked, options, kTenant);
    ASSERT_EQ(parts.size(), whole.size());
    const bool free = drawn.forest || options.sessions == check::SessionOrder::ignore;
    ++(free ? tally.forests : tally.circles);
    const bool ambiguous = check::resolve_reads(h).ambiguous_sets() != 0;
    const bool divided = divide(h, TenantPattern(kTenant)).parts > 1;
    for (std::size_t l = 0; l < asked.size(); ++l) {
      const auto where = [&] {
        return fmt::format("seed {} at {}{}, drift {}\n{}", seed + i, info(asked[l]).name,
                           options.sessions == check::SessionOrder::keep ? "" : ", no sessions",
                           options.clock_drift->count(), drawing(h));
      };
      if (whole[l].verdict != Verdict::undecided) {
        ASSERT_EQ(parts[l].verdict, whole[l].verdict) << where();
      }
      if (parts[l].verdict != Verdict::undecided) {
        ASSERT_TRUE(proves_itself(h, parts[l], options)) << where();
      }
      // Real time joins tenants that share no session, so that there a forest says nothing.
      const bool in_the_times = options.sessions == check::SessionOrder::ignore ||
                                (drawn.sequential && options.clock_drift->count() == 0);
      const bool exact = info(asked[l]).real_time ? in_the_times : free;
      if (exact || asked[l] == Level::causal) {
        ASSERT_EQ(count(parts[l], "parts joined"), 0U) << where();
      }
      // Where several can have written what was read, a weak level is decided on the whole.
      const bool told_by_order = !ambiguous || implies(asked[l], Level::prefix);
      if (exact && divided && told_by_order) {
        ASSERT_GE(count(parts[l], "parts"), 2U) << where();
      }
      tally.joined += count(parts[l], "parts joined") != 0 ? 1 : 0;
      tally.merged += parts[l].method == "parts" ? 1 : 0;
      ++(parts[l].verdict == Verdict::holds ? tally.holds : tally.violated);
      if (!brute || h.transactions() > 7) continue;
      const Reading reading{options.sessions == check::SessionOrder::keep, *options.clock_drift};
      ASSERT_EQ(parts[l].verdict == Verdict::holds, brute_force(h, asked[l], reading)) << where();
    }
  }
  fmt::print(
      "forests {}, circles {}; levels merged {}, after joining {}; holds {}, violated or undecided {}\n",
      tally.forests, tally.circles, tally.merged, tally.joined, tally.holds, tally.violated);
}

void compare(const Shape& shape, std::uint64_t cases, bool brute) {
  compare([&](Rng& rng) { return TenantsDrawer(rng, shape).draw(); }, shape.times, cases, brute);
}

Shape small() {
  Shape shape;
  shape.max_transactions = 6;
  shape.max_keys = 2;
  return shape;
}

TEST(SplitRandom, Registers) {
  compare(small(), random_cases(1500), false);
}

TEST(SplitRandom, EverythingThatARegisterCanHave) {
  Shape shape = shape_with_everything();
  shape.max_transactions = 6;
  shape.max_keys = 2;
  shape.times = false;
  compare(shape, random_cases(1000), false);
}

TEST(SplitRandom, Lists) {
  Shape shape = shape_of_lists();
  shape.max_transactions = 4;
  shape.max_keys = 2;
  shape.times = false;
  compare(shape, random_cases(700), false);
}

TEST(SplitRandom, RealTime) {
  Shape shape = shape_with_everything();
  shape.max_transactions = 6;
  shape.max_keys = 2;
  shape.times = true;
  compare(shape, random_cases(1500), false);
}

TEST(SplitRandom, RunsInCommonSessions) {
  compare([](Rng& rng) { return draw_run(rng, false); }, false, random_cases(2000), false);
}

TEST(SplitRandom, TimedRunsInCommonSessions) {
  compare([](Rng& rng) { return draw_run(rng, true); }, true, random_cases(2000), false);
}

TEST(SplitRandom, RunsAgreeWithTheDefinitions) {
  compare([](Rng& rng) { return draw_run(rng, true); }, true, random_cases(300), true);
}

TEST(SplitRandom, AgreesWithTheDefinitions) {
  Shape shape = small();
  shape.max_transactions = 3;
  compare(shape, random_cases(400), true);
}

}  // namespace
}  // namespace assay::split
