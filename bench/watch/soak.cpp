// Feeds a watcher an endless history, round by round, and prints how fast it judges and how much it keeps.
// Only the watcher is timed, by the processor time it takes (it has one thread), so that other work on the
// machine does not count; the clients' transactions are made up as they are needed, by a serial store.
//
//   assay_soak --shape blindw-rw --transactions 10000000 --csv blindw-rw.csv
//
// With --csv the same numbers go to a file, a hundred rows; bench/watch/plot_soak.py draws them.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "check/limits.hpp"
#include "history/builder.hpp"
#include "level/level.hpp"
#include "system/random.hpp"
#include "watch/watcher.hpp"

namespace {

using namespace assay;

struct Settings {
  std::string shape = "blindw-rw";
  std::uint64_t transactions = 1'000'000;
  std::uint32_t sessions = 50, round = 10'000, fence_every = 20;
  std::uint32_t session_length = 0;  // not 0: sessions are over after so many transactions, and others come
  bool times = false;
  std::uint32_t keys = 10'000;
  std::uint64_t seed = 1;
  std::string level = "serializable";
  std::uint64_t horizon = 0;
  std::string csv;
};

// The workloads of Cobra's evaluation, by what they do to keys.
class Clients {
 public:
  explicit Clients(const Settings& settings)
      : settings_(settings), random_(settings.seed), done_(settings.sessions, 0), keys_(settings.keys) {
    for (std::uint32_t s = 0; s < settings.sessions; ++s) names_.push_back(sessions_++);
  }

  std::uint64_t sessions() const { return sessions_; }
  // Those that are over since this was last asked.
  std::vector<std::uint64_t> over() { return std::exchange(over_, {}); }

  History next(std::uint64_t transactions) {
    HistoryBuilder builder;
    builder.expect(transactions * 8);
    for (const std::uint64_t name : names_) builder.session(Atom::natural(name));
    for (std::uint64_t i = 0; i < transactions; ++i) {
      const auto s = static_cast<std::uint32_t>(random_.below(settings_.sessions));
      builder.begin(builder.session(Atom::natural(names_[s])),
                    Atom::integer(static_cast<std::int64_t>(name_++)));
      ++done_[s];
      if (settings_.fence_every > 0 && (done_[s] % settings_.fence_every == 0 || begins(s))) {
        update(builder, kFence);
      } else if (settings_.shape == "blindw-rm") {
        blind(builder, 0.9);
      } else if (settings_.shape == "blindw-rw") {
        blind(builder, 0.5);
      } else if (settings_.shape == "twitter") {
        twitter(builder, s);
      } else {
        rubis(builder, s);
      }
      // A millisecond each, one after the other.
      const auto time = static_cast<std::int64_t>(name_) * 1'000'000;
      if (settings_.times) {
        builder.end(Status::committed, time, time + 500'000);
      } else {
        builder.end(Status::committed);
      }
      if (settings_.session_length > 0 && done_[s] == settings_.session_length) {
        over_.push_back(std::exchange(names_[s], sessions_++));
        done_[s] = 0;
      }
    }
    return builder.finish();
  }

 private:
  static constexpr std::uint64_t kFence = 0;
  bool begins(std::uint32_t s) const { return settings_.session_length > 0 && done_[s] == 1; }
  // Keys of different kinds of rows.
  static constexpr std::uint64_t kUser = 1'000'000'000, kPost = 2'000'000'000, kItem = 3'000'000'000;

  void read(HistoryBuilder& builder, std::uint64_t key) {
    const std::uint64_t value = value_of(key);
    if (value == 0) return builder.read_initial(Atom::natural(key));
    builder.read(Atom::natural(key), Atom::natural(value));
  }
  void write(HistoryBuilder& builder, std::uint64_t key) {
    value_of(key) = ++value_;
    builder.write(Atom::natural(key), Atom::natural(value_));
  }
  void update(HistoryBuilder& builder, std::uint64_t key) {
    read(builder, key);
    write(builder, key);
  }
  // Few keys: dense numbers within each kind.
  std::uint64_t& value_of(std::uint64_t key) {
    std::vector<std::uint64_t>& rows = current_[key / kUser];
    const std::uint64_t at = key % kUser;
    if (at >= rows.size()) rows.resize(at + 1, 0);
    return rows[at];
  }
  // Some keys are asked for much more often than others.
  std::uint64_t hot() {
    const double u = static_cast<double>(random_.below(1'000'000U)) / 1e6;
    return 1 + static_cast<std::uint64_t>(static_cast<double>(keys_ - 1) * u * u * u);
  }
  std::uint64_t any() { return 1 + random_.below(keys_ - 1); }

  // Transactions of eight reads, or of eight writes of keys that were not read.
  void blind(HistoryBuilder& builder, double reads) {
    const bool only_reads = static_cast<double>(random_.below(1000U)) < reads * 1000;
    for (int i = 0; i < 8; ++i) {
      if (only_reads) {
        read(builder, any());
      } else {
        write(builder, any());
      }
    }
  }

  // Tweets, timelines of those one follows, follows.
  void twitter(HistoryBuilder& builder, std::uint32_t) {
    const std::uint64_t user = hot();
    const std::uint64_t what = random_.below(10U);
    if (what < 2) {
      update(builder, kUser + user);
      write(builder, kPost + user);
    } else if (what < 3) {
      update(builder, kUser + user);
      update(builder, kUser + hot());
    } else {
      read(builder, kUser + user);
      for (int i = 0; i < 5; ++i) read(builder, kPost + hot());
    }
  }

  // Browsing, bidding, selling, commenting.
  void rubis(HistoryBuilder& builder, std::uint32_t) {
    const std::uint64_t what = random_.below(10U);
    if (what < 5) {
      for (int i = 0; i < 4; ++i) read(builder, kItem + hot());
      read(builder, kUser + any());
    } else if (what < 8) {
      read(builder, kUser + any());
      update(builder, kItem + hot());
      write(builder, kPost + any());
    } else {
      update(builder, kUser + any());
      write(builder, kItem + any());
    }
  }

  const Settings& settings_;
  system::Random random_;
  std::vector<std::uint64_t> done_;
  std::vector<std::uint64_t> names_;  // of the sessions that are open
  std::vector<std::uint64_t> over_;
  std::uint64_t sessions_ = 0;
  std::uint64_t keys_;
  std::uint64_t name_ = 0, value_ = 0;
  std::vector<std::uint64_t> current_[4];
};

// Live and frozen transactions, memory and speed, as often as there is a row.
class Table {
 public:
  explicit Table(const std::string& path) {
    if (!path.empty()) file_.open(path, std::ios::trunc);
    if (!path.empty()) file_ << "transactions,live,frozen,entries,waiting,resident_bytes,per_second\n";
  }
  void row(std::uint64_t done, const watch::Kept& kept, double per_second) {
    if (!file_.is_open()) return;
    file_ << fmt::format("{},{},{},{},{},{},{:.0f}\n", done, kept.live, kept.frozen, kept.entries,
                         kept.waiting, check::resident_memory(), per_second)
          << std::flush;
  }

