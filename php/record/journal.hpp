// The report of one PHP process: records go into a tail, a file mapped into memory, and from there in
// compressed frames to the report (docs/audit-formats.md). A process that is killed leaves both, so nothing
// is lost but what it was just writing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace assay::php {

class Journal {
 public:
  Journal() = default;
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  ~Journal() { close(); }

  // Makes FOLDER/worker-NUMBER.rep and .tail. What is wrong, or nothing.
  std::string open(const std::string& folder, std::uint64_t number);
  bool is_open() const { return report_ >= 0; }

  // FOLDER/worker-NUMBER.
  static std::string path(const std::string& folder, std::uint64_t number);
  std::uint64_t number() const { return number_; }

  // Whole records, which are safe from here on. False if there is no room on the disk.
  bool append(std::string_view records);
  // The same in two steps (last_step.hpp): written, but behind the end; and the end moved. Nothing else in between.
  bool stage(std::string_view records);
  std::uint64_t used_when_confirmed() const { return used_ + staged_; }
  void confirm();
  // Places of bytes, counted over all that was appended. A byte can be changed until it goes into a frame.
  std::uint64_t end() const { return flushed_ + used_; }
  bool overwrite(std::uint64_t place, char byte);
  // Between requests: moves the tail to the report if it has grown enough, or at the end.
  void end_of_request();
  void flush();
  void close();  // leaves no tail, unless the disk is full
  // After a fork the files belong to the parent.
  void forget();

 private:
  bool reserve(std::size_t bytes);

  std::string tail_path_;
  std::uint64_t number_ = 0;
  int report_ = -1;
  int tail_ = -1;
  char* memory_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t used_ = 0;
  std::size_t staged_ = 0;
  std::uint64_t base_ = 0;
  std::uint64_t flushed_ = 0;  // bytes of records that are in frames
};

}  // namespace assay::php
