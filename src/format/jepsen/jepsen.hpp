// What Jepsen's histories mean, whatever their notation: operations in the order in which they happened, an
// invocation and a completion for each, become sessions of transactions. Understands transactions of reads,
// writes and appends (Elle's rw-register and list-append); refuses Jepsen's other models by name.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "format/initial.hpp"
#include "format/jepsen/form.hpp"
#include "format/read_options.hpp"
#include "history/builder.hpp"
#include "memory/keyed_hash.hpp"

namespace assay::format {

class JepsenReader {
 public:
  // `file` is borrowed, and so are the texts of all forms, until finish() has returned.
  JepsenReader(const InputFile& file, std::string format, const ReadOptions& options);

  // The next operation: the map at forms[node].
  void operation(const Forms& forms, std::uint32_t node);
  History finish();

 private:
  enum class Type : std::uint8_t { invoke, ok, fail, info };
  struct MicroOp {
    OpKind kind;
    Atom key;
    std::optional<Atom> value;
    std::size_t first = 0, last = 0;  // in Body::elements
  };
  struct Body {
    std::vector<MicroOp> ops;
    std::vector<Atom> elements;
  };
  // One entry of the file.
  struct Entry {
    Type type = Type::invoke;
    std::optional<std::int64_t> process;
    std::optional<std::int64_t> time;
    Atom name;                 // :index, or the place in the file
    std::int64_t place = 0;    // in the file, from 0
    std::size_t offset = 0;    // of its first byte
    std::optional<Body> body;  // none: the entry does not say
  };

  std::optional<Entry> parse(const Forms& forms, std::uint32_t node);
  std::optional<Body> parse_body(const Forms& forms, std::optional<std::uint32_t> value, std::string_view f,
                                 const Entry& entry);
  void parse_micro_op(const Forms& forms, std::uint32_t node, Body& body);
  void invoke(Entry entry);
  void complete(const Entry& completion);
  void add_transaction(const Entry* invocation, const Entry* completion);
  void note_foreign(const Form& value, std::string_view f, const Entry& entry);
  std::string foreign_model() const;
  Atom atom(const Form& form, const char* what) const;
  [[noreturn]] void fail_at(std::size_t offset, const std::string& message) const;

  const InputFile& file_;
  std::string format_;
  ReadOptions options_;
  HistoryBuilder build_;
  InitialValues values_;
  std::int64_t place_ = 0;
  std::optional<bool> has_times_;                                // decided by the first operation of a client
  std::unordered_map<std::int64_t, Entry, KeyedWordHash> open_;  // invocations by process
  std::optional<Entry> open_without_process_;
  std::optional<std::int64_t> first_place_;  // of the first client operation
  std::optional<Session> first_session_;     // the session that it opened

  // What another model left behind, for the refusal.
  std::optional<std::size_t> foreign_offset_;
  std::set<std::string, std::less<>> foreign_functions_;
  std::set<std::uint64_t> added_;
  bool read_map_ = false, read_sequence_ = false, read_number_ = false, added_twice_ = false;
};

}  // namespace assay::format
