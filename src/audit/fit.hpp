// Do the reports fit the trace and themselves? The paper's CheckLogs (OROCHI, figure 3.5): every logged
// operation belongs to a request, the operations of a request are numbered 1 to M without gap or repetition.
// What comes out is the operation map, and with it where each operation lies in the one numbering of all
// moments.
#pragma once

#include <optional>
#include <vector>

#include "audit/reports.hpp"
#include "audit/trace.hpp"
#include "audit/verdict.hpp"

namespace assay::audit {

// Where an operation stands: the position in the log of an object.
struct Place {
  ObjectIndex object;
  std::uint32_t position;
};

// The operation map, and a number for each moment: request r has moments first(r), its arrival, then its
// operations, then last(r), its departure.
class OperationMap {
 public:
  std::uint32_t count(RequestIndex request) const {
    return first_[index(request) + 1] - first_[index(request)] - 2;
  }
  // REQUIRES: 1 <= opnum <= count(request).
  Place place(RequestIndex request, std::uint32_t opnum) const {
    return places_[first_[index(request)] - 2 * index(request) + opnum - 1];
  }
  std::uint32_t first(RequestIndex request) const { return first_[index(request)]; }
  std::uint32_t last(RequestIndex request) const { return first_[index(request) + 1] - 1; }
  std::uint32_t moments() const { return first_.back(); }
  // The request that a moment belongs to.
  RequestIndex request_of(std::uint32_t moment) const;

 private:
  friend class Fitting;
  std::vector<std::uint32_t> first_;
  std::vector<Place> places_;
};

struct Fit {
  std::optional<Finding> finding;  // if they do not fit
  OperationMap map;                // if they do
};

Fit fit(const Trace& trace, const Reports& reports);

// "operation 3 of request 17", for sentences.
std::string operation_name(std::uint64_t rid, std::uint64_t opnum);
// "the database /srv/wiki.sqlite", "the key-value table".
std::string object_name(wire::ObjectKind kind, std::string_view name);
inline std::string object_name(const Object& object) {
  return object_name(object.kind, object.name);
}

}  // namespace assay::audit
