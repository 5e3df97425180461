// Lists that grow by appends and are read whole, as in Jepsen's tests: a list shows the order of its writers.
// A session goes over to new keys after a while, so that lists stay short.
#include <fmt/format.h>

#include <vector>

#include "record/workload/every.hpp"

namespace assay::record {

namespace {

constexpr std::uint64_t kTransactionsPerKeySet = 50;  // of a session

class ListAppend : public Workload {
 public:
  explicit ListAppend(const WorkloadOptions& options)
      : operations(options.operations.value_or(4)),
        reads(options.reads.value_or(0.5)),
        choice(options.keys.value_or(20), options.distribution.value_or(KeyDistribution{})) {}

  void load(const PutRow&) const override {}
  std::unique_ptr<Script> script(std::uint32_t session) const override;
  bool needs_lists() const override { return true; }

  const std::uint32_t operations;
  const system::Share reads;
  const KeyChoice choice;
};

class ListAppendScript : public Script {
 public:
  explicit ListAppendScript(const ListAppend& workload) : workload_(workload) {}

  void plan(system::Random& random) override {
    steps_.clear();
    const std::uint64_t set = planned_++ / kTransactionsPerKeySet;
    const std::uint32_t count = 1 + random.below(workload_.operations);
    for (std::uint32_t i = 0; i < count; ++i) {
      const bool read = random.chance(workload_.reads);
      steps_.push_back({read, fmt::format("list:{}:{}", set, workload_.choice.draw(random))});
    }
  }

  void run(Client& client) override {
    for (const Step& step : steps_) {
      if (step.read) {
        client.read_list(step.key);
      } else {
        client.append(step.key);
      }
    }
  }

 private:
  struct Step {
    bool read;
    std::string key;
  };
  const ListAppend& workload_;
  std::uint64_t planned_ = 0;
  std::vector<Step> steps_;
};

std::unique_ptr<Script> ListAppend::script(std::uint32_t) const {
  return std::make_unique<ListAppendScript>(*this);
}

}  // namespace

std::unique_ptr<Workload> make_list_append(const WorkloadOptions& options) {
  return std::make_unique<ListAppend>(options);
}

}  // namespace assay::record
