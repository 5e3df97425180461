#include "format/assay/jsonl_stream.hpp"

#include <fmt/format.h>

#include "format/assay/jsonl_lines.hpp"
#include "format/bytes.hpp"

namespace assay::format {

namespace {

using Position = JsonlLines::Position;

enum Flag : std::uint8_t { kAnyLine = 1, kHeader = 2, kEnded = 4, kSeveralClocks = 8 };

std::string encoded(const Position& position) {
  std::string out;
  append_little(out, position.line);
  append_little(out, position.transactions);
  append_little(
      out, static_cast<std::uint8_t>((position.any_line ? kAnyLine : 0) | (position.header ? kHeader : 0) |
                                     (position.ended ? kEnded : 0) |
                                     (position.clocks == Clocks::several ? kSeveralClocks : 0)));
  append_little(out, std::uint64_t{position.sessions.size()});
  for (const Position::LastOf& last : position.sessions) {
    append_little(out, static_cast<std::uint8_t>(last.session.kind));
    append_little(out, last.session.bits);
    append_little(out, std::uint64_t{last.session.text.size()});
    out += last.session.text;
    append_little(out, static_cast<std::uint8_t>(last.t ? 1 : 0));
    append_little(out, last.t.value_or(0));
  }
  return out;
}

// The names borrow from `bytes`.
Position decoded(const std::string& path, std::string_view bytes) {
  ByteCursor in(path, bytes);
  Position position;
  position.line = in.little<std::uint64_t>("a line number");
  position.transactions = in.little<std::uint64_t>("a count of transactions");
  const auto flags = in.little<std::uint8_t>("flags");
  position.any_line = (flags & kAnyLine) != 0;
  position.header = (flags & kHeader) != 0;
  position.ended = (flags & kEnded) != 0;
  position.clocks = (flags & kSeveralClocks) != 0 ? Clocks::several : Clocks::one;
  constexpr std::size_t kLeast = 1 + 8 + 8 + 1 + 8;
  const std::uint64_t sessions = in.count(kLeast, "a count of sessions");
  for (std::uint64_t i = 0; i < sessions; ++i) {
    Position::LastOf last;
    const auto kind = in.little<std::uint8_t>("the kind of a name");
    if (kind >= kAtomKinds) in.fail("this is no kind of a name");
    last.session.kind = static_cast<AtomKind>(kind);
    last.session.bits = in.little<std::uint64_t>("a name");
    last.session.text = in.take(in.count(1, "the length of a name"), "a name");
    const bool has_t = in.little<std::uint8_t>("a flag") != 0;
    const auto t = in.little<std::int64_t>("a t");
    if (has_t) last.t = t;
    position.sessions.push_back(last);
  }
  return position;
}

}  // namespace

JsonlStream::JsonlStream(std::string path)
    : path_(std::move(path)), before_(encoded({})), lines_(new JsonlLines(path_, Initial::automatic)) {}
JsonlStream::~JsonlStream() = default;

// The lines borrow path_, whose bytes may move with the string: the moved-to stream makes its own.
JsonlStream::JsonlStream(JsonlStream&& other) noexcept : JsonlStream(other.path_) {
  *this = std::move(other);
}
JsonlStream& JsonlStream::operator=(JsonlStream&& other) noexcept {
  path_ = other.path_;
  buffer_ = std::move(other.buffer_);
  at_ = other.at_;
  scanned_ = other.scanned_;
  taken_ = other.taken_;
  before_ = std::move(other.before_);
  lines_ = std::make_unique<JsonlLines>(path_, Initial::automatic);
  lines_->begin_at(decoded(path_, before_));
  return *this;
}

bool JsonlStream::ended() const {
  return lines_->ended();
}
bool JsonlStream::header() const {
  return lines_->header();
}
bool JsonlStream::any_line() const {
  return lines_->any_line();
}
std::uint64_t JsonlStream::line_number() const {
  return lines_->line_number();
}

std::optional<History> JsonlStream::next(std::size_t most) {
  std::size_t lines = 0;
  const std::size_t start = at_;
  for (; lines < most; ++lines) {
    const std::size_t newline = buffer_.find('\n', std::max(at_, scanned_));
    if (newline == std::string::npos) {
      scanned_ = buffer_.size();
      if (buffer_.size() - at_ > kLongestLine) {
        throw InputError(path_, fmt::format("line {}", lines_->line_number() + 1),
                         fmt::format("the line has more than {} bytes", kLongestLine));
      }
      break;
    }
    lines_->add(std::string_view(buffer_).substr(at_, newline - at_));
    if (!lines_->open_tables().empty()) {
      throw InputError(path_, fmt::format("line {}", lines_->line_number()),
                       "what is evidence in open tables shows only in a whole history, and this one grows");
    }
    at_ = scanned_ = newline + 1;
  }
  if (lines == 0) return std::nullopt;
  taken_ += at_ - start;
  History history = lines_->finish(path_);
  before_ = encoded(lines_->position(history));
  lines_ = std::make_unique<JsonlLines>(path_, Initial::automatic);
  lines_->begin_at(decoded(path_, before_));
  if (at_ >= buffer_.size() / 2) {
    buffer_.erase(0, at_);
    scanned_ -= at_;
    at_ = 0;
  }
  return history;
}

void JsonlStream::no_more_bytes() {
  if (unfinished() > 0 && buffer_.back() != '\n') buffer_ += '\n';
}

std::string JsonlStream::state() const {
  std::string out;
  append_little(out, taken_);
  return out + before_;
}

JsonlStream JsonlStream::restore(std::string path, std::string_view state) {
  JsonlStream stream(std::move(path));
  ByteCursor in(stream.path_, state);
  stream.taken_ = in.little<std::uint64_t>("a position");
  stream.before_ = in.take(in.remaining(), "a position");
  stream.lines_->begin_at(decoded(stream.path_, stream.before_));
  return stream;
}

JsonlStream JsonlStream::continued() const {
  Position position = decoded(path_, before_);
  position.line = position.transactions = 0;
  position.any_line = position.header = position.ended = false;
  JsonlStream stream(path_);
  stream.before_ = encoded(position);
  stream.lines_->begin_at(decoded(stream.path_, stream.before_));
  return stream;
}

}  // namespace assay::format
