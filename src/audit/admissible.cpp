#include "audit/admissible.hpp"

#include <fmt/format.h>

#include <limits>

namespace assay::audit {

namespace {

// The values of one request.
class Admission {
 public:
  Admission(const TracedRequest& request, std::uint32_t operations, std::uint64_t tolerance)
      : request_(request), operations_(operations) {
    earliest_ = request.arrived < tolerance ? 0 : request.arrived - tolerance;
    latest_ = request.fate == Fate::open || request.departed > kForever - tolerance
                  ? kForever
                  : request.departed + tolerance;
  }

  std::optional<Finding> add(const OracleValue& value) {
    if (file_ && *file_ != value.file) return wrong(Reason::oracle_scattered, "stand in two files");
    file_ = value.file;
    if (value.after < after_ || value.after > operations_) {
      return wrong(Reason::oracle_misplaced,
                   fmt::format("do not follow its operations: one is said to come after operation {} of {}",
                               value.after, operations_));
    }
    after_ = value.after;
    if (value.kind == wire::NdKind::clock) return add_clock(wire::load_u64(value.value.data()));
    if (value.kind == wire::NdKind::process_id) return constant(process_id_, value.value, "process id");
    if (value.kind == wire::NdKind::host_name) return constant(host_name_, value.value, "host name");
    return std::nullopt;
  }

 private:
  static constexpr std::uint64_t kForever = std::numeric_limits<std::uint64_t>::max();

  std::optional<Finding> add_clock(std::uint64_t time) {
    if (time < clock_) {
      return wrong(Reason::clock_backwards,
                   fmt::format("show a clock that runs backwards, from {} to {}", clock_, time));
    }
    if (time < earliest_ || time > latest_) {
      return wrong(Reason::clock_outside,
                   fmt::format("show the clock at {}, outside {} to {}, when the request was at the server",
                               time, earliest_, latest_));
    }
    clock_ = time;
    return std::nullopt;
  }

  std::optional<Finding> constant(std::optional<wire::Bytes>& known, wire::Bytes value,
                                  std::string_view what) {
    if (known.value_or(value) != value) {
      return wrong(Reason::value_changed, fmt::format("show two different values of its {}", what));
    }
    known = value;
    return std::nullopt;
  }

  Finding wrong(Reason reason, const std::string& rest) const {
    return {reason, request_.rid, {}, fmt::format("the reported values of request {} {}", request_.rid, rest),
            {},     {},           {}};
  }

  const TracedRequest& request_;
  std::uint32_t operations_;
  std::uint64_t earliest_ = 0, latest_ = 0, clock_ = 0, after_ = 0;
  std::optional<std::uint32_t> file_;
  std::optional<wire::Bytes> process_id_, host_name_;
};

}  // namespace

std::optional<Finding> find_inadmissible(const Trace& trace, const Reports& reports, const OperationMap& map,
                                         std::chrono::nanoseconds tolerance) {
  const std::span<const OracleValue> values = reports.oracle();
  for (std::size_t i = 0; i < values.size();) {
    const std::uint64_t rid = values[i].rid;
    const auto request = trace.find(rid);
    if (!request || trace[*request].fate == Fate::refused) {
      return Finding{request ? Reason::refused_request : Reason::unknown_request,
                     rid,
                     {},
                     fmt::format("values are reported for request {}, which {}", rid,
                                 request ? "was refused" : "the trace does not have"),
                     {},
                     {},
                     {}};
    }
    Admission admission(trace[*request], map.count(*request), static_cast<std::uint64_t>(tolerance.count()));
    for (; i < values.size() && values[i].rid == rid; ++i) {
      if (auto finding = admission.add(values[i])) return finding;
    }
  }
  return std::nullopt;
}

}  // namespace assay::audit
