// assay_queries: histories of queries alone, after BlindW-Pred of Vbox (VLDB 2024, 5.2): rows (k, v1, v2), half of
// the transactions read by range filters on either column, half write what such a filter finds. A row is a value with
// columns, {"@":7,"v1":17,"v2":3}, or each column of it is a key of its own, "v1:000042". The database is correct, unless
// something is planted in the middle.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "format/assay/packed.hpp"
#include "history/builder.hpp"
#include "system/random.hpp"

namespace assay {
namespace {

constexpr std::uint32_t kValues = 100'000;
constexpr std::uint32_t kReadWidth = 1'900, kWriteWidth = 50;  // of filters: 190 rows, and 5
constexpr std::int64_t kApart = 1'000, kLatency = 8'000;       // nanoseconds

struct Wanted {
  std::uint32_t transactions = 10'000, rows = 10'000, sessions = 20;
  std::uint64_t seed = 1;
  std::string plant = "nothing";
  bool no_times = false;
  bool columns = false;
};

class Database {
 public:
  explicit Database(const Wanted& wanted) : wanted_(wanted), random_(wanted.seed), free_(wanted.sessions, 0) {
    for (std::uint32_t s = 0; s < wanted_.sessions; ++s) ids_.push_back(build_.session(Atom::integer(s)));
    for (std::uint32_t column = 0; column < 2; ++column) {
      for (std::uint32_t row = 0; row < wanted_.rows; ++row) {
        names_[column].push_back(wanted_.columns ? fmt::format("row:{:06}", row)
                                                 : fmt::format("v{}:{:06}", column + 1, row));
        cells_[column].emplace_back();
      }
    }
  }

  History run() {
    begin();
    for (std::uint32_t column = 0; column < 2; ++column) {
      for (std::uint32_t row = 0; row < wanted_.rows; ++row) {
        const std::uint32_t value = random_.below(kValues);
        // With columns a row is written once, when both are known.
        wanted_.columns&& column == 0 ? put(column, row, value) : write(column, row, value);
      }
    }
    end();
    for (std::uint32_t i = 1; i < wanted_.transactions; ++i) {
      if (i == wanted_.transactions / 2) plant();
      begin();
      if (random_.below(2U) == 0) {
        for (int times = 0; times < 2; ++times) query(draw_filter(kReadWidth), {});
      } else {
        const Filter filter = draw_filter(kWriteWidth);
        const std::uint32_t column = random_.below(2U);
        for (const std::uint32_t row : query(filter, {})) write(column, row, random_.below(kValues));
      }
      end();
    }
    return build_.finish();
  }

 private:
  struct Filter {
    std::uint32_t column, low, high;  // both included
  };
  struct Cell {
    std::uint32_t value = 0;
    std::string text;
  };

  Filter draw_filter(std::uint32_t width) {
    const std::uint32_t low = random_.below(kValues - width);
    return {random_.below(2U), low, low + width};
  }

  // A session that is free at the moment at which the transaction takes effect.
  void begin() {
    now_ += kApart;
    session_ = random_.below(wanted_.sessions);
    for (std::uint32_t tried = 0; tried < wanted_.sessions && free_[session_] >= now_; ++tried)
      session_ = (session_ + 1) % wanted_.sessions;
    now_ = std::max(now_, free_[session_] + 1);
    build_.begin(ids_[session_], Atom::integer(next_name_++));
  }
  void end() {
    const std::int64_t start = std::max(free_[session_] + 1, now_ - delay()), last = now_ + delay();
    free_[session_] = last;
    if (wanted_.no_times) {
      build_.end(Status::committed, std::nullopt, std::nullopt);
    } else {
      build_.end(Status::committed, start, last);
    }
  }
  std::int64_t delay() { return static_cast<std::int64_t>(random_.below(std::uint32_t{kLatency})); }

