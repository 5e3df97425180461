// The C interface: histories that are put together by hand.
#include <fmt/format.h>

#include <span>

#include "api/handle.hpp"

using assay::Atom;
using assay::HistoryBuilder;
using assay::Row;
using assay::Status;
using assay::api::done;
using assay::api::given;
using assay::api::given_text;
using assay::api::guarded;
using assay::api::Misuse;

struct assay_builder {
  HistoryBuilder build;
  bool open = false;
};

namespace {

Atom atom(const assay_value& value, const char* name) {
  switch (value.kind) {
    case ASSAY_INTEGER:
      return Atom::integer(static_cast<std::int64_t>(value.number));
    case ASSAY_NATURAL:
      return Atom::natural(value.number);
    case ASSAY_TEXT:
      if (value.text == nullptr && value.size > 0) throw Misuse(fmt::format("the text of {} is NULL", name));
      return Atom::string({value.text == nullptr ? "" : value.text, value.size});
    case ASSAY_NOTHING:
      throw Misuse(fmt::format("{} is nothing; expected a number or a text", name));
    default:
      throw Misuse(fmt::format("{} is of the unknown kind {}", name, value.kind));
  }
}

Atom atom(const assay_value* value, const char* name) {
  return atom(given(value, name), name);
}

std::optional<Atom> optional_atom(const assay_value* value, const char* name) {
  return value == nullptr ? std::nullopt : std::optional(atom(*value, name));
}

template <class Element>
std::span<const Element> given_array(const Element* first, size_t count, const char* name) {
  if (first == nullptr && count > 0) throw Misuse(fmt::format("{} is NULL", name));
  return {first, count};
}

// What the inner builder only asserts.
HistoryBuilder& with_transaction(assay_builder* builder, bool open, const char* call) {
  assay_builder& own = given(builder, "builder");
  if (own.open != open) throw Misuse(fmt::format("{}: {} transaction is open", call, own.open ? "a" : "no"));
  return own.build;
}

HistoryBuilder& inside(assay_builder* builder, const char* call) {
  return with_transaction(builder, true, call);
}

std::vector<Row> rows_of(const assay_row* first, size_t count) {
  std::vector<Row> rows;
  for (const assay_row& row : given_array(first, count, "rows")) {
    rows.push_back({atom(row.key, "the key of a row"),
                    row.value.kind == ASSAY_NOTHING ? std::nullopt
                                                    : std::optional(atom(row.value, "the value of a row"))});
  }
  return rows;
}

void begin(assay_builder* builder, const Atom& session, const Atom& transaction) {
  HistoryBuilder& build = with_transaction(builder, false, "begin");
  build.begin(build.session(session), transaction);
  builder->open = true;
}

void add(assay_builder* builder, assay_operation operation, const Atom& key,
         const std::optional<Atom>& value) {
  HistoryBuilder& build = inside(builder, "add");
  const bool needs_value = operation != ASSAY_READ && operation != ASSAY_ERASE;
  if (needs_value && !value) throw Misuse("value is NULL, which only a read and an erase may have");
  switch (operation) {
    case ASSAY_READ:
      return value ? build.read(key, *value) : build.read_initial(key);
    case ASSAY_WRITE:
      return build.write(key, *value);
    case ASSAY_INSERT:
      return build.insert(key, *value);
    case ASSAY_ERASE:
      return value ? build.erase(key, *value) : build.erase(key);
    case ASSAY_APPEND:
      return build.append(key, *value);
  }
  throw Misuse(fmt::format("there is no operation {}", static_cast<int>(operation)));
}

Status status_of(assay_fate fate) {
  switch (fate) {
    case ASSAY_COMMITTED:
      return Status::committed;
    case ASSAY_ABORTED:
      return Status::aborted;
    case ASSAY_UNKNOWN:
      return Status::unknown;
  }
  throw Misuse("fate is none of ASSAY_COMMITTED, ASSAY_ABORTED, ASSAY_UNKNOWN");
}

std::optional<std::int64_t> time_of(int64_t time) {
  return time == ASSAY_NO_TIME ? std::nullopt : std::optional(time);
}

}  // namespace

assay_builder* assay_builder_new(void) {
  return guarded<assay_builder*>(nullptr, [] { return new assay_builder; });
}

