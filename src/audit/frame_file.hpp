// The frames of one file of an audit, in order. A file whose writer was killed ends within a frame: reading
// stops before it and says how much was left out. Everything else that is wrong is an InputError with its
// byte.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "audit/wire/file_frame.hpp"

namespace assay::audit {

struct Frame {
  wire::FrameView view;
  std::size_t position;  // of its first byte in the file
};

class FrameFile {
 public:
  // The bytes must outlive the object. Throws InputError if the file head is not that of `magic`.
  FrameFile(std::string path, std::string_view bytes, wire::Bytes magic);

  // Throws InputError.
  std::optional<Frame> next();
  // The frame at this position, which next() has given before.
  Frame at(std::size_t position) const;
  // Unpacks the body. Throws InputError.
  void body(const Frame& frame, std::string& out) const;

  // Leaves out what stands before this position, where a frame begins or the file ends.
  void go_to(std::size_t position) { at_ = position; }

  const std::string& path() const { return path_; }
  // Where the last frame that next() gave ends.
  std::size_t position() const { return at_; }
  std::string_view bytes() const { return bytes_; }
  // After the last frame: how many bytes at the end are not a whole frame.
  std::size_t left_out() const { return bytes_.size() - at_; }
  std::size_t size() const { return bytes_.size(); }
  [[noreturn]] void fail(std::size_t position, const std::string& message) const;

 private:
  std::string path_;
  std::string_view bytes_;
  std::size_t at_ = wire::kFileHead;
};

}  // namespace assay::audit
