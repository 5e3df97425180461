#include "support/simulation/disk.hpp"

#include <algorithm>
#include <set>

namespace assay::watch::simulation {

void Disk::apply(const Change& change, std::string& content) {
  if (change.cuts) return content.resize(std::min<std::size_t>(content.size(), change.offset));
  content.resize(std::max<std::size_t>(content.size(), change.offset + change.bytes.size()), '\0');
  content.replace(change.offset, change.bytes.size(), change.bytes);
}

Disk::File& Disk::file(const std::string& name) {
  std::shared_ptr<File>& found = now_[name];
  if (!found) found = std::make_shared<File>();
  return *found;
}

void Disk::change(File& file, Change change) {
  apply(change, file.now);
  file.pending.push_back(std::move(change));
}

std::vector<std::string> Disk::names() const {
  std::vector<std::string> found;
  for (const auto& [name, file] : now_) found.push_back(name);
  return found;
}

std::string Disk::read(const std::string& name, std::uint64_t offset, std::size_t size) const {
  const auto found = now_.find(name);
  if (found == now_.end() || offset >= found->second->now.size()) return {};
  return found->second->now.substr(offset, size);
}

std::uint64_t Disk::size(const std::string& name) const {
  const auto found = now_.find(name);
  return found == now_.end() ? 0 : found->second->now.size();
}

void Disk::create(const std::string& name) {
  before_();
  change(file(name), {0, {}, true});
}

void Disk::write(const std::string& name, std::string_view bytes, std::uint64_t offset) {
  // What fails in the middle has written a part.
  const std::string_view half = bytes.substr(0, bytes.size() / 2);
  change(file(name), {offset, std::string(half), false});
  before_();
  change(file(name), {offset + half.size(), std::string(bytes.substr(half.size())), false});
}

void Disk::truncate(const std::string& name, std::uint64_t size) {
  before_();
  change(file(name), {size, {}, true});
}

void Disk::remove(const std::string& name) {
  before_();
  now_.erase(name);
}

void Disk::make_safe(const std::string& name) {
  File& made = file(name);
  try {
    before_();
  } catch (const system::StorageError&) {
    made.pending.clear();
    throw;
  }
  // Whatever was dropped before is still not there.
  for (const Change& change : made.pending) apply(change, made.safe);
  made.pending.clear();
}

void Disk::make_names_safe() {
  before_();
  safe_ = now_;
}

void Disk::replace(const std::string& name, std::string_view bytes) {
  before_();
  auto replacement = std::make_shared<File>();
  replacement->safe = replacement->now = bytes;
  now_[name] = std::move(replacement);
  make_names_safe();
}

void Disk::lose_power(Rng& rng) {
  std::set<std::string> names;
  for (const auto* some : {&now_, &safe_}) {
    for (const auto& [name, file] : *some) names.insert(name);
  }
  Names left;
  for (const std::string& name : names) {
    const auto now = now_.find(name), safe = safe_.find(name);
    const bool is_now = now != now_.end() && (safe == safe_.end() || rng.chance(0.5));
    const bool vanishes = (now == now_.end()) != (safe == safe_.end()) && rng.chance(0.5);
    if (!vanishes) left[name] = is_now ? now->second : safe->second;
  }
  for (const auto& [name, file] : left) {
    for (Change& change : file->pending) {
      if (rng.chance(0.4)) continue;
      if (rng.chance(0.3))
        change.bytes.resize(rng.below(static_cast<std::uint32_t>(change.bytes.size()) + 1));
      apply(change, file->safe);
    }
    file->pending.clear();
    file->now = file->safe;
  }
  now_ = safe_ = left;
}

}  // namespace assay::watch::simulation
