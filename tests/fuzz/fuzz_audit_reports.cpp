// Any bytes as a report, as the body of its frame and as its tail: an InputError, or reports that are checked
// against a small trace and redone by their objects without harm.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "audit/admissible.hpp"
#include "audit/draft.hpp"
#include "audit/fit.hpp"
#include "audit/object/key_value.hpp"
#include "audit/object/lock_table.hpp"
#include "audit/object/session.hpp"
#include "audit/ordering.hpp"
#include "audit/reports.hpp"
#include "audit/trace.hpp"
#include "audit/wire/file_frame.hpp"
#include "system/input_error.hpp"

namespace {

using namespace assay::audit;

// Three requests, the second and third at the same time.
const std::string& trace_file() {
  static const std::string file = [] {
    Draft draft;
    draft.events = {{false, 1, 10, {}, 0, {}, ""},
                    {true, 1, 20, {}, 200, {}, ""},
                    {false, 2, 30, {}, 0, {}, ""},
                    {false, 3, 40, {}, 0, {}, ""},
                    {true, 2, 50, {}, 200, {}, ""}};
    return draft.trace_file();
  }();
  return file;
}

void perform(const Object& object) {
  KeyValueTable table;
  LockTable locks;
  Session session;
  Machine* machine = &table;
  if (object.kind == wire::ObjectKind::locks) machine = &locks;
  if (object.kind == wire::ObjectKind::session) machine = &session;
  if (object.kind == wire::ObjectKind::database) return;
  std::string result;
  for (const LoggedOperation& operation : object.log) {
    result.clear();
    if (machine->step({operation.rid, operation.type, operation.contents()}, result).kind != Step::Kind::done)
      return;
  }
}

void read(const Reports::File& file) {
  try {
    const Trace trace("trace", trace_file());
    const Reports reports({&file, 1});
    const Fit fitted = fit(trace, reports);
    if (fitted.finding) return;
    find_inadmissible(trace, reports, fitted.map, {});
    if (const auto finding = find_disorder(trace, reports, fitted.map)) {
      for (std::size_t i = 0; i < finding->cycle.size(); ++i) {
        if (finding->cycle[i].to != finding->cycle[(i + 1) % finding->cycle.size()].from) std::abort();
      }
      return;
    }
    for (const Object& object : reports.objects()) perform(object);
  } catch (const assay::InputError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read({"fuzz", bytes, "", std::nullopt});
  const std::string framed = wire::file_head(wire::kReportMagic) + wire::frame(wire::Tag::records, bytes, 0);
  read({"fuzz", framed, "", std::nullopt});
  const std::string head = wire::file_head(wire::kReportMagic);
  read({"fuzz", head, "tail", bytes});
  return 0;
}
