#include "audit/little_server.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace assay::audit::testing {

namespace {

constexpr std::uint64_t kStart = 1'700'000'000'000'000'000;
constexpr std::uint64_t kTenth = 100'000'000;

std::string number_bytes(std::uint64_t number) {
  std::string bytes;
  wire::put_u64(bytes, number);
  return bytes;
}

// A server that behaves. Whoever drives it says which request moves next.
class Server {
 public:
  Draft draft;

  void arrive(const Script& script) {
    Running& request = requests_.emplace_back();
    request.rid = requests_.size();
    request.thread.script = script;
    draft.events.push_back({false, request.rid, now_, {}, 0, {{"SCRIPT_NAME", "/little"}}, encode(script)});
    // Requests with the same script are said to take the same path; some of them do.
    draft.groups.push_back({request.rid, script.size()});
  }

  // Up to and including the next operation; false if there is none.
  bool move(std::size_t which, bool refuse_for_no_reason) {
    Running& request = requests_[which];
    Thread& thread = request.thread;
    for (;;) {
      switch (thread.next()) {
        case Thread::Next::end:
          return false;
        case Thread::Next::clock:
          add_value(request, wire::NdKind::clock, now_);
          thread.answer_clock(now_);
          break;
        case Thread::Next::random:
          add_value(request, wire::NdKind::random_seed, now_ / kTenth % 7);
          thread.answer_random(now_ / kTenth % 7);
          break;
        case Thread::Next::operation:
          operate(request, refuse_for_no_reason);
          return true;
      }
    }
  }

  bool ended(std::size_t which) { return requests_[which].thread.next() == Thread::Next::end; }

  void depart(std::size_t which, wire::EndReason end, std::size_t body_bytes) {
    Running& request = requests_[which];
    const bool whole = end == wire::EndReason::complete || end == wire::EndReason::client_gone;
    if (whole || body_bytes % 2 == 0) draft.counts.push_back({request.rid, request.operations});
    DraftEvent event{
        true, request.rid, now_, end, 200, {{"Content-Type", "text/plain"}}, request.thread.body};
    if (!whole) event.bytes.resize(std::min(body_bytes, event.bytes.size()));
    if (!whole && event.bytes.empty()) event.pairs.clear();
    draft.events.push_back(std::move(event));
    if (!whole) {
      world_.abandon_database(request.rid);
      world_.abandon_locks(request.rid);
    }
  }

  void pass(std::uint64_t tenths) { now_ += tenths * kTenth; }
  std::size_t requests() const { return requests_.size(); }

 private:
  struct Running {
    std::uint64_t rid = 0;
    std::uint64_t operations = 0;
    Thread thread;
  };

  void add_value(const Running& request, wire::NdKind kind, std::uint64_t value) {
    const std::string bytes = number_bytes(value);
    for (auto known = draft.values.rbegin(); known != draft.values.rend(); ++known) {
      if (known->rid != request.rid || known->kind != kind) continue;
      if (known->value == bytes && known->after == request.operations) {
        ++known->repeat;
        return;
      }
      break;
    }
    draft.values.push_back({request.rid, request.operations, kind, 1, bytes});
  }

  void operate(Running& request, bool refuse_for_no_reason) {
    const Deed deed = request.thread.instruction().deed;
    const Wish wish = request.thread.wish();
    const bool may_refuse = (is_sql(deed) && deed != Deed::open && deed != Deed::close) ||
                            deed == Deed::lock_shared || deed == Deed::lock_exclusive;
    std::optional<std::int64_t> result;
    if (!(refuse_for_no_reason && may_refuse)) result = world_.perform(request.rid, request.thread);
    std::uint64_t outcome = 0;
    if (!result) outcome = is_sql(deed) ? 5 : wire::kNotPerformed;
    draft.operations.push_back({wish.object, wish.name, ++sequence_, request.rid, ++request.operations,
                                wish.type, outcome, wish.contents});
    request.thread.answer(result ? *result : -1000 - static_cast<std::int64_t>(outcome));
  }

  World world_;
  std::vector<Running> requests_;
  std::uint64_t now_ = kStart;
  std::uint64_t sequence_ = 0;
};

// Which requests are at the server, and how each will end.
struct Plan {
  enum class Kind : std::uint8_t { whole, client_gone, cut, refused, given_up, in_flight };
  Kind kind;
  std::uint32_t moves;  // before it is cut
};

Plan random_plan(Rng& rng, const ServerShape& shape) {
  if (!rng.chance(shape.unended)) return {rng.chance(0.1) ? Plan::Kind::client_gone : Plan::Kind::whole, 0};
  constexpr Plan::Kind kKinds[] = {Plan::Kind::cut, Plan::Kind::refused, Plan::Kind::given_up,
                                   Plan::Kind::in_flight};
  return {kKinds[rng.below(4)], rng.below(shape.most_deeds + 1)};
}

}  // namespace

