// Reads a JSONL file piece by piece while it grows: bytes are pushed as they come, the complete lines are
// taken as small histories. Grammar and meaning are those of the one-shot reader (jsonl.hpp): the header
// counts for every part, t must increase within a session over all parts, and the end line must have the
// right total.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "history/history.hpp"

namespace assay::format {

class JsonlLines;

class JsonlStream {
 public:
  // Without a line feed for longer than this it is no line.
  static constexpr std::size_t kLongestLine = std::size_t{1} << 28;

  explicit JsonlStream(std::string path);
  ~JsonlStream();
  JsonlStream(JsonlStream&&) noexcept;
  JsonlStream& operator=(JsonlStream&&) noexcept;

  void push(std::string_view bytes) { buffer_ += bytes; }
  // The next complete lines, at most `most`, as one history; none if there is no complete line. Throws
  // InputError.
  std::optional<History> next(std::size_t most);
  // No more bytes will come: what is left is the last line, as in a file whose last line has no line feed.
  void no_more_bytes();

  bool ended() const;   // the end line has come
  bool header() const;  // there was a header, so there must be an end line
  bool any_line() const;
  std::uint64_t line_number() const;
  std::size_t unfinished() const { return buffer_.size() - at_; }
  std::uint64_t position() const { return taken_; }

  // Where the stream is, so that another can go on from position(). restore() throws InputError.
  std::string state() const;
  static JsonlStream restore(std::string path, std::string_view state);
  // The stream of a file that continues this one, as after a rotation: sessions go on where they were.
  JsonlStream continued() const;

 private:
  std::string path_;
  std::string buffer_;
  std::size_t at_ = 0;       // start of what is not taken yet, in buffer_
  std::size_t scanned_ = 0;  // no line feed between at_ and here
  std::uint64_t taken_ = 0;  // at_ as a place in the file
  std::string before_;       // the position before the lines that are still to come, encoded
  std::unique_ptr<JsonlLines> lines_;
};

}  // namespace assay::format
