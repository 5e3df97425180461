// An object is a deterministic machine (docs/audit.md, "Definitions"): it starts in a known state and
// performs the operations of its log one by one. What it answers is what the audit believes; no report holds
// a result.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "audit/wire/report_records.hpp"

namespace assay::audit {

struct MachineOperation {
  std::uint64_t rid;
  wire::OperationType type;
  wire::Bytes contents;
};

struct Step {
  enum class Kind : std::uint8_t {
    done,         // the result has been written
    impossible,   // no object can have done this in this state: the log lies
    unsupported,  // this program cannot tell what the result is
  };
  Kind kind = Kind::done;
  std::string why;  // unless done; goes on after "operation 3 of request 17"
  // Of an impossible one: the requests without which it would be possible.
  std::vector<std::uint64_t> in_the_way{};

  static Step impossible(std::string why) { return {Kind::impossible, std::move(why), {}}; }
  static Step unsupported(std::string why) { return {Kind::unsupported, std::move(why), {}}; }
  static Step malformed() { return impossible("is malformed: no program asks for it"); }
};

class Machine {
 public:
  virtual ~Machine() = default;
  // Performs one operation and writes its result (wire/results.hpp) to `result`, which is empty. Operations
  // that were not performed do not come here. REQUIRES: the type is one of this kind of object.
  virtual Step step(const MachineOperation& operation, std::string& result) = 0;
  // One that was not performed. It changes nothing, but an object may want to know.
  virtual void skip(const MachineOperation& /*operation*/) {}
  // A request that never ended has done its last operation here: its process is gone, and with it what it
  // held.
  virtual void abandon(std::uint64_t /*rid*/) {}
  // Appends the state, from which another machine of this kind can go on. What is not for bytes is put in
  // files whose names begin with `files`. Says why if that is not possible.
  virtual std::optional<std::string> save(std::string& out, const std::filesystem::path& files) = 0;
};

}  // namespace assay::audit
