#include "audit/fit.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace assay::audit {

namespace {

constexpr std::uint32_t kNoPlace = 0xFFFFFFFFU;

bool type_fits(wire::ObjectKind kind, wire::OperationType type) {
  switch (type) {
    case wire::OperationType::sql_open:
    case wire::OperationType::sql_statement:
    case wire::OperationType::sql_close:
    case wire::OperationType::sql_prepare:
      return kind == wire::ObjectKind::database;
    case wire::OperationType::kv_fetch:
    case wire::OperationType::kv_exists:
    case wire::OperationType::kv_store:
    case wire::OperationType::kv_add:
    case wire::OperationType::kv_delete:
    case wire::OperationType::kv_inc:
    case wire::OperationType::kv_cas:
    case wire::OperationType::kv_clear:
      return kind == wire::ObjectKind::key_value;
    case wire::OperationType::register_read:
    case wire::OperationType::register_write:
    case wire::OperationType::register_delete:
      return kind == wire::ObjectKind::session;
    case wire::OperationType::lock_acquire:
    case wire::OperationType::lock_release:
      return kind == wire::ObjectKind::locks;
  }
  return false;
}

// Which operations may be reported as not performed, and why (docs/audit-formats.md).
bool outcome_fits(wire::OperationType type, std::uint64_t outcome) {
  switch (type) {
    case wire::OperationType::sql_statement:
    case wire::OperationType::sql_prepare:
      return outcome == 0 || outcome == 5 || outcome == 261 || outcome == 517 || outcome == 773 ||
             outcome == 6 || outcome == 262;
    case wire::OperationType::kv_store:
    case wire::OperationType::kv_add:
    case wire::OperationType::kv_inc:
    case wire::OperationType::lock_acquire:
    case wire::OperationType::register_write:
      return outcome == 0 || outcome == wire::kNotPerformed;
    default:
      return outcome == 0;
  }
}

}  // namespace

std::string operation_name(std::uint64_t rid, std::uint64_t opnum) {
  return fmt::format("operation {} of request {}", opnum, rid);
}

std::string object_name(wire::ObjectKind kind, std::string_view name) {
  switch (kind) {
    case wire::ObjectKind::database:
      return fmt::format("the database {}", name);
    case wire::ObjectKind::key_value:
      return "the key-value table";
    case wire::ObjectKind::session:
      return fmt::format("the session {}", name);
    case wire::ObjectKind::locks:
      return "the lock table";
  }
  return "an object";
}

RequestIndex OperationMap::request_of(std::uint32_t moment) const {
  const auto after = std::upper_bound(first_.begin(), first_.end(), moment);
  return RequestIndex{static_cast<std::uint32_t>(after - first_.begin() - 1)};
}

class Fitting {
 public:
  Fitting(const Trace& trace, const Reports& reports) : trace_(trace), reports_(reports) {}

  Fit run() {
    Fit result;
    if (take_counts() && fill_in_counts() && lay_out() && place_operations() && nothing_missing()) {
      result.map = std::move(map_);
    } else {
      result.finding = std::move(finding_);
    }
    return result;
  }

 private:
  static constexpr std::uint64_t kNoCount = ~std::uint64_t{0};

  bool wrong(Reason reason, std::uint64_t rid, std::optional<std::uint32_t> opnum, std::string sentence) {
    finding_ = Finding{reason, rid, opnum, std::move(sentence), {}, {}, {}};
    return false;
  }

  bool take_counts() {
    counts_.assign(trace_.requests().size(), kNoCount);
    for (const Count& count : reports_.counts()) {
      const auto request = trace_.find(count.rid);
      if (!request) {
        return wrong(
            Reason::unknown_request, count.rid, {},
            fmt::format("a report counts the operations of request {}, which the trace does not have",
                        count.rid));
      }
      std::uint64_t& known = counts_[index(*request)];
      if (known != kNoCount) {
        return wrong(Reason::two_counts, count.rid, {},
                     fmt::format("the operations of request {} are counted twice", count.rid));
      }
      if (trace_[*request].fate == Fate::refused && count.operations > 0) return refused(count.rid);
      if (count.operations > reports_.operations()) {
        return wrong(Reason::wrong_count, count.rid, {},
                     fmt::format("request {} is said to have performed {} operations, but all logs together "
                                 "hold {}",
                                 count.rid, count.operations, reports_.operations()));
      }
      known = count.operations;
    }
    return true;
  }

  bool refused(std::uint64_t rid) {
    return wrong(Reason::refused_request, rid, {},
                 fmt::format("request {} was refused, and yet operations of it are reported", rid));
  }

