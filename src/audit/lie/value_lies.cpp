// Counts, groups, and what the programs were told by the clock and by chance.
#include <algorithm>
#include <limits>
#include <utility>

#include "audit/lie/draw.hpp"
#include "audit/lie/plants.hpp"

namespace assay::audit::lie {

namespace {

std::uint64_t number(const DraftValue& value) {
  return wire::load_u64(value.value.data());
}

void set_number(DraftValue& value, std::uint64_t to) {
  value.value.clear();
  wire::put_u64(value.value, to);
}

}  // namespace

bool count_more(Draft& draft, std::uint64_t seed) {
  if (draft.counts.empty()) return false;
  Draw draw(seed);
  ++draft.counts[draw.below(draft.counts.size())].operations;
  return true;
}

bool count_less(Draft& draft, std::uint64_t seed) {
  Draw draw(seed);
  Count* count = pick(draft.counts, draw, [](const Count& c) { return c.operations > 0; });
  if (count == nullptr) return false;
  --count->operations;
  return true;
}

bool drop_count(Draft& draft, std::uint64_t seed) {
  Draw draw(seed);
  const Count* count = pick(draft.counts, draw, [&](const Count& c) {
    return std::any_of(draft.events.begin(), draft.events.end(),
                       [&](const DraftEvent& e) { return e.rid == c.rid && is_whole_response(e); });
  });
  if (count == nullptr) return false;
  remove(draft.counts, count);
  return true;
}

bool drop_group(Draft& draft, std::uint64_t seed) {
  if (draft.groups.empty()) return false;
  Draw draw(seed);
  remove(draft.groups, &draft.groups[draw.below(draft.groups.size())]);
  return true;
}

bool merge_groups(Draft& draft, std::uint64_t seed) {
  if (draft.groups.size() < 2) return false;
  Draw draw(seed);
  const std::uint64_t tag = draft.groups[draw.below(draft.groups.size())].tag;
  for (Group& group : draft.groups) group.tag = tag;
  return true;
}

bool clock_outside(Draft& draft, std::uint64_t seed) {
  Draw draw(seed);
  DraftValue* value =
      pick(draft.values, draw, [](const DraftValue& v) { return v.kind == wire::NdKind::clock; });
  if (value == nullptr) return false;
  set_number(*value, draw.below(2) == 0 ? 1 : std::numeric_limits<std::uint64_t>::max());
  return true;
}

bool clock_backwards(Draft& draft, std::uint64_t seed) {
  Draw draw(seed);
  std::vector<std::pair<DraftValue*, DraftValue*>> pairs;
  std::vector<DraftValue*> repeated;
  DraftValue* before = nullptr;
  for (DraftValue& value : draft.values) {
    if (value.kind != wire::NdKind::clock) continue;
    if (before != nullptr && before->rid == value.rid && number(*before) < number(value)) {
      pairs.emplace_back(before, &value);
    }
    if (value.repeat > 1) repeated.push_back(&value);
    before = &value;
  }
  if (!pairs.empty()) {
    const auto [one, other] = pairs[draw.below(pairs.size())];
    std::swap(one->value, other->value);
    return true;
  }
  if (repeated.empty()) return false;
  // The clock stood still; now the last that was seen of it is a microsecond earlier.
  DraftValue* still = repeated[draw.below(repeated.size())];
  --still->repeat;
  DraftValue last = *still;
  last.repeat = 1;
  set_number(last, number(*still) - 1000);
  draft.values.insert(draft.values.begin() + (still - draft.values.data()) + 1, std::move(last));
  return true;
}

bool wrong_random(Draft& draft, std::uint64_t seed) {
  Draw draw(seed);
  // Of many random bytes a program may use only a part, and of a seed only the first numbers: the fewest bytes
  // are the surest to show.
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  for (const DraftValue& v : draft.values) {
    if (v.kind == wire::NdKind::random_bytes) fewest = std::min(fewest, v.value.size());
  }
  DraftValue* value = pick(draft.values, draw, [&](const DraftValue& v) {
    return v.kind == wire::NdKind::random_bytes && v.value.size() == fewest;
  });
  if (value == nullptr)
    value = pick(draft.values, draw, [](const DraftValue& v) { return v.kind == wire::NdKind::random_seed; });
  return value != nullptr && flip(value->value, draw);
}

bool drop_value(Draft& draft, std::uint64_t seed) {
  if (draft.values.empty()) return false;
  Draw draw(seed);
  remove(draft.values, &draft.values[draw.below(draft.values.size())]);
  return true;
}

}  // namespace assay::audit::lie
