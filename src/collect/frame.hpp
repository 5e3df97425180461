// Frames: what collectors and a watcher say to each other, and what the watcher's log consists of. Tag,
// length and checksum, then the body; docs/watch-protocol.md gives the bytes. Whatever arrives instead of a
// frame is refused with its position, and no more than the largest frame is ever held in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace assay::collect {

// The four letters as they stand in the bytes.
enum class Tag : std::uint32_t {
  hello = 0x4F4C4548,      // HELO  collector: version and name
  challenge = 0x4C414843,  // CHAL  watcher: random bytes; the collector is to prove that it knows the secret
  proof = 0x464F5250,      // PROF  collector: random bytes of its own, and the proof
  welcome = 0x434C4557,  // WELC  watcher: the number to go on with, the largest frame, what it has, its proof
  fragment = 0x47415246,     // FRAG  collector: sequence number and packed block
  done = 0x454E4F44,         // DONE  collector: sequence number; nothing comes after it
  acknowledge = 0x4E4B4341,  // ACKN  watcher: all fragments below this sequence number are safe
  fail = 0x4C494146,         // FAIL  either: why it closes the connection
};

inline constexpr std::size_t kFrameHead = 16;  // tag, length of the body, checksum
inline constexpr std::size_t kLargestBody = std::size_t{1} << 24;
inline constexpr std::size_t kLargestBlock = kLargestBody - 8;
// What the block of a fragment may unpack to, as PackedCodec::unpacked_bytes() counts: a million transactions that
// do nothing, or some hundred thousand usual ones.
inline constexpr std::uint64_t kLargestUnpacked = std::uint64_t{1} << 26;

struct Frame {
  std::uint32_t tag;
  std::string_view body;
};

// Throws std::length_error if the body is above 4 GiB.
std::string frame(std::uint32_t tag, std::string_view body);
inline std::string frame(Tag tag, std::string_view body) {
  return frame(static_cast<std::uint32_t>(tag), body);
}

class FrameReader {
 public:
  // `path` names the stream in errors; `start` is the position of its first byte.
  explicit FrameReader(std::string path, std::size_t largest_body = kLargestBody, std::uint64_t start = 0)
      : path_(std::move(path)), largest_(largest_body), taken_(start) {}

  // From the next frame on.
  void allow(std::size_t largest_body) { largest_ = largest_body; }
  void push(std::string_view bytes);
  // The next frame; its body is valid until the next call of either function. Throws InputError.
  std::optional<Frame> next();
  std::size_t unfinished() const { return buffer_.size() - at_; }
  // Where the frame after the last one that was taken begins.
  std::uint64_t position() const { return taken_; }

 private:
  std::string path_;
  std::size_t largest_;
  std::string buffer_;
  std::size_t at_ = 0;
  std::uint64_t taken_;
};

// Four printable letters of a tag, for messages.
std::string letters(std::uint32_t tag);

}  // namespace assay::collect
