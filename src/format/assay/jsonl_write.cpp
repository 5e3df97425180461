#include <fmt/format.h>

#include <iterator>
#include <string>

#include "format/assay/jsonl.hpp"
#include "system/input_error.hpp"
#include "system/output_file.hpp"

namespace assay::format {

namespace {

class JsonlWriter {
 public:
  JsonlWriter(const History& history, const std::filesystem::path& path)
      : history_(history), path_(path.string()), file_(path) {}

  void write() {
    header();
    for (std::uint32_t s = 0; s < history_.sessions(); ++s) session(Session{s});
    put("{{\"assay\":\"end\",\"transactions\":{}}}\n", history_.transactions());
    file_.put(line_);
    file_.close();
  }

 private:
  template <class... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(line_), format, std::forward<Args>(args)...);
  }

  void header() {
    put("{{\"assay\":\"history\",\"version\":1,\"clocks\":\"{}\"",
        history_.clocks() == Clocks::one ? "one" : "several");
    bool all_have_transactions = true;
    for (std::uint32_t s = 0; s < history_.sessions(); ++s) {
      all_have_transactions = all_have_transactions && !history_.transactions_of(Session{s}).empty();
    }
    if (!all_have_transactions) {
      put(",\"sessions\":[");
      for (std::uint32_t s = 0; s < history_.sessions(); ++s)
        put("{}{}", s == 0 ? "" : ",", to_json(history_.name(Session{s})));
      put("]");
    }
    if (!history_.notes().empty()) {
      put(",\"notes\":[");
      bool first = true;
      for (const std::string& note : history_.notes()) {
        put("{}{}", first ? "" : ",", to_json(Atom::string(note)));
        first = false;
      }
      put("]");
    }
    put("}}\n");
  }

  // Names that count up are the `t` of their transactions; others are written beside it.
  bool names_count_up(Session s) const {
    std::optional<std::int64_t> last;
    for (const Txn t : history_.transactions_of(s)) {
      const Atom name = history_.name(t);
      const auto number = static_cast<std::int64_t>(name.bits);
      if (name.kind != AtomKind::integer || (last && number <= *last)) return false;
      last = number;
    }
    return true;
  }

  void session(Session s) {
    const std::string name = to_json(history_.name(s));
    const bool counted = names_count_up(s);
    for (const Txn t : history_.transactions_of(s)) {
      if (counted) {
        put("{{\"s\":{},\"t\":{}", name, to_json(history_.name(t)));
      } else {
        put("{{\"s\":{},\"t\":{},\"name\":{}", name, history_.position_in_session(t),
            to_json(history_.name(t)));
      }
      put(",\"status\":\"{}\"", status(history_.status(t)));
      if (const auto start = history_.start(t)) put(",\"start\":{}", *start);
      if (const auto end = history_.end(t)) put(",\"end\":{}", *end);
      put(",\"ops\":[");
      bool first = true;
      for (const Op op : history_.operations_of(t)) {
        if (!first) put(",");
        first = false;
        operation(op);
      }
      put("]}}\n");
      file_.put(line_);
      line_.clear();
    }
  }

  static const char* status(Status status) {
    switch (status) {
      case Status::committed:
        return "ok";
      case Status::aborted:
        return "fail";
      case Status::unknown:
        break;
    }
    return "info";
  }

  void operation(Op op) {
    switch (history_.kind(op)) {
      case OpKind::read:
        put("[\"r\",{},{}]", key(history_.key(op)), value(history_.version(op)));
        return;
      case OpKind::write:
        return write_of("w", op);
      case OpKind::insert:
        return write_of("insert", op);
      case OpKind::append:
        return write_of("append", op);
      case OpKind::erase:
        if (!history_.is_initial(history_.version(op))) return write_of("delete", op);
        put("[\"delete\",{}]", key(history_.key(op)));
        return;
      case OpKind::list_read: {
        const ListRead list = history_.list(op);
        put("[\"r\",{},[", key(list.key));
        for (std::size_t i = 0; i < list.elements.size(); ++i)
          put("{}{}", i == 0 ? "" : ",", value(list.elements[i]));
        put("]]");
        return;
      }
      case OpKind::predicate_read:
      case OpKind::range_read:
      case OpKind::rows_read:
        return query(op);
    }
  }

  void write_of(const char* name, Op op) {
    put("[\"{}\",{},{}]", name, key(history_.key(op)), value(history_.version(op)));
  }

  void query(Op op) {
    const Query query = history_.query(op);
    if (history_.kind(op) == OpKind::rows_read) {
      put("[\"rows\",[");
    } else if (query.predicate) {
      put("[\"predicate\",{},[", name_of(*query.predicate));
    } else {
      const auto bound = [&](const std::optional<Atom>& atom) { return atom ? name_of(*atom) : "null"; };
      put("[\"range\",{},{},[", bound(query.low), bound(query.high));
    }
    for (std::size_t i = 0; i < query.results.size(); ++i) {
      const Version row = query.results[i];
      put("{}[{},{}]", i == 0 ? "" : ",", key(history_.key_of(row)), value(row));
    }
    put("]]");
  }

  std::string key(Key k) const { return name_of(history_.name(k)); }
  std::string name_of(const Atom& atom) const {
    if (atom.kind == AtomKind::json && atom.text == "null") refuse("null as a name");
    return to_json(atom);
  }
  std::string value(Version v) const {
    if (history_.is_initial(v)) return "null";
    const Atom atom = history_.value(v);
    // Read back, these would be the initial value and a list read.
    if (atom.kind == AtomKind::json && atom.text == "null") refuse("null as an ordinary value");
    if (atom.kind == AtomKind::json && atom.text.starts_with('['))
      refuse("a list as the value of a register");
    return to_json(atom);
  }
  [[noreturn]] void refuse(const char* what) const {
    throw InputError(path_, "", std::string("JSONL cannot express ") + what);
  }

  const History& history_;
  std::string path_;
  system::OutputFile file_;
  std::string line_;
};

}  // namespace

void write_jsonl(const History& history, const std::filesystem::path& path) {
  JsonlWriter(history, path).write();
}

}  // namespace assay::format
