#include "format/dbcop/dbcop_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "format/dbcop/dbcop_events.hpp"
#include "format/initial.hpp"
#include "format/single_file.hpp"
#include "format/text/json_cursor.hpp"
#include "history/builder.hpp"
#include "system/output_file.hpp"

namespace assay::format {

namespace {

class DbcopJsonReader {
 public:
  DbcopJsonReader(const InputFile& file, const ReadOptions& options)
      : file_(file), options_(options), values_(build_, options.initial), json_(file.path, file.bytes) {}

  History read() {
    // Bare sessions, or wrapped together with the parameters of the run.
    if (json_.peek() == '[') {
      sessions();
    } else {
      bool data = false;
      json_.object(
          [&](std::string_view name) {
            if (name != "data") return json_.skip_value();
            if (data) json_.fail("field \"data\" stands here twice");
            data = true;
            sessions();
          },
          "an array of sessions, or an object around it");
      if (!data) json_.fail("the object needs a field \"data\": the sessions");
    }
    if (!json_.at_end()) json_.fail_expected("the end of the input");
    values_.add_notes();
    build_.source(file_.path, "dbcop-json");
    History history = build_.finish();
    if (options_.initial != Initial::first_transaction || history.transactions() == 0) return history;
    return fold_initial_transaction(history, Txn{0});
  }

 private:
  struct Event {
    bool write = false;
    Atom variable;
    std::optional<Atom> version;
  };

  void sessions() {
    std::int64_t number = 0;
    json_.array(
        [&] {
          const Session session = build_.session(Atom::integer(number++));
          std::int64_t position = 0;
          json_.array([&] { transaction(session, position++); },
                      "a session, that is an array of transactions");
        },
        "an array of sessions");
  }

  void transaction(Session session, std::int64_t position) {
    std::optional<bool> committed;
    bool has_events = false;
    events_.clear();
    json_.object(
        [&](std::string_view name) {
          if (name == "events" && !has_events) {
            has_events = true;
            json_.array([&] { events_.push_back(event()); }, "an array of events");
          } else if (name == "committed" && !committed) {
            committed = json_.boolean("true or false");
          } else {
            json_.fail(fmt::format(
                "expected the fields \"events\" and \"committed\", each once, found \"{}\"", name));
          }
        },
        "a transaction, that is an object");
    if (!has_events || !committed) json_.fail("a transaction needs the fields \"events\" and \"committed\"");
    build_.begin(session, Atom::integer(position));
    for (const Event& event : events_) {
      if (event.write) {
        values_.write(OpKind::write, event.variable, event.version);
      } else {
        values_.read(event.variable, event.version);
      }
    }
    build_.end(*committed ? Status::committed : Status::aborted);
  }

  // {"Write":{"variable":0,"version":1}}, or in the compact spelling ["w",0,1].
  Event event() {
    Event event;
    if (json_.accept('[')) {
      const std::size_t at = json_.offset();
      const std::string_view kind = json_.string("\"r\" or \"w\"");
      if (kind != "r" && kind != "w")
        json_.fail_at(at, fmt::format("expected \"r\" or \"w\", found \"{}\"", kind));
      event.write = kind == "w";
      json_.expect(',', "',' and a variable");
      event.variable = number("a variable, that is a number or a string");
      json_.expect(',', "',' and a version");
      event.version = version(event.write);
      json_.expect(']', "']' after the event");
      return event;
    }
    int kinds = 0;
    json_.object(
        [&](std::string_view kind) {
          if (++kinds > 1 || (kind != "Read" && kind != "Write")) {
            json_.fail(fmt::format("expected one field \"Read\" or \"Write\", found \"{}\"", kind));
          }
          event.write = kind == "Write";
          fields(event);
        },
        "an event");
    if (kinds == 0) json_.fail("expected an event, \"Read\" or \"Write\", found an empty object");
    return event;
  }

  void fields(Event& event) {
    bool variable = false, version_seen = false;
    json_.object([&](std::string_view name) {
      if (name == "variable" && !variable) {
        variable = true;
        event.variable = number("a variable, that is a number or a string");
      } else if (name == "version" && !version_seen) {
        version_seen = true;
        event.version = version(event.write);
      } else {
        json_.fail(
            fmt::format("expected the fields \"variable\" and \"version\", each once, found \"{}\"", name));
      }
    });
    if (!variable || !version_seen) json_.fail("an event needs the fields \"variable\" and \"version\"");
  }

  std::optional<Atom> version(bool write) {
    if (!write && json_.accept_null()) return std::nullopt;
    return number(write ? "a version, that is a number" : "a version, that is a number or null");
  }

  // Variables are numbers in files of dbcop's generator and strings in those converted from its DSL.
  Atom number(const char* what) {
    const std::size_t at = json_.offset();
    const Atom atom = json_.atom(what);
    if (atom.kind == AtomKind::json) json_.fail_at(at, fmt::format("expected {}, found {}", what, atom.text));
    return atom;
  }

  const InputFile& file_;
  const ReadOptions& options_;
  HistoryBuilder build_;
  InitialValues values_;
  JsonCursor json_;
  std::vector<Event> events_;
};

}  // namespace

bool sniff_dbcop_json(const Input& input) {
  if (input.directory || input.files.size() != 1) return false;
  JsonCursor json("", input.files[0].bytes);
  if (json.accept('[') && json.accept('[')) return json.peek() == '{' || json.peek() == ']';
  const std::vector<std::string> fields = first_object_fields(input.files[0].bytes);
  const auto has = [&](std::string_view name) {
    return std::find(fields.begin(), fields.end(), name) != fields.end();
  };
  return has("data") || has("params");
}

History read_dbcop_json(const Input& input, const ReadOptions& options) {
  return DbcopJsonReader(single_file(input), options).read();
}

void write_dbcop_json(const History& history, const std::filesystem::path& path) {
  const DbcopEvents events(history, path.string());
  system::OutputFile file(path);
  file.put("[");
  for (std::uint32_t s = 0; s < history.sessions(); ++s) {
    file.put(s == 0 ? "[" : ",\n[");
    for (const Txn t : history.transactions_of(Session{s})) {
      file.put(history.position_in_session(t) == 0 ? "{\"events\":[" : ",\n{\"events\":[");
      bool first = true;
      for (const Op op : history.operations_of(t)) {
        const DbcopEvent event = events.of(op);
        file.put(fmt::format("{}{{\"{}\":{{\"variable\":{},\"version\":{}}}}}", first ? "" : ",",
                             event.write ? "Write" : "Read", to_json(event.variable),
                             event.version ? to_json(*event.version) : "null"));
        first = false;
      }
      file.put(events.committed(t) ? "],\"committed\":true}" : "],\"committed\":false}");
    }
    file.put("]");
  }
  file.put("]\n");
  file.close();
}

}  // namespace assay::format
