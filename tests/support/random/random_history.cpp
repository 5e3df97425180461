#include "support/random/random_history.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include "history/builder.hpp"

namespace assay {

std::uint64_t Rng::next() {
  state_ += 0x9E3779B97F4A7C15ULL;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

Shape shape_with_everything() {
  Shape shape;
  shape.duplicates = 0.2;
  shape.erases = 0.1;
  shape.aborted = 0.1;
  shape.unknown = 0.15;
  shape.times = true;
  return shape;
}

Shape shape_of_lists() {
  Shape shape;
  shape.lists = true;
  shape.aborted = 0.1;
  shape.unknown = 0.1;
  shape.times = true;
  return shape;
}

namespace {

// A history that can still be changed. Value 0 is the initial state.
struct Operation {
  OpKind kind = OpKind::read;
  std::string key;
  std::int64_t value = 0;
  std::vector<std::int64_t> list;
};
struct Transaction {
  std::string session;
  Status status = Status::committed;
  std::optional<std::int64_t> start, end;
  std::vector<Operation> operations;
};
using Draft = std::vector<Transaction>;

History build(const Draft& draft) {
  HistoryBuilder builder;
  std::int64_t next = 0;
  for (const Transaction& t : draft) {
    builder.begin(builder.session(Atom::string(t.session)), Atom::integer(next++));
    for (const Operation& op : t.operations) {
      const Atom key = Atom::string(op.key);
      const Atom value = Atom::integer(op.value);
      switch (op.kind) {
        case OpKind::write:
          builder.write(key, value);
          break;
        case OpKind::insert:
          builder.insert(key, value);
          break;
        case OpKind::erase:
          builder.erase(key);
          break;
        case OpKind::append:
          builder.append(key, value);
          break;
        case OpKind::list_read: {
          std::vector<Atom> elements;
          for (const std::int64_t e : op.list) elements.push_back(Atom::integer(e));
          builder.list_read(key, elements);
          break;
        }
        default:
          op.value == 0 ? builder.read_initial(key) : builder.read(key, value);
      }
    }
    builder.end(t.status, t.start, t.end);
  }
  return builder.finish();
}

std::int64_t number(const History& h, Version v) {
  return h.is_initial(v) ? 0 : static_cast<std::int64_t>(h.value(v).bits);
}

Draft take_apart(const History& h) {
  Draft draft;
  for (const Txn t : h.all_transactions()) {
    Transaction& to = draft.emplace_back();
    to.session = to_string(h.name(h.session_of(t)));
    to.status = h.status(t);
    to.start = h.start(t);
    to.end = h.end(t);
    for (const Op op : h.operations_of(t)) {
      Operation& o = to.operations.emplace_back();
      o.kind = h.kind(op);
      if (o.kind == OpKind::list_read) {
        o.key = to_string(h.name(h.list(op).key));
        for (const Version v : h.list(op).elements) o.list.push_back(number(h, v));
      } else {
        o.key = to_string(h.name(h.key(op)));
        o.value = number(h, h.version(op));
      }
    }
  }
  return draft;
}

// Plans who writes what, then runs the plan to fill in the reads.
class Generator {
 public:
  Generator(Rng& rng, const Shape& shape) : rng_(rng), shape_(shape) {}

  Draft generate() {
    plan();
    if (rng_.chance(0.55)) {
      run(rng_.below(3));
      for (std::uint32_t i = rng_.below(3); i > 0; --i) change_one_read();
    } else {
      run(2);
      for (Transaction& t : draft_) {
        for (Operation& op : t.operations) {
          if (!writes(op.kind) && rng_.chance(0.8)) change(t, op);
        }
      }
    }
    return std::move(draft_);
  }

 private:
  using State = std::map<std::string, std::vector<std::int64_t>>;  // a register is a list of at most one

  void plan() {
    static constexpr std::array<const char*, 8> kKeys{"x", "y", "z", "u", "v", "w", "p", "q"};
    static constexpr std::array<const char*, 8> kSessions{"a", "b", "c", "d", "e", "f", "g", "h"};
    const std::uint32_t keys = rng_.between(1, std::min<std::uint32_t>(shape_.max_keys, kKeys.size()));
    const std::uint32_t sessions =
        rng_.between(1, std::min<std::uint32_t>(shape_.max_sessions, kSessions.size()));
    draft_.resize(rng_.between(1, shape_.max_transactions));
    std::int64_t next_value = 1;
    for (Transaction& t : draft_) {
      t.session = kSessions[rng_.below(sessions)];
      t.status = rng_.chance(shape_.aborted)   ? Status::aborted
                 : rng_.chance(shape_.unknown) ? Status::unknown
                                               : Status::committed;
      t.operations.resize(rng_.between(1, shape_.max_operations));
      for (Operation& op : t.operations) {
        op.key = kKeys[rng_.below(keys)];
        if (rng_.chance(shape_.reads)) {
          op.kind = shape_.lists ? OpKind::list_read : OpKind::read;
          continue;
        }
        op.kind = shape_.lists ? OpKind::append : rng_.chance(0.1) ? OpKind::insert : OpKind::write;
        std::vector<std::int64_t>& written = written_[op.key];
        if (!shape_.lists && rng_.chance(shape_.erases)) {
          op.kind = OpKind::erase;
        } else if (!shape_.lists && !written.empty() && rng_.chance(shape_.duplicates)) {
          op.value = written[rng_.below(static_cast<std::uint32_t>(written.size()))];
        } else {
          op.value = next_value++;
          written.push_back(op.value);
        }
      }
    }
    // A history numbers its transactions session by session.
    std::stable_sort(draft_.begin(), draft_.end(),
                     [](const Transaction& a, const Transaction& b) { return a.session < b.session; });
  }

  // Runs all transactions, each either at once (0), reading from the state at its begin (1), or reading the
  // committed state of the moment (2).
  void run(std::uint32_t mode) {
    struct Running {
      State snapshot, own;
      std::size_t next = 0;
      bool begun = false, done = false;
    };
    std::vector<Running> running(draft_.size());
    State committed;
    std::int64_t clock = 0;
    std::size_t left = draft_.size();
    // With two or three active at a time snapshot isolation holds more often than among all.
    const std::size_t at_most = 1 + rng_.below(3);
    while (left > 0) {
      const std::size_t i = rng_.below(static_cast<std::uint32_t>(draft_.size()));
      Running& r = running[i];
      if (r.done) continue;
      if (!r.begun) {
        const bool first = i == 0 || draft_[i - 1].session != draft_[i].session || running[i - 1].done;
        const auto active = static_cast<std::size_t>(std::count_if(
            running.begin(), running.end(), [](const Running& x) { return x.begun && !x.done; }));
        if (!first || active >= (mode == 0 ? 1 : at_most)) continue;
        r.begun = true;
        r.snapshot = committed;
        start(i, clock++);
      }
      Transaction& t = draft_[i];
      do {
        if (r.next == t.operations.size()) break;
        step(t.operations[r.next++], mode == 2 ? committed : r.snapshot, r.own);
      } while (mode == 0);
      if (r.next < t.operations.size()) continue;
      r.done = true;
      --left;
      if (t.status == Status::committed || (t.status == Status::unknown && rng_.chance(0.5))) {
        for (const auto& [key, values] : r.own) install(committed[key], values);
      }
      if (shape_.times && t.status != Status::unknown) t.end = clock++;
    }
    if (shape_.times) widen_some_intervals();
  }

  void start(std::size_t i, std::int64_t now) {
    if (shape_.times) draft_[i].start = now;
  }

  void step(Operation& op, State& visible, State& own) {
    if (writes(op.kind)) {
      std::vector<std::int64_t>& mine = own[op.key];
      if (!shape_.lists) mine.clear();
      mine.push_back(op.value);
    } else if (shape_.lists) {
      op.list = visible[op.key];
      install(op.list, own[op.key]);
    } else if (const auto mine = own.find(op.key); mine != own.end()) {
      op.value = mine->second.front();
    } else {
      op.value = visible[op.key].empty() ? 0 : visible[op.key].front();
    }
  }

  void install(std::vector<std::int64_t>& state, const std::vector<std::int64_t>& values) const {
    if (!shape_.lists) state.clear();
    state.insert(state.end(), values.begin(), values.end());
  }

  // Longer intervals order less; shorter or shifted ones contradict the run now and then.
  void widen_some_intervals() {
    for (Transaction& t : draft_) {
      if (rng_.chance(0.3)) *t.start = std::max<std::int64_t>(0, *t.start - rng_.between(0, 4));
      if (t.end && rng_.chance(0.3)) *t.end += rng_.between(0, 4);
      if (rng_.chance(0.05)) *t.start += rng_.between(0, 3);
      if (t.end) t.end = std::max(*t.end, *t.start);
    }
  }

  void change_one_read() {
    std::vector<std::pair<Transaction*, Operation*>> reads;
    for (Transaction& t : draft_) {
      for (Operation& op : t.operations) {
        if (!writes(op.kind)) reads.emplace_back(&t, &op);
      }
    }
    if (reads.empty()) return;
    const auto [t, op] = reads[rng_.below(static_cast<std::uint32_t>(reads.size()))];
    change(*t, *op);
  }

  void change(const Transaction& t, Operation& op) {
    if (shape_.lists) {
      change_list(op);
      return;
    }
    // Most reads of one's own writes stay right: a wrong one violates every level and hides all else.
    for (const Operation& earlier : t.operations) {
      if (&earlier == &op) break;
      if (writes(earlier.kind) && earlier.key == op.key && rng_.chance(0.95)) return;
    }
    const std::vector<std::int64_t> values = worth_reading(t, op.key);
    op.value = values[rng_.below(static_cast<std::uint32_t>(values.size()))];
  }

  // The initial value, and mostly the last write of another transaction that did not abort.
  std::vector<std::int64_t> worth_reading(const Transaction& reader, const std::string& key) {
    std::vector<std::int64_t> values{0};
    const bool anything = rng_.chance(0.05);
    for (const Transaction& t : draft_) {
      if (!anything && (&t == &reader || t.status == Status::aborted)) continue;
      std::optional<std::int64_t> last;
      for (const Operation& op : t.operations) {
        if (!writes(op.kind) || op.key != key) continue;
        if (last && anything) values.push_back(*last);
        last = op.value;
      }
      if (last) values.push_back(*last);
    }
    return values;
  }

  // Cuts the list at one of its ends, or exchanges two elements.
  void change_list(Operation& op) {
    if (op.list.empty()) return;
    const auto size = static_cast<std::uint32_t>(op.list.size());
    if (rng_.chance(0.9)) {
      op.list.resize(rng_.below(size + 1));
    } else {
      std::swap(op.list[rng_.below(size)], op.list[rng_.below(size)]);
    }
  }

  Rng& rng_;
  const Shape& shape_;
  Draft draft_;
  std::map<std::string, std::vector<std::int64_t>> written_;
};

std::optional<std::uint64_t> environment_number(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr) return std::nullopt;
  std::uint64_t value = 0;
  const std::string_view digits(text);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

}  // namespace

History random_history(Rng& rng, const Shape& shape) {
  return build(Generator(rng, shape).generate());
}

History shrink(const History& history, const std::function<bool(const History&)>& still_fails) {
  Draft draft = take_apart(history);
  const auto keep_if_it_fails = [&](Draft smaller) {
    if (smaller.empty() || !still_fails(build(smaller))) return false;
    draft = std::move(smaller);
    return true;
  };
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (std::size_t i = draft.size(); i-- > 0;) {
      Draft without = draft;
      without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
      smaller |= keep_if_it_fails(std::move(without));
    }
    for (std::size_t i = draft.size(); i-- > 0;) {
      for (std::size_t j = draft[i].operations.size(); j-- > 0;) {
        Draft without = draft;
        without[i].operations.erase(without[i].operations.begin() + static_cast<std::ptrdiff_t>(j));
        smaller |= keep_if_it_fails(std::move(without));
      }
      if (draft[i].start || draft[i].end) {
        Draft without = draft;
        without[i].start = without[i].end = std::nullopt;
        smaller |= keep_if_it_fails(std::move(without));
      }
      if (draft[i].status == Status::unknown) {
        Draft certain = draft;
        certain[i].status = Status::committed;
        smaller |= keep_if_it_fails(std::move(certain));
      }
    }
  }
  return build(draft);
}

std::string drawing(const History& history) {
  std::string text;
  std::string session;
  for (const Transaction& t : take_apart(history)) {
    if (!text.empty() && t.session == session) {
      text += " | ";
    } else {
      if (!text.empty()) text += '\n';
      text += t.session;
      text += ": ";
      session = t.session;
    }
    if (t.start) {
      text += "@";
      text += std::to_string(*t.start);
      text += "-";
      if (t.end) text += std::to_string(*t.end);
      text += " ";
    }
    std::string operations;
    for (const Operation& op : t.operations) {
      static constexpr std::string_view kLetters = "rwidal";
      operations += operations.empty() ? "" : " ";
      operations += kLetters[static_cast<std::size_t>(op.kind)];
      operations += '(';
      operations += op.key;
      if (op.kind == OpKind::list_read) {
        operations += ",[";
        for (const std::int64_t e : op.list) {
          if (operations.back() != '[') operations += ',';
          operations += std::to_string(e);
        }
        operations += "]";
      } else if (op.kind != OpKind::erase) {
        operations += ',';
        operations += std::to_string(op.value);
      }
      operations += ")";
    }
    text += operations;
    text += t.status == Status::aborted ? "!" : t.status == Status::unknown ? "?" : "";
  }
  return text;
}

std::uint64_t random_cases(std::uint64_t otherwise) {
  const std::uint64_t most = environment_number("ASSAY_RANDOM_CASES_AT_MOST").value_or(otherwise);
  return environment_number("ASSAY_RANDOM_CASES").value_or(std::min(otherwise, most));
}

std::uint64_t random_seed() {
  const std::uint64_t seed =
      environment_number("ASSAY_RANDOM_SEED").value_or(std::random_device{}() * 1'000'000ULL);
  std::cout << "ASSAY_RANDOM_SEED=" << seed << std::endl;
  return seed;
}

}  // namespace assay
