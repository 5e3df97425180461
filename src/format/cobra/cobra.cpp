#include "format/cobra/cobra.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "format/bytes.hpp"
#include "format/initial.hpp"
#include "history/builder.hpp"

namespace assay::format {

namespace cobra {

std::optional<std::string_view> session_digits(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  if (name.size() < 6 || name.front() != 'T' || name.substr(name.size() - 4) != ".log") return std::nullopt;
  name = name.substr(1, name.size() - 5);
  if (!std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; }))
    return std::nullopt;
  return name;
}

}  // namespace cobra

namespace {

using namespace cobra;

constexpr std::size_t kReadSize = 33, kWriteSize = 25, kMarkSize = 9;

// Whether begin and commit carry a time. Nothing in a file says so; see read_cobra.
enum class Layout { plain, timestamps };

constexpr std::size_t mark_size(Layout layout) {
  return layout == Layout::plain ? kMarkSize : kMarkSize + 8;
}

// The sessions in the order of their numbers, which a listing sorted by name is not.
std::vector<const InputFile*> session_files(const Input& input) {
  std::vector<const InputFile*> files;
  for (const InputFile& file : input.files) {
    if (session_digits(file.path)) files.push_back(&file);
  }
  std::sort(files.begin(), files.end(), [](const InputFile* a, const InputFile* b) {
    const std::string_view x = *session_digits(a->path), y = *session_digits(b->path);
    return x.size() != y.size() ? x.size() < y.size() : x < y;
  });
  return files;
}

// T7 is session 7; T007, which is another file, is session "007".
Atom session_name(std::string_view digits) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool canonical = error == std::errc() && end == digits.data() + digits.size() &&
                         (digits.size() == 1 || digits.front() != '0');
  return canonical ? Atom::natural(number) : Atom::string(digits);
}

// Walks the records of one session, `(S (R|W)* C)*`, and hands them to a visitor with begin(id, time),
// read(record), write(record) and commit(time). Throws InputError at the first byte that does not fit.
template <Layout layout>
class Records {
 public:
  explicit Records(const InputFile& file) : file_(file) {}

  template <class Visitor>
  void walk(Visitor&& visit) const {
    const char* const start = file_.bytes.data();
    const char* const end = start + file_.bytes.size();
    const char* at = start;
    bool open = false;
    std::uint64_t id = 0;
    while (at != end) {
      const auto left = static_cast<std::size_t>(end - at);
      const char tag = *at;
      const std::size_t size = size_of(tag);
      if (size == 0)
        fail(at, fmt::format("expected {}, found byte {:#04x}", open ? "R, W or C" : "S",
                             static_cast<unsigned char>(tag)));
      if (open == (tag == 'S')) {
        fail(at, open ? fmt::format("a transaction begins inside transaction {:#x}", id)
                      : fmt::format("record '{}' outside a transaction: expected S", tag));
      }
      if (left < size) {
        fail(at,
             fmt::format("the file ends too early: record '{}' has {} bytes, {} are left", tag, size, left));
      }
      const char* const fields = at + 1;
      switch (tag) {
        case 'S':
          open = true;
          id = load_big64(fields);
          visit.begin(id, time(fields, at));
          break;
        case 'R':
          visit.read(fields, at);
          break;
        case 'W':
          visit.write(fields, at);
          break;
        default:
          if (load_big64(fields) != id) {
            fail(at, fmt::format("transaction {:#x} is committed inside transaction {:#x}",
                                 load_big64(fields), id));
          }
          open = false;
          visit.commit(time(fields, at));
      }
      at += size;
    }
    if (open) fail(at, fmt::format("the file ends inside transaction {:#x}", id));
  }

  [[noreturn]] void fail(const char* at, const std::string& message) const {
    throw InputError(file_.path, fmt::format("byte {}", at - file_.bytes.data()), message);
  }

 private:
  static std::size_t size_of(char tag) {
    switch (tag) {
      case 'S':
      case 'C':
        return mark_size(layout);
      case 'R':
        return kReadSize;
      case 'W':
        return kWriteSize;
      default:
        return 0;
    }
  }

  std::optional<std::int64_t> time(const char* fields, const char* at) const {
    if constexpr (layout == Layout::plain) {
      return std::nullopt;
    } else {
      constexpr std::uint64_t kNanoseconds = 1'000'000;  // in a millisecond
      const std::uint64_t milliseconds = load_big64(fields + 8);
      if (milliseconds > std::uint64_t{INT64_MAX} / kNanoseconds) {
        fail(at, fmt::format("the time {} ms is out of range", milliseconds));
      }
      return static_cast<std::int64_t>(milliseconds * kNanoseconds);
    }
  }

