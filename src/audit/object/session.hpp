// A session is a register: a value or none.
#pragma once

#include <optional>

#include "audit/object/machine.hpp"

namespace assay::audit {

class Session : public Machine {
 public:
  explicit Session(std::optional<std::string> initial = std::nullopt) : value_(std::move(initial)) {}
  // Goes on where another one was saved.
  explicit Session(wire::Cursor& saved);
  Step step(const MachineOperation& operation, std::string& result) override;
  std::optional<std::string> save(std::string& out, const std::filesystem::path& files) override;
  const std::optional<std::string>& value() const { return value_; }

 private:
  std::optional<std::string> value_;
};

}  // namespace assay::audit
