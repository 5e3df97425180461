#include "audit/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace assay::audit {

namespace {

Fate fate_of(wire::EndReason end) {
  switch (end) {
    case wire::EndReason::complete:
    case wire::EndReason::client_gone:
      return Fate::whole;
    case wire::EndReason::server_gone:
      return Fate::cut;
    case wire::EndReason::refused:
      return Fate::refused;
    case wire::EndReason::given_up:
      break;
  }
  return Fate::open;
}

template <class Record>
Record decode(const FrameFile& file, const Frame& frame, const std::string& body,
              Record (*decoder)(wire::Cursor&), std::string_view what) {
  wire::Cursor in(body);
  Record record = decoder(in);
  if (!in.finished()) {
    file.fail(frame.position,
              fmt::format("the {} in this frame is malformed at byte {} of its body", what, in.position()));
  }
  return record;
}

}  // namespace

Trace::Trace(std::string path, std::string_view bytes) : file_(std::move(path), bytes, wire::kTraceMagic) {
  read(file_);
}

Trace::Trace(std::string path, std::string_view bytes, const TraceCut& cut, std::string_view requests)
    : file_(std::move(path), bytes, wire::kTraceMagic) {
  earlier_.emplace("the requests that were open", requests, wire::kTraceMagic);
  read(*earlier_);
  last_rid_ = cut.last_rid;
  now_ = cut.time;
  if (bytes.size() >= cut.bytes && XXH3_64bits(bytes.data(), cut.bytes) == cut.digest) file_.go_to(cut.bytes);
  read(file_);
}

void Trace::read(FrameFile& file) {
  std::string body;
  while (const auto frame = file.next()) {
    file.body(*frame, body);
    if (frame->view.tag == static_cast<std::uint32_t>(wire::Tag::request)) {
      add(decode(file, *frame, body, wire::decode_request, "request"), file, *frame);
    } else if (frame->view.tag == static_cast<std::uint32_t>(wire::Tag::response)) {
      add(decode(file, *frame, body, wire::decode_response, "response"), file, *frame);
    } else {
      file.fail(frame->position, "a frame of a trace is tagged REQU or RESP, this one is not");
    }
  }
}

TraceCut Trace::end() const {
  return {last_rid_, now_, file_.position(), XXH3_64bits(file_.bytes().data(), file_.position())};
}

std::string Trace::open_requests() const {
  std::string out = wire::file_head(wire::kTraceMagic);
  for (const Event& event : events_) {
    const TracedRequest& request = (*this)[event.request];
    if (request.fate != Fate::open) continue;
    const FrameFile& file = file_of(event.is_response ? request.response_carried : request.carried);
    const Frame frame = file.at(event.is_response ? request.response_at : request.request_at);
    out += file.bytes().substr(frame.position, frame.view.whole());
  }
  return out;
}

void Trace::advance(std::uint64_t time, const FrameFile& file, const Frame& frame) {
  if (time < now_) {
    file.fail(frame.position, fmt::format("the time {} is before that of an earlier frame, {}", time, now_));
  }
  now_ = time;
}

void Trace::add(const wire::Request& request, const FrameFile& file, const Frame& frame) {
  advance(request.time, file, frame);
  if (request.rid <= last_rid_) {
    file.fail(frame.position,
              fmt::format("request {} follows request {}; ids must grow", request.rid, last_rid_));
  }
  if (requests_.size() == std::numeric_limits<std::uint32_t>::max() / 4) {
    file.fail(frame.position, "more requests than an audit can take");
  }
  last_rid_ = request.rid;
  events_.push_back({RequestIndex{static_cast<std::uint32_t>(requests_.size())}, false});
  TracedRequest& added = requests_.emplace_back();
  added.rid = request.rid;
  added.arrived = request.time;
  added.request_at = frame.position;
  added.carried = &file != &file_;
}

void Trace::add(const wire::Response& response, const FrameFile& file, const Frame& frame) {
  advance(response.time, file, frame);
  const auto found = find(response.rid);
  if (!found || requests_[index(*found)].has_response) {
    if (!imbalance_) {
      imbalance_ = {response.rid, found ? fmt::format("request {} was answered twice", response.rid)
                                        : fmt::format("there is a response to request {}, which was not made "
                                                      "before it",
                                                      response.rid)};
    }
    return;
  }
  TracedRequest& request = requests_[index(*found)];
  request.has_response = true;
  request.departed = response.time;
  request.response_at = frame.position;
  request.response_carried = &file != &file_;
  request.fate = fate_of(response.end);
  events_.push_back({*found, true});
}

std::optional<RequestIndex> Trace::find(std::uint64_t rid) const {
  // Collectors count: nearly always the id is the place.
  if (!requests_.empty() && rid >= requests_.front().rid) {
    const std::uint64_t guess = rid - requests_.front().rid;
    if (guess < requests_.size() && requests_[guess].rid == rid) {
      return RequestIndex{static_cast<std::uint32_t>(guess)};
    }
  }
  const auto found = std::lower_bound(requests_.begin(), requests_.end(), rid,
                                      [](const TracedRequest& a, std::uint64_t b) { return a.rid < b; });
  if (found == requests_.end() || found->rid != rid) return std::nullopt;
  return RequestIndex{static_cast<std::uint32_t>(found - requests_.begin())};
}

Loaded<wire::Request> Trace::request(RequestIndex request) const {
  const FrameFile& file = file_of((*this)[request].carried);
  const Frame frame = file.at((*this)[request].request_at);
  auto bytes = std::make_unique<std::string>();
  file.body(frame, *bytes);
  wire::Request record = decode(file, frame, *bytes, wire::decode_request, "request");
  return {std::move(bytes), std::move(record)};
}

Loaded<wire::Response> Trace::response(RequestIndex request) const {
  const FrameFile& file = file_of((*this)[request].response_carried);
  const Frame frame = file.at((*this)[request].response_at);
  auto bytes = std::make_unique<std::string>();
  file.body(frame, *bytes);
  wire::Response record = decode(file, frame, *bytes, wire::decode_response, "response");
  return {std::move(bytes), std::move(record)};
}

}  // namespace assay::audit
