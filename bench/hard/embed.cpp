#include "embed.hpp"

#include <numeric>
#include <random>

#include "history/builder.hpp"

namespace assay::hard {

namespace {

struct Choice {
  std::uint32_t first, reader, second;
};

// Collects who reads and writes which private key, then writes it all down.
class Embedding {
 public:
  Choice choice() {
    const Choice made{new_transaction(), new_transaction(), new_transaction()};
    const std::uint64_t key = keys_++;
    operations_[made.first].push_back({key, 1, false});
    operations_[made.second].push_back({key, 2, false});
    operations_[made.reader].push_back({key, 1, true});
    return made;
  }

  void precedes(std::uint32_t before, std::uint32_t after) {
    const std::uint64_t key = keys_++;
    operations_[before].push_back({key, 1, false});
    operations_[after].push_back({key, 1, true});
  }

  // In an order that tells nothing about how they were made.
  History history() const {
    std::vector<std::uint32_t> order(operations_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::mt19937_64 random(order.size());
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
    HistoryBuilder build;
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      build.begin(build.session(Atom::natural(i)), Atom::natural(order[i]));
      for (const Operation& op : operations_[order[i]]) {
        if (op.is_read) {
          build.read(Atom::natural(op.key), Atom::natural(op.value));
        } else {
          build.write(Atom::natural(op.key), Atom::natural(op.value));
        }
      }
      build.end(Status::committed);
    }
    return build.finish();
  }

 private:
  struct Operation {
    std::uint64_t key, value;
    bool is_read;
  };
  std::uint32_t new_transaction() {
    operations_.emplace_back();
    return static_cast<std::uint32_t>(operations_.size() - 1);
  }

  std::vector<std::vector<Operation>> operations_;  // by transaction
  std::uint64_t keys_ = 0;
};

}  // namespace

std::size_t transactions_of(const Formula& formula) {
  return 3 * (formula.variables + formula.occurrences());
}

History embed(const Formula& formula) {
  Embedding embedding;
  std::vector<Choice> variables;
  for (std::uint32_t v = 0; v < formula.variables; ++v) variables.push_back(embedding.choice());
  for (const Clause& clause : formula.clauses) {
    std::vector<Choice> occurrences;
    for (const Literal& literal : clause) {
      const Choice& x = variables[literal.variable];
      const Choice o = embedding.choice();
      embedding.precedes(literal.positive ? x.second : x.first, o.reader);
      embedding.precedes(o.second, literal.positive ? x.reader : x.second);
      occurrences.push_back(o);
    }
    for (std::size_t i = 0; i < occurrences.size(); ++i) {
      embedding.precedes(occurrences[i].first, occurrences[(i + 1) % occurrences.size()].second);
    }
  }
  return embedding.history();
}

}  // namespace assay::hard
