// The bytes of a growing file, packed or JSONL as its first byte tells, turned into histories as they come.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "format/assay/jsonl_stream.hpp"
#include "format/assay/packed_stream.hpp"

namespace assay::collect {

class HistoryStream {
 public:
  explicit HistoryStream(std::string path) : path_(std::move(path)) {}

  struct Part {
    std::string block;  // empty for JSONL
    History history;
  };
  void push(std::string_view bytes);
  std::optional<Part> next();

  bool begun() const { return !std::holds_alternative<std::monostate>(stream_); }
  bool ended() const;
  std::size_t unfinished() const;
  std::uint64_t position() const;
  // The file may stop here and be whole: JSONL without a header has no end line.
  bool may_end() const;
  // No more bytes will come: JSONL needs no line feed at the end.
  void no_more_bytes();

  std::string state() const;
  static HistoryStream restore(const std::string& path, std::string_view state);
  // Of the file that follows after a rotation.
  HistoryStream continued() const;

 private:
  std::string path_;
  std::variant<std::monostate, format::PackedStream, format::JsonlStream> stream_;
};

}  // namespace assay::collect
