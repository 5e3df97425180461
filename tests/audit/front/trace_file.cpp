#include "audit/front/trace_file.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "audit/wire/file_frame.hpp"

namespace assay::testing {

namespace wire = audit::wire;

namespace {

TracePairs copied(const wire::Pairs& pairs) {
  TracePairs out;
  for (const wire::Pair& pair : pairs) out.emplace_back(pair.name, pair.value);
  return out;
}

// False if the frame holds no such record.
bool decode(const wire::FrameView& frame, TraceEvent& out) {
  std::string body;
  if (!wire::unpack(frame, body)) return false;
  wire::Cursor cursor(body);
  if (frame.tag == static_cast<std::uint32_t>(wire::Tag::request)) {
    const wire::Request record = wire::decode_request(cursor);
    out = {true, record.rid, record.time, copied(record.params), std::string(record.stdin_bytes), {}, 0};
  } else if (frame.tag == static_cast<std::uint32_t>(wire::Tag::response)) {
    const wire::Response record = wire::decode_response(cursor);
    out = {false,      record.rid,   record.time, copied(record.headers), std::string(record.body),
           record.end, record.status};
  } else {
    return false;
  }
  return cursor.finished();
}

// Numbers rise, times do not fall, a response follows its request and is the only one.
std::string trouble_in(const std::vector<TraceEvent>& events) {
  std::uint64_t last_rid = 0, last_time = 0;
  std::map<std::uint64_t, int> responses;
  for (const TraceEvent& event : events) {
    if (event.time < last_time) return "time runs backwards";
    last_time = event.time;
    if (event.is_request) {
      if (event.rid <= last_rid) return "request " + std::to_string(event.rid) + " has no new number";
      last_rid = event.rid;
      responses[event.rid] = 0;
      if (event.value("ASSAY_RID") != std::to_string(event.rid)) return "ASSAY_RID is not the number";
    } else if (responses.count(event.rid) == 0 || ++responses[event.rid] > 1) {
      return "response " + std::to_string(event.rid) + " has no request, or is the second one";
    }
  }
  return "";
}

const TraceEvent* find(const std::vector<TraceEvent>& events, std::uint64_t rid, bool is_request) {
  const auto found = std::find_if(events.begin(), events.end(), [&](const TraceEvent& event) {
    return event.rid == rid && event.is_request == is_request;
  });
  return found == events.end() ? nullptr : &*found;
}

}  // namespace

std::string TraceEvent::value(const std::string& name) const {
  for (const auto& [key, text] : pairs) {
    if (key == name) return text;
  }
  return "(none)";
}

const TraceEvent* TraceFile::request(std::uint64_t rid) const {
  return find(events, rid, true);
}

const TraceEvent* TraceFile::response(std::uint64_t rid) const {
  return find(events, rid, false);
}

std::size_t TraceFile::responses() const {
  return static_cast<std::size_t>(
      std::count_if(events.begin(), events.end(), [](const TraceEvent& event) { return !event.is_request; }));
}

TraceFile read_trace(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const std::string head = wire::file_head(wire::kTraceMagic);
  TraceFile out;
  if (bytes.substr(0, head.size()) != head.substr(0, bytes.size())) {
    out.trouble = "this is no trace";
    return out;
  }
  std::string_view rest = std::string_view(bytes).substr(std::min(head.size(), bytes.size()));
  while (!rest.empty()) {
    wire::FrameView frame;
    const wire::Parsed parsed = wire::parse_frame(rest, frame);
    if (parsed == wire::Parsed::partial) break;
    TraceEvent event;
    if (parsed == wire::Parsed::damaged || !decode(frame, event)) {
      out.trouble = "a damaged frame " + std::to_string(rest.size()) + " bytes before the end";
      return out;
    }
    out.events.push_back(std::move(event));
    rest.remove_prefix(frame.whole());
  }
  out.left_over = rest.size();
  out.trouble = trouble_in(out.events);
  return out;
}

}  // namespace assay::testing