  // Requests that never ended may have no count: then it is what the logs hold.
  bool fill_in_counts() {
    std::vector<bool> counted_here(counts_.size(), false);
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      const TracedRequest& request = trace_.requests()[i];
      if (counts_[i] != kNoCount) continue;
      if (request.fate == Fate::whole) {
        return wrong(Reason::missing_count, request.rid, {},
                     fmt::format("no report says how many operations request {} performed", request.rid));
      }
      counted_here[i] = true;
      counts_[i] = 0;
    }
    for (const Object& object : reports_.objects()) {
      for (const LoggedOperation& operation : object.log) {
        const auto request = trace_.find(operation.rid);
        if (!request) {
          return wrong(
              Reason::unknown_request, operation.rid, operation.opnum,
              fmt::format("the log of {} has an operation of request {}, which the trace does not have",
                          object_name(object), operation.rid));
        }
        if (trace_[*request].fate == Fate::refused) return refused(operation.rid);
        if (counted_here[index(*request)]) ++counts_[index(*request)];
      }
    }
    return true;
  }

  bool lay_out() {
    std::uint64_t total = 0;
    map_.first_.reserve(counts_.size() + 1);
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      map_.first_.push_back(static_cast<std::uint32_t>(total + 2 * i));
      total += counts_[i];
      if (total > reports_.operations()) {
        const std::uint64_t rid = trace_.requests()[i].rid;
        return wrong(Reason::wrong_count, rid, {},
                     fmt::format("up to request {} more operations are counted than all logs hold ({})", rid,
                                 reports_.operations()));
      }
    }
    map_.first_.push_back(static_cast<std::uint32_t>(total + 2 * counts_.size()));
    map_.places_.assign(total, Place{ObjectIndex{0}, kNoPlace});
    return true;
  }

  bool place_operations() {
    for (std::uint32_t o = 0; o < reports_.objects().size(); ++o) {
      const Object& object = reports_.objects()[o];
      for (std::uint32_t i = 0; i < object.log.size(); ++i) {
        if (!place(object, ObjectIndex{o}, i)) return false;
      }
    }
    return true;
  }

  bool place(const Object& object, ObjectIndex number, std::uint32_t position) {
    const LoggedOperation& operation = object.log[position];
    const RequestIndex request = *trace_.find(operation.rid);
    const auto wrong_here = [&](Reason reason, const std::string& rest) {
      return wrong(reason, operation.rid, operation.opnum,
                   fmt::format("{} in the log of {} {}", operation_name(operation.rid, operation.opnum),
                               object_name(object), rest));
    };
    if (position > 0 && object.log[position - 1].seq == operation.seq) {
      return wrong_here(
          Reason::sequence_twice,
          fmt::format("has the number {}, which another operation there has too", operation.seq));
    }
    if (!type_fits(object.kind, operation.type)) {
      return wrong_here(Reason::wrong_object, "is of a type that this object does not have");
    }
    if (!outcome_fits(operation.type, operation.outcome)) {
      return wrong_here(Reason::wrong_outcome, fmt::format("cannot have the outcome {}", operation.outcome));
    }
    if (operation.opnum < 1 || operation.opnum > map_.count(request)) {
      return wrong_here(Reason::operation_out_of_range,
                        fmt::format("lies outside 1 to {}, the operations that this request is said to have "
                                    "performed",
                                    map_.count(request)));
    }
    Place& place = map_.places_[map_.first(request) - 2 * index(request) + operation.opnum - 1];
    if (place.position != kNoPlace) {
      return wrong_here(Reason::operation_twice,
                        fmt::format("also stands in the log of {}", object_name(reports_[place.object])));
    }
    place = {number, position};
    return true;
  }

  bool nothing_missing() {
    for (std::uint32_t r = 0; r < counts_.size(); ++r) {
      for (std::uint32_t opnum = 1; opnum <= counts_[r]; ++opnum) {
        if (map_.place(RequestIndex{r}, opnum).position != kNoPlace) continue;
        const std::uint64_t rid = trace_.requests()[r].rid;
        return wrong(Reason::wrong_count, rid, opnum,
                     fmt::format("request {} is said to have performed {} operations, but {} is in no log",
                                 rid, counts_[r], operation_name(rid, opnum)));
      }
    }
    return true;
  }

  const Trace& trace_;
  const Reports& reports_;
  std::vector<std::uint64_t> counts_;
  OperationMap map_;
  std::optional<Finding> finding_;
};

Fit fit(const Trace& trace, const Reports& reports) {
  return Fitting(trace, reports).run();
}

}  // namespace assay::audit
