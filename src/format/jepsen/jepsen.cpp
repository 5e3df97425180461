#include "format/jepsen/jepsen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "format/text/text_position.hpp"
#include "system/input_error.hpp"

namespace assay::format {

namespace {

// The value of a field of a map, or none.
std::optional<std::uint32_t> field(const Forms& forms, std::uint32_t map, std::string_view name) {
  for (std::uint32_t key = first_child(map); key < forms[map].end;) {
    const std::uint32_t value = next_sibling(forms, key);
    if (name_of(forms[key]) == name) return value;
    key = next_sibling(forms, value);
  }
  return std::nullopt;
}

std::size_t count_children(const Forms& forms, std::uint32_t node) {
  std::size_t count = 0;
  for (std::uint32_t child = first_child(node); child < forms[node].end; child = next_sibling(forms, child))
    ++count;
  return count;
}

}  // namespace

JepsenReader::JepsenReader(const InputFile& file, std::string format, const ReadOptions& options)
    : file_(file), format_(std::move(format)), options_(options), values_(build_, options.initial) {}

void JepsenReader::fail_at(std::size_t offset, const std::string& message) const {
  throw InputError(file_.path, text_position(file_.bytes, offset), message);
}

Atom JepsenReader::atom(const Form& form, const char* what) const {
  switch (form.kind) {
    case FormKind::integer:
      return Atom::integer(static_cast<std::int64_t>(form.bits));
    case FormKind::natural:
      return Atom::natural(form.bits);
    case FormKind::other:
      return Atom::json(form.text);
    case FormKind::keyword:
      return Atom::string(form.text);
    case FormKind::string:
      // In EDN :x and ":x" are two things, but keywords are kept with their colon.
      if (format_ == "edn" && form.text.starts_with(':')) {
        fail_at(form.offset, fmt::format("the string \"{}\" cannot be told from a keyword", form.text));
      }
      return Atom::string(form.text);
    case FormKind::nil:
    case FormKind::opaque:
    case FormKind::sequence:
    case FormKind::set:
    case FormKind::map:
      break;
  }
  fail_at(form.offset, fmt::format("expected {}: a number, a string or a keyword; found {}", what,
                                   what_stands_at(file_.bytes, form.offset)));
}

void JepsenReader::operation(const Forms& forms, std::uint32_t node) {
  if (forms[node].kind != FormKind::map) {
    fail_at(forms[node].offset,
            "expected an operation, that is a map, found " + what_stands_at(file_.bytes, forms[node].offset));
  }
  std::optional<Entry> entry = parse(forms, node);
  ++place_;
  if (!entry || foreign_offset_) return;
  if (entry->type == Type::invoke) {
    invoke(*std::move(entry));
  } else {
    complete(*entry);
  }
}

// None for an operation that is not a client's.
std::optional<JepsenReader::Entry> JepsenReader::parse(const Forms& forms, std::uint32_t node) {
  const auto present = [&](std::string_view name) -> std::optional<std::uint32_t> {
    const auto value = field(forms, node, name);
    return value && forms[*value].kind != FormKind::nil ? value : std::nullopt;
  };
  const auto integer = [&](std::string_view name) -> std::optional<std::int64_t> {
    const auto value = present(name);
    if (!value) return std::nullopt;
    const Form& form = forms[*value];
    if (form.kind != FormKind::integer) {
      fail_at(form.offset, fmt::format("expected an integer for {}, found {}", name,
                                       what_stands_at(file_.bytes, form.offset)));
    }
    return static_cast<std::int64_t>(form.bits);
  };

  Entry entry;
  entry.place = place_;
  entry.offset = forms[node].offset;
  const auto process = present("process");
  if (process && !name_of(forms[*process]).empty()) return std::nullopt;  // :nemesis and its like
  entry.process = integer("process");

  const auto type = present("type");
  if (!type) fail_at(entry.offset, "the operation needs a type: invoke, ok, fail or info");
  const std::string_view type_name = name_of(forms[*type]);
  if (type_name == "invoke") {
    entry.type = Type::invoke;
  } else if (type_name == "ok") {
    entry.type = Type::ok;
  } else if (type_name == "fail") {
    entry.type = Type::fail;
  } else if (type_name == "info") {
    entry.type = Type::info;
  } else {
    fail_at(forms[*type].offset, "expected a type: invoke, ok, fail or info; found " +
                                     what_stands_at(file_.bytes, forms[*type].offset));
  }

  const std::optional<std::int64_t> time = integer("time");
  if (!has_times_) has_times_ = time.has_value();
  entry.time = *has_times_ ? time : std::optional(place_);
  if (entry.time == INT64_MIN) fail_at(entry.offset, "the time is out of range");
  const std::optional<std::int64_t> number = integer("index");
  entry.name = Atom::integer(number.value_or(place_));

  const auto f = present("f");
  entry.body = parse_body(forms, present("value"), f ? name_of(forms[*f]) : std::string_view(), entry);
  return entry;
}

// None if the entry has no value, which is as good as nil.
std::optional<JepsenReader::Body> JepsenReader::parse_body(const Forms& forms,
                                                           std::optional<std::uint32_t> value,
                                                           std::string_view f, const Entry& entry) {
  const bool transactional = f.empty() || f == "txn";
  if (!value) {
    const bool may_be_left_out = entry.type == Type::fail || entry.type == Type::info;
    if (!transactional && !may_be_left_out) note_foreign({}, f, entry);
    return std::nullopt;
  }
  const Form& form = forms[*value];
  const bool sequence = form.kind == FormKind::sequence;
  const bool no_ops = sequence && form.end == first_child(*value);
  const bool micro_ops = sequence && !no_ops && forms[first_child(*value)].kind == FormKind::sequence;
  if (!micro_ops && !(transactional && no_ops)) {
    note_foreign(form, f, entry);
    return std::nullopt;
  }
  Body body;
  for (std::uint32_t child = first_child(*value); child < form.end; child = next_sibling(forms, child)) {
    parse_micro_op(forms, child, body);
  }
  return body;
}

void JepsenReader::parse_micro_op(const Forms& forms, std::uint32_t node, Body& body) {
  const Form& form = forms[node];
  if (form.kind != FormKind::sequence || count_children(forms, node) != 3) {
    fail_at(form.offset, "expected a micro-operation [function key value], found " +
                             what_stands_at(file_.bytes, form.offset));
  }
  const std::uint32_t function = first_child(node);
  const std::uint32_t key = next_sibling(forms, function);
  const std::uint32_t value = next_sibling(forms, key);
  const std::string_view name = name_of(forms[function]);
  MicroOp& op = body.ops.emplace_back();
  op.key = atom(forms[key], "a key");
  if (name == "r") {
    op.kind = OpKind::read;
    if (forms[value].kind == FormKind::sequence) {
      op.kind = OpKind::list_read;
      op.first = body.elements.size();
      for (std::uint32_t e = first_child(value); e < forms[value].end; e = next_sibling(forms, e)) {
        body.elements.push_back(atom(forms[e], "a list element"));
      }
      op.last = body.elements.size();
    } else if (forms[value].kind != FormKind::nil) {
      op.value = atom(forms[value], "the value that was read");
    }
  } else if (name == "w" || name == "append") {
    op.kind = name == "w" ? OpKind::write : OpKind::append;
    op.value = atom(forms[value], "the value that was written");
  } else {
    fail_at(forms[function].offset, "expected a micro-operation r, w or append, found " +
                                        what_stands_at(file_.bytes, forms[function].offset));
  }
}

void JepsenReader::invoke(Entry entry) {
  if (!first_place_) first_place_ = entry.place;
  if (!entry.process) {
    if (open_without_process_) {
      fail_at(entry.offset,
              "two operations without a process are open at once: their completions cannot be told apart");
    }
    open_without_process_ = std::move(entry);
    return;
  }
  // A process does one thing at a time: what it left open never completed.
  const auto [place, fresh] = open_.try_emplace(*entry.process, entry);
  if (fresh) return;
  add_transaction(&place->second, nullptr);
  place->second = std::move(entry);
}

void JepsenReader::complete(const Entry& completion) {
  if (!first_place_) first_place_ = completion.place;
  if (!completion.process) {
    const std::optional<Entry> invocation = std::exchange(open_without_process_, std::nullopt);
    return add_transaction(invocation ? &*invocation : nullptr, &completion);
  }
  const auto found = open_.find(*completion.process);
  if (found == open_.end()) return add_transaction(nullptr, &completion);
  const Entry invocation = std::move(found->second);
  open_.erase(found);
  add_transaction(&invocation, &completion);
}

// Of an invocation, a completion, or both.
void JepsenReader::add_transaction(const Entry* invocation, const Entry* completion) {
  if (invocation == nullptr && completion == nullptr) return;
  const Entry& first = invocation != nullptr ? *invocation : *completion;
  const Entry& last = completion != nullptr ? *completion : *invocation;
  const Type type = completion != nullptr ? completion->type : Type::info;
  if (type == Type::ok && !last.body) fail_at(last.offset, "an operation that is ok needs its value");

  std::optional<std::int64_t> start, end;
  if (invocation != nullptr) start = invocation->time;
  if (type == Type::ok || type == Type::fail) end = completion->time;
  if (start && end && *end < *start) {
    fail_at(last.offset,
            fmt::format("the operation completes at {}, before it is invoked at {}", *end, *start));
  }

  const Session session = build_.session(first.process ? Atom::integer(*first.process)
                                                       : Atom::string("op " + std::to_string(first.place)));
  if (first.place == first_place_) first_session_ = session;
  build_.begin(session, last.name);
  if (const std::optional<Body>& body = last.body ? last.body : first.body) {
    for (const MicroOp& op : body->ops) {
      switch (op.kind) {
        case OpKind::read:
          // nil is a value only in an operation that is ok; elsewhere it says that the read did not get its
          // answer.
          if (op.value || type == Type::ok) values_.read(op.key, op.value);
          break;
        case OpKind::list_read:
          build_.list_read(op.key, std::span(body->elements).subspan(op.first, op.last - op.first));
          break;
        case OpKind::append:
          build_.append(op.key, *op.value);
          break;
        default:
          values_.write(op.kind, op.key, op.value);
      }
    }
  }
  build_.end(type == Type::ok     ? Status::committed
             : type == Type::fail ? Status::aborted
                                  : Status::unknown,
             start, end);
}

History JepsenReader::finish() {
  if (foreign_offset_) {
    fail_at(*foreign_offset_,
            "this is " + foreign_model() +
                ": Assay reads transactions of reads, writes and appends, such as [[r x 1] [w y 2]]");
  }
  std::vector<const Entry*> open;
  for (const auto& [process, entry] : open_) open.push_back(&entry);
  if (open_without_process_) open.push_back(&*open_without_process_);
  std::sort(open.begin(), open.end(), [](const Entry* a, const Entry* b) { return a->place < b->place; });
  for (const Entry* entry : open) add_transaction(entry, nullptr);
  if (build_.transactions() == 0)
    throw InputError(file_.path, "", "there is no operation of a client in this history");
  values_.add_notes();
  if (!*has_times_) build_.note("the operations have no times; their order in the file stands for real time");
  build_.source(file_.path, format_);
  History history = build_.finish();
  if (options_.initial != Initial::first_transaction) return history;
  return fold_initial_transaction(history, history.transactions_of(*first_session_)[0]);
}

// ---- Other models -----------------------------------------------------------------------------------------

void JepsenReader::note_foreign(const Form& value, std::string_view f, const Entry& entry) {
  if (!foreign_offset_) foreign_offset_ = value.kind == FormKind::nil ? entry.offset : value.offset;
  foreign_functions_.emplace(f);
  const FormKind kind = value.kind;
  // An element is added to a set once; a counter is often raised by the same amount.
  if (f == "add" && entry.type == Type::invoke && kind == FormKind::integer &&
      !added_.insert(value.bits).second) {
    added_twice_ = true;
  }
  if (f != "read") return;
  read_map_ = read_map_ || kind == FormKind::map;
  read_sequence_ = read_sequence_ || kind == FormKind::sequence || kind == FormKind::set;
  read_number_ = read_number_ || kind == FormKind::integer;
}

std::string JepsenReader::foreign_model() const {
  const auto has = [&](std::string_view f) { return foreign_functions_.contains(f); };
  if (has("transfer") || read_map_) return "a bank history";
  if (has("acquire") || has("release")) return "a mutex history";
  if (has("cas")) return "a cas-register history";
  if (has("enqueue") || has("dequeue") || has("drain")) return "a queue history";
  if (has("add") && read_sequence_) return "a set history";
  if (has("add") && (read_number_ || added_twice_)) return "a counter history";
  if (has("add")) return "a set or counter history";
  if (has("write") && read_sequence_) return "a comments history";
  if (has("write")) return "a register history without transactions";
  if (has("generate")) return "a unique-ids history";
  std::string names;
  for (const std::string& f : foreign_functions_)
    names += (names.empty() ? "" : ", ") + (f.empty() ? "(none)" : f);
  return "a history of another model (functions: " + names + ")";
}

}  // namespace assay::format
