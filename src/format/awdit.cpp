#include "format/awdit.hpp"

#include <fmt/format.h>

#include <iterator>

#include "format/initial.hpp"
#include "format/naturals.hpp"
#include "format/text/scan.hpp"
#include "history/builder.hpp"
#include "system/output_file.hpp"

namespace assay::format {

namespace {

bool blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

void skip_blanks(Scanner& in) {
  while (blank(in.peek())) in.skip();
}

void skip_run(Scanner& in, char c) {
  while (in.peek() == c) in.skip();
}

class Reader {
 public:
  Reader(const Input& input, const ReadOptions& options)
      : input_(input), options_(options), in_(input.files.front().path, input.files.front().bytes) {}

  History read() {
    if (in_.done()) throw InputError(input_.path, "line 1", "expected an operation, the file is empty");
    build_.source(input_.path, "awdit");
    begin_session();
    while (!in_.done()) {
      switch (const char c = in_.peek(); c) {
        case '=':
          skip_run(in_, c);
          build_.end(Status::committed);
          begin_session();
          break;
        case '-':
          skip_run(in_, c);
          build_.end(Status::committed);
          begin_transaction();
          break;
        case 'r':
        case 'w':
          operation(c == 'w');
          break;
        case '\n':
          in_.skip();
          break;
        default:
          if (!blank(c))
            in_.fail(in_.where(), "an operation \"r key value\" or \"w key value\", or a run of - or =");
          in_.skip();
      }
    }
    build_.end(Status::committed);
    History history = build_.finish();
    if (options_.initial == Initial::first_transaction) return fold_initial_transaction(history, Txn{0});
    return history;
  }

 private:
  void begin_session() {
    session_ = build_.session(Atom::integer(sessions_++));
    in_session_ = 0;
    begin_transaction();
  }
  void begin_transaction() { build_.begin(session_, Atom::integer(in_session_++)); }

  void operation(bool write) {
    in_.skip();
    if (!blank(in_.peek())) in_.fail(in_.where(), "a space and a key");
    skip_blanks(in_);
    const Atom key = Atom::natural(in_.number("a key"));
    if (!blank(in_.peek())) in_.fail(in_.where(), "a space and a value");
    skip_blanks(in_);
    const std::uint64_t value = in_.number("a value");
    skip_blanks(in_);
    const char next = in_.peek();
    if (!in_.done() && next != '\n' && next != '-' && next != '=')
      in_.fail(in_.where(), "the end of the line");
    if (write) {
      build_.write(key, Atom::natural(value));
    } else if (value == 0 && options_.initial == Initial::zero) {
      build_.read_initial(key);
    } else {
      build_.read(key, Atom::natural(value));
    }
  }

  const Input& input_;
  const ReadOptions& options_;
  Scanner in_;
  HistoryBuilder build_;
  Session session_{};
  std::int64_t sessions_ = 0, in_session_ = 0;
};

}  // namespace

bool sniff_awdit(const Input& input) {
  if (input.directory) return false;
  const std::string_view bytes = input.files.front().bytes.substr(0, 4096);
  const std::size_t start = bytes.find_first_not_of(" \t\r\n-=");
  return start != std::string_view::npos && start + 1 < bytes.size() &&
         (bytes[start] == 'r' || bytes[start] == 'w') && bytes[start + 1] == ' ';
}

History read_awdit(const Input& input, const ReadOptions& options) {
  return Reader(input, options).read();
}

void write_awdit(const History& history, const std::filesystem::path& path) {
  const Target target{path.string(), "awdit"};
  require_reads_and_writes(history, target);
  if (history.operations() == 0) target.refuse("a history without operations");
  system::OutputFile out(path);
  fmt::memory_buffer line;
  bool first_session = true;
  for (std::uint32_t s = 0; s < history.sessions(); ++s) {
    const auto transactions = history.transactions_of(Session{s});
    if (transactions.empty()) continue;
    if (!first_session) out.put("=====\n");
    first_session = false;
    for (const Txn t : transactions) {
      if (history.status(t) != Status::committed)
        target.refuse("a transaction that is not known to have committed");
      if (t != transactions[0]) out.put("-----\n");
      for (const Op op : history.operations_of(t)) {
        const Version v = history.version(op);
        if (history.is_initial(v)) target.refuse("a read of the initial state");
        line.clear();
        fmt::format_to(std::back_inserter(line), "{} {} {}\n", history.kind(op) == OpKind::write ? 'w' : 'r',
                       require_natural(history.name(history.key_of(v)), "key", target),
                       require_natural(history.value(v), "value", target));
        out.put({line.data(), line.size()});
      }
    }
  }
  out.close();
}

}  // namespace assay::format
