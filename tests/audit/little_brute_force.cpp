// The definition of a consistent trace and reports, tried out: all interleavings, step by step, each
// operation performed on the plain objects and compared with the next entry of its log.
#include <algorithm>

#include "audit/little_server.hpp"

namespace assay::audit::testing {

namespace {

bool is_whole(wire::EndReason end) {
  return end == wire::EndReason::complete || end == wire::EndReason::client_gone;
}

struct Claim {
  const DraftEvent* request = nullptr;
  const DraftEvent* response = nullptr;
  std::optional<std::uint64_t> count;
  std::vector<const DraftValue*> values;
  bool whole() const { return response != nullptr && is_whole(response->end); }
  bool open() const { return response == nullptr || response->end == wire::EndReason::given_up; }
  bool refused() const { return response != nullptr && response->end == wire::EndReason::refused; }
};

using Log = std::vector<const DraftOperation*>;
using ObjectName = std::pair<wire::ObjectKind, std::string>;

class BruteForce {
 public:
  explicit BruteForce(const Draft& draft) : draft_(draft) {}

  bool possible() {
    if (!take_events() || !take_counts() || !take_logs() || !take_values()) return false;
    State start;
    for (const auto& [name, log] : logs_) start.position[name] = 0;
    return search(start);
  }

 private:
  struct Runner {
    Thread thread;
    std::uint64_t operations = 0;
    std::map<wire::NdKind, std::uint64_t> asked;
    bool stuck = false;  // wants a value that is not reported
    bool departed = false;
  };
  struct State {
    std::size_t event = 0;
    std::map<std::uint64_t, Runner> runners;
    std::map<ObjectName, std::size_t> position;
    World world;
  };

  bool take_events() {
    for (const DraftEvent& event : draft_.events) {
      Claim& claim = claims_[event.rid];
      const DraftEvent*& mine = event.is_response ? claim.response : claim.request;
      if (mine != nullptr || claim.request == nullptr) {
        if (event.is_response || mine != nullptr) return false;
      }
      mine = &event;
    }
    return true;
  }

  bool take_counts() {
    for (const Count& count : draft_.counts) {
      const auto claim = claims_.find(count.rid);
      if (claim == claims_.end() || claim->second.count) return false;
      claim->second.count = count.operations;
    }
    for (auto& [rid, claim] : claims_) {
      if (claim.count) continue;
      if (claim.whole()) return false;
      claim.count = static_cast<std::uint64_t>(
          std::count_if(draft_.operations.begin(), draft_.operations.end(),
                        [&, id = rid](const DraftOperation& op) { return op.rid == id; }));
    }
    return true;
  }

  bool take_logs() {
    for (const DraftOperation& op : draft_.operations) {
      const auto claim = claims_.find(op.rid);
      if (claim == claims_.end() || claim->second.refused()) return false;
      logs_[{op.kind, op.object}].push_back(&op);
    }
    for (auto& [name, log] : logs_) {
      std::sort(log.begin(), log.end(), [](const auto* a, const auto* b) { return a->seq < b->seq; });
      for (std::size_t i = 1; i < log.size(); ++i) {
        if (log[i - 1]->seq == log[i]->seq) return false;
      }
    }
    return true;
  }

  bool take_values() {
    for (const DraftValue& value : draft_.values) {
      const auto found = claims_.find(value.rid);
      if (found == claims_.end() || found->second.refused()) return false;
      Claim& claim = found->second;
      if (value.after > *claim.count) return false;
      if (!claim.values.empty() && claim.values.back()->after > value.after) return false;
      if (value.kind == wire::NdKind::clock) {
        const std::uint64_t time = wire::load_u64(value.value.data());
        if (time < claim.request->time || (!claim.open() && time > claim.response->time)) return false;
        for (const DraftValue* before : claim.values) {
          if (before->kind == wire::NdKind::clock && wire::load_u64(before->value.data()) > time)
            return false;
        }
      }
      claim.values.push_back(&value);
    }
    return true;
  }

  // Runs up to the next operation, the end, or a value that is not reported.
  void advance(std::uint64_t rid, Runner& runner) {
    for (;;) {
      const Thread::Next next = runner.thread.next();
      if (next == Thread::Next::end || next == Thread::Next::operation) return;
      const wire::NdKind kind = next == Thread::Next::clock ? wire::NdKind::clock : wire::NdKind::random_seed;
      const std::uint64_t which = runner.asked[kind]++;
      std::uint64_t passed = 0;
      const DraftValue* answer = nullptr;
      for (const DraftValue* value : claims_[rid].values) {
        if (value->kind != kind) continue;
        passed += value->repeat;
        if (passed > which) {
          answer = value;
          break;
        }
      }
      if (answer == nullptr) {
        runner.stuck = true;
        return;
      }
      const std::uint64_t number = wire::load_u64(answer->value.data());
      if (kind == wire::NdKind::clock) {
        runner.thread.answer_clock(number);
      } else {
        runner.thread.answer_random(number);
      }
    }
  }

