// BlindW (Cobra §6): read-only and write-only transactions on random keys. Nobody reads what he writes, so
// the order of writes to a key is hard to tell afterwards.
#include <fmt/format.h>

#include <vector>

#include "record/workload/every.hpp"

namespace assay::record {

namespace {

class BlindW;

class BlindWScript : public Script {
 public:
  explicit BlindWScript(const BlindW& workload) : workload_(workload) {}
  void plan(system::Random& random) override;
  void run(Client& client) override;

 private:
  const BlindW& workload_;
  bool read_only_ = false;
  std::vector<std::uint32_t> keys_;
};

class BlindW : public Workload {
 public:
  BlindW(const WorkloadOptions& options, double read_only)
      : keys_(options.keys.value_or(10'000)),
        operations_(options.operations.value_or(8)),
        read_only_(options.reads.value_or(read_only)),
        choice_(keys_, options.distribution.value_or(KeyDistribution{})) {}

  void load(const PutRow& put) const override {
    for (std::uint32_t key = 0; key < keys_; ++key) put(fmt::format("k{}", key), "0");
  }
  std::unique_ptr<Script> script(std::uint32_t) const override {
    return std::make_unique<BlindWScript>(*this);
  }

 private:
  friend class BlindWScript;
  std::uint32_t keys_, operations_;
  system::Share read_only_;
  KeyChoice choice_;
};

void BlindWScript::plan(system::Random& random) {
  read_only_ = random.chance(workload_.read_only_);
  keys_.clear();
  for (std::uint32_t i = 0; i < workload_.operations_; ++i) keys_.push_back(workload_.choice_.draw(random));
}

void BlindWScript::run(Client& client) {
  for (const std::uint32_t key : keys_) {
    const std::string name = fmt::format("k{}", key);
    if (read_only_) {
      client.read(name);
    } else {
      client.write(name, "1");
    }
  }
}

}  // namespace

std::unique_ptr<Workload> make_blindw_read_mostly(const WorkloadOptions& options) {
  return std::make_unique<BlindW>(options, 0.9);
}
std::unique_ptr<Workload> make_blindw_read_write(const WorkloadOptions& options) {
  return std::make_unique<BlindW>(options, 0.5);
}
std::unique_ptr<Workload> make_blindw_write_heavy(const WorkloadOptions& options) {
  return std::make_unique<BlindW>(options, 0.1);
}

}  // namespace assay::record
