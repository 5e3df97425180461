// The general workload (PolySI §5.1): transactions of random reads and writes. No row is there at the start,
// so that reads of the initial state are part of it.
#include <fmt/format.h>

#include <vector>

#include "record/workload/every.hpp"

namespace assay::record {

namespace {

class General : public Workload {
 public:
  explicit General(const WorkloadOptions& options)
      : operations(options.operations.value_or(15)),
        reads(options.reads.value_or(0.5)),
        choice(options.keys.value_or(10'000),
               options.distribution.value_or(KeyDistribution{.kind = KeyDistribution::Kind::zipf})) {}

  void load(const PutRow&) const override {}
  std::unique_ptr<Script> script(std::uint32_t session) const override;

  const std::uint32_t operations;
  const system::Share reads;
  const KeyChoice choice;
};

class GeneralScript : public Script {
 public:
  explicit GeneralScript(const General& workload) : workload_(workload) {}

  void plan(system::Random& random) override {
    steps_.clear();
    for (std::uint32_t i = 0; i < workload_.operations; ++i) {
      const bool read = random.chance(workload_.reads);
      steps_.push_back({read, workload_.choice.draw(random)});
    }
  }
  void run(Client& client) override {
    for (const Step& step : steps_) {
      const std::string name = fmt::format("k{}", step.key);
      if (step.read) {
        client.read(name);
      } else {
        client.write(name, "1");
      }
    }
  }

 private:
  struct Step {
    bool read;
    std::uint32_t key;
  };
  const General& workload_;
  std::vector<Step> steps_;
};

std::unique_ptr<Script> General::script(std::uint32_t) const {
  return std::make_unique<GeneralScript>(*this);
}

}  // namespace

std::unique_ptr<Workload> make_general(const WorkloadOptions& options) {
  return std::make_unique<General>(options);
}

}  // namespace assay::record
