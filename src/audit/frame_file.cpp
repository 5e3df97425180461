#include "audit/frame_file.hpp"

#include <fmt/format.h>

#include "system/input_error.hpp"

namespace assay::audit {

FrameFile::FrameFile(std::string path, std::string_view bytes, wire::Bytes magic)
    : path_(std::move(path)), bytes_(bytes) {
  if (bytes.size() < wire::kFileHead) {
    fail(0, fmt::format("the file has {} bytes, its head alone takes {}", bytes.size(), wire::kFileHead));
  }
  if (bytes.substr(0, magic.size()) != magic) {
    fail(0, fmt::format("expected the letters {}, which every file of this kind begins with", magic));
  }
  const std::uint32_t version = wire::load_u32(bytes.data() + 8);
  if (version != wire::kVersion) {
    fail(8, fmt::format("the file's version is {}, this program reads version {}", version, wire::kVersion));
  }
}

std::optional<Frame> FrameFile::next() {
  if (at_ == bytes_.size()) return std::nullopt;
  Frame frame{{}, at_};
  switch (parse_frame(bytes_.substr(at_), frame.view)) {
    case wire::Parsed::partial:
      return std::nullopt;
    case wire::Parsed::damaged:
      // The last frame may be half written although its length is there.
      if (frame.view.whole() == bytes_.size() - at_) return std::nullopt;
      fail(at_, "the frame that begins here is damaged: its head is impossible or its checksum is wrong");
    case wire::Parsed::frame:
      break;
  }
  at_ += frame.view.whole();
  return frame;
}

Frame FrameFile::at(std::size_t position) const {
  Frame frame{{}, position};
  if (parse_frame(bytes_.substr(position), frame.view) != wire::Parsed::frame) {
    fail(position, "the file changed while it was read");
  }
  return frame;
}

void FrameFile::body(const Frame& frame, std::string& out) const {
  if (!unpack(frame.view, out)) {
    fail(frame.position + wire::kFrameHead, "this frame does not unpack to the length that it promises");
  }
}

void FrameFile::fail(std::size_t position, const std::string& message) const {
  throw InputError(path_, fmt::format("byte {}", position), message);
}

}  // namespace assay::audit
