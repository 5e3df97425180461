#include "audit/ordering.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "order/cycles.hpp"
#include "order/graph.hpp"
#include "order/topological.hpp"

namespace assay::audit {

TimePrecedence::TimePrecedence(const Trace& trace)
    : next_(trace.requests().size(), kNone), first_(next_.size(), 0), end_(next_.size(), 0) {
  std::uint32_t latest = kNone;  // the request that departed last
  std::uint32_t arrived = 0;
  for (const Event& event : trace.events()) {
    if (!event.is_response) {
      ++arrived;
      if (latest != kNone) end_[latest] = arrived;
      continue;
    }
    if (trace[event.request].fate == Fate::open) continue;
    if (latest != kNone) next_[latest] = index(event.request);
    latest = index(event.request);
    first_[latest] = end_[latest] = arrived;
  }
}

namespace {

class Ordering {
 public:
  Ordering(const Trace& trace, const Reports& reports, const OperationMap& map)
      : trace_(trace), reports_(reports), map_(map), time_(trace) {}

  std::optional<Finding> find() {
    if (auto finding = take_logs()) return finding;
    const auto everyone = [](std::uint32_t) { return true; };
    const auto successors = [&](std::uint32_t moment, const auto& visit) { each_successor(moment, visit); };
    const auto order = order::topological_order(map_.moments(), everyone, successors);
    if (order.size() == map_.moments()) return std::nullopt;
    return explain(order);
  }

 private:
  std::uint32_t moment(const LoggedOperation& operation) const {
    return map_.first(*trace_.find(operation.rid)) + operation.opnum;
  }

  // For each operation the next one in its log if that is of another request; within a request the numbers
  // grow.
  std::optional<Finding> take_logs() {
    last_of_request_.assign(map_.moments(), false);
    for (std::uint32_t r = 0; r < trace_.requests().size(); ++r)
      last_of_request_[map_.last(RequestIndex{r})] = true;
    next_in_log_.assign(map_.moments(), order::kNoNode);
    for (const Object& object : reports_.objects()) {
      for (std::size_t i = 1; i < object.log.size(); ++i) {
        const LoggedOperation& before = object.log[i - 1];
        const LoggedOperation& after = object.log[i];
        if (before.rid != after.rid) {
          next_in_log_[moment(before)] = moment(after);
        } else if (before.opnum >= after.opnum) {
          return Finding{
              Reason::log_against_program,
              after.rid,
              after.opnum,
              fmt::format("the log of {} has {} before {}", object_name(object),
                          operation_name(before.rid, before.opnum), operation_name(after.rid, after.opnum)),
              {},
              {},
              {}};
        }
      }
    }
    return std::nullopt;
  }

  template <class Visit>
  void each_successor(std::uint32_t moment, const Visit& visit) const {
    if (!last_of_request_[moment]) {
      visit(moment + 1);
      if (next_in_log_[moment] != order::kNoNode) visit(next_in_log_[moment]);
      return;
    }
    each_after_departure(moment, visit);
  }

  template <class Visit>
  void each_after_departure(std::uint32_t moment, const Visit& visit) const {
    const RequestIndex request = map_.request_of(moment);
    if (time_.next_departure(request) != TimePrecedence::kNone) {
      visit(map_.last(RequestIndex{time_.next_departure(request)}));
    }
    for (std::uint32_t r = time_.first_arrival(request); r < time_.end_arrival(request); ++r) {
      visit(map_.first(RequestIndex{r}));
    }
  }

  // A short cycle among the moments that the topological order could not take.
  Finding explain(const std::vector<std::uint32_t>& taken) const {
    std::vector<bool> left(map_.moments(), true);
    for (const std::uint32_t moment : taken) left[moment] = false;
    std::vector<order::Edge> steps;
    std::vector<std::uint32_t> next(map_.moments(), order::kNoNode);
    for (std::uint32_t m = 0; m < map_.moments(); ++m) {
      if (!left[m]) continue;
      each_successor(m, [&](std::uint32_t to) {
        if (!left[to]) return;
        if (to == m + 1 && !last_of_request_[m]) {
          next[m] = to;
        } else {
          steps.push_back({m, to});
        }
      });
    }
    const order::Graph graph(map_.moments(), steps);
    constexpr std::uint64_t kBudget = 20'000'000;
    const auto cycles = order::shortest_cycles({graph, next}, kBudget);
    return tell(*std::min_element(cycles.begin(), cycles.end(),
                                  [](const auto& a, const auto& b) { return a.size() < b.size(); }));
  }

  Moment describe(std::uint32_t moment) const {
    const RequestIndex request = map_.request_of(moment);
    const std::uint32_t within = moment - map_.first(request);
    if (within == 0) return {trace_[request].rid, Moment::Kind::arrival, 0};
    if (last_of_request_[moment]) return {trace_[request].rid, Moment::Kind::departure, 0};
    return {trace_[request].rid, Moment::Kind::operation, within};
  }

  Precedence precedence(std::uint32_t from, std::uint32_t to) const {
    Precedence step{describe(from), describe(to), Precedence::Kind::program, {}};
    if (last_of_request_[from]) {
      step.kind = Precedence::Kind::time;
    } else if (map_.request_of(from) != map_.request_of(to)) {
      step.kind = Precedence::Kind::log;
      const Place place = map_.place(map_.request_of(from), from - map_.first(map_.request_of(from)));
      step.object = object_name(reports_[place.object]);
    }
    return step;
  }

  // From departure to departure to arrival is one step of time: the departures between say nothing more.
  Finding tell(std::vector<std::uint32_t> cycle) const {
    const auto is_departure = [&](std::uint32_t moment) { return bool{last_of_request_[moment]}; };
    const auto start = std::find_if_not(cycle.begin(), cycle.end(), is_departure);
    std::rotate(cycle.begin(), start, cycle.end());
    std::vector<std::uint32_t> told;
    for (const std::uint32_t moment : cycle) {
      if (is_departure(moment) && !told.empty() && is_departure(told.back())) continue;
      told.push_back(moment);
    }
    Finding finding;
    finding.reason = Reason::cycle;
    for (std::size_t i = 0; i < told.size(); ++i) {
      finding.cycle.push_back(precedence(told[i], told[(i + 1) % told.size()]));
    }
    finding.rid = finding.cycle.front().from.rid;
    if (finding.cycle.front().from.kind == Moment::Kind::operation) {
      finding.opnum = finding.cycle.front().from.opnum;
    }
    finding.sentence = "the reported operations cannot have happened in any order";
    return finding;
  }

  const Trace& trace_;
  const Reports& reports_;
  const OperationMap& map_;
  TimePrecedence time_;
  std::vector<bool> last_of_request_;
  std::vector<std::uint32_t> next_in_log_;
};

}  // namespace

std::optional<Finding> find_disorder(const Trace& trace, const Reports& reports, const OperationMap& map) {
  return Ordering(trace, reports, map).find();
}

}  // namespace assay::audit