 private:
  std::ofstream file_;
};

int soak(const Settings& settings) {
  watch::WatchOptions options;
  options.level = find_level(settings.level).value();
  options.horizon = settings.horizon;
  watch::Watcher watcher(options);
  for (std::uint32_t s = 0; s < settings.sessions; ++s) watcher.admit(std::to_string(s));
  if (settings.session_length > 0) {
    watcher.sessions_come_and_go();
  } else {
    watcher.all_sessions_known();
  }
  Clients clients(settings);
  Table table(settings.csv);
  const std::uint64_t rows = 100;
  double slowest = 0;  // of the rows, in transactions per second
  std::uint64_t most_memory = 0;
  std::uint64_t done = 0, row = 0, done_at_row = 0;
  double busy = 0, busy_at_row = 0;
  fmt::print("{:>12} {:>8} {:>8} {:>8} {:>8} {:>10} {:>10}\n", "transactions", "live", "frozen", "entries",
             "waiting", "RSS MB", "per second");
  while (done < settings.transactions) {
    const std::uint64_t now = std::min<std::uint64_t>(settings.round, settings.transactions - done);
    const History fragment = clients.next(now);
    const std::clock_t begin = std::clock();
    watcher.add(fragment);
    for (const std::uint64_t session : clients.over()) watcher.close(std::to_string(session));
    watch::Round round = watcher.decide();
    while (round.verdict == watch::Verdict::holds && round.more) round = watcher.decide();
    watcher.take_left();
    busy += static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    done += now;
    if (round.verdict != watch::Verdict::holds) {
      fmt::print("round ending at {}: not decided as holding {}\n", done, round.reason);
      return 1;
    }
    if (done * rows / settings.transactions == row && done < settings.transactions) continue;
    row = done * rows / settings.transactions;
    const watch::Kept kept = watcher.kept();
    const double per_second = static_cast<double>(done - done_at_row) / (busy - busy_at_row);
    slowest = done_at_row == 0 ? per_second : std::min(slowest, per_second);
    most_memory = std::max<std::uint64_t>(most_memory, check::resident_memory());
    table.row(done, kept, per_second);
    fmt::print("{:>12} {:>8} {:>8} {:>8} {:>8} {:>10.1f} {:>10.0f}\n", done, kept.live, kept.frozen,
               kept.entries, kept.waiting, static_cast<double>(check::resident_memory()) / 1e6, per_second);
    std::fflush(stdout);
    done_at_row = done;
    busy_at_row = busy;
  }
  fmt::print(
      "{} at {}: {} transactions in {} sessions, {:.0f} per second, at worst {:.0f}; at most {:.1f} MB\n",
      settings.shape, settings.level, done, clients.sessions(), static_cast<double>(done) / busy, slowest,
      static_cast<double>(most_memory) / 1e6);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("How fast a watcher judges an endless history, and how much it keeps");
  Settings settings;
  app.add_option("--shape", settings.shape)
      ->check(CLI::IsMember({"blindw-rm", "blindw-rw", "twitter", "rubis"}));
  app.add_option("--transactions", settings.transactions);
  app.add_option("--sessions", settings.sessions);
  app.add_option("--round", settings.round);
  app.add_option("--fence-every", settings.fence_every);
  app.add_option("--session-length", settings.session_length,
                 "Sessions are over after so many transactions, the first of them a fence, and others come");
  app.add_flag("--times", settings.times, "Transactions have times, as the levels with real time need");
  app.add_option("--keys", settings.keys);
  app.add_option("--seed", settings.seed);
  app.add_option("--level", settings.level)
      ->check(CLI::Validator(
          [](const std::string& name) { return find_level(name) ? "" : "no such level: " + name; }, "LEVEL"));
  app.add_option("--horizon", settings.horizon, "As that of assay watch");
  app.add_option("--csv", settings.csv, "Write the rows to this file too");
  CLI11_PARSE(app, argc, argv);
  return soak(settings);
}
