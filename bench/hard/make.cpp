// assay_hard: writes a hard history to a file, and to standard output which verdict is right.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>

#include "embed.hpp"
#include "format/format.hpp"

namespace {

using assay::hard::Formula;

struct Request {
  std::string output, kind = "3sat", verdict = "violated";
  std::size_t transactions = 1000;
  std::uint64_t seed = 1;
};

// The largest formula whose history has at most that many transactions; `make` takes the size.
template <typename Make>
std::uint32_t largest(std::size_t transactions, std::uint32_t smallest, Make make) {
  std::uint32_t size = smallest;
  while (transactions_of(make(size + 1)) <= transactions) ++size;
  return size;
}

Formula formula_for(const Request& request) {
  if (request.kind == "pigeonhole") {
    if (request.verdict != "violated")
      throw CLI::ValidationError("--verdict", "pigeonhole is always violated");
    return assay::hard::pigeonhole(largest(request.transactions, 2, assay::hard::pigeonhole));
  }
  const std::uint32_t variables =
      largest(request.transactions, 3, [](std::uint32_t n) { return assay::hard::random_3sat(n, 0); });
  for (std::uint64_t seed = request.seed * 1'000'000;; ++seed) {
    Formula formula = assay::hard::random_3sat(variables, seed);
    if (satisfiable(formula) == (request.verdict == "holds")) return formula;
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Makes a history that only search can decide");
  Request request;
  app.add_option("-o,--output", request.output, "Where to write it, packed")->required();
  app.add_option("--kind", request.kind)->check(CLI::IsMember({"3sat", "pigeonhole"}));
  app.add_option("--verdict", request.verdict, "Draw until this is the right one")
      ->check(CLI::IsMember({"holds", "violated"}));
  app.add_option("--transactions", request.transactions, "At most");
  app.add_option("--seed", request.seed);
  try {
    app.parse(argc, argv);
    const Formula formula = formula_for(request);
    assay::format::write_history(embed(formula), request.output, "packed");
    fmt::print("{}\n", request.verdict);
    return 0;
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  } catch (const std::exception& error) {
    fmt::print(stderr, "assay_hard: {}\n", error.what());
    return 1;
  }
}