  const InputFile& file_;
};

bool garbage_collection(std::uint64_t writer, std::uint64_t write) {
  return writer == kInit && (write == kGarbageCollection[0] || write == kGarbageCollection[1]);
}

bool names_nothing(std::uint64_t write) {
  return write == kInit || write == kNull || write == kDelete;
}

template <Layout layout>
class Reader {
 public:
  Reader(const Input& input, const ReadOptions& options)
      : input_(input), options_(options), files_(session_files(input)) {}

  History read() {
    std::size_t bytes = 0;
    for (const InputFile* file : files_) bytes += file->bytes.size();
    build_.expect(bytes / kWriteSize);
    for (const InputFile* file : files_) {
      const Records<layout> records(*file);
      const Session session = build_.session(session_name(*session_digits(file->path)));
      records.walk(Visit{*this, records, session, {}});
    }
    build_.source(input_.path, "cobra");
    add_notes();
    History history = build_.finish();
    require_distinct_ids(history);
    if (dialect_ == Dialect::by_id) history = note_disagreements(std::move(history));
    if (options_.initial == Initial::first_transaction && history.transactions() > 0) {
      return fold_initial_transaction(history, Txn{0});
    }
    return history;
  }

 private:
  enum class Dialect { undecided, by_id, by_value };

  struct Visit {
    Reader& reader;
    const Records<layout>& records;
    Session session;
    std::optional<std::int64_t> start;

    void begin(std::uint64_t id, std::optional<std::int64_t> time) {
      start = time;
      reader.build_.begin(session, Atom::natural(id));
    }
    void commit(std::optional<std::int64_t> time) { reader.build_.end(Status::committed, start, time); }

    void read(const char* fields, const char* at) {
      const std::uint64_t writer = load_big64(fields), write = load_big64(fields + 8);
      const Atom key = Atom::natural(load_big64(fields + 16));
      const bool special = reader.options_.initial != Initial::none;
      if (special && (names_nothing(write) || garbage_collection(writer, write))) {
        return reader.build_.read_initial(key);
      }
      const std::uint64_t value = reader.value_of(write, load_big64(fields + 24), records, at);
      if (value == 0 && reader.options_.initial == Initial::zero) return reader.build_.read_initial(key);
      reader.build_.read(key, Atom::natural(value));
    }

    void write(const char* fields, const char* at) {
      const std::uint64_t write = load_big64(fields);
      const Atom key = Atom::natural(load_big64(fields + 8));
      if (write == kDelete && reader.options_.initial != Initial::none) {
        ++reader.deletes_;
        return reader.build_.erase(key);
      }
      reader.build_.write(key, Atom::natural(reader.value_of(write, load_big64(fields + 16), records, at)));
    }
  };

  // The first write or read of a write settles for the whole history whether ids or hashes are the values:
  // mixing the two would confuse an id with a hash.
  std::uint64_t value_of(std::uint64_t write, std::uint64_t hash, const Records<layout>& records,
                         const char* at) {
    const Dialect here = write == kByValue ? Dialect::by_value : Dialect::by_id;
    if (dialect_ != here) {
      if (dialect_ != Dialect::undecided) {
        records.fail(at,
                     fmt::format("write id {:#x} in a log whose other records are {}", write,
                                 here == Dialect::by_id ? "in VeriStrong's dialect (every id is 0xabddefee)"
                                                        : "not in VeriStrong's dialect"));
      }
      dialect_ = here;
    }
    return here == Dialect::by_value ? hash : write;
  }

  void add_notes() {
    if (deletes_ > 0) {
      build_.note(fmt::format(
          "{} deletes: a later read of an absent key may be of the delete or of the initial state",
          deletes_));
    }
    const auto other = std::find_if(input_.files.begin(), input_.files.end(), [](const InputFile& file) {
      const std::string_view name = std::string_view(file.path).substr(file.path.rfind('/') + 1);
      return name.size() > 5 && name.front() == 'J' && name.substr(name.size() - 4) == ".log";
    });
    if (other != input_.files.end()) {
      build_.note(
          "the directory also holds J<n>.log files; only the T<n>.log were read (the format viper reads the "
          "others)");
    }
  }

