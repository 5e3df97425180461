#include "audit/draft.hpp"

#include <map>

#include "audit/wire/file_frame.hpp"

namespace assay::audit {

namespace {

// A frame is ended when it holds this much.
constexpr std::size_t kFullFrame = std::size_t{1} << 18;

OwnedPairs own(const wire::Pairs& pairs) {
  OwnedPairs owned;
  for (const wire::Pair& pair : pairs) owned.emplace_back(pair.name, pair.value);
  return owned;
}

wire::Pairs show(const OwnedPairs& pairs) {
  wire::Pairs shown;
  for (const auto& [name, value] : pairs) shown.push_back({name, value});
  return shown;
}

}  // namespace

Draft::Draft(const Trace& trace, const Reports& reports) {
  for (const Event& event : trace.events()) {
    DraftEvent& draft = events.emplace_back();
    draft.is_response = event.is_response;
    if (event.is_response) {
      const auto loaded = trace.response(event.request);
      const wire::Response& response = loaded.record;
      draft.rid = response.rid;
      draft.time = response.time;
      draft.end = response.end;
      draft.status = response.status;
      draft.pairs = own(response.headers);
      draft.bytes = response.body;
    } else {
      const auto loaded = trace.request(event.request);
      draft.rid = loaded.record.rid;
      draft.time = loaded.record.time;
      draft.pairs = own(loaded.record.params);
      draft.bytes = loaded.record.stdin_bytes;
    }
  }
  for (const Object& object : reports.objects()) {
    for (const LoggedOperation& op : object.log) {
      operations.push_back({object.kind, object.name, op.seq, op.rid, op.opnum, op.type, op.outcome,
                            std::string(op.contents())});
    }
  }
  counts.assign(reports.counts().begin(), reports.counts().end());
  groups.assign(reports.groups().begin(), reports.groups().end());
  for (const OracleValue& value : reports.oracle()) {
    values.push_back({value.rid, value.after, value.kind, value.repeat, std::string(value.value)});
  }
  properties.assign(reports.properties().begin(), reports.properties().end());
}

std::string Draft::trace_file() const {
  std::string file = wire::file_head(wire::kTraceMagic);
  for (const DraftEvent& event : events) {
    if (event.is_response) {
      file += wire::frame(wire::Tag::response,
                          encode(wire::Response{event.rid, event.time, event.end, event.status,
                                                show(event.pairs), event.bytes}));
    } else {
      file += wire::frame(wire::Tag::request,
                          encode(wire::Request{event.rid, event.time, show(event.pairs), event.bytes}));
    }
  }
  return file;
}

std::string Draft::report_file() const {
  std::string file = wire::file_head(wire::kReportMagic);
  std::string records;
  const auto end_frame = [&](std::size_t at_least) {
    if (records.size() < at_least || records.empty()) return;
    file += wire::frame(wire::Tag::records, records);
    records.clear();
  };
  for (const auto& [name, value] : properties) wire::put_property(records, name, value);
  std::map<std::pair<wire::ObjectKind, std::string>, std::uint64_t> numbers;
  for (const DraftOperation& op : operations) {
    const auto [number, is_new] = numbers.try_emplace({op.kind, op.object}, numbers.size() + 1);
    if (is_new) wire::put_object(records, number->second, op.kind, op.object);
    wire::put_operation(records,
                        {number->second, op.seq, op.rid, op.opnum, op.type, op.outcome, op.contents});
    end_frame(kFullFrame);
  }
  for (const Count& count : counts) wire::put_count(records, count.rid, count.operations);
  for (const Group& group : groups) wire::put_group(records, group.rid, group.tag);
  for (const DraftValue& value : values) {
    wire::put_nondeterminism(records, {value.rid, value.after, value.kind, value.repeat, value.value});
    end_frame(kFullFrame);
  }
  end_frame(0);
  return file;
}

}  // namespace assay::audit
