// A bank: transfers between two accounts, and now and then somebody adds up all of them. Money is neither
// made nor lost, so each sum that a committed transaction sees must be the first one; where it is not, the
// history's notes say so, whatever the verdict.
#include <fmt/format.h>

#include "record/workload/every.hpp"

namespace assay::record {

namespace {

constexpr std::int64_t kAtFirst = 100;

std::string account(std::uint32_t number) {
  return fmt::format("account:{}", number);
}

class BankScript : public Script {
 public:
  BankScript(std::uint32_t accounts, system::Share audits) : accounts_(accounts), audits_(audits) {}

  void plan(system::Random& random) override {
    audit_ = random.chance(audits_);
    from_ = random.below(accounts_);
    to_ = (from_ + 1 + random.below(accounts_ - 1)) % accounts_;
    amount_ = 1 + random.below(20U);
  }

  void run(Client& client) override {
    if (audit_) return audit(client);
    const std::int64_t from = number_in(client.read(account(from_)));
    if (from < amount_) return;
    const std::int64_t to = number_in(client.read(account(to_)));
    client.write(account(from_), std::to_string(from - amount_));
    client.write(account(to_), std::to_string(to + amount_));
  }

 private:
  void audit(Client& client) const {
    std::int64_t sum = 0;
    for (std::uint32_t number = 0; number < accounts_; ++number)
      sum += number_in(client.read(account(number)));
    const std::int64_t right = kAtFirst * accounts_;
    if (sum != right)
      client.remark(fmt::format("the accounts of the bank added up to {}, not to {}", sum, right));
  }

  std::uint32_t accounts_;
  system::Share audits_;
  bool audit_ = false;
  std::uint32_t from_ = 0, to_ = 0, amount_ = 0;
};

class Bank : public Workload {
 public:
  explicit Bank(const WorkloadOptions& options)
      : accounts_(options.accounts.value_or(20)), audits_(options.reads.value_or(0.2)) {}

  void load(const PutRow& put) const override {
    for (std::uint32_t number = 0; number < accounts_; ++number)
      put(account(number), std::to_string(kAtFirst));
  }
  bool shows_values() const override { return true; }
  std::unique_ptr<Script> script(std::uint32_t) const override {
    return std::make_unique<BankScript>(accounts_, audits_);
  }

 private:
  std::uint32_t accounts_;
  system::Share audits_;
};

}  // namespace

std::unique_ptr<Workload> make_bank(const WorkloadOptions& options) {
  return std::make_unique<Bank>(options);
}

}  // namespace assay::record
