#include "collect/history_stream.hpp"

#include "history/builder.hpp"
#include "history/rebuild.hpp"
#include "system/input_error.hpp"

namespace assay::collect {

namespace {

using format::JsonlStream;
using format::PackedStream;

constexpr char kPackedMark = '\x8A';  // no JSON text begins with it
constexpr std::size_t kMostLines = 4096;

// The header of a JSONL file names the sessions without transactions only. Taken in alone it would look like the
// announcement of all that a packed file begins with.
History without_idle_sessions(History history) {
  bool some = false;
  for (std::uint32_t s = 0; s < history.sessions(); ++s) some |= history.transactions_of(Session{s}).empty();
  if (!some) return history;
  HistoryBuilder build;
  build.clocks(history.clocks());
  Rebuild rebuild(history, build);
  for (const Txn t : history.all_transactions()) rebuild.transaction(t);
  return build.finish();
}

}  // namespace

void HistoryStream::push(std::string_view bytes) {
  if (bytes.empty()) return;
  if (!begun()) {
    if (bytes.front() == kPackedMark) {
      stream_.emplace<PackedStream>(path_);
    } else {
      stream_.emplace<JsonlStream>(path_);
    }
  }
  if (auto* packed = std::get_if<PackedStream>(&stream_)) packed->push(bytes);
  if (auto* jsonl = std::get_if<JsonlStream>(&stream_)) jsonl->push(bytes);
}

std::optional<HistoryStream::Part> HistoryStream::next() {
  if (auto* packed = std::get_if<PackedStream>(&stream_)) {
    if (auto block = packed->next()) return Part{std::move(block->body), std::move(block->history)};
  } else if (auto* jsonl = std::get_if<JsonlStream>(&stream_)) {
    if (auto history = jsonl->next(kMostLines)) return Part{{}, without_idle_sessions(*std::move(history))};
  }
  return std::nullopt;
}

bool HistoryStream::ended() const {
  if (const auto* packed = std::get_if<PackedStream>(&stream_)) return packed->ended();
  if (const auto* jsonl = std::get_if<JsonlStream>(&stream_)) return jsonl->ended();
  return false;
}

std::size_t HistoryStream::unfinished() const {
  if (const auto* packed = std::get_if<PackedStream>(&stream_)) return packed->unfinished();
  if (const auto* jsonl = std::get_if<JsonlStream>(&stream_)) return jsonl->unfinished();
  return 0;
}

std::uint64_t HistoryStream::position() const {
  if (const auto* packed = std::get_if<PackedStream>(&stream_)) return packed->position();
  if (const auto* jsonl = std::get_if<JsonlStream>(&stream_)) return jsonl->position();
  return 0;
}

bool HistoryStream::may_end() const {
  if (const auto* jsonl = std::get_if<JsonlStream>(&stream_)) {
    return jsonl->ended() || (!jsonl->header() && (jsonl->any_line() || jsonl->unfinished() > 0));
  }
  return ended();
}

void HistoryStream::no_more_bytes() {
  if (auto* jsonl = std::get_if<JsonlStream>(&stream_)) jsonl->no_more_bytes();
}

std::string HistoryStream::state() const {
  if (const auto* packed = std::get_if<PackedStream>(&stream_)) return "p" + packed->state();
  if (const auto* jsonl = std::get_if<JsonlStream>(&stream_)) return "j" + jsonl->state();
  return "-";
}

HistoryStream HistoryStream::restore(const std::string& path, std::string_view state) {
  HistoryStream stream(path);
  const char kind = state.empty() ? '?' : state.front();
  if (kind == 'p') {
    stream.stream_.emplace<PackedStream>(PackedStream::restore(path, state.substr(1)));
  } else if (kind == 'j') {
    stream.stream_.emplace<JsonlStream>(JsonlStream::restore(path, state.substr(1)));
  } else if (kind != '-') {
    throw InputError(path, "", "the checkpoint's note of how far it was read cannot be understood");
  }
  return stream;
}

HistoryStream HistoryStream::continued() const {
  HistoryStream stream(path_);
  if (const auto* jsonl = std::get_if<JsonlStream>(&stream_))
    stream.stream_.emplace<JsonlStream>(jsonl->continued());
  return stream;
}

}  // namespace assay::collect
