// Locks on names, shared or exclusive, held by open files of requests. Whether one was granted is the outcome
// that the server reports; that it could be granted is checked here.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "audit/object/machine.hpp"
#include "audit/wire/contents.hpp"

namespace assay::audit {

class LockTable : public Machine {
 public:
  LockTable() = default;
  // Goes on where another one was saved.
  explicit LockTable(wire::Cursor& saved);
  std::optional<std::string> save(std::string& out, const std::filesystem::path& files) override;
  Step step(const MachineOperation& operation, std::string& result) override;
  void abandon(std::uint64_t rid) override;

 private:
  using Holder = std::pair<std::uint64_t, std::uint64_t>;  // rid, handle
  std::map<std::string, std::map<Holder, wire::LockMode>, std::less<>> locks_;
};

}  // namespace assay::audit
