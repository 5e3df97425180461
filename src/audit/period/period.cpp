#include "audit/period/period.hpp"

#include <algorithm>
#include <unordered_map>

#include "system/input.hpp"

namespace assay::audit {

class PeriodLimits {
 public:
  PeriodLimits(Reports& reports, const Trace& trace) : reports_(reports), trace_(trace) {}

  void go_on_from(const Carried& before) {
    std::vector<std::uint32_t> numbers;  // of the carried objects, here
    for (const CarriedObject& object : before.objects) {
      numbers.push_back(number_of(object));
      if (!object.last_seq) continue;
      std::vector<LoggedOperation>& log = reports_.objects_[numbers.back()].log;
      const auto rest = std::upper_bound(
          log.begin(), log.end(), *object.last_seq,
          [](std::uint64_t seq, const LoggedOperation& operation) { return seq < operation.seq; });
      log.erase(log.begin(), rest);
    }
    std::vector<std::vector<LoggedOperation>> first(reports_.objects_.size());
    for (const CarriedOperation& op : before.operations) {
      first[numbers[op.object]].push_back({op.seq, op.rid, op.contents.data(),
                                           static_cast<std::uint32_t>(op.contents.size()), op.opnum,
                                           op.outcome, op.type});
    }
    carried_.resize(first.size());
    for (std::size_t o = 0; o < first.size(); ++o) {
      carried_[o] = first[o].size();
      std::vector<LoggedOperation>& log = reports_.objects_[o].log;
      log.insert(log.begin(), first[o].begin(), first[o].end());
    }
    leave_out([&](std::uint64_t rid) { return rid <= before.cut.last_rid && !trace_.find(rid); });
  }

  void stop_at_the_end() {
    const std::vector<std::size_t> ends = past();
    std::unordered_map<std::uint64_t, std::uint64_t> performed;
    for (std::size_t o = 0; o < ends.size(); ++o) {
      std::vector<LoggedOperation>& log = reports_.objects_[o].log;
      log.resize(ends[o]);
      for (const LoggedOperation& operation : log) {
        if (is_open(operation.rid)) ++performed[operation.rid];
      }
    }
    const std::uint64_t last_rid = trace_.end().last_rid;
    leave_out([&](std::uint64_t rid) { return rid > last_rid; });
    std::erase_if(reports_.counts_, [&](const Count& count) { return is_open(count.rid); });
    std::erase_if(reports_.oracle_, [&](const OracleValue& value) {
      if (!is_open(value.rid)) return false;
      const auto known = performed.find(value.rid);
      return value.after > (known == performed.end() ? 0 : known->second);
    });
  }

  void count_operations() {
    reports_.operations_ = 0;
    for (const Object& object : reports_.objects_) reports_.operations_ += object.log.size();
  }

 private:
  struct Placed {
    std::uint32_t opnum, object;
    std::size_t position;
  };
  struct OpenRequest {
    std::vector<Placed> operations;  // by number
    std::size_t taken = 0;           // how many of them are in the past
  };

  std::uint32_t number_of(const CarriedObject& object) {
    const auto [known, is_new] = reports_.object_numbers_.try_emplace(
        {object.kind, object.name}, static_cast<std::uint32_t>(reports_.objects_.size()));
    if (is_new) reports_.objects_.push_back({object.kind, object.name, {}});
    return known->second;
  }

  bool is_open(std::uint64_t rid) const {
    const auto request = trace_.find(rid);
    return request && trace_[*request].fate == Fate::open;
  }
  bool has_ended(std::uint64_t rid) const {
    const auto request = trace_.find(rid);
    return request && trace_[*request].fate != Fate::open;
  }

  template <class Unwanted>
  void leave_out(const Unwanted& unwanted) {
    std::erase_if(reports_.counts_, [&](const Count& count) { return unwanted(count.rid); });
    std::erase_if(reports_.groups_, [&](const Group& group) { return unwanted(group.rid); });
    std::erase_if(reports_.oracle_, [&](const OracleValue& value) { return unwanted(value.rid); });
  }

  std::unordered_map<std::uint64_t, OpenRequest> open_requests() const {
    std::unordered_map<std::uint64_t, OpenRequest> open;
    for (std::uint32_t o = 0; o < reports_.objects_.size(); ++o) {
      const std::vector<LoggedOperation>& log = reports_.objects_[o].log;
      for (std::size_t i = 0; i < log.size(); ++i) {
        if (is_open(log[i].rid)) open[log[i].rid].operations.push_back({log[i].opnum, o, i});
      }
    }
    for (auto& [rid, request] : open) {
      std::stable_sort(request.operations.begin(), request.operations.end(),
                       [](const Placed& a, const Placed& b) { return a.opnum < b.opnum; });
    }
    return open;
  }

  // How much of each log comes before the end of a request that has ended.
  std::vector<std::size_t> past() const {
    const std::size_t objects = reports_.objects_.size();
    std::vector<std::size_t> ends(objects, 0), seen(objects, 0);
    std::vector<std::uint32_t> grown;
    const auto take = [&](std::uint32_t object, std::size_t position) {
      if (position < ends[object]) return;
      const std::vector<LoggedOperation>& log = reports_.objects_[object].log;
      std::size_t end = position + 1;
      while (end < log.size() && log[end].seq == log[position].seq) ++end;
      ends[object] = end;
      grown.push_back(object);
    };
    for (std::uint32_t o = 0; o < objects; ++o) {
      const std::vector<LoggedOperation>& log = reports_.objects_[o].log;
      const std::size_t carried = o < carried_.size() ? carried_[o] : 0;
      std::size_t end = log.size();
      while (end > carried && !has_ended(log[end - 1].rid)) --end;
      if (end > 0) take(o, end - 1);
    }
    std::unordered_map<std::uint64_t, OpenRequest> open = open_requests();
    while (!grown.empty()) {
      const std::uint32_t object = grown.back();
      grown.pop_back();
      for (; seen[object] < ends[object]; ++seen[object]) {
        const LoggedOperation& operation = reports_.objects_[object].log[seen[object]];
        const auto request = open.find(operation.rid);
        if (request == open.end()) continue;
        std::vector<Placed>& operations = request->second.operations;
        for (std::size_t& at = request->second.taken;
             at < operations.size() && operations[at].opnum <= operation.opnum; ++at) {
          take(operations[at].object, operations[at].position);
        }
      }
    }
    return ends;
  }

  Reports& reports_;
  const Trace& trace_;
  std::vector<std::size_t> carried_;  // how many operations of each log were audited before
};

void limit_to_period(Reports& reports, const Trace& trace, const Period& period) {
  if (period.before == nullptr && !period.goes_on) return;
  PeriodLimits limits(reports, trace);
  if (period.before != nullptr) limits.go_on_from(*period.before);
  if (period.goes_on) limits.stop_at_the_end();
  limits.count_operations();
}

std::vector<std::size_t> even_cuts(const std::string& trace, std::size_t periods) {
  const system::OpenedInput opened = system::open_input(trace);
  FrameFile file(trace, opened.input.files.front().bytes, wire::kTraceMagic);
  std::vector<std::size_t> ends{file.position()};
  while (file.next()) ends.push_back(file.position());
  std::vector<std::size_t> cuts;
  for (std::size_t k = 1; k < periods; ++k) cuts.push_back(ends[(ends.size() - 1) * k / periods]);
  return cuts;
}

}  // namespace assay::audit
