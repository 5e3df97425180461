#include "format/plume.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "format/initial.hpp"
#include "format/naturals.hpp"
#include "format/text/scan.hpp"
#include "history/builder.hpp"
#include "memory/intern.hpp"
#include "system/output_file.hpp"

namespace assay::format {

namespace {

constexpr std::size_t kShortLine = 16;  // bytes; few files have shorter ones on average

struct Line {
  std::uint64_t key, value, session, txn;
  bool write;
  bool aborted;  // txn is -1
};

Line scan_line(Scanner& in) {
  Line line{};
  const char kind = in.peek();
  if (kind != 'r' && kind != 'w') in.fail(in.where(), "an operation r(key,value,session,txn) or w(…)");
  line.write = kind == 'w';
  in.skip();
  in.expect('(', "\"(\"");
  line.key = in.number("a key");
  in.expect(',', "\",\" and a value");
  line.value = in.number("a value");
  in.expect(',', "\",\" and a session");
  line.session = in.number("a session");
  in.expect(',', "\",\" and a transaction");
  if (in.peek() == '-') {
    const char* const start = in.where();
    in.skip();
    if (in.number("-1") != 1) in.fail(start, "a transaction's number, or -1 for an aborted one");
    line.aborted = true;
  } else {
    line.txn = in.number("a transaction");
  }
  in.expect(')', "\")\"");
  if (in.peek() == '\r') in.skip();
  if (!in.done()) in.expect('\n', "the end of the line");
  return line;
}

class Reader {
 public:
  Reader(const Input& input, const ReadOptions& options)
      : input_(input),
        options_(options),
        zero_is_initial_(options.initial == Initial::automatic || options.initial == Initial::zero) {}

  History read() {
    if (input_.files.front().bytes.empty())
      throw InputError(input_.path, "line 1", "expected an operation, the file is empty");
    if (!read_in_order()) {
      build_ = HistoryBuilder();
      first_ = {};
      zero_writes_ = 0;
      read_interleaved();
    }
    add_notes();
    build_.source(input_.path, "text");
    History history = build_.finish();
    if (options_.initial == Initial::first_transaction) return fold_initial_transaction(history, Txn{0});
    return history;
  }

 private:
  Scanner scanner() const { return {input_.files.front().path, input_.files.front().bytes}; }

  // The usual file: the lines of each transaction stand together. False if some transaction comes back later.
  bool read_in_order() {
    Scanner in = scanner();
    build_.expect(input_.files.front().bytes.size() / kShortLine);
    InternTable seen;
    Line open{};
    const char* start = nullptr;
    for (bool first = true; !in.done(); first = false) {
      const char* const at = in.where();
      const Line line = scan_line(in);
      if (first || line.aborted != open.aborted || line.txn != open.txn ||
          (line.aborted && line.session != open.session)) {
        if (!first) build_.end(open.aborted ? Status::aborted : Status::committed);
        const auto fresh = static_cast<std::uint32_t>(seen.size());
        if (!line.aborted && seen.find_or_add(0, line.txn, fresh) != fresh) return false;
        begin(line);
        start = at;
      } else if (line.session != open.session) {
        two_sessions(in, at, line, open.session, start);
      }
      open = line;
      add(line);
    }
    build_.end(open.aborted ? Status::aborted : Status::committed);
    return true;
  }

  // Any file: collects the lines, then takes them transaction by transaction, in order of first appearance.
  void read_interleaved() {
    Scanner in = scanner();
    std::vector<Line> lines;
    std::vector<std::uint32_t> place;  // line -> transaction
    std::vector<const char*> first_line;
    std::vector<std::uint64_t> sessions;
    InternTable seen;
    while (!in.done()) {
      const char* const at = in.where();
      const Line line = scan_line(in);
      if (lines.size() >= 0x7FFFFFFFU) throw InputError(input_.path, "", "more than 2,147,483,647 lines");
      const auto fresh = static_cast<std::uint32_t>(first_line.size());
      std::uint32_t txn = fresh;
      if (!line.aborted) {
        txn = seen.find_or_add(0, line.txn, fresh);
      } else if (!lines.empty() && lines.back().aborted && lines.back().session == line.session) {
        txn = place.back();
      }
      if (txn == fresh) {
        first_line.push_back(at);
        sessions.push_back(line.session);
      } else if (sessions[txn] != line.session) {
        two_sessions(in, at, line, sessions[txn], first_line[txn]);
      }
      lines.push_back(line);
      place.push_back(txn);
    }
    std::vector<std::uint32_t> begin_of(first_line.size() + 1, 0);
    for (const std::uint32_t txn : place) ++begin_of[txn + 1];
    std::partial_sum(begin_of.begin(), begin_of.end(), begin_of.begin());
    std::vector<std::uint32_t> order(lines.size());
    std::vector<std::uint32_t> next(begin_of.begin(), begin_of.end() - 1);
    for (std::uint32_t i = 0; i < lines.size(); ++i) order[next[place[i]]++] = i;
    for (std::size_t txn = 0; txn + 1 < begin_of.size(); ++txn) {
      const Line& opening = lines[order[begin_of[txn]]];
      begin(opening);
      for (std::uint32_t i = begin_of[txn]; i < begin_of[txn + 1]; ++i) add(lines[order[i]]);
      build_.end(opening.aborted ? Status::aborted : Status::committed);
    }
  }

