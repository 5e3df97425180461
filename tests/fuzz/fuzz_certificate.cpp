// Any bytes as a certificate for three small histories whose verdicts are known: whatever it says, nothing
// false is accepted.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "format/format.hpp"
#include "system/input_error.hpp"
#include "verify/verify.hpp"

namespace {

using namespace assay;

History history_of(std::string_view jsonl) {
  return format::read_history({"fuzz", false, {{"fuzz", jsonl}}}, {}, "jsonl");
}

// A lost update: read committed and weaker levels hold, snapshot isolation and serializability do not.
const History& lost_update() {
  static const History history =
      history_of(R"({"s":"a","t":1,"status":"ok","ops":[["r","x",null],["w","x",1]]}
{"s":"b","t":2,"status":"ok","ops":[["r","x",null],["w","x",2]]}
)");
  return history;
}

// One after the other: every level holds.
const History& serial() {
  static const History history =
      history_of(R"({"s":"a","t":1,"status":"ok","ops":[["r","x",null],["w","x",1]]}
{"s":"b","t":2,"status":"ok","ops":[["r","x",1],["w","x",2]]}
)");
  return history;
}

// A phantom: the second of two queries shows a row that the first did not.
const History& phantom() {
  static const History history = history_of(R"({"s":"a","t":1,"status":"ok","ops":[["insert",15,1]]}
{"s":"b","t":2,"status":"ok","ops":[["range",10,20,[]],["range",10,20,[[15,1]]]]}
)");
  return history;
}

bool forbids_nothing(Level) {
  return false;
}
bool forbids_phantoms(Level level) {
  return implies(level, Level::read_atomic);
}
bool forbids_lost_updates(Level level) {
  return level == Level::snapshot_isolation || level == Level::serializable ||
         level == Level::strong_snapshot_isolation || level == Level::strict_serializable;
}

// The bytes with a last line that counts and sums them up, as a forger would write it.
std::string with_end(std::string_view body) {
  std::uint64_t sum = 0xCBF29CE484222325ULL;
  for (const char c : body) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  return fmt::format("{}end {} {:016x}\n", body, std::count(body.begin(), body.end(), '\n'), sum);
}

void judge(std::string_view bytes, const History& history, bool (*forbidden)(Level)) {
  try {
    const verify::Verification result = verify::verify(bytes, "fuzz", history);
    if (result.accepted && result.claim.holds == forbidden(result.claim.level)) std::abort();
  } catch (const InputError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string forged = with_end(bytes);
  for (const std::string_view certificate : {bytes, std::string_view(forged)}) {
    judge(certificate, lost_update(), forbids_lost_updates);
    judge(certificate, serial(), forbids_nothing);
    judge(certificate, phantom(), forbids_phantoms);
  }
  return 0;
}
