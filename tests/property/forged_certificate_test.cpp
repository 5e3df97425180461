// A forger who knows the language. It says whatever the verifier lets it say about a small history: all steps
// that are accepted one by one, cycles and splits made of them, all reads called bad, orders at random. What
// is accepted as a whole must be true by brute force.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <functional>

#include "history/digest.hpp"
#include "support/judge/brute_force.hpp"
#include "support/judge/brute_force_queries.hpp"
#include "support/judge/replay.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_history.hpp"
#include "support/random/random_queries.hpp"
#include "verify/verify.hpp"

namespace assay::verify {
namespace {

struct Forgery {
  Level level;
  bool sessions;
  int drift;
};

struct Edge {
  std::string from, to;
};

class Forger {
 public:
  Forger(const History& h, const Forgery& claim, Rng& rng) : h_(h), claim_(claim), rng_(rng) {
    events_.emplace_back("init");
    for (const Txn t : h.all_transactions()) {
      if (two_events() || rng.chance(0.1)) events_.push_back(fmt::format("b{}", index(t)));
      events_.push_back(fmt::format("c{}", index(t)));
      for (std::uint32_t i = 0; i < h.operations_of(t).size(); ++i) {
        const bool query = is_query(h.kind(h.operations_of(t)[i]));
        if (!query || rng.chance(0.1)) operations_.push_back(fmt::format("{}.{}", index(t), i));
        for (std::uint32_t k = 0; query && k < h.keys(); ++k) {
          operations_.push_back(fmt::format("{}.{}/{}", index(t), i, k));
        }
      }
    }
  }

  std::string head(const char* verdict) const {
    return fmt::format(
        "assay-certificate 2\nhistory {} sessions {} transactions {} operations {} keys {:016x}\n"
        "level {}\nsessions {}\nclock-drift {}\nverdict {}\n",
        h_.sessions(), h_.transactions(), h_.operations(), h_.keys(), digest(h_), info(claim_.level).name,
        claim_.sessions ? "keep" : "ignore", claim_.drift, verdict);
  }
  bool accepts(const std::string& body) const { return verify(with_end(body), "test", h_).accepted; }

  // Says "violated" in every way that it can think of; true if the verifier believes one.
  bool can_prove_a_violation() {
    for (const std::string& op : operations_) {
      if (accepts(head("violated") + "bad-read " + op + "\n")) return true;
      if (accepts(head("violated") + "bad-read " + op + " " + any(operations_) + "\n")) return true;
    }
    return refute(head("violated"), 0).has_value();
  }

  // Says "holds" with orders at random.
  bool can_prove_that_it_holds() {
    for (int tries = 0; tries < 20; ++tries) {
      std::vector<std::string> order;
      const bool two = two_events();
      for (const Txn t : h_.all_transactions()) {
        if (h_.status(t) == Status::aborted || (h_.status(t) == Status::unknown && rng_.chance(0.5)))
          continue;
        std::uint32_t at = rng_.below(static_cast<std::uint32_t>(order.size()) + 1);
        order.insert(order.begin() + at, fmt::format("{}{}", two ? 'b' : 'c', index(t)));
        if (!two) continue;
        at = rng_.between(at + 1, static_cast<std::uint32_t>(order.size()));
        order.insert(order.begin() + at, fmt::format("c{}", index(t)));
      }
      std::string body = head("holds");
      if (rng_.chance(0.3)) body += "saw " + any(operations_) + " " + any(transactions()) + "\n";
      for (const std::string& e : order) body += "order " + e + "\n";
      if (accepts(body)) return true;
    }
    return false;
  }

  std::uint64_t steps_accepted() const { return steps_accepted_; }

 private:
  const std::string& any(const std::vector<std::string>& all) {
    return all[rng_.below(static_cast<std::uint32_t>(all.size()))];
  }
  std::vector<std::string> transactions() const {
    std::vector<std::string> all{"init"};
    for (const Txn t : h_.all_transactions()) all.push_back(std::to_string(index(t)));
    return all;
  }

