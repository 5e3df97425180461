// What one audit leaves to the next: the state of every object at the cut, and the requests that are open there
// with the operations they have performed (docs/audit.md, "Periods"). It is the auditor's own and trusted.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "audit/trace.hpp"
#include "audit/wire/report_records.hpp"

namespace assay::audit {

struct CarriedObject {
  wire::ObjectKind kind = wire::ObjectKind::session;
  std::string name;
  std::optional<std::uint64_t> last_seq;  // of the operations that it has performed
  std::set<std::uint64_t> gone;           // open requests that must have let go of it
  std::string machine;                    // as Machine::save() wrote it
};

// An operation of an open request.
struct CarriedOperation {
  std::uint32_t object = 0;  // which of the objects
  std::uint64_t seq = 0, rid = 0;
  std::uint32_t opnum = 0;
  wire::OperationType type = wire::OperationType::register_read;
  std::uint16_t outcome = 0;
  std::string contents, result;
};

struct Carried {
  TraceCut cut;
  std::string requests;  // Trace::open_requests()
  std::vector<CarriedObject> objects;
  std::vector<CarriedOperation> operations;      // those of one object by seq
  std::filesystem::path folder;                  // with the objects' files
  std::map<std::string, std::uint64_t> digests;  // of those files, by their names, when they were written

  // The files of an object begin so.
  std::filesystem::path files(std::size_t object) const;
};

// The name of the one file that is in every such folder.
inline constexpr const char* kCarriedFile = "assay-state";

// The bytes of that file, without a look at the others. Throws InputError.
Carried parse_carried(const std::string& name, std::string_view bytes);

bool is_carried(const std::filesystem::path& folder);
// Throws InputError, also if something was changed since it was written.
Carried read_carried(const std::filesystem::path& folder);
// Into the folder where the objects' files are already. Throws std::runtime_error.
void write_carried(const Carried& carried);

}  // namespace assay::audit
