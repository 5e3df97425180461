// Writes the trace (docs/audit-formats.md). Every frame is handed to the kernel by one write() before the
// call returns, so a collector that is killed loses nothing that was written, and at most the frame it was
// writing is cut: readers leave that out, and the next collector on the same file cuts it off and goes on
// with higher numbers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "audit/front/cgi_head.hpp"
#include "audit/front/fastcgi.hpp"
#include "audit/wire/file_frame.hpp"
#include "audit/wire/trace_records.hpp"
#include "system/descriptor.hpp"

namespace assay::audit::front {

// What the trace outlives.
enum class Durability {
  process,  // the collector's death
  machine,  // that of its machine too: the disk has a frame before anything follows from it
};

class TraceWriter {
 public:
  // Makes the file, or goes on with the one that is there. Throws InputError if that is no trace, is damaged
  // before its end, or is being written by another process; std::system_error if it cannot be written.
  TraceWriter(const std::filesystem::path& path, Durability durability);

  // The number of the next request.
  std::uint64_t next_rid() const { return last_rid_ + 1; }
  // REQUIRES: rid == next_rid(). Both throw std::system_error; then nothing more may be written.
  void request(std::uint64_t rid, const fastcgi::Params& params, std::string_view body);
  // Without a head PHP sent none: the status is 0.
  void response(std::uint64_t rid, wire::EndReason end, const CgiHead* head, std::string_view body);
  // Makes what was written outlive what `durability` says. To be called before bytes leave that follow from
  // it.
  void commit();

  std::uint64_t bytes() const { return bytes_; }
  // What a killed collector left unfinished at the end of the file, cut off.
  std::uint64_t cut_off() const { return cut_off_; }

 private:
  void go_on();
  void append(wire::Tag tag, std::string_view record);
  std::uint64_t time();
  [[noreturn]] void fail(const char* what) const;

  std::string path_;
  Durability durability_;
  system::Descriptor file_;
  std::uint64_t bytes_ = 0;
  std::uint64_t last_rid_ = 0, last_time_ = 0;
  std::uint64_t cut_off_ = 0;
  bool uncommitted_ = false;
};

}  // namespace assay::audit::front
