// What a decoder answers. Decoders take bytes as they come, from the front of a view that they shorten, and
// give the same messages however the bytes were cut. They know no sockets.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace assay::audit::front {

enum class Decoded {
  need_more,  // all bytes were taken, and more must come
  whole,      // a message; the bytes behind it were left
  refused,    // no message, and there never will be one
};

// Why a request is not passed on: the status that its client is told, and a sentence for it.
struct Refusal {
  int status = 400;
  std::string why;
};

// Collects one line that may come in pieces.
class LineBuffer {
 public:
  enum class State { need_more, line, too_long };

  // Takes bytes up to and with the next line feed, but no more than `longest` for the whole line.
  State take(std::string_view& bytes, std::size_t longest) {
    if (ended_) line_.clear();
    ended_ = false;
    const std::size_t feed = bytes.find('\n');
    const std::size_t wanted = feed == std::string_view::npos ? bytes.size() : feed + 1;
    const std::size_t room = longest - std::min(longest, line_.size());
    line_.append(bytes.substr(0, std::min(wanted, room)));
    if (wanted > room) return State::too_long;
    bytes.remove_prefix(wanted);
    ended_ = feed != std::string_view::npos;
    return ended_ ? State::line : State::need_more;
  }
  // With its line feed. Valid until the next take().
  std::string_view line() const { return line_; }
  std::size_t size() const { return line_.size(); }

 private:
  std::string line_;
  bool ended_ = false;
};

}  // namespace assay::audit::front
