// assay_tables: measures the program against its bars; bench/compare starts it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <string>

#include "bench.hpp"

int main(int argc, char** argv) {
  CLI::App app("Measures Assay and prints a table; a row that misses its bar is marked");
  app.name("bench/compare");
  std::string assay, hard, queries, reading, shared, table;
  bool full = false;
  app.add_option("table", table, "engine, weak, read, hard or queries")
      ->required()
      ->check(CLI::IsMember({"engine", "weak", "read", "hard", "queries"}));
  app.add_flag("--full", full, "Also what takes minutes and gigabytes");
  app.add_option("--assay", assay, "The program")->required();
  app.add_option("--hard", hard, "The program that makes hard histories")->required();
  app.add_option("--queries", queries, "The program that makes histories of queries")->required();
  app.add_option("--reading", reading, "The program that only reads")->required();
  app.add_option("--shared", shared, "Where the public histories are")->required();
  try {
    app.parse(argc, argv);
    const assay::tables::Bench bench{assay, hard, queries, reading, shared, full, {}};
    const auto measure = table == "engine" ? assay::tables::engine
                         : table == "weak" ? assay::tables::weak
                         : table == "read" ? assay::tables::read
                         : table == "hard" ? assay::tables::hard
                                           : assay::tables::queries;
    const int misses = measure(bench);
    fmt::print("\n{}\n", misses == 0 ? "Every bar is kept." : fmt::format("{} rows miss their bar.", misses));
    return misses == 0 ? 0 : 1;
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench/compare: {}\n", error.what());
    return 2;
  }
}
