// What a watch has to say to whoever looks on: notes, addresses, how it goes, violations, the end. Each in
// words for a person, or as a line of JSON for a machine (docs/watch.md describes the objects).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "evidence/examination.hpp"
#include "level/level.hpp"
#include "watch/watch.hpp"

namespace assay::watch {

// A violation with the examination of the few transactions that show it, as the round made it: nothing is
// decided again. None where none can show it.
struct ExaminedViolation {
  const Violation& violation;
  Level level{};
  std::optional<evidence::Examination> found;
};
ExaminedViolation examine(const Violation& violation, Level level, std::chrono::nanoseconds clock_drift);

// What it is called: violations of the same name are of one kind.
std::string kind_of(const ExaminedViolation& examined);

// The same for the same violation, so that a page which is written again replaces itself.
std::string page_name(const Violation& violation);
bool is_page_name(std::string_view file);

// `page` is where the page of the violation is, if there is one.
std::string violation_text(const ExaminedViolation& examined, const std::optional<std::string>& page,
                           bool colour);
std::string violation_line(const ExaminedViolation& examined, const std::optional<std::string>& page);

std::string note_line(const std::string& text);
std::string address_line(const std::string& what, const std::string& address);

// How it goes, for one line that is written over and over.
std::string progress_text(Level level, const Status& status);
// `event` is "status" or "end".
std::string status_line(const std::string& event, Level level, const Status& status);
std::string end_text(Level level, const Status& status);

// At the end nothing more comes: what still waits was not decided, and nothing at all, or fewer committed
// transactions than are required, satisfies no one.
Status final_status(Status status, std::uint64_t require_committed = 0);

}  // namespace assay::watch