  // Steps at random, of which the accepted ones are kept, until they have a cycle; else splits.
  std::optional<std::string> refute(std::string body, int depth) {
    if (operations_.empty()) return std::nullopt;
    const std::size_t before = edges_.size();
    std::optional<std::string> proof;
    for (int tries = 0; tries < 400 && !proof; ++tries) {
      const std::string line = fmt::format("step {} {}\n", edges_.size(), any_step());
      // All that is wrong with an accepted step is that nothing follows it.
      const std::string reason = verify(with_end(body + line), "test", h_).reason;
      if (reason.find("\"cycle\" was expected") == std::string::npos) continue;
      ++steps_accepted_;
      const std::size_t first = line.find(' ', line.find(' ', 5) + 1) + 1, second = line.find(' ', first) + 1;
      edges_.push_back({line.substr(first, second - 1 - first),
                        line.substr(second, line.find_first_of(" \n", second) - second)});
      body += line;
      const auto cycle = path(edges_.back().to, edges_.back().from);
      if (!cycle) continue;
      const std::string closed = fmt::format("{}cycle {}{}\n", body, edges_.size() - 1, *cycle);
      if (depth > 0 || accepts(closed)) proof = closed;
    }
    if (!proof && depth < 2) proof = split(body, depth);
    edges_.resize(before);
    return proof;
  }

  std::optional<std::string> split(std::string body, int depth) {
    std::vector<std::string> cases;
    if (rng_.chance(0.5)) {
      const std::string a = any(transactions()), b = any(transactions());
      body += fmt::format("split-order {} {} {}\n", rng_.below(h_.keys()), a, b);
      cases = {a + " " + b, b + " " + a};
      if (rng_.chance(0.1)) cases.pop_back();
    } else {
      body += "split-read " + any(operations_) + "\n";
      for (const std::string& t : transactions()) {
        if (rng_.chance(0.6)) cases.push_back(t);
      }
    }
    for (const std::string& one : cases) {
      body += fmt::format("case {} {}\n", edges_.size(), one);
      const std::string reason = verify(with_end(body), "test", h_).reason;
      if (reason.find("\"cycle\" was expected") == std::string::npos) return std::nullopt;
      edges_.push_back({"?", "?"});  // the verifier knows it; a forger need not
      const auto proof = refute(body, depth + 1);
      edges_.pop_back();
      if (!proof) return std::nullopt;
      body = *proof;
    }
    body += "qed\n";
    return depth > 0 || accepts(body) ? std::optional(body) : std::nullopt;
  }

  std::string any_step() {
    static const std::array<const char*, 11> kRules{
        "start",         "program",     "session",         "real-time",       "reads-from", "initial",
        "version-order", "overwritten", "anti-dependency", "first-committer", "axiom"};
    const std::string rule = kRules[rng_.below(kRules.size())];
    const std::string op = any(operations_), reader = op.substr(0, op.find('.'));
    std::string from = any(events_), to = any(events_), premises;
    const auto begin = [&](const std::string& t) { return (two_events() ? "b" : "c") + t; };
    const bool rests =
        rule == "overwritten" || rule == "anti-dependency" || rule == "first-committer" || rule == "axiom";
    std::string start, end;  // of a walk along what is known
    if (rests && !edges_.empty()) {
      std::uint32_t at = rng_.below(static_cast<std::uint32_t>(edges_.size()));
      start = edges_[at].from;
      premises = fmt::format(" : {}", at);
      while (rng_.chance(0.7)) {
        const std::uint32_t next = rng_.below(static_cast<std::uint32_t>(edges_.size()));
        if (edges_[next].from != edges_[at].to) continue;
        premises += fmt::format(" {}", next);
        at = next;
      }
      end = edges_[at].to;
    }
    if (rng_.chance(0.8)) {  // events that look right
      if (rule == "start") from = "init";
      if (rule == "reads-from") to = begin(reader);
      if (rule == "initial" || rule == "anti-dependency") from = begin(reader);
      if (rule == "anti-dependency" && !end.empty()) to = end;
      if ((rule == "overwritten" || rule == "axiom") && !start.empty()) from = start;
      if (rule == "first-committer" && start != "init" && end != "init" && !start.empty()) {
        from = "c" + start.substr(1);
        to = begin(end.substr(1));
      }
    }
    std::string text = rule + " " + from + " " + to;
    if (rule == "first-committer") text += fmt::format(" {}", rng_.below(h_.keys()));
    const bool reads = rule == "reads-from" || rule == "initial" || rule == "version-order" ||
                       rule == "overwritten" || rule == "anti-dependency" || rule == "axiom";
    return text + (reads ? " " + op : "") + premises;
  }
  bool two_events() const {
    return implies(claim_.level, Level::prefix) && !implies(claim_.level, Level::serializable);
  }

