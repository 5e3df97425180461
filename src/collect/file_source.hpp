// Follows one file as it grows, as tail -F does: the file may be there or still to come, be renamed and
// replaced (the old one is read to its end first), or be truncated. What cannot be survived without losing
// transactions is an error, since a hole in a history can look like a violation.
#pragma once

#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "collect/history_stream.hpp"
#include "collect/source.hpp"
#include "system/descriptor.hpp"

namespace assay::collect {

class FileSource : public Source {
 public:
  // `progress` is what an earlier process took in of this file; its rest is looked for beside the file if it
  // was renamed since. Throws InputError if it is gone.
  FileSource(std::filesystem::path path, std::string collector, const Progress& progress, Note note);

  void collect(Batch& into) override;
  bool ended() const override { return done_; }
  bool at_rest() const override { return at_rest_; }
  void finish(Batch& into) override;

  // Whether this is the file that is being followed, under whatever name.
  bool follows(const struct stat& file) const;

 private:
  bool open_current();
  void open_rest(const Progress& progress);
  bool fill();
  void take(Batch& into);
  void emit_last(Batch& into);
  bool replaced();
  void go_on_with_next(const char* what);
  std::string cursor() const;
  [[noreturn]] void fail(const std::string& message) const;

  std::filesystem::path path_;
  std::string name_;  // the path as shown
  std::string collector_;
  Note note_;
  system::Descriptor file_;
  struct stat opened_ {};
  std::uint64_t offset_ = 0;  // of the next byte to read
  std::string head_;          // the first bytes of the file: a file is known again by them
  HistoryStream stream_;
  std::uint64_t sequence_ = 0;
  bool done_ = false, at_rest_ = false, told_waiting_ = false;
};

}  // namespace assay::collect
