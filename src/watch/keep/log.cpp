#include "watch/keep/log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "collect/frame.hpp"
#include "format/assay/packed_block.hpp"
#include "format/bytes.hpp"
#include "system/input_error.hpp"

namespace assay::watch {

using collect::Fragment;
using collect::FrameReader;
using format::append_little;

namespace {

constexpr std::string_view kMagic = "ASSAYLOG";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHeader = 16, kPiece = std::size_t{1} << 20;
constexpr std::size_t kLargestRecord = UINT32_MAX;
constexpr std::uint32_t kFragment = 0x47415246, kLast = 0x454E4F44, kRound = 0x4E554F52;  // FRAG DONE ROUN
constexpr std::string_view kPrefix = "log-";

std::string header() {
  std::string bytes(kMagic);
  append_little(bytes, kVersion);
  append_little(bytes, std::uint32_t{0});
  return bytes;
}

Fragment fragment_of(const std::string& path, format::ByteCursor& in, bool last, std::uint64_t index,
                     const Log::Visitor& visit) {
  Fragment fragment;
  fragment.last = last;
  fragment.sequence = in.little<std::uint64_t>("a sequence number");
  fragment.collector = in.take(in.count(1, "the length of a name"), "a name");
  fragment.cursor = in.take(in.count(1, "the length of a position"), "a position");
  if (last) return fragment;
  fragment.block = in.take(in.remaining(), "a block");
  if (visit.skips && visit.skips(index, fragment.collector, PackedCodec::unpacked_bytes(fragment.block)))
    return fragment;
  format::ByteCursor block(path, fragment.block);
  fragment.history = PackedCodec::decode(block);
  return fragment;
}

}  // namespace

std::vector<Log::Segment> Log::segments_on_disk() const {
  std::vector<Segment> found;
  for (const std::string& name : disk_.names()) {
    if (!name.starts_with(kPrefix)) continue;
    const char* const begin = name.data() + kPrefix.size();
    const char* const end = name.data() + name.size();
    std::uint64_t first = 0;
    const auto [at, error] = std::from_chars(begin, end, first, 16);
    if (error == std::errc() && at == end) found.push_back({first, name, 0});
  }
  std::sort(found.begin(), found.end(), [](const Segment& a, const Segment& b) { return a.first < b.first; });
  return found;
}

std::uint64_t Log::open(std::uint64_t from, const Visitor& visit, const collect::Note& note) {
  segments_ = segments_on_disk();
  // The first segment that is needed is the last one that begins at or before `from`.
  std::size_t needed = 0;
  while (needed + 1 < segments_.size() && segments_[needed + 1].first <= from) ++needed;
  if (!segments_.empty() && segments_[needed].first > from) {
    throw InputError(disk_.shown(segments_[needed].name), "",
                     fmt::format("the log begins with fragment {}, but the checkpoint needs it from {} on",
                                 segments_[needed].first, from));
  }
  next_ = segments_.empty() ? from : segments_[needed].first;
  for (std::size_t i = needed; i < segments_.size(); ++i) {
    if (segments_[i].first != next_) {
      throw InputError(disk_.shown(segments_[i].name), "",
                       fmt::format("fragments {} to {} are missing before it", next_, segments_[i].first));
    }
    read(segments_[i], i + 1 == segments_.size(), from, visit, note, segments_[i].bytes);
  }
  // A log that ends before its checkpoint was cut by somebody; numbers go on behind the checkpoint.
  if (next_ < from) {
    next_ = from;
    segments_.clear();
  }
  for (std::size_t i = 0; i < std::min(needed, segments_.size()); ++i)
    segments_[i].bytes = disk_.size(segments_[i].name);
  synced_ = next_;
  if (segments_.empty()) return next_;
  disk_.truncate(segments_.back().name, segments_.back().bytes);
  // A process that was killed may have written what it did not make safe. From now on it counts as taken in,
  // and collectors are told so.
  disk_.make_safe(segments_.back().name);
  disk_.make_names_safe();
  return next_;
}

// Reads one segment; `good` becomes the number of bytes that make sense.
void Log::read(const Segment& segment, bool is_last, std::uint64_t from, const Visitor& visit,
               const collect::Note& note, std::uint64_t& good) {
  const std::string path = disk_.shown(segment.name);
  const std::string start = disk_.read(segment.name, 0, kHeader);
  good = 0;
  std::string damage;
  if (start.size() < kHeader) {
    damage = "its header is cut off";
  } else if (start != header() && is_last && disk_.size(segment.name) == kHeader) {
    damage = "its header is damaged";  // it is made safe before anything follows it
  } else if (start != header()) {
    throw InputError(path, "byte 0", "this is not a log of a watch, or of another version");
  } else {
    good = kHeader;
    FrameReader frames(path, kLargestRecord, kHeader);
    try {
      for (std::uint64_t at = kHeader;;) {
        while (const auto frame = frames.next()) {
          format::ByteCursor in(path, frame->body, frames.position() - frame->body.size());
          const auto index = in.little<std::uint64_t>("a number");
          if (frame->tag == kRound) {
            if (index > from) visit.round(index);
          } else if ((frame->tag == kFragment || frame->tag == kLast) && index == next_) {
            if (index >= from)
              visit.fragment(index, fragment_of(path, in, frame->tag == kLast, index, visit));
            ++next_;
          } else {
            in.fail(
                fmt::format("expected fragment {}, found {} {}", next_, collect::letters(frame->tag), index));
          }
          good = frames.position();
        }
        const std::string piece = disk_.read(segment.name, at, kPiece);
        if (piece.empty()) break;
        frames.push(piece);
        at += piece.size();
      }
      if (frames.unfinished() > 0) damage = "a record at its end is cut off";
    } catch (const InputError& error) {
      if (!is_last) throw;
      damage = error.message();
    }
  }
  if (damage.empty()) return;
  if (!is_last)
    throw InputError(path, fmt::format("byte {}", good), damage + ", but the log goes on after it");
  note(fmt::format(
      "{}: {}: what comes after byte {} is dropped, as a crash leaves it that was not acknowledged yet", path,
      damage, good));
}

std::uint64_t Log::append(const Fragment& fragment) {
  const system::MutexLock lock(mutex_);
  std::string body;
  append_little(body, next_);
  append_little(body, fragment.sequence);
  for (const std::string& text : {fragment.collector, fragment.cursor}) {
    append_little(body, std::uint64_t{text.size()});
    body += text;
  }
  if (!fragment.last) body += fragment.block.empty() ? PackedCodec::encode(fragment.history) : fragment.block;
  waiting_ += collect::frame(fragment.last ? kLast : kFragment, body);
  return next_++;
}

void Log::append_round(std::uint64_t end) {
  const system::MutexLock lock(mutex_);
  std::string body;
  append_little(body, end);
  waiting_ += collect::frame(kRound, body);
}

void Log::begin_segment() {
  Segment segment{synced_, fmt::format("{}{:016x}", kPrefix, synced_), 0};
  disk_.create(segment.name);
  disk_.write(segment.name, header(), 0);
  disk_.make_safe(segment.name);
  disk_.make_names_safe();
  segment.bytes = kHeader;
  segments_.push_back(std::move(segment));
}

void Log::sync() {
  const system::MutexLock lock(mutex_);
  if (waiting_.empty()) return;
  // A segment's name is the number of its first fragment, so that one without any cannot be followed by
  // another.
  const bool full =
      !segments_.empty() && segments_.back().bytes >= segment_bytes_ && segments_.back().first != synced_;
  if (segments_.empty() || full) begin_segment();
  if (segments_.back().bytes < kHeader) {
    disk_.write(segments_.back().name, header(), 0);
    disk_.make_safe(segments_.back().name);
    segments_.back().bytes = kHeader;
  }
  Segment& segment = segments_.back();
  // After a failure the same bytes are written to the same place again.
  disk_.write(segment.name, waiting_, segment.bytes);
  disk_.make_safe(segment.name);
  segment.bytes += waiting_.size();
  waiting_.clear();
  synced_ = next_;
}

void Log::forget_before(std::uint64_t index) {
  const system::MutexLock lock(mutex_);
  while (segments_.size() > 1 && segments_[1].first <= index) {
    disk_.remove(segments_.front().name);
    segments_.erase(segments_.begin());
  }
}

std::uint64_t Log::bytes() const {
  const system::MutexLock lock(mutex_);
  std::uint64_t sum = 0;
  for (const Segment& segment : segments_) sum += segment.bytes;
  return sum;
}

}  // namespace assay::watch