  // The steps of a path between two events, if there is one.
  std::optional<std::string> path(const std::string& from, const std::string& to) const {
    if (from == to) return "";
    std::vector<std::pair<std::string, std::string>> reached{{from, ""}};
    for (std::size_t i = 0; i < reached.size(); ++i) {
      for (std::size_t j = 0; j < edges_.size(); ++j) {
        if (edges_[j].from != reached[i].first) continue;
        const bool known = std::any_of(reached.begin(), reached.end(),
                                       [&](const auto& one) { return one.first == edges_[j].to; });
        if (known) continue;
        reached.emplace_back(edges_[j].to, reached[i].second + " " + std::to_string(j));
        if (edges_[j].to == to) return reached.back().second;
      }
    }
    return std::nullopt;
  }

  const History& h_;
  Forgery claim_;
  Rng& rng_;
  std::vector<std::string> events_, operations_;
  std::vector<Edge> edges_;
  std::uint64_t steps_accepted_ = 0;
};

// A history, how it looks, and whether a claim that it holds is true.
struct Case {
  History history;
  std::string text;
  std::function<bool(const Forgery&)> holds;
};

void forge(const std::function<Case(Rng&)>& make, std::uint64_t cases) {
  const std::uint64_t seed = random_seed();
  std::uint64_t steps = 0, violations = 0, orders = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    Rng rng(seed + i);
    const Case one = make(rng);
    const History& h = one.history;
    if (h.keys() == 0) continue;
    const bool with_queries = h.has_queries();
    const Forgery claim{levels()[rng.below(kLevels)].level, with_queries || rng.chance(0.7),
                        static_cast<int>(rng.below(2))};
    if (info(claim.level).real_time && !h.has_times()) continue;
    const bool holds = one.holds(claim);
    Forger forger(h, claim, rng);
    const bool says_violated = forger.can_prove_a_violation();
    ASSERT_FALSE(holds && says_violated) << "seed " << seed + i << ", " << info(claim.level).name << "\n"
                                         << one.text;
    const bool says_holds = forger.can_prove_that_it_holds();
    ASSERT_FALSE(!holds && says_holds) << "seed " << seed + i << ", " << info(claim.level).name << "\n"
                                       << one.text;
    steps += forger.steps_accepted();
    violations += says_violated;
    orders += says_holds;
  }
  std::printf("%llu true steps, %llu violations and %llu orders found by a forger, nothing false\n",
              static_cast<unsigned long long>(steps), static_cast<unsigned long long>(violations),
              static_cast<unsigned long long>(orders));
  if (cases < 100) return;
  EXPECT_GT(steps, cases);
  EXPECT_GT(violations, 0U);
  EXPECT_GT(orders, 0U);
}

std::function<Case(Rng&)> histories(const Shape& shape) {
  return [shape](Rng& rng) {
    const History h = random_history(rng, shape);
    return Case{h, drawing(h), [h](const Forgery& claim) {
                  return brute_force(
                      h, claim.level,
                      {.session_order = claim.sessions, .drift = std::chrono::nanoseconds(claim.drift)});
                }};
  };
}

TEST(ForgedCertificate, ProvesNothingFalseOfQueries) {
  const auto make = [](Rng& rng) {
    const QueryDraft draft = random_query_draft(rng, 4);
    const History h = draft.build();
    return Case{h, draft.text(), [h](const Forgery& claim) {
                  return brute_force_with_queries(h, claim.level, claim.sessions);
                }};
  };
  forge(make, random_cases(100));
}

TEST(ForgedCertificate, ProvesNothingFalseOfRegisters) {
  Shape shape;
  shape.times = true;
  forge(histories(shape), random_cases(100));
}

TEST(ForgedCertificate, ProvesNothingFalseOfEverything) {
  Shape shape = shape_with_everything();
  shape.times = true;
  forge(histories(shape), random_cases(100));
}

TEST(ForgedCertificate, ProvesNothingFalseOfLists) {
  Shape shape = shape_of_lists();
  shape.times = true;
  forge(histories(shape), random_cases(100));
}

}  // namespace
}  // namespace assay::verify
