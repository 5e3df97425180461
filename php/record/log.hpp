// What one request did, on its way into the journal: its operations, each with its place in the order of all
// operations, and what else it was told, at once; how many operations there were, at its end. So a request
// whose process is killed can be run again up to where it was.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "common/world.hpp"
#include "record/journal.hpp"
#include "record/shared.hpp"

namespace assay::php {

class Log {
 public:
  Log(Shared& shared, Journal& journal) : shared_(&shared), journal_(&journal) {}

  void begin(std::uint64_t rid);
  void end(std::uint64_t tag);
  // A new report begins: objects are numbered anew.
  void begin_report();
  // So many sessions have a number in this report that it is time for the next.
  bool full() const { return objects_.size() >= 65536; }

  std::uint64_t next_sequence() const { return shared_->next_sequence(); }
  void operation(wire::ObjectKind kind, std::string_view object, std::uint64_t sequence,
                 wire::OperationType type, std::string_view contents, std::uint64_t outcome = 0);

  // The same in two steps, for what others can see (last_step.hpp).
  void stage(wire::ObjectKind kind, std::string_view object, std::uint64_t sequence, wire::OperationType type,
             std::string_view contents, std::uint64_t outcome = 0);
  void note_step(SharedHead::Step& step) const;
  void confirm();
  void discard();

  // A value that was given, first now and maybe again: the same kind and value in a row count as one.
  void told(wire::NdKind kind, std::string_view value);

 private:
  // The latest answer of a kind, where its record stands in the journal.
  struct Told {
    std::string value;
    std::uint64_t repeat = 0;
    std::uint64_t place = 0;  // of the byte that says how often
  };
  void complain();

  Shared* shared_;
  Journal* journal_;
  std::map<std::pair<wire::ObjectKind, std::string>, std::uint64_t> objects_;
  std::uint64_t rid_ = 0;
  std::uint64_t operations_ = 0;
  wire::OperationType staged_type_{};
  bool staged_new_object_ = false;
  std::pair<wire::ObjectKind, std::string> staged_object_;
  std::array<Told, 8> told_;  // by kind
  std::string buffer_;
  bool complained_ = false;
};

}  // namespace assay::php