Script random_script(Rng& rng, const ServerShape& shape) {
  const bool sql = rng.chance(shape.sql);
  const std::uint32_t deeds = rng.below(shape.most_deeds + 1);
  Script script;
  const auto add = [&](std::uint32_t first, std::uint32_t last) {
    const auto deed = static_cast<Deed>(rng.between(first, last));
    Instruction i{deed, static_cast<std::uint8_t>(rng.below(2)), static_cast<std::int8_t>(rng.below(3))};
    if (deed == Deed::sql_insert) i.key = static_cast<std::uint8_t>(rng.below(4));
    script.push_back(i);
    if (rng.chance(0.5)) script.push_back({Deed::print, 0, 0});
  };
  if (sql) script.push_back({Deed::open, 0, 0});
  for (std::uint32_t d = 0; d < deeds; ++d) {
    if (sql && rng.chance(0.7)) {
      add(static_cast<std::uint32_t>(Deed::select), static_cast<std::uint32_t>(Deed::rollback));
    } else {
      const std::uint32_t deed = rng.below(static_cast<std::uint32_t>(Deed::clear) + 4);
      const auto clear = static_cast<std::uint32_t>(Deed::clear);
      const std::uint32_t chosen =
          deed <= clear ? deed : static_cast<std::uint32_t>(Deed::lock_shared) + deed - clear - 1;
      add(chosen, chosen);
    }
  }
  script.push_back({Deed::print, 0, 0});
  if (sql) script.push_back({Deed::close, 0, 0});
  return script;
}

Draft serve(Rng& rng, const ServerShape& shape) {
  Server server;
  std::vector<Plan> plans;
  std::vector<std::size_t> here;
  const std::uint32_t requests = rng.between(1, shape.most_requests);
  while (plans.size() < requests || !here.empty()) {
    server.pass(rng.below(4));
    if (plans.size() < requests && (here.empty() || rng.chance(0.4))) {
      server.arrive(random_script(rng, shape));
      plans.push_back(random_plan(rng, shape));
      here.push_back(plans.size() - 1);
      continue;
    }
    const std::size_t place = rng.below(static_cast<std::uint32_t>(here.size()));
    const std::size_t which = here[place];
    Plan& plan = plans[which];
    const auto leave = [&](std::optional<wire::EndReason> end) {
      if (end) server.depart(which, *end, rng.below(6));
      here.erase(here.begin() + static_cast<std::ptrdiff_t>(place));
    };
    if (plan.kind == Plan::Kind::refused) {
      leave(wire::EndReason::refused);
    } else if (plan.kind == Plan::Kind::whole || plan.kind == Plan::Kind::client_gone) {
      if (server.move(which, rng.chance(0.05)) || !server.ended(which)) continue;
      leave(plan.kind == Plan::Kind::whole ? wire::EndReason::complete : wire::EndReason::client_gone);
    } else if (plan.moves > 0 && server.move(which, false)) {
      --plan.moves;
    } else if (plan.kind == Plan::Kind::cut) {
      leave(wire::EndReason::server_gone);
    } else if (plan.kind == Plan::Kind::given_up) {
      leave(wire::EndReason::given_up);
    } else {
      leave(std::nullopt);
    }
  }
  return std::move(server.draft);
}

Draft serve_in_turn(const std::vector<Script>& scripts) {
  Server server;
  for (const Script& script : scripts) {
    server.pass(1);
    server.arrive(script);
    const std::size_t which = server.requests() - 1;
    do {
      server.pass(1);
    } while (server.move(which, false));
    server.depart(which, wire::EndReason::complete, 0);
  }
  return std::move(server.draft);
}

std::string describe(const Draft& draft) {
  std::string text;
  for (const DraftEvent& e : draft.events) {
    text +=
        e.is_response
            ? fmt::format("RSP {} t={} end={} status={} body={}\n", e.rid, (e.time - kStart) / kTenth,
                          static_cast<int>(e.end), e.status, e.bytes)
            : fmt::format("REQ {} t={}{}\n", e.rid, (e.time - kStart) / kTenth, describe(decode(e.bytes)));
  }
  for (const DraftOperation& op : draft.operations) {
    text += fmt::format("op object {} {} seq {} rid {} opnum {} type {} outcome {} contents {} bytes\n",
                        static_cast<int>(op.kind), op.object, op.seq, op.rid, op.opnum,
                        static_cast<int>(op.type), op.outcome, op.contents.size());
  }
  for (const Count& c : draft.counts) text += fmt::format("count {} {}\n", c.rid, c.operations);
  for (const DraftValue& v : draft.values) {
    text += fmt::format("value rid {} after {} kind {} repeat {} {}\n", v.rid, v.after,
                        static_cast<int>(v.kind), v.repeat, wire::load_u64(v.value.data()));
  }
  return text;
}

}  // namespace assay::audit::testing