int assay_begin(assay_builder* builder, int64_t session, int64_t transaction) {
  return done([&] { begin(builder, Atom::integer(session), Atom::integer(transaction)); });
}

int assay_begin_named(assay_builder* builder, const assay_value* session, const assay_value* transaction) {
  return done([&] { begin(builder, atom(session, "session"), atom(transaction, "transaction")); });
}

int assay_add(assay_builder* builder, assay_operation operation, const assay_value* key,
              const assay_value* value) {
  return done([&] { add(builder, operation, atom(key, "key"), optional_atom(value, "value")); });
}

int assay_add_list_read(assay_builder* builder, const assay_value* key, const assay_value* elements,
                        size_t count) {
  return done([&] {
    std::vector<Atom> atoms;
    for (const assay_value& element : given_array(elements, count, "elements")) {
      atoms.push_back(atom(element, "an element"));
    }
    inside(builder, "list_read").list_read(atom(key, "key"), atoms);
  });
}

int assay_add_range_read(assay_builder* builder, const assay_value* low, const assay_value* high,
                         const assay_row* rows, size_t count) {
  return done([&] {
    const std::vector<Row> found = rows_of(rows, count);
    inside(builder, "range_read").range_read(optional_atom(low, "low"), optional_atom(high, "high"), found);
  });
}

int assay_add_predicate_read(assay_builder* builder, const assay_value* predicate, const assay_row* rows,
                             size_t count) {
  return done([&] {
    const std::vector<Row> found = rows_of(rows, count);
    inside(builder, "predicate_read").predicate_read(atom(predicate, "predicate"), found);
  });
}

int assay_add_initial_row(assay_builder* builder, const assay_value* key) {
  return done([&] { given(builder, "builder").build.initial_row(atom(key, "key")); });
}

int assay_add_read(assay_builder* builder, int64_t key, int64_t value) {
  return done([&] { inside(builder, "read").read(Atom::integer(key), Atom::integer(value)); });
}

int assay_add_read_initial(assay_builder* builder, int64_t key) {
  return done([&] { inside(builder, "read_initial").read_initial(Atom::integer(key)); });
}

int assay_add_write(assay_builder* builder, int64_t key, int64_t value) {
  return done([&] { inside(builder, "write").write(Atom::integer(key), Atom::integer(value)); });
}

int assay_add_read_text(assay_builder* builder, const char* key, const char* value) {
  return done([&] {
    inside(builder, "read")
        .read(Atom::string(given_text(key, "key")), Atom::string(given_text(value, "value")));
  });
}

int assay_add_read_initial_text(assay_builder* builder, const char* key) {
  return done([&] { inside(builder, "read_initial").read_initial(Atom::string(given_text(key, "key"))); });
}

int assay_add_write_text(assay_builder* builder, const char* key, const char* value) {
  return done([&] {
    inside(builder, "write")
        .write(Atom::string(given_text(key, "key")), Atom::string(given_text(value, "value")));
  });
}

int assay_end(assay_builder* builder, assay_fate fate) {
  return assay_end_at(builder, fate, ASSAY_NO_TIME, ASSAY_NO_TIME);
}

int assay_end_at(assay_builder* builder, assay_fate fate, int64_t start, int64_t end) {
  return done([&] {
    HistoryBuilder& build = inside(builder, "end");
    const Status status = status_of(fate);
    if (start != ASSAY_NO_TIME && end != ASSAY_NO_TIME && end < start) {
      throw Misuse(fmt::format("end: the transaction ends at {}, before it starts at {}", end, start));
    }
    build.end(status, time_of(start), time_of(end));
    builder->open = false;
  });
}

int assay_several_clocks(assay_builder* builder) {
  return done([&] { given(builder, "builder").build.clocks(assay::Clocks::several); });
}

assay_history* assay_finish(assay_builder* builder) {
  return guarded<assay_history*>(nullptr, [&] {
    HistoryBuilder& build = with_transaction(builder, false, "finish");
    build.source("built in memory", "api");
    auto finished = std::make_unique<assay_history>();
    finished->history = std::make_shared<const assay::History>(build.finish());
    build = HistoryBuilder();
    return finished.release();
  });
}

void assay_builder_free(assay_builder* builder) {
  delete builder;
}
