// The key-value table that stands in for APCu. An entry may die; whether it has is judged by the clock of the
// request that asks, which is part of the operation. Nothing is ever evicted.
#pragma once

#include <string>
#include <unordered_map>

#include "audit/object/machine.hpp"
#include "audit/wire/results.hpp"

namespace assay::audit {

class KeyValueTable : public Machine {
 public:
  KeyValueTable() = default;
  // Goes on where another one was saved.
  explicit KeyValueTable(wire::Cursor& saved);
  std::optional<std::string> save(std::string& out, const std::filesystem::path& files) override;
  Step step(const MachineOperation& operation, std::string& result) override;

 private:
  struct Entry {
    bool is_integer = false;
    std::int64_t integer = 0;
    std::string bytes;
    std::uint64_t dies = 0;  // the first nanosecond at which it is absent
  };

  // The entry if it is present at this clock.
  Entry* find(wire::Bytes key, std::uint64_t clock);
  void store(wire::Bytes key, const wire::KvValue& value, std::uint64_t dies);

  bool on_keys(wire::OperationType type, wire::Cursor& in, std::string& result);
  bool on_entries(wire::OperationType type, wire::Cursor& in, std::string& result);
  bool increase(wire::Cursor& in, std::string& result);
  bool compare_and_swap(wire::Cursor& in, std::string& result);

  std::unordered_map<std::string, Entry> entries_;
};

}  // namespace assay::audit
