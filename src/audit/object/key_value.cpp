#include "audit/object/key_value.hpp"

#include <limits>
#include <vector>

namespace assay::audit {

namespace {

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kSecond = 1'000'000'000;

std::uint64_t death(std::uint64_t clock, std::uint64_t ttl) {
  if (ttl == 0 || ttl > (kNever - clock) / kSecond) return kNever;
  return clock + ttl * kSecond;
}

}  // namespace

KeyValueTable::KeyValueTable(wire::Cursor& saved) {
  for (std::uint64_t left = saved.natural(); left > 0 && saved.ok(); --left) {
    const wire::Bytes key = saved.bytes();
    const wire::KvValue value = wire::take_kv_value(saved);
    store(key, value, saved.u64());
  }
}

std::optional<std::string> KeyValueTable::save(std::string& out, const std::filesystem::path&) {
  wire::put_natural(out, entries_.size());
  for (const auto& [key, entry] : entries_) {
    wire::put_bytes(out, key);
    wire::put_kv_value(out, {entry.is_integer, entry.integer, entry.bytes});
    wire::put_u64(out, entry.dies);
  }
  return std::nullopt;
}

Step KeyValueTable::step(const MachineOperation& operation, std::string& result) {
  wire::Cursor in(operation.contents);
  bool good = false;
  switch (operation.type) {
    case wire::OperationType::kv_fetch:
    case wire::OperationType::kv_exists:
    case wire::OperationType::kv_delete:
      good = on_keys(operation.type, in, result);
      break;
    case wire::OperationType::kv_store:
    case wire::OperationType::kv_add:
      good = on_entries(operation.type, in, result);
      break;
    case wire::OperationType::kv_inc:
      good = increase(in, result);
      break;
    case wire::OperationType::kv_cas:
      good = compare_and_swap(in, result);
      break;
    case wire::OperationType::kv_clear:
      good = in.finished();
      if (good) entries_.clear();
      break;
    default:
      break;
  }
  return good ? Step{} : Step::malformed();
}

KeyValueTable::Entry* KeyValueTable::find(wire::Bytes key, std::uint64_t clock) {
  const auto found = entries_.find(std::string(key));
  if (found == entries_.end() || clock >= found->second.dies) return nullptr;
  return &found->second;
}

void KeyValueTable::store(wire::Bytes key, const wire::KvValue& value, std::uint64_t dies) {
  entries_[std::string(key)] = {value.is_integer, value.integer, std::string(value.bytes), dies};
}

bool KeyValueTable::on_keys(wire::OperationType type, wire::Cursor& in, std::string& result) {
  const std::uint64_t clock = in.natural();
  std::vector<wire::Bytes> keys(in.count(1));
  for (wire::Bytes& key : keys) key = in.bytes();
  if (!in.finished()) return false;
  for (const wire::Bytes key : keys) {
    const Entry* entry = find(key, clock);
    wire::put_byte(result, entry != nullptr ? 1 : 0);
    if (entry == nullptr) continue;
    if (type == wire::OperationType::kv_fetch) {
      wire::put_kv_value(result, {entry->is_integer, entry->integer, entry->bytes});
    } else if (type == wire::OperationType::kv_delete) {
      entries_.erase(std::string(key));
    }
  }
  return true;
}

bool KeyValueTable::on_entries(wire::OperationType type, wire::Cursor& in, std::string& result) {
  const std::uint64_t clock = in.natural();
  const std::uint64_t ttl = in.natural();
  std::vector<wire::KvEntry> entries(in.count(2));
  for (wire::KvEntry& entry : entries) {
    entry.key = in.bytes();
    entry.value = wire::take_kv_value(in);
  }
  if (!in.finished()) return false;
  for (const wire::KvEntry& entry : entries) {
    const bool stored = type == wire::OperationType::kv_store || find(entry.key, clock) == nullptr;
    if (stored) store(entry.key, entry.value, death(clock, ttl));
    if (type == wire::OperationType::kv_add) wire::put_byte(result, stored ? 1 : 0);
  }
  return true;
}

bool KeyValueTable::increase(wire::Cursor& in, std::string& result) {
  const std::uint64_t clock = in.natural();
  const std::uint64_t ttl = in.natural();
  const wire::Bytes key = in.bytes();
  const std::int64_t step = in.integer();
  if (!in.finished()) return false;
  std::int64_t sum = step;
  if (Entry* entry = find(key, clock); entry == nullptr) {
    store(key, {true, step, {}}, death(clock, ttl));
  } else if (!entry->is_integer || __builtin_add_overflow(entry->integer, step, &sum)) {
    wire::put_byte(result, 0);
    return true;
  } else {
    entry->integer = sum;
  }
  wire::put_byte(result, 1);
  wire::put_integer(result, sum);
  return true;
}

bool KeyValueTable::compare_and_swap(wire::Cursor& in, std::string& result) {
  const std::uint64_t clock = in.natural();
  const wire::Bytes key = in.bytes();
  const std::int64_t expected = in.integer();
  const std::int64_t desired = in.integer();
  if (!in.finished()) return false;
  Entry* entry = find(key, clock);
  const bool swapped = entry != nullptr && entry->is_integer && entry->integer == expected;
  if (swapped) entry->integer = desired;
  wire::put_byte(result, swapped ? 1 : 0);
  return true;
}

}  // namespace assay::audit
