#include "format/assay/packed_stream.hpp"

#include <fmt/format.h>

#include "format/assay/packed_block.hpp"
#include "format/bytes.hpp"
#include "system/input_error.hpp"

namespace assay::format {

void PackedStream::take(std::size_t bytes) {
  at_ += bytes;
  taken_ += bytes;
  // Moving the rest to the front only when half is used keeps the work linear.
  if (at_ >= buffer_.size() / 2) {
    buffer_.erase(0, at_);
    at_ = 0;
  }
}

std::optional<PackedStream::Block> PackedStream::next() {
  const auto fail = [this](std::uint64_t position, const std::string& what) {
    throw InputError(path_, fmt::format("byte {}", position), what);
  };
  std::string_view rest = std::string_view(buffer_).substr(at_);
  if (ended_) {
    if (!rest.empty()) fail(taken_, fmt::format("{} bytes follow the end block", rest.size()));
    return std::nullopt;
  }
  if (!header_) {
    if (rest.size() < packed::kHeaderSize) return std::nullopt;
    packed::check_header(path_, rest.substr(0, packed::kHeaderSize));
    header_ = true;
    take(packed::kHeaderSize);
    rest = std::string_view(buffer_).substr(at_);
  }
  if (rest.size() < packed::kFrameSize) return std::nullopt;
  const std::string_view frame_bytes = rest.substr(0, packed::kFrameSize);
  packed::Frame frame;
  packed::Damage damage;
  if (!packed::get_frame(frame_bytes, frame, damage)) fail(taken_ + damage.position, damage.what);
  if (frame.length > kLargestBlock) {
    fail(taken_ + 8, fmt::format("a block of {} bytes; in a file that is followed a block has at most {}",
                                 frame.length, kLargestBlock));
  }
  rest.remove_prefix(packed::kFrameSize);
  if (rest.size() < frame.length) return std::nullopt;
  const std::string_view body = rest.substr(0, frame.length);
  if (!packed::is_whole(frame_bytes, body))
    fail(taken_, "the block does not have the checksum that it names: the file is damaged");
  const std::uint64_t start = taken_ + packed::kFrameSize;
  if (frame.end) {
    packed::check_totals(path_, body, start, totals_);
    ended_ = true;
    take(packed::kFrameSize + body.size());
    return next();
  }
  ByteCursor in(path_, body, start);
  Block block{std::string(body), PackedCodec::decode(in)};
  ++totals_.blocks;
  totals_.transactions += block.history.transactions();
  totals_.operations += block.history.operations();
  take(packed::kFrameSize + body.size());
  return block;
}

std::string PackedStream::state() const {
  std::string out;
  append_little(out, taken_);
  append_little(out, totals_.blocks);
  append_little(out, totals_.transactions);
  append_little(out, totals_.operations);
  append_little(out, static_cast<std::uint8_t>((header_ ? 1 : 0) | (ended_ ? 2 : 0)));
  return out;
}

PackedStream PackedStream::restore(std::string path, std::string_view state) {
  PackedStream stream(std::move(path));
  ByteCursor in(stream.path_, state);
  stream.taken_ = in.little<std::uint64_t>("a position");
  stream.totals_.blocks = in.little<std::uint64_t>("a count of blocks");
  stream.totals_.transactions = in.little<std::uint64_t>("a count of transactions");
  stream.totals_.operations = in.little<std::uint64_t>("a count of operations");
  const auto flags = in.little<std::uint8_t>("flags");
  stream.header_ = (flags & 1) != 0;
  stream.ended_ = (flags & 2) != 0;
  return stream;
}

}  // namespace assay::format