  bool search(const State& state) {
    if (!visited_.insert(key(state)).second) return false;
    if (state.event == draft_.events.size() && finished(state)) return true;
    if (state.event < draft_.events.size()) {
      State next = state;
      if (happen(next) && search(next)) return true;
    }
    for (const auto& [rid, runner] : state.runners) {
      if (runner.departed) continue;
      State next = state;
      if (operate(next, rid) && search(next)) return true;
    }
    return false;
  }

  // The logs say in which order each object did what, so how far each request is says everything.
  static std::vector<std::uint64_t> key(const State& state) {
    std::vector<std::uint64_t> made{state.event};
    for (const auto& [rid, runner] : state.runners) made.push_back(runner.operations);
    return made;
  }

  bool happen(State& state) {
    const DraftEvent& event = draft_.events[state.event++];
    Claim& claim = claims_[event.rid];
    if (!event.is_response) {
      Runner& runner = state.runners[event.rid];
      runner.thread.script = decode(event.bytes);
      if (claim.refused()) {
        runner.departed = true;
        return *claim.count == 0;
      }
      advance(event.rid, runner);
      return true;
    }
    if (claim.open() || claim.refused()) return true;
    Runner& runner = state.runners[event.rid];
    runner.departed = true;
    return good_end(claim, runner);
  }

  static bool good_end(const Claim& claim, Runner& runner) {
    if (runner.operations != *claim.count) return false;
    if (claim.response == nullptr) return true;
    const DraftEvent& seen = *claim.response;
    const bool same_head = seen.status == 200 && seen.pairs == OwnedPairs{{"Content-Type", "text/plain"}};
    if (claim.whole()) {
      return !runner.stuck && runner.thread.next() == Thread::Next::end && same_head &&
             seen.bytes == runner.thread.body;
    }
    if (seen.pairs.empty() && seen.bytes.empty()) return true;
    return same_head && runner.thread.body.starts_with(seen.bytes);
  }

  bool finished(const State& state) {
    for (const auto& [name, log] : logs_) {
      if (state.position.at(name) != log.size()) return false;
    }
    for (auto [rid, runner] : state.runners) {
      const Claim& claim = claims_[rid];
      if (claim.open() && !good_end(claim, runner)) return false;
    }
    return true;
  }

  static bool good_outcome(Deed deed, std::uint64_t outcome) {
    if (outcome == 0) return true;
    if (is_sql(deed) && deed != Deed::open && deed != Deed::close) {
      return outcome == 5 || outcome == 6 || outcome == 261 || outcome == 262 || outcome == 517 ||
             outcome == 773;
    }
    return outcome == 1 && (deed == Deed::lock_shared || deed == Deed::lock_exclusive ||
                            deed == Deed::store || deed == Deed::insert || deed == Deed::increase);
  }

  bool operate(State& state, std::uint64_t rid) {
    Runner& runner = state.runners[rid];
    if (runner.stuck || runner.thread.next() != Thread::Next::operation) return false;
    const Wish wish = runner.thread.wish();
    const auto log = logs_.find({wish.object, wish.name});
    if (log == logs_.end()) return false;
    std::size_t& position = state.position[log->first];
    if (position == log->second.size()) return false;
    const DraftOperation& entry = *log->second[position];
    if (entry.rid != rid || entry.opnum != runner.operations + 1 || entry.type != wish.type ||
        entry.contents != wish.contents || !good_outcome(runner.thread.instruction().deed, entry.outcome)) {
      return false;
    }
    ++position;
    ++runner.operations;
    std::optional<std::int64_t> result = -1000 - static_cast<std::int64_t>(entry.outcome);
    if (entry.outcome == 0) result = state.world.perform(rid, runner.thread);
    if (!result) return false;
    const bool last_here = std::none_of(log->second.begin() + static_cast<std::ptrdiff_t>(position),
                                        log->second.end(), [&](const auto* op) { return op->rid == rid; });
    if (last_here && !claims_[rid].whole()) {
      if (wish.object == wire::ObjectKind::database) state.world.abandon_database(rid);
      if (wish.object == wire::ObjectKind::locks) state.world.abandon_locks(rid);
    }
    runner.thread.answer(*result);
    advance(rid, runner);
    return true;
  }

  const Draft& draft_;
  std::map<std::uint64_t, Claim> claims_;
  std::map<ObjectName, Log> logs_;
  std::set<std::vector<std::uint64_t>> visited_;
};

}  // namespace

bool possible(const Draft& draft) {
  return BruteForce(draft).possible();
}

}  // namespace assay::audit::testing
