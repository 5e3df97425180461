#include "watch/admission.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "watch/forget/retired.hpp"
#include "watch/level_rules.hpp"

namespace assay::watch {

namespace {

constexpr std::uint32_t kNobody = 0xFFFFFFFFU;
constexpr std::uint32_t kSeveral = 0xFFFFFFFEU;

class Admission {
 public:
  Admission(const State& state, const Assembly& all)
      : state_(state), all_(all), h_(all.history), admitted_(state.sessions.size()) {
    for (std::uint32_t s = 0; s < admitted_.size(); ++s) {
      admitted_[s] = all.fresh[s];
    }
  }

  std::vector<std::uint32_t> run() {
    if (!state_.any_to_come()) return admitted_;
    find_writers();
    // The largest set in which every read that has to wait for its writer has it.
    bool changed = true;
    while (changed) {
      changed = false;
      for (std::uint32_t s = 0; s < admitted_.size(); ++s) {
        for (std::uint32_t i = 0; i < admitted_[s]; ++i) {
          if (!waits(fresh(s, i))) continue;
          admitted_[s] = i;
          changed = true;
        }
      }
    }
    return admitted_;
  }

 private:
  Txn fresh(std::uint32_t s, std::uint32_t i) const {
    return h_.transactions_of(Session{s})[all_.kept[s] + i];
  }
  bool is_admitted(Txn t) const {
    const std::uint32_t s = index(h_.session_of(t));
    return h_.position_in_session(t) < all_.kept[s] + admitted_[s];
  }

  void find_writers() {
    writer_.assign(h_.versions(), kNobody);
    for (const Txn t : h_.all_transactions()) {
      for (const Op op : h_.operations_of(t)) {
        if (!writes(h_.kind(op))) continue;
        std::uint32_t& writer = writer_[index(h_.version(op))];
        if (writer == kNobody || writer == index(t)) {
          writer = index(t);
        } else {
          if (writer != kSeveral) several_.push_back({index(h_.version(op)), writer});
          writer = kSeveral;
          several_.push_back({index(h_.version(op)), index(t)});
        }
      }
    }
  }

  // Calls visit(version) for every version that somebody else must have written.
  template <class Visit>
  void for_each_read(Txn t, Visit visit) const {
    if (h_.status(t) != Status::committed) return;
    for (const Op op : h_.operations_of(t)) {
      switch (h_.kind(op)) {
        case OpKind::read:
          if (!h_.is_initial(h_.version(op)) && !wrote_before(t, op)) visit(h_.version(op));
          break;
        case OpKind::list_read:
          for (const Version v : h_.list(op).elements) visit(v);
          break;
        default:
          break;
      }
    }
  }

  bool wrote_before(Txn t, Op op) const {
    const Key key = h_.key(op);
    for (const Op earlier : h_.operations_of(t)) {
      if (earlier == op) return false;
      if (writes(h_.kind(earlier)) && h_.key(earlier) == key) return true;
    }
    return false;
  }

  bool waits(Txn t) {
    bool missing = false, waits_too = false;  // its writer is not here, or waits itself
    for_each_read(t, [&](Version v) {
      const std::uint32_t writer = writer_[index(v)];
      if (writer == kNobody) {
        missing = missing || !is_retired_version(v);
      } else if (writer != kSeveral) {
        waits_too = waits_too || !is_admitted(Txn{writer});
      } else {
        waits_too = waits_too || std::none_of(several_.begin(), several_.end(), [&](const auto& other) {
                      return other.version == index(v) && is_admitted(Txn{other.writer});
                    });
      }
    });
    if (!missing && !waits_too) return false;
    std::optional<bool>& answer = can_still_come_[2 * std::uint64_t{index(t)} + (waits_too ? 1 : 0)];
    if (!answer) answer = can_still_come(t, waits_too);
    return *answer;
  }

