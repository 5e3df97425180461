#include "audit/object/lock_table.hpp"

#include <fmt/format.h>

namespace assay::audit {

LockTable::LockTable(wire::Cursor& saved) {
  for (std::uint64_t names = saved.natural(); names > 0 && saved.ok(); --names) {
    auto& holders = locks_[std::string(saved.bytes())];
    for (std::uint64_t left = saved.natural(); left > 0 && saved.ok(); --left) {
      const std::uint64_t rid = saved.natural();
      const std::uint64_t handle = saved.natural();
      holders[{rid, handle}] = static_cast<wire::LockMode>(saved.byte());
    }
  }
}

std::optional<std::string> LockTable::save(std::string& out, const std::filesystem::path&) {
  wire::put_natural(out, locks_.size());
  for (const auto& [name, holders] : locks_) {
    wire::put_bytes(out, name);
    wire::put_natural(out, holders.size());
    for (const auto& [holder, mode] : holders) {
      wire::put_natural(out, holder.first);
      wire::put_natural(out, holder.second);
      wire::put_byte(out, static_cast<std::uint8_t>(mode));
    }
  }
  return std::nullopt;
}

Step LockTable::step(const MachineOperation& operation, std::string&) {
  wire::Cursor in(operation.contents);
  const wire::Bytes name = in.bytes();
  const Holder holder{operation.rid, in.natural()};
  if (operation.type == wire::OperationType::lock_release) {
    if (!in.finished()) return Step::malformed();
    const auto lock = locks_.find(name);
    if (lock == locks_.end()) return {};
    lock->second.erase(holder);
    if (lock->second.empty()) locks_.erase(lock);
    return {};
  }
  const std::uint8_t mode = in.byte();
  const std::uint8_t wait = in.byte();
  if (!in.finished() || mode < 1 || mode > 2 || wait > 1) return Step::malformed();
  const auto wanted = static_cast<wire::LockMode>(mode);
  auto& holders = locks_[std::string(name)];
  // Either all holders are shared or there is one: two of them tell whether somebody is in the way.
  Step step;
  for (const auto& [other, held] : holders) {
    if (other == holder) continue;
    if (wanted != wire::LockMode::exclusive && held != wire::LockMode::exclusive) break;
    if (step.in_the_way.empty())
      step = Step::impossible(
          fmt::format("was granted the lock {} while request {} held it", name, other.first));
    step.in_the_way.push_back(other.first);
  }
  if (step.kind == Step::Kind::done) holders[holder] = wanted;
  return step;
}

void LockTable::abandon(std::uint64_t rid) {
  for (auto lock = locks_.begin(); lock != locks_.end();) {
    std::erase_if(lock->second, [&](const auto& held) { return held.first.first == rid; });
    lock = lock->second.empty() ? locks_.erase(lock) : std::next(lock);
  }
}

}  // namespace assay::audit
