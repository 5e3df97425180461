#include "audit/tamper.hpp"

#include <string>

#include "audit/lie/plants.hpp"
#include "system/input.hpp"
#include "system/input_error.hpp"
#include "system/output_file.hpp"

namespace assay::audit {

namespace {

constexpr Lie kLies[] = {
    {"body", "one bit of a response's body is another", false, lie::flip_body},
    {"body-end", "the end of a response's body is missing", false, lie::truncate_body},
    {"header", "a response has a header more", false, lie::change_header},
    {"status", "a response has another status", false, lie::change_status},
    {"response-twice", "a request is answered twice", false, lie::duplicate_response},
    {"responses-swapped", "two requests get each other's response", false, lie::swap_responses},
    {"response-stale", "a request gets the response that an equal one got before something changed", false,
     lie::answer_stale, true},
    {"login-forged", "a request gets the response that somebody with another cookie got", false,
     lie::answer_as_somebody_else, true},
    {"request-dropped", "a response answers what nobody asked", false, lie::drop_request},
    {"operation-dropped", "an operation is missing in its log", false, lie::drop_operation},
    {"operation-hidden", "the last operation of a request is missing and not counted", false,
     lie::hide_operation},
    {"operation-twice", "an operation stands twice in the logs", false, lie::duplicate_operation},
    {"operation-forged", "a request is said to have done one thing more", false, lie::forge_operation},
    {"order-requests", "two operations of different requests are in the wrong order", false,
     lie::reorder_requests},
    {"order-program", "two operations of one request are in the wrong order", false, lie::reorder_program},
    {"order-changes", "two changes of a database by different requests are in the wrong order", false,
     lie::swap_changes},
    {"read-moved", "a query is said to come before a commit that it saw", false, lie::move_read},
    {"update-lost", "a change that was confirmed is not in the log", false, lie::lose_update},
    {"owner", "an operation is said to be another request's", false, lie::retarget_operation},
    {"owners-exchanged", "two operations are said to be each other's request's", false, lie::exchange_owners},
    {"sql", "one bit of a statement is another", false, lie::change_statement},
    {"key-value", "one bit of a key-value operation is another", false, lie::change_key_value},
    {"session", "one bit of a session is another", false, lie::change_session},
    {"busy", "a statement that ran is said to have been busy", false, lie::claim_busy},
    {"not-busy", "something that was not performed is said to have been", false, lie::deny_busy, true},
    {"count-more", "a request is said to have performed one operation more", false, lie::count_more},
    {"count-less", "a request is said to have performed one operation less", false, lie::count_less},
    {"count-dropped", "the operations of a request are not counted", false, lie::drop_count},
    {"group-dropped", "a request is in no group", true, lie::drop_group},
    {"groups-merged", "all requests are in one group", true, lie::merge_groups},
    {"clock-outside", "a request saw a time at which it was not at the server", false, lie::clock_outside},
    {"clock-backwards", "a request saw the clock run backwards", false, lie::clock_backwards},
    {"random", "a request saw other random numbers", false, lie::wrong_random},
    {"value-dropped", "a value that a request saw is not reported", false, lie::drop_value},
};

}  // namespace

std::span<const Lie> lies() {
  return kLies;
}

TamperedFiles tamper_files(const Lie& lie, std::uint64_t seed, const std::filesystem::path& trace,
                           const std::filesystem::path& reports, const std::filesystem::path& folder) {
  const system::OpenedInput file = system::open_input(trace.string());
  if (file.input.directory) throw InputError(trace.string(), "", "expected a trace, got a folder");
  Draft draft(Trace(trace.string(), file.input.files.front().bytes), Reports::read_folder(reports.string()));
  if (!lie.plant(draft, seed))
    throw InputError(trace.string(), "", "there is no place for this lie: " + std::string(lie.description));
  TamperedFiles made{folder / "trace", folder / "reports"};
  std::filesystem::create_directories(made.reports);
  const auto write = [](const std::filesystem::path& path, const std::string& bytes) {
    system::OutputFile out(path);
    out.put(bytes);
    out.close();
  };
  write(made.trace, draft.trace_file());
  write(made.reports / "tampered.rep", draft.report_file());
  return made;
}

const Lie* find_lie(std::string_view name) {
  for (const Lie& lie : kLies) {
    if (lie.name == name) return &lie;
  }
  return nullptr;
}

}  // namespace assay::audit
