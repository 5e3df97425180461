// The strong levels: generated histories of growing size, awkward ones, planted violations, public ones.
#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "bench.hpp"

namespace assay::tables {

namespace {

using Words = std::vector<std::string>;

struct Shape {
  std::uint32_t transactions = 10'000;
  std::string distribution = "uniform";
  std::uint32_t sessions = 50;
  bool times = false;  // with times the schedule need not guess, so most rows go without
  std::string inject = {};
};

std::string make(const Bench& bench, const Shape& shape) {
  Words options{"--transactions", std::to_string(shape.transactions),
                "--keys",         std::to_string(shape.transactions / 10),
                "--sessions",     std::to_string(shape.sessions),
                "--distribution", shape.distribution,
                "--operations",   "8-15",
                "--reads",        "0.5",
                "--updates",      "0",
                "--aborts",       "0"};
  if (!shape.times) options.emplace_back("--no-times");
  if (!shape.inject.empty()) options.insert(options.end(), {"--inject", shape.inject});
  return bench.generate(fmt::format("{}-{}-{}-{}-{}", shape.transactions, shape.distribution, shape.sessions,
                                    shape.times ? "times" : "", shape.inject),
                        options);
}

struct Limits {
  double serializable, snapshot, megabytes;
};

int sizes(const Bench& bench) {
  Table table(
      "Growing histories: 8–15 operations, half reads, blind writes, 50 sessions, a key for ten "
      "transactions");
  const std::map<std::pair<std::string, std::uint32_t>, Limits> bars{
      {{"uniform", 10'000}, {0.15, 0.2, 15}},  {{"zipf", 10'000}, {0.15, 0.2, 15}},
      {{"uniform", 100'000}, {0.8, 1.1, 60}},  {{"zipf", 100'000}, {2, 3, 85}},
      {{"uniform", 1'000'000}, {12, 16, 450}}, {{"zipf", 1'000'000}, {40, 60, 600}}};
  for (const bool snapshot : {false, true}) {
    for (const char* distribution : {"uniform", "zipf"}) {
      std::optional<Checked> smaller;
      for (const std::uint32_t size : {10'000U, 100'000U, 1'000'000U}) {
        if (size == 1'000'000 && !bench.full) continue;
        const Limits& bar = bars.at({distribution, size});
        const Checked now = check(bench, make(bench, {.transactions = size, .distribution = distribution}),
                                  snapshot ? "si" : "ser");
        table.row(fmt::format("{} {}, {}", size, distribution, snapshot ? "SI" : "SER"), now,
                  {snapshot ? bar.snapshot : bar.serializable, bar.megabytes, {}, "holds"}, smaller);
        smaller = now;
      }
    }
  }
  return table.misses();
}

int awkward(const Bench& bench) {
  Table table("Little known order");
  for (const bool snapshot : {false, true}) {
    const char* level = snapshot ? "si" : "ser";
    const char* name = snapshot ? "SI" : "SER";
    for (const char* distribution : {"uniform", "zipf"}) {
      table.row(fmt::format("10,000 {}, 1,000 sessions, {}", distribution, name),
                check(bench, make(bench, {.distribution = distribution, .sessions = 1'000}), level),
                {snapshot ? 1.0 : 0.5, 100, {}, "holds"});
      table.row(fmt::format("10,000 {}, no session order, {}", distribution, name),
                check(bench, make(bench, {.distribution = distribution}), level,
                      {"--sessions=ignore", "--timeout", "60"}),
                {snapshot ? 4.0 : 2.0, 100, {}, "holds"});
    }
    const std::string contended = bench.generate(
        "contended", {"--transactions", "2000", "--keys", "200", "--sessions", "50", "--operations", "8-15",
                      "--reads", "0.4", "--updates", "0", "--aborts", "0", "--no-times"});
    table.row(fmt::format("2,000 on 200 keys, 60 % blind writes, no session order, {}", name),
              check(bench, contended, level, {"--sessions=ignore", "--timeout", "60"}),
              {5.0, {}, {}, "holds"});
  }
  return table.misses();
}

// Nothing ties most writers of a key to each other but what follows from the reads. Several histories of the largest size, since
// a search can be lucky.
int blind(const Bench& bench) {
  Table table("60 % blind writes, no session order: 8 operations, a key for twenty transactions");
  const auto check_one = [&](std::uint32_t size, const char* level, int seed) {
    const std::string file = bench.generate(
        fmt::format("blind-{}-{}", size, seed),
        {"--transactions", std::to_string(size), "--keys", std::to_string(size / 20), "--operations", "8",
         "--reads", "0.4", "--updates", "0", "--aborts", "0", "--no-times", "--seed", std::to_string(seed)});
    return check(bench, file, level, {"--sessions=ignore", "--timeout", "120"});
  };
  for (const char* level : {"ser", "si", "pc"}) {
    std::optional<Checked> smallest;
    for (const std::uint32_t size : {10'000U, 20'000U, 40'000U, 100'000U}) {
      const Checked now = check_one(size, level, 1);
      table.row(fmt::format("{}, {}", size, level), now, {20.0, {}, {}, "holds"},
                size == 100'000 ? smallest : std::nullopt);
      if (!smallest) smallest = now;
    }
  }
  for (const int seed : {2, 3, 4, 5}) {
    table.row(fmt::format("100000, ser, seed {}", seed), check_one(100'000, "ser", seed),
              {20.0, {}, {}, "holds"});
  }
  return table.misses();
}

int violations(const Bench& bench) {
  Table table("One planted violation in 100,000 uniform transactions; the bar is what accepting costs");
  struct Planted {
    const char *anomaly, *level;
    bool times;
  };
  for (const Planted& planted :
       {Planted{"lost-update", "ser", false}, Planted{"lost-update", "si", false},
        Planted{"write-skew", "ser", false}, Planted{"long-fork", "ser", false},
        Planted{"long-fork", "si", false}, Planted{"stale-read", "strict-ser", true}}) {
    const Shape shape{.transactions = 100'000, .times = planted.times};
    Shape broken = shape;
    broken.inject = planted.anomaly;
    const Checked accepting = check(bench, make(bench, shape), planted.level);
    table.row(fmt::format("none, {}{}", planted.level, planted.times ? ", with times" : ""), accepting,
              {{}, {}, {}, "holds"});
    table.row(fmt::format("{}, {}", planted.anomaly, planted.level),
              check(bench, make(bench, broken), planted.level),
              {accepting.cost.cpu_seconds, {}, {}, "violated"});
  }
  return table.misses();
}

int public_histories(const Bench& bench) {
  Table table("Public histories, converted to packed first");
  struct Public {
    const char* path;
    std::vector<std::string> levels;
    std::string verdict = {};
  };
  const std::vector<Public> all{
      {"veristrong/history/fig13-14-15-table1/BL-10k/hist-00000/history.bincode", {"ser", "si"}},
      {"veristrong/history/fig5/BL-1k/hist-00000", {"ser", "si"}},
      {"veristrong/history/fig5/tpcc-1k", {"ser", "si"}},
      {"veristrong/history/fig5/twitter-1k", {"ser", "si"}},
      {"veristrong/history/fig10/20_100_15_5000_0.5_r_0_0.5_100/hist-00000", {"ser", "si"}},
      {"veristrong/history/fig10/20_100_15_5000_0.95_r_0.5_0.5_100/hist-00000", {"ser", "si"}},
      {"veristrong/history/fig10/20_100_5_5000_0.5_r_0.5_0.5_100/hist-00000", {"ser", "si"}},
      {"veristrong/history/fig10/20_20_15_5000_0.5_r_0.5_0.5_100/hist-00000", {"ser", "si"}},
      {"veristrong/history/fig10/5_100_15_5000_0.5_r_0.5_0.5_100/hist-00000", {"ser", "si"}},
      {"veristrong/history/fig11/ser/dbcop/chengRW-4000/history.bincode", {"ser", "si"}},
      {"veristrong/history/fig11/si/dbcop/3000/history.bincode", {"ser", "si"}},
      {"cobralogs/one-shot-10k/twitter-10000", {"ser", "si"}, "holds"},
      {"cobralogs/one-shot-chengRW/chengRW-4000", {"ser", "si"}, "holds"},
      {"polysi/artifact/PolySIHistories/fig7/20_100_15_10000_0.5_zipf/hist-00000/history.bincode",
       {"ser", "si"}},
      {"polysi/artifact/PolySIHistories/fig7/20_100_15_10000_0_uniform/hist-00000/history.bincode",
       {"ser", "si"}},
      {"polysi/artifact/PolySIHistories/fig7/20_100_15_10000_1_uniform/hist-00000/history.bincode",
       {"ser", "si"}},
      {"polysi/artifact/PolySIHistories/fig7/20_10_15_10000_0.5_uniform/hist-00000/history.bincode",
       {"ser", "si"}},
      {"polysi/artifact/PolySIHistories/fig8_9_10/twitter-10000/hist-00000", {"ser", "si"}},
      {"polysi/artifact/PolySIHistories/fig8_9_10/25_400_8_10000_0.5_uniform/hist-00000/history.bincode",
       {"ser", "si"}},
      {"cobralogs/ser-violation/cock-G2", {"ser"}, "violated"},
      {"cobralogs/ser-violation/cock-blog", {"ser"}, "violated"},
      {"cobralogs/ser-violation/yuga-G2-b", {"ser"}, "violated"},
      {"elle/histories/huge-scc-first6000.edn", {"ser"}, "holds"},
      {"elle/histories/huge-scc-first6000.edn", {"strict-ser"}, "violated"},
  };
  int number = 0;
  for (const Public& history : all) {
    const std::string path = bench.shared + "/" + history.path;
    if (!std::filesystem::exists(path)) {
      table.note(fmt::format("{} is not there: skipped", history.path));
      continue;
    }
    const std::string packed = bench.pack(fmt::format("public-{}", number++), path);
    for (const std::string& level : history.levels) {
      table.row(fmt::format("{}, {}", history.path, level), check(bench, packed, level, {"--timeout", "60"}),
                {level == "si" ? 0.2 : 0.15, 15, {}, history.verdict});
    }
  }
  return table.misses();
}

}  // namespace

int engine(const Bench& bench) {
  return sizes(bench) + awkward(bench) + blind(bench) + violations(bench) + public_histories(bench);
}

}  // namespace assay::tables
