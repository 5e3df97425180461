// Reads a packed file piece by piece while it grows: bytes are pushed as they come, whole blocks are taken.
// The blocks, and what is refused, are those of the one-shot reader (packed.hpp); only "cut off" is not an
// error here, since the rest may still come.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "format/assay/packed_frame.hpp"
#include "history/history.hpp"

namespace assay::format {

class PackedStream {
 public:
  // A block above this size is refused instead of being waited for.
  static constexpr std::uint64_t kLargestBlock = std::uint64_t{1} << 30;

  explicit PackedStream(std::string path) : path_(std::move(path)) {}

  struct Block {
    std::string body;  // as PackedCodec::encode gives it
    History history;
  };

  void push(std::string_view bytes) { buffer_ += bytes; }
  // The next whole block, or none: more bytes are needed, or the end block has come. Throws InputError.
  std::optional<Block> next();

  bool ended() const { return ended_; }
  // Bytes that were pushed and belong to no whole block yet.
  std::size_t unfinished() const { return buffer_.size() - at_; }
  // How many bytes of the file are behind the last block that was taken.
  std::uint64_t position() const { return taken_; }

  // Where the stream is, so that another can go on from position(). restore() throws InputError.
  std::string state() const;
  static PackedStream restore(std::string path, std::string_view state);

 private:
  std::string path_;
  std::string buffer_;
  std::size_t at_ = 0;       // start of what is not taken yet, in buffer_
  std::uint64_t taken_ = 0;  // the same place in the file
  bool header_ = false, ended_ = false;
  packed::Totals totals_;

  void take(std::size_t bytes);
};

}  // namespace assay::format