  [[noreturn]] void two_sessions(const Scanner& in, const char* at, const Line& line, std::uint64_t before,
                                 const char* start) const {
    throw InputError(input_.files.front().path, fmt::format("line {}", in.line_of(at)),
                     fmt::format("transaction {} is in session {} here and in session {} on line {}",
                                 line.txn, line.session, before, in.line_of(start)));
  }

  void begin(const Line& line) {
    const std::uint32_t number = build_.transactions();
    if (number == 0) {
      first_.session = line.session;
      first_.value = line.value;
    } else if (line.session == first_.session) {
      first_.alone = false;
    }
    first_.open = number == 0;
    build_.begin(build_.session(Atom::natural(line.session)),
                 line.aborted ? Atom::integer(-1) : Atom::natural(line.txn));
  }

  void add(const Line& line) {
    if (first_.open) {
      ++first_.operations;
      if (!line.write || line.aborted || line.value != first_.value) first_.alike = false;
    }
    const Atom key = Atom::natural(line.key);
    if (line.write) {
      zero_writes_ += line.value == 0;
      build_.write(key, Atom::natural(line.value));
    } else if (line.value == 0 && zero_is_initial_) {
      build_.read_initial(key);
    } else {
      build_.read(key, Atom::natural(line.value));
    }
  }

  void add_notes() {
    const bool looks_initial = first_.alone && first_.alike && first_.operations > 1;
    if (looks_initial && options_.initial == Initial::automatic) {
      build_.note(fmt::format(
          "the first transaction, alone in session {}, only writes {} to {} keys: if it stands for the "
          "initial state (as in IsoVista's files), read it with initial=first-transaction",
          first_.session, first_.value, first_.operations));
    } else if (zero_is_initial_ && zero_writes_ > 0) {
      build_.note(
          fmt::format("{} writes write 0, but a read of 0 counts as a read of the initial state "
                      "(initial=none takes 0 as any other value)",
                      zero_writes_));
    }
  }

  const Input& input_;
  const ReadOptions& options_;
  bool zero_is_initial_;
  HistoryBuilder build_;
  std::uint64_t zero_writes_ = 0;
  // Whether the first transaction looks as if it stood for the initial state.
  struct First {
    std::uint64_t session = 0, value = 0, operations = 0;
    bool open = false;
    bool alone = true;  // in its session
    bool alike = true;  // nothing but writes of one value
  } first_;
};

}  // namespace

bool sniff_text(const Input& input) {
  if (input.directory) return false;
  const std::string_view bytes = input.files.front().bytes;
  return bytes.size() > 2 && (bytes[0] == 'r' || bytes[0] == 'w') && bytes[1] == '(';
}

History read_text(const Input& input, const ReadOptions& options) {
  return Reader(input, options).read();
}

void write_text(const History& history, const std::filesystem::path& path) {
  const Target target{path.string(), "text"};
  require_reads_and_writes(history, target);
  if (history.operations() == 0) target.refuse("a history without operations");
  const std::vector<std::uint64_t> sessions = session_numbers(history);
  const std::vector<std::uint64_t> transactions = transaction_numbers(history);
  system::OutputFile out(path);
  fmt::memory_buffer line;
  for (const Txn t : history.all_transactions()) {
    if (history.status(t) == Status::unknown) target.refuse("a transaction of unknown fate");
    for (const Op op : history.operations_of(t)) {
      const Version v = history.version(op);
      const bool initial = history.is_initial(v);
      const std::uint64_t value = initial ? 0 : require_natural(history.value(v), "value", target);
      if (!initial && value == 0) target.refuse("the value 0, which stands for the initial state");
      line.clear();
      fmt::format_to(std::back_inserter(line), "{}({},{},{},", history.kind(op) == OpKind::write ? 'w' : 'r',
                     require_natural(history.name(history.key_of(v)), "key", target), value,
                     sessions[index(history.session_of(t))]);
      if (history.status(t) == Status::aborted) {
        fmt::format_to(std::back_inserter(line), "-1)\n");
      } else {
        fmt::format_to(std::back_inserter(line), "{})\n", transactions[index(t)]);
      }
      out.put({line.data(), line.size()});
    }
  }
  out.close();
}

}  // namespace assay::format
