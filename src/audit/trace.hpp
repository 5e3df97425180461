// The trace: what the collector saw, indexed. Requests are numbered in the order of their arrival; their
// bytes stay in the file until somebody asks for them.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "audit/audit_ids.hpp"
#include "audit/frame_file.hpp"
#include "audit/wire/trace_records.hpp"

namespace assay::audit {

// What the trace says of a request's end (docs/audit.md, "Definitions").
enum class Fate : std::uint8_t {
  whole,    // its response is there to the last byte
  cut,      // the server vanished: it stopped somewhere, and what it delivered is a beginning
  refused,  // it was not run
  open,     // nobody knows when it stopped, or whether
};

struct TracedRequest {
  std::uint64_t rid = 0;
  std::uint64_t arrived = 0;   // nanoseconds since 1970
  std::uint64_t departed = 0;  // of its response; 0 if there is none
  Fate fate = Fate::open;
  bool has_response = false;
  bool carried = false;         // its frames stand among those of an earlier period
  std::size_t request_at = 0;   // where its frames begin in the file
  std::size_t response_at = 0;  // REQUIRES has_response
  bool response_carried = false;
};

struct Event {
  RequestIndex request;
  bool is_response;
};

// A record with the bytes that it shows.
template <class Record>
struct Loaded {
  std::unique_ptr<std::string> bytes;
  Record record;
};

// How far a trace was audited. A later one is the same file, grown, or another one that begins there.
struct TraceCut {
  std::uint64_t last_rid = 0;
  std::uint64_t time = 0;               // of the last frame
  std::uint64_t bytes = 0, digest = 0;  // of the file up to there
};

class Trace {
 public:
  // `bytes` must outlive the trace. Throws InputError.
  Trace(std::string path, std::string_view bytes);
  // One that goes on after a cut. `requests` is a trace too: of the requests that were open there. It must
  // outlive this one.
  Trace(std::string path, std::string_view bytes, const TraceCut& cut, std::string_view requests);

  // Where this trace ends.
  TraceCut end() const;
  // Requests and responses of those that are open, as a trace.
  std::string open_requests() const;

  std::span<const TracedRequest> requests() const { return requests_; }
  const TracedRequest& operator[](RequestIndex request) const { return requests_[index(request)]; }
  std::span<const Event> events() const { return events_; }
  std::optional<RequestIndex> find(std::uint64_t rid) const;

  // Throws InputError.
  Loaded<wire::Request> request(RequestIndex request) const;
  // REQUIRES: it has one. Throws InputError.
  Loaded<wire::Response> response(RequestIndex request) const;

  // A response without its request, or a second one: no program could have sent it.
  struct Imbalance {
    std::uint64_t rid;
    std::string sentence;
  };
  const std::optional<Imbalance>& imbalance() const { return imbalance_; }
  // How many bytes at the end of the file were not a whole frame.
  std::size_t left_out() const { return file_.left_out(); }

 private:
  void read(FrameFile& file);
  void add(const wire::Request& request, const FrameFile& file, const Frame& frame);
  void add(const wire::Response& response, const FrameFile& file, const Frame& frame);
  void advance(std::uint64_t time, const FrameFile& file, const Frame& frame);
  const FrameFile& file_of(bool carried) const { return carried ? *earlier_ : file_; }

  FrameFile file_;
  std::optional<FrameFile> earlier_;  // with the requests that were open at a cut
  std::vector<TracedRequest> requests_;
  std::vector<Event> events_;
  std::optional<Imbalance> imbalance_;
  std::uint64_t now_ = 0;
  std::uint64_t last_rid_ = 0;
};

}  // namespace assay::audit
