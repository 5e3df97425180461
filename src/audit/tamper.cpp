#include "audit/tamper.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>
#include <utility>

#include "system/input.hpp"
#include "system/input_error.hpp"
#include "system/output_file.hpp"

namespace assay::audit {

namespace {

// splitmix64: a seed gives the same lie everywhere.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed) {}
  std::size_t below(std::size_t bound) {
    state_ += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return static_cast<std::size_t>((z ^ (z >> 31)) % bound);
  }

 private:
  std::uint64_t state_;
};

// One of those that fit, or null.
template <class Element, class Fits>
Element* pick(std::vector<Element>& all, Draw& draw, const Fits& fits) {
  std::vector<Element*> fitting;
  for (Element& element : all) {
    if (fits(element)) fitting.push_back(&element);
  }
  return fitting.empty() ? nullptr : fitting[draw.below(fitting.size())];
}

template <class Element>
void remove(std::vector<Element>& all, const Element* gone) {
  all.erase(all.begin() + (gone - all.data()));
}

bool flip(std::string& bytes, Draw& draw) {
  if (bytes.empty()) return false;
  char& byte = bytes[draw.below(bytes.size())];
  byte = static_cast<char>(byte ^ static_cast<char>(1U << draw.below(7)));
  return true;
}

bool is_whole_response(const DraftEvent& event) {
  return event.is_response &&
         (event.end == wire::EndReason::complete || event.end == wire::EndReason::client_gone);
}

// ---- The trace: what a client got is not what the program gives.

bool flip_body(Draft& draft, std::uint64_t seed) {
  Draw draw(seed);
  DraftEvent* event =
      pick(draft.events, draw, [](const DraftEvent& e) { return is_whole_response(e) && !e.bytes.empty(); });
  return event != nullptr && flip(event->bytes, draw);
}

bool truncate_body(Draft& draft, std::uint64_t seed) {
  Draw draw(seed);
  DraftEvent* event =
      pick(draft.events, draw, [](const DraftEvent& e) { return is_whole_response(e) && !e.bytes.empty(); });
  if (event == nullptr) return false;
  event->bytes.resize(draw.below(event->bytes.size()));
  return true;
}

bool change_header(Draft& draft, std::uint64_t seed) {
  Draw draw(seed);
  DraftEvent* event = pick(draft.events, draw, is_whole_response);
  if (event == nullptr) return false;
  event->pairs.emplace_back("X-Added", "by nobody");
  return true;
}

bool change_status(Draft& draft, std::uint64_t seed) {
  Draw draw(seed);
  DraftEvent* event = pick(draft.events, draw, is_whole_response);
  if (event == nullptr) return false;
  event->status = event->status == 500 ? 200 : 500;
  return true;
}

bool duplicate_response(Draft& draft, std::uint64_t seed) {
  Draw draw(seed);
  const DraftEvent* event = pick(draft.events, draw, is_whole_response);
  if (event == nullptr) return false;
  DraftEvent copy = *event;
  copy.time = draft.events.back().time;
  draft.events.push_back(std::move(copy));
  return true;
}

bool swap_responses(Draft& draft, std::uint64_t seed) {
  Draw draw(seed);
  DraftEvent* one = pick(draft.events, draw, is_whole_response);
  if (one == nullptr) return false;
  DraftEvent* other = pick(draft.events, draw, [&](const DraftEvent& e) {
    return is_whole_response(e) &&
           (e.bytes != one->bytes || e.status != one->status || e.pairs != one->pairs);
  });
  if (other == nullptr) return false;
  std::swap(one->bytes, other->bytes);
  std::swap(one->pairs, other->pairs);
  std::swap(one->status, other->status);
  return true;
}

// ---- The logs

bool drop_operation(Draft& draft, std::uint64_t seed) {
  if (draft.operations.empty()) return false;
  Draw draw(seed);
  remove(draft.operations, &draft.operations[draw.below(draft.operations.size())]);
  return true;
}

// Drops the last operation of a request and counts one less, so that the reports still fit.
bool hide_operation(Draft& draft, std::uint64_t seed) {
  Draw draw(seed);
  Count* count = pick(draft.counts, draw, [](const Count& c) { return c.operations > 0; });
  if (count == nullptr) return false;
  const DraftOperation* last = pick(draft.operations, draw, [&](const DraftOperation& op) {
    return op.rid == count->rid && op.opnum == count->operations;
  });
  if (last == nullptr) return false;
  remove(draft.operations, last);
  --count->operations;
  return true;
}

bool duplicate_operation(Draft& draft, std::uint64_t seed) {
  if (draft.operations.empty()) return false;
  Draw draw(seed);
  const std::size_t at = draw.below(draft.operations.size());
  DraftOperation copy = draft.operations[at];
  for (const DraftOperation& op : draft.operations) copy.seq = std::max(copy.seq, op.seq + 1);
  draft.operations.push_back(std::move(copy));
  return true;
}

// An operation more, counted, at the end of its request and of its log.
bool forge_operation(Draft& draft, std::uint64_t seed) {
  Draw draw(seed);
  const DraftOperation* model = pick(draft.operations, draw, [](const DraftOperation&) { return true; });
  if (model == nullptr) return false;
  Count* count = pick(draft.counts, draw, [&](const Count& c) { return c.rid == model->rid; });
  if (count == nullptr) return false;
  DraftOperation forged = *model;
  forged.opnum = ++count->operations;
  for (const DraftOperation& op : draft.operations) forged.seq = std::max(forged.seq, op.seq + 1);
  draft.operations.push_back(std::move(forged));
  return true;
}

// Exchanges the places of two neighbours of one log; with `fits` saying which two.
template <class Fits>
bool swap_neighbours(Draft& draft, Draw& draw, const Fits& fits) {
  std::vector<std::pair<std::size_t, std::size_t>> places;
  std::vector<std::size_t> order(draft.operations.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto key = [&](std::size_t i) {
    const DraftOperation& op = draft.operations[i];
    return std::tie(op.kind, op.object, op.seq);
  };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  for (std::size_t i = 1; i < order.size(); ++i) {
    const DraftOperation& before = draft.operations[order[i - 1]];
    const DraftOperation& after = draft.operations[order[i]];
    if (before.kind == after.kind && before.object == after.object && fits(before, after)) {
      places.emplace_back(order[i - 1], order[i]);
    }
  }
  if (places.empty()) return false;
  const auto [a, b] = places[draw.below(places.size())];
  std::swap(draft.operations[a].seq, draft.operations[b].seq);
  return true;
}

bool reorder_requests(Draft& draft, std::uint64_t seed) {
  Draw draw(seed);
  return swap_neighbours(draft, draw,
                         [](const DraftOperation& a, const DraftOperation& b) { return a.rid != b.rid; });
}

bool reorder_program(Draft& draft, std::uint64_t seed) {
  Draw draw(seed);
  return swap_neighbours(draft, draw,
                         [](const DraftOperation& a, const DraftOperation& b) { return a.rid == b.rid; });
}

bool retarget_operation(Draft& draft, std::uint64_t seed) {
  Draw draw(seed);
  DraftOperation* op = pick(draft.operations, draw, [](const DraftOperation&) { return true; });
  if (op == nullptr) return false;
  const DraftOperation* other =
      pick(draft.operations, draw, [&](const DraftOperation& o) { return o.rid != op->rid; });
  if (other == nullptr) return false;
  op->rid = other->rid;
  return true;
}

// Two operations of different requests exchange their owners; the reports still fit.
bool exchange_owners(Draft& draft, std::uint64_t seed) {
  Draw draw(seed);
  DraftOperation* one = pick(draft.operations, draw, [](const DraftOperation&) { return true; });
  if (one == nullptr) return false;
  DraftOperation* other = pick(draft.operations, draw, [&](const DraftOperation& o) {
    return o.rid != one->rid && (o.kind != one->kind || o.object != one->object || o.type != one->type ||
                                 o.contents != one->contents);
  });
  if (other == nullptr) return false;
  std::swap(one->rid, other->rid);
  std::swap(one->opnum, other->opnum);
  return true;
}

template <wire::ObjectKind kind>
bool change_contents(Draft& draft, std::uint64_t seed) {
  Draw draw(seed);
  DraftOperation* op = pick(draft.operations, draw,
                            [](const DraftOperation& o) { return o.kind == kind && !o.contents.empty(); });
  return op != nullptr && flip(op->contents, draw);
}

// Not of a pragma: what it then asks for may be unknown, and the audit undecided.
bool change_statement(Draft& draft, std::uint64_t seed) {
  Draw draw(seed);
  DraftOperation* op = pick(draft.operations, draw, [](const DraftOperation& o) {
    return o.kind == wire::ObjectKind::database && !o.contents.empty() &&
           o.contents.find("PRAGMA") == std::string::npos;
  });
  return op != nullptr && flip(op->contents, draw);
}

bool claim_busy(Draft& draft, std::uint64_t seed) {
  Draw draw(seed);
  DraftOperation* op = pick(draft.operations, draw, [](const DraftOperation& o) {
    return o.type == wire::OperationType::sql_statement && o.outcome == 0;
  });
  if (op == nullptr) return false;
  op->outcome = 5;
  return true;
}

bool deny_busy(Draft& draft, std::uint64_t seed) {
  Draw draw(seed);
  DraftOperation* op = pick(draft.operations, draw, [](const DraftOperation& o) { return o.outcome != 0; });
  if (op == nullptr) return false;
  op->outcome = 0;
  return true;
}

// ---- Counts

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

// ---- Groups

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

// ---- Nondeterminism

std::uint64_t number(const DraftValue& value) {
  return wire::load_u64(value.value.data());
}

void set_number(DraftValue& value, std::uint64_t to) {
  value.value.clear();
  wire::put_u64(value.value, to);
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
  DraftValue* before = nullptr;
  for (DraftValue& value : draft.values) {
    if (value.kind != wire::NdKind::clock) continue;
    if (before != nullptr && before->rid == value.rid && number(*before) < number(value)) {
      pairs.emplace_back(before, &value);
    }
    before = &value;
  }
  if (pairs.empty()) return false;
  const auto [one, other] = pairs[draw.below(pairs.size())];
  std::swap(one->value, other->value);
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

constexpr Lie kLies[] = {
    {"body", "one bit of a response's body is another", false, flip_body},
    {"body-end", "the end of a response's body is missing", false, truncate_body},
    {"header", "a response has a header more", false, change_header},
    {"status", "a response has another status", false, change_status},
    {"response-twice", "a request is answered twice", false, duplicate_response},
    {"responses-swapped", "two requests get each other's response", false, swap_responses},
    {"operation-dropped", "an operation is missing in its log", false, drop_operation},
    {"operation-hidden", "the last operation of a request is missing and not counted", false, hide_operation},
    {"operation-twice", "an operation stands twice in the logs", false, duplicate_operation},
    {"operation-forged", "a request is said to have done one thing more", false, forge_operation},
    {"order-requests", "two operations of different requests are in the wrong order", false,
     reorder_requests},
    {"order-program", "two operations of one request are in the wrong order", false, reorder_program},
    {"owner", "an operation is said to be another request's", false, retarget_operation},
    {"owners-exchanged", "two operations are said to be each other's request's", false, exchange_owners},
    {"sql", "one bit of a statement is another", false, change_statement},
    {"key-value", "one bit of a key-value operation is another", false,
     change_contents<wire::ObjectKind::key_value>},
    {"session", "one bit of a session is another", false, change_contents<wire::ObjectKind::session>},
    {"busy", "a statement that ran is said to have been busy", false, claim_busy},
    {"not-busy", "something that was not performed is said to have been", false, deny_busy, true},
    {"count-more", "a request is said to have performed one operation more", false, count_more},
    {"count-less", "a request is said to have performed one operation less", false, count_less},
    {"count-dropped", "the operations of a request are not counted", false, drop_count},
    {"group-dropped", "a request is in no group", true, drop_group},
    {"groups-merged", "all requests are in one group", true, merge_groups},
    {"clock-outside", "a request saw a time at which it was not at the server", false, clock_outside},
    {"clock-backwards", "a request saw the clock run backwards", false, clock_backwards},
    {"random", "a request saw other random numbers", false, wrong_random},
    {"value-dropped", "a value that a request saw is not reported", false, drop_value},
};

}  // namespace

std::span<const Lie> lies() {
  return kLies;
}

TamperedFiles tamper_files(const Lie& lie, std::uint64_t seed, const std::filesystem::path& trace,
                           const std::filesystem::path& reports, const std::filesystem::path& folder) {
  const system::OpenedInput file = system::open_input(trace.string());
  if (file.input.directory) throw InputError(trace.string(), "", "expected a trace, got a folder");
  Draft draft(Trace(trace.string(), file.input.files.front().bytes), Reports::read_folder(reports.string()));
  if (!lie.plant(draft, seed))
    throw InputError(trace.string(), "", "there is no place for this lie: " + std::string(lie.description));
  TamperedFiles made{folder / "trace", folder / "reports"};
  std::filesystem::create_directories(made.reports);
  const auto write = [](const std::filesystem::path& path, const std::string& bytes) {
    system::OutputFile out(path);
    out.put(bytes);
    out.close();
  };
  write(made.trace, draft.trace_file());
  write(made.reports / "tampered.rep", draft.report_file());
  return made;
}

const Lie* find_lie(std::string_view name) {
  for (const Lie& lie : kLies) {
    if (lie.name == name) return &lie;
  }
  return nullptr;
}

}  // namespace assay::audit
