// The reports: what the server claims, merged from the files of its workers and not yet believed. Reading
// checks the form only; whether the claims fit the trace and each other is decided in fit.hpp.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "audit/audit_ids.hpp"
#include "audit/wire/report_records.hpp"

namespace assay::audit {

struct LoggedOperation {
  std::uint64_t seq;
  std::uint64_t rid;
  const char* contents_begin;
  std::uint32_t contents_size;
  std::uint32_t opnum;
  std::uint16_t outcome;
  wire::OperationType type;
  wire::Bytes contents() const { return {contents_begin, contents_size}; }
};

struct Object {
  wire::ObjectKind kind;
  std::string name;
  std::vector<LoggedOperation> log;  // by seq
};

struct Count {
  std::uint64_t rid, operations;
};
struct Group {
  std::uint64_t rid, tag;
};
struct OracleValue {
  std::uint64_t rid;
  std::uint64_t after;
  std::uint64_t repeat;
  wire::Bytes value;
  std::uint32_t file;
  wire::NdKind kind;
};

class Reports {
 public:
  // One worker's file and what stands in its tail, if there is one.
  struct File {
    std::string path;
    std::string_view bytes;
    std::string tail_path;
    std::optional<std::string_view> tail;
  };

  // The files' bytes may go afterwards. Throws InputError.
  explicit Reports(std::span<const File> files);
  // Every report in a folder. Throws InputError.
  static Reports read_folder(const std::string& path);

  std::span<const Object> objects() const { return objects_; }
  const Object& operator[](ObjectIndex object) const { return objects_[index(object)]; }
  std::span<const Count> counts() const { return counts_; }        // by rid
  std::span<const Group> groups() const { return groups_; }        // by rid
  std::span<const OracleValue> oracle() const { return oracle_; }  // by rid, within one as they were needed
  std::span<const OracleValue> oracle(std::uint64_t rid) const;
  std::size_t operations() const { return operations_; }
  const std::map<std::string, std::string>& properties() const { return properties_; }
  // What a person should know: bytes that were left out.
  std::span<const std::string> notes() const { return notes_; }

 private:
  class Reader;
  friend class PeriodLimits;

  std::vector<Object> objects_;
  std::map<std::pair<wire::ObjectKind, std::string>, std::uint32_t> object_numbers_;
  std::vector<Count> counts_;
  std::vector<Group> groups_;
  std::vector<OracleValue> oracle_;
  std::map<std::string, std::string> properties_;
  std::vector<std::string> notes_;
  std::deque<std::string> bodies_;  // what operations and values point into
  std::size_t operations_ = 0;
  std::uint64_t unpacked_ = 0;
};

}  // namespace assay::audit