  // Whether some session could still send a write that this transaction read. Whatever comes, comes
  // after the last transaction of its session that arrived: if this one precedes that, it cannot have read
  // it. Of a session that was not heard of, nothing has arrived.
  bool can_still_come(Txn t, bool waits_too) {
    if (!state_.sessions_known || !rules_of(state_.options.level).causal) return true;
    const std::uint32_t own = index(h_.session_of(t));
    std::vector<bool> reached(state_.sessions.size(), false);
    reached[own] = true;
    const auto done = [&] {
      for (std::uint32_t s = 0; s < reached.size(); ++s) {
        if (state_.sessions[s].has_more() && !reached[s]) return false;
      }
      return true;
    };
    if (state_.sessions_come && !waits_too && h_.position_in_session(t) == all_.kept[own]) {
      // It was here, and waited, when these had not been heard of.
      const SessionState& reader = state_.sessions[own];
      for (std::uint32_t s = 0; s < reached.size(); ++s) {
        if (reader.waiting > 0 && state_.sessions[s].since > reader.waiting_since) reached[s] = true;
      }
    }
    if (done()) return false;
    // Who read from whom is certain only where values are distinct.
    if (!state_.options.unique_values) return true;
    find_readers();
    std::vector<std::uint8_t> seen(h_.transactions(), 0);
    std::vector<Txn> queue{t};
    seen[index(t)] = 1;
    const auto visit = [&](Txn next) {
      if (seen[index(next)] != 0) return;
      seen[index(next)] = 1;
      queue.push_back(next);
    };
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const Txn u = queue[i];
      const IdRange<Txn> session = h_.transactions_of(h_.session_of(u));
      reached[index(h_.session_of(u))] = true;
      const std::uint32_t at = h_.position_in_session(u);
      if (at + 1 < session.size()) visit(session[at + 1]);
      if (h_.status(u) == Status::aborted) continue;
      const auto first = std::lower_bound(readers_.begin(), readers_.end(), Reader{index(u), 0});
      for (auto it = first; it != readers_.end() && it->writer == index(u); ++it) visit(Txn{it->reader});
    }
    return !done();
  }

  struct Reader {
    std::uint32_t writer, reader;
    auto operator<=>(const Reader&) const = default;
  };
  void find_readers() {
    if (readers_found_) return;
    readers_found_ = true;
    for (const Txn t : h_.all_transactions()) {
      for_each_read(t, [&](Version v) {
        const std::uint32_t writer = writer_[index(v)];
        if (writer < kSeveral && writer != index(t)) readers_.push_back({writer, index(t)});
      });
    }
    std::sort(readers_.begin(), readers_.end());
  }

  // Whether the version is one from before the entry of its key: then reading it is stale.
  bool is_retired_version(Version v) {
    if (state_.entries.empty()) return false;
    if (h_.value(v) == kBeforeEntry) return true;
    if (!retired_found_) {
      retired_found_ = true;
      for (const Txn t : state_.held.all_transactions()) {
        for (const Op op : state_.held.operations_of(t)) {
          if (!writes(state_.held.kind(op))) continue;
          const Version w = state_.held.version(op);
          const Atom key = state_.held.name(state_.held.key_of(w));
          if (is_retired(key)) retired_.insert({original_key(key), OwnedAtom(state_.held.value(w))});
        }
      }
    }
    return retired_.contains({OwnedAtom(h_.name(h_.key_of(v))), OwnedAtom(h_.value(v))});
  }

  const State& state_;
  const Assembly& all_;
  const History& h_;
  std::vector<std::uint32_t> admitted_;
  std::vector<std::uint32_t> writer_;  // per version
  struct AnotherWriter {
    std::uint32_t version, writer;
  };
  std::vector<AnotherWriter> several_;
  std::unordered_map<std::uint64_t, std::optional<bool>> can_still_come_;  // once asked
  std::vector<Reader> readers_;
  bool readers_found_ = false;
  std::unordered_set<VersionName, VersionNameHash, VersionNameEqual> retired_;
  bool retired_found_ = false;
};

}  // namespace

std::vector<std::uint32_t> admissible(const State& state, const Assembly& all) {
  return Admission(state, all).run();
}

}  // namespace assay::watch