  void put(std::uint32_t column, std::uint32_t row, std::uint32_t value) {
    sorted_[column].erase({cells_[column][row].value, row});
    cells_[column][row].value = value;
    sorted_[column].insert({value, row});
  }
  void write(std::uint32_t column, std::uint32_t row, std::uint32_t value) {
    put(column, row, value);
    std::string& text = cells_[column][row].text;
    ++last_version_;
    if (wanted_.columns) {
      text = fmt::format(R"({{"@":{},"v1":{},"v2":{}}})", last_version_, cells_[0][row].value,
                         cells_[1][row].value);
      cells_[1 - column][row].text = text;
    } else {
      text = fmt::format("{}@{}", value, last_version_);
    }
    build_.write(Atom::string(names_[column][row]), atom(text));
  }
  Atom atom(const std::string& text) const { return wanted_.columns ? Atom::json(text) : Atom::string(text); }

  // The rows that match; `without` is left out of the result.
  std::vector<std::uint32_t> query(const Filter& filter, std::optional<std::uint32_t> without) {
    std::vector<std::uint32_t> found;
    std::vector<Row> rows;
    const auto& sorted = sorted_[filter.column];
    for (auto at = sorted.lower_bound({filter.low, 0}); at != sorted.end() && at->first <= filter.high;
         ++at) {
      if (at->second == without) continue;
      found.push_back(at->second);
      rows.push_back(
          {Atom::string(names_[filter.column][at->second]), atom(cells_[filter.column][at->second].text)});
    }
    const std::string text = fmt::format(
        fmt::runtime(wanted_.columns ? "row:* where v{} between {} and {}" : "v{}:* between {} and {}"),
        filter.column + 1, filter.low, filter.high);
    build_.predicate_read(Atom::string(text), rows);
    return found;
  }

  void plant() {
    const Filter filter = draw_filter(kReadWidth);
    const Filter other{1 - filter.column, filter.low, filter.high};
    if (wanted_.plant == "phantom") {
      // Both rows come at once, and one of them is not seen.
      begin();
      write(filter.column, 0, filter.low);
      write(filter.column, 1, filter.low);
      end();
      begin();
      query(filter, 1);
      end();
    } else if (wanted_.plant == "predicate-write-skew") {
      // Each brings a row that the other asks for, and neither sees the other's.
      write_outside(filter, other);
      begin();
      query(filter, {});
      write(other.column, 0, other.low);
      end();
      begin();
      query(other, 0);
      write(filter.column, 1, filter.low);
      end();
    }
  }
  void write_outside(const Filter& filter, const Filter& other) {
    const std::uint32_t outside = filter.high < kValues / 2 ? kValues - 1 : 0;
    begin();
    write(filter.column, 1, outside);
    write(other.column, 0, outside);
    end();
  }

  const Wanted& wanted_;
  system::Random random_;
  HistoryBuilder build_;
  std::vector<Session> ids_;
  std::array<std::vector<std::string>, 2> names_;  // by column and row
  std::array<std::vector<Cell>, 2> cells_;
  std::array<std::set<std::pair<std::uint32_t, std::uint32_t>>, 2> sorted_;  // by column: value and row
  std::vector<std::int64_t> free_;                                           // session -> since when
  std::int64_t now_ = 0, next_name_ = 0;
  std::uint64_t last_version_ = 0;
  std::uint32_t session_ = 0;
};

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  CLI::App app("Writes a history of range filters, packed");
  app.name("assay_queries");
  assay::Wanted wanted;
  std::string path;
  app.add_option("-o", path, "Where")->required();
  app.add_option("--transactions", wanted.transactions, "How many");
  app.add_option("--rows", wanted.rows, "How many, two columns each");
  app.add_option("--sessions", wanted.sessions, "How many");
  app.add_option("--seed", wanted.seed, "The same seed gives the same history");
  app.add_option("--plant", wanted.plant, "nothing, phantom or predicate-write-skew");
  app.add_flag("--columns", wanted.columns, "A row is one value with two columns");
  app.add_flag("--no-times", wanted.no_times, "Transactions have no start and no end");
  try {
    app.parse(argc, argv);
    assay::format::write_packed(assay::Database(wanted).run(), path);
    return 0;
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  } catch (const std::exception& error) {
    fmt::print(stderr, "assay_queries: {}\n", error.what());
    return 2;
  }
}
