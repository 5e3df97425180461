#include "record/kv_table.hpp"

#include <xxhash.h>

#include <cstring>

namespace assay::php {

namespace {

constexpr std::uint64_t kEverything = ~std::uint64_t{0};  // instead of a word: all values
constexpr char kFirstOfValues = 'k';

}  // namespace

// A process may be killed between any two lines below. Each change becomes visible by one store of a link, so
// the table is then as it was before or as it is after; at worst a block of memory is lost.
struct KvTable::Entry {
  std::atomic<std::uint64_t> next;
  std::uint64_t size_class;
  std::uint64_t death;
  std::int64_t integer;
  std::uint32_t is_integer;
  std::uint32_t key_size;
  std::uint64_t value_size;

  char* key() { return reinterpret_cast<char*>(this + 1); }
  std::string_view key_view() { return {key(), key_size}; }
  std::string_view value_view() { return {key() + key_size, static_cast<std::size_t>(value_size)}; }
};

KvTable::Entry* KvTable::entry(std::uint64_t place) const {
  return place == 0 ? nullptr : reinterpret_cast<Entry*>(shared_->at(place));
}

// The link that leads to the entry of this key, or the one where it would be added.
std::atomic<std::uint64_t>* KvTable::link_to(std::string_view key) const {
  SharedHead& head = shared_->head();
  std::atomic<std::uint64_t>* link =
      &head.buckets[XXH3_64bits(key.data(), key.size()) % SharedHead::kBuckets];
  for (Entry* each = entry(link->load()); each != nullptr; each = entry(link->load())) {
    if (each->key_view() == key) break;
    link = &each->next;
  }
  return link;
}

KvTable::Entry* KvTable::locate(std::string_view key) const {
  return entry(link_to(key)->load());
}

// Blocks come in powers of two, and go back to the list of their size.
std::uint64_t KvTable::allocate(std::size_t bytes) {
  std::uint64_t size_class = 6;
  while ((std::uint64_t{1} << size_class) < bytes) ++size_class;
  SharedHead& head = shared_->head();
  if (size_class >= SharedHead::kSizeClasses) return 0;
  std::uint64_t place = head.free_lists[size_class].load();
  if (place != 0) {
    head.free_lists[size_class].store(entry(place)->next.load());
  } else {
    place = head.unused.load();
    if (place + (std::uint64_t{1} << size_class) > head.size) return 0;
    head.unused.store(place + (std::uint64_t{1} << size_class));
  }
  entry(place)->size_class = size_class;
  return place;
}

void KvTable::release(std::uint64_t place) {
  std::atomic<std::uint64_t>& list = shared_->head().free_lists[entry(place)->size_class];
  entry(place)->next.store(list.load());
  list.store(place);
}

std::uint64_t KvTable::place_of(const void* memory) const {
  return static_cast<std::uint64_t>(static_cast<const char*>(memory) - shared_->at(0));
}

std::optional<StoredValue> KvTable::find(std::string_view key, std::uint64_t now) const {
  Entry* found = locate(key);
  if (found == nullptr || (found->death != 0 && now >= found->death)) return std::nullopt;
  StoredValue value;
  value.is_integer = found->is_integer != 0;
  value.integer = found->integer;
  value.bytes = found->value_view();
  return value;
}

std::optional<KvTable::Change> KvTable::put(std::string_view key, const wire::KvValue& value,
                                            std::uint64_t death) {
  const std::uint64_t place = allocate(sizeof(Entry) + key.size() + value.bytes.size());
  if (place == 0) return std::nullopt;
  Entry* fresh = entry(place);
  fresh->death = death;
  fresh->integer = value.integer;
  fresh->is_integer = value.is_integer ? 1 : 0;
  fresh->key_size = static_cast<std::uint32_t>(key.size());
  fresh->value_size = value.bytes.size();
  std::memcpy(fresh->key(), key.data(), key.size());
  if (!value.bytes.empty()) std::memcpy(fresh->key() + key.size(), value.bytes.data(), value.bytes.size());
  std::atomic<std::uint64_t>* link = link_to(key);
  const std::uint64_t old = link->load();
  fresh->next.store(old != 0 ? entry(old)->next.load() : 0);
  return Change{place_of(link), place, old};
}

std::optional<KvTable::Change> KvTable::set(std::string_view key, std::int64_t value) const {
  Entry* found = locate(key);
  if (found == nullptr || found->is_integer == 0) return std::nullopt;
  return Change{place_of(&found->integer), static_cast<std::uint64_t>(value), 0};
}

KvTable::Change KvTable::erase(std::string_view key) const {
  std::atomic<std::uint64_t>* link = link_to(key);
  const std::uint64_t place = link->load();
  if (place == 0) return {};
  return {place_of(link), entry(place)->next.load(), place};
}

KvTable::Change KvTable::clear() const {
  return {kEverything, 0, 0};
}

void KvTable::apply(const Change& change) {
  if (change.word == kEverything) {
    clear_now();
  } else if (change.word != 0) {
    reinterpret_cast<std::atomic<std::uint64_t>*>(shared_->at(change.word))->store(change.value);
    if (change.freed != 0) release(change.freed);
  }
}

void KvTable::clear_now() {
  for (std::atomic<std::uint64_t>& bucket : shared_->head().buckets) {
    std::atomic<std::uint64_t>* link = &bucket;
    while (Entry* each = entry(link->load())) {
      if (each->key_size > 0 && *each->key() == kFirstOfValues) {
        const std::uint64_t place = link->load();
        link->store(each->next.load());
        release(place);
      } else {
        link = &each->next;
      }
    }
  }
}

}  // namespace assay::php
