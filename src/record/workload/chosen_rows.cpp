// Rows that are chosen by what they are, not by name: by a range of keys or of values (numbers). Rows come,
// change and go meanwhile, so that a database that guards only the rows a transaction saw shows phantoms.
#include <fmt/format.h>

#include <vector>

#include "record/workload/every.hpp"

namespace assay::record {

namespace {

constexpr std::uint32_t kValues = 1000;

std::string row(std::uint32_t number) {
  return fmt::format("row:{:06}", number);
}

class Predicate : public Workload {
 public:
  explicit Predicate(const WorkloadOptions& options)
      : rows(options.keys.value_or(200)),
        operations(options.operations.value_or(4)),
        reads(options.reads.value_or(0.5)),
        choice(rows, options.distribution.value_or(KeyDistribution{})) {}

  // Every second row is there.
  void load(const PutRow& put) const override {
    for (std::uint32_t number = 0; number < rows; number += 2)
      put(row(number), std::to_string(number * 7919U % kValues));
  }
  std::unique_ptr<Script> script(std::uint32_t session) const override;
  bool needs_ranges() const override { return true; }
  bool shows_values() const override { return true; }

  const std::uint32_t rows, operations;
  const system::Share reads;
  const KeyChoice choice;
};

class PredicateScript : public Script {
 public:
  explicit PredicateScript(const Predicate& workload) : workload_(workload) {}

  void plan(system::Random& random) override {
    steps_.clear();
    for (std::uint32_t i = 0; i < workload_.operations; ++i) {
      const bool read = random.chance(workload_.reads);
      const std::uint32_t draw = random.below(3U);
      const Kind kind = read ? (draw == 0   ? Kind::read
                                : draw == 1 ? Kind::range
                                            : Kind::filter)
                             : (draw == 0   ? Kind::insert
                                : draw == 1 ? Kind::erase
                                            : Kind::write);
      steps_.push_back({kind, workload_.choice.draw(random), random.below(kValues)});
    }
  }

  void run(Client& client) override {
    for (const Step& step : steps_) run(client, step);
  }

 private:
  enum class Kind : std::uint8_t { read, range, filter, insert, erase, write };
  struct Step {
    Kind kind;
    std::uint32_t number, value;
  };

  static void run(Client& client, const Step& step) {
    switch (step.kind) {
      case Kind::read:
        client.read(row(step.number));
        return;
      case Kind::range:
        client.range_read(row(step.number), row(step.number + 9));
        return;
      case Kind::filter:
        client.filter_read({"row:", step.value, step.value + kValues / 20});
        return;
      case Kind::insert:
        client.insert(row(step.number), std::to_string(step.value));
        return;
      case Kind::erase:
        client.erase(row(step.number));
        return;
      case Kind::write:
        client.write(row(step.number), std::to_string(step.value));
        return;
    }
  }

  const Predicate& workload_;
  std::vector<Step> steps_;
};

std::unique_ptr<Script> Predicate::script(std::uint32_t) const {
  return std::make_unique<PredicateScript>(*this);
}

}  // namespace

std::unique_ptr<Workload> make_predicate(const WorkloadOptions& options) {
  return std::make_unique<Predicate>(options);
}

}  // namespace assay::record