  // Two runs in one directory would otherwise pass as one history.
  void require_distinct_ids(const History& history) const {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> ids;
    ids.reserve(history.transactions());
    for (const Txn t : history.all_transactions())
      ids.emplace_back(history.name(t).bits, index(history.session_of(t)));
    std::sort(ids.begin(), ids.end());
    const auto twice = std::adjacent_find(ids.begin(), ids.end(),
                                          [](const auto& a, const auto& b) { return a.first == b.first; });
    if (twice == ids.end()) return;
    throw InputError(input_.path, "",
                     fmt::format("transaction id {:#x} occurs twice, in {} and in {}", twice->first,
                                 files_[twice->second]->path, files_[twice[1].second]->path));
  }

  // A read names the transaction it believes it saw. The value decides; where its only writer is another
  // transaction, the log contradicts itself, and the user should know.
  History note_disagreements(History history) const {
    constexpr std::uint32_t kNobody = UINT32_MAX, kSeveral = UINT32_MAX - 1;
    std::vector<std::uint32_t> writers(history.versions(), kNobody);
    for (const Txn t : history.all_transactions()) {
      for (const Op op : history.operations_of(t)) {
        if (!writes(history.kind(op)) || history.is_initial(history.version(op))) continue;
        std::uint32_t& writer = writers[index(history.version(op))];
        writer = writer == kNobody || writer == index(t) ? index(t) : kSeveral;
      }
    }
    Claims claims{history, writers, 0, 0, {}};
    for (const InputFile* file : files_) {
      claims.file = file;
      Records<layout>(*file).walk(claims);
    }
    if (claims.wrong == 0) return history;
    return HistoryBuilder::noted(
        std::move(history),
        fmt::format("{} reads name another transaction than the one that wrote what they saw, first at {}; "
                    "the value was trusted, not the name",
                    claims.wrong, claims.first));
  }

  // Walks the files a second time, in step with the numbering of the operations.
  struct Claims {
    const History& history;
    const std::vector<std::uint32_t>& writers;
    std::uint32_t op;
    std::uint64_t wrong;
    std::string first;
    const InputFile* file = nullptr;

    void begin(std::uint64_t, std::optional<std::int64_t>) {}
    void commit(std::optional<std::int64_t>) {}
    void write(const char*, const char*) { ++op; }
    void read(const char* fields, const char* at) {
      const std::uint32_t writer = writers[index(history.version(Op{op++}))];
      if (writer >= history.transactions() || history.name(Txn{writer}).bits == load_big64(fields)) return;
      if (wrong++ == 0) first = fmt::format("{} byte {}", file->path, at - file->bytes.data());
    }
  };

  const Input& input_;
  const ReadOptions& options_;
  std::vector<const InputFile*> files_;
  HistoryBuilder build_;
  Dialect dialect_ = Dialect::undecided;
  std::uint64_t deletes_ = 0;
};

// Whether the first transaction of some session can only be of the layout with times: decides which of the
// two errors speaks to the user when neither layout fits.
bool starts_with_times(const std::vector<const InputFile*>& files) {
  const auto record = [](char c) { return c == 'R' || c == 'W' || c == 'C'; };
  return std::any_of(files.begin(), files.end(), [&](const InputFile* file) {
    const std::string_view bytes = file->bytes;
    return bytes.size() > 17 && bytes[0] == 'S' && !record(bytes[9]) && record(bytes[17]);
  });
}

bool one_whole_transaction(std::string_view bytes, std::size_t mark) {
  if (bytes.size() < mark || bytes[0] != 'S') return false;
  const std::string_view id = bytes.substr(1, 8);
  for (std::size_t at = mark; at + mark <= bytes.size();) {
    if (bytes[at] == 'C') return bytes.substr(at + 1, 8) == id;
    if (bytes[at] != 'R' && bytes[at] != 'W') return false;
    at += bytes[at] == 'R' ? kReadSize : kWriteSize;
  }
  return false;
}

}  // namespace

bool sniff_cobra(const Input& input) {
  if (input.directory) return !session_files(input).empty();
  // One session alone: recognised so that the error can ask for its directory.
  const std::string_view bytes = input.files.front().bytes;
  return one_whole_transaction(bytes, mark_size(Layout::plain)) ||
         one_whole_transaction(bytes, mark_size(Layout::timestamps));
}

History read_cobra(const Input& input, const ReadOptions& options) {
  const std::vector<const InputFile*> files = session_files(input);
  if (files.empty()) throw InputError(input.path, "", "no file T<n>.log in this directory");
  // A time is below 2^56 milliseconds, so its first byte is 0, which no record starts with: no log fits both
  // layouts.
  try {
    return Reader<Layout::plain>(input, options).read();
  } catch (const InputError&) {
    if (!starts_with_times(files)) throw;
    return Reader<Layout::timestamps>(input, options).read();
  }
}

}  // namespace assay::format
