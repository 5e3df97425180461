#include "audit/object/session.hpp"

namespace assay::audit {

Session::Session(wire::Cursor& saved) {
  if (saved.byte() != 0) value_.emplace(saved.bytes());
}

std::optional<std::string> Session::save(std::string& out, const std::filesystem::path&) {
  wire::put_byte(out, value_ ? 1 : 0);
  if (value_) wire::put_bytes(out, *value_);
  return std::nullopt;
}

Step Session::step(const MachineOperation& operation, std::string& result) {
  if (operation.type == wire::OperationType::register_write) {
    value_.emplace(operation.contents);
    return {};
  }
  if (!operation.contents.empty()) return Step::malformed();
  if (operation.type == wire::OperationType::register_delete) {
    value_.reset();
    return {};
  }
  wire::put_byte(result, value_ ? 1 : 0);
  if (value_) wire::put_bytes(result, *value_);
  return {};
}

}  // namespace assay::audit
