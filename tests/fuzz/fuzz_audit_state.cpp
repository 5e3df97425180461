// Any bytes as the state that an audit has left for the next: an InputError, or a state whose requests and objects can
// be gone on from. Then the same bytes as the body of a frame, past the checksum, which would stop nearly all of them.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "audit/object/key_value.hpp"
#include "audit/object/lock_table.hpp"
#include "audit/object/session.hpp"
#include "audit/period/carried.hpp"
#include "audit/trace.hpp"
#include "audit/wire/file_frame.hpp"
#include "system/input_error.hpp"

namespace {

using namespace assay::audit;

template <class Object>
void go_on(const std::string& saved) {
  wire::Cursor in(saved);
  Object object(in);
  if (!in.finished()) return;
  std::string again;
  object.save(again, {});
}

void read(std::string_view bytes) {
  try {
    const Carried carried = parse_carried("fuzz", bytes);
    for (const CarriedObject& object : carried.objects) {
      if (object.kind == wire::ObjectKind::key_value) go_on<KeyValueTable>(object.machine);
      if (object.kind == wire::ObjectKind::session) go_on<Session>(object.machine);
      if (object.kind == wire::ObjectKind::locks) go_on<LockTable>(object.machine);
    }
    const std::string grown = wire::file_head(wire::kTraceMagic);
    const Trace trace("trace", grown, carried.cut, carried.requests);
  } catch (const assay::InputError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read(bytes);
  read(wire::file_head(wire::kStateMagic) + wire::frame(wire::Tag::state, bytes, 0));
  return 0;
}
