// Assay as a library: did a database keep its isolation level, judged by what its clients sent and saw?
//
//   using namespace assay::api;
//   Builder build;
//   build.begin("alice", 1).read_initial("x").write("x", 1).commit();
//   build.begin("bob", 2).read_initial("x").write("x", 2).commit();
//   const Report report = check(build.finish(), {"snapshot-isolation"});
//   if (report.results[0].verdict == Verdict::violated) std::cout << report.text;   // a lost update
//
// Histories in files are read with read(). Whatever goes wrong with an input or an argument is an Error with
// a message for a person; beside it there is only std::bad_alloc. Different objects may be used by different
// threads.
//
// All of it is written here on top of the C interface, which is what the library exports: a program may be
// compiled by another compiler than the library, and go on with a later one of the same name.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/assay.h"

namespace assay::api {

inline std::string_view version() {
  return assay_version();
}

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What the C functions return, or an Error.
namespace detail {
inline void done(int result) {
  if (result != 0) throw Error(assay_error());
}
template <class Pointer>
Pointer* given(Pointer* result) {
  if (result == nullptr) throw Error(assay_error());
  return result;
}
inline const char* optional_text(const std::optional<std::string>& text) {
  return text ? text->c_str() : nullptr;
}
}  // namespace detail

// A key, a value, or the name of a session or transaction: a 64-bit number or a text. The number 1 and the
// text "1" differ. A text is borrowed only until the call that is given it returns.
class Value {
 public:
  template <std::signed_integral Number>
  Value(Number number) : value_(assay_integer(static_cast<std::int64_t>(number))) {}
  template <std::unsigned_integral Number>
  Value(Number number) : value_(assay_natural(number)) {}
  Value(std::string_view text) : value_{ASSAY_TEXT, 0, text.data(), text.size()} {}
  Value(const char* text) : Value(std::string_view(text)) {}
  Value(const std::string& text) : Value(std::string_view(text)) {}

  const assay_value& plain() const { return value_; }

 private:
  assay_value value_;
};

// What clients sent and saw; immutable, and cheap to copy.
class History {
 public:
  std::size_t sessions() const { return assay_sessions(plain()); }
  std::size_t transactions() const { return assay_transactions(plain()); }
  std::size_t operations() const { return assay_operations(plain()); }
  std::size_t keys() const { return assay_keys(plain()); }

  // Writes it in a format of `assay formats`.
  void write(const std::string& path, std::string_view format) const {
    detail::done(assay_write(plain(), path.c_str(), std::string(format).c_str()));
  }

  // Takes what a C function returned.
  explicit History(assay_history* owned) : history_(detail::given(owned), assay_history_free) {}
  const assay_history* plain() const { return history_.get(); }

 private:
  std::shared_ptr<assay_history> history_;
};

// How to read a file whose format leaves something open.
struct ReadOptions {
  std::optional<std::string> format;          // told by the content if not given
  std::string initial = "auto";               // or "zero", "first-transaction", "none"
  std::string failed_statements = "unknown";  // or "drop"
};

inline History read(const std::string& path, const ReadOptions& options = {}) {
  return History(assay_read_with(path.c_str(), detail::optional_text(options.format), options.initial.c_str(),
                                 options.failed_statements.c_str()));
}

// Start and end of a transaction in nanoseconds, for the levels with real time.
struct Times {
  std::optional<std::int64_t> start = {}, end = {};
};

// One row of the result of a query; no value: it was there before the first transaction.
struct Row {
  Value key;
  std::optional<Value> value;
};

// Puts a history together, transaction by transaction. Transactions of different sessions may come in any
// order, those of one session in theirs.
class Builder {
 public:
  Builder() : builder_(detail::given(assay_builder_new())) {}

  Builder& begin(const Value& session, const Value& transaction) {
    return done(assay_begin_named(plain(), &session.plain(), &transaction.plain()));
  }

  Builder& read(const Value& key, const Value& value) { return add(ASSAY_READ, key, &value); }
  // The client found nothing written yet.
  Builder& read_initial(const Value& key) { return add(ASSAY_READ, key, nullptr); }
  Builder& write(const Value& key, const Value& value) { return add(ASSAY_WRITE, key, &value); }
  Builder& insert(const Value& key, const Value& value) { return add(ASSAY_INSERT, key, &value); }
  Builder& erase(const Value& key) { return add(ASSAY_ERASE, key, nullptr); }
  // It leaves a value of its own, which a read may return.
  Builder& erase(const Value& key, const Value& tombstone) { return add(ASSAY_ERASE, key, &tombstone); }
  Builder& append(const Value& key, const Value& element) { return add(ASSAY_APPEND, key, &element); }
  Builder& list_read(const Value& key, std::span<const Value> elements) {
    std::vector<assay_value> plain_elements;
    plain_elements.reserve(elements.size());
    for (const Value& element : elements) plain_elements.push_back(element.plain());
    return done(assay_add_list_read(plain(), &key.plain(), plain_elements.data(), plain_elements.size()));
  }
  // All rows from low to high, both included; without one: no bound.
  Builder& range_read(const std::optional<Value>& low, const std::optional<Value>& high,
                      std::span<const Row> rows) {
    const std::vector<assay_row> found = plain_rows(rows);
    return done(assay_add_range_read(plain(), low ? &low->plain() : nullptr, high ? &high->plain() : nullptr,
                                     found.data(), found.size()));
  }
  // All rows that match a predicate of docs/formats.md.
  Builder& predicate_read(const Value& predicate, std::span<const Row> rows) {
    const std::vector<assay_row> found = plain_rows(rows);
    return done(assay_add_predicate_read(plain(), &predicate.plain(), found.data(), found.size()));
  }
  // The key had a row before the first transaction.
  Builder& initial_row(const Value& key) { return done(assay_add_initial_row(plain(), &key.plain())); }

  Builder& commit(const Times& times = {}) { return end(ASSAY_COMMITTED, times); }
  Builder& abort(const Times& times = {}) { return end(ASSAY_ABORTED, times); }
  Builder& unknown(const Times& times = {}) { return end(ASSAY_UNKNOWN, times); }  // the client never learned

  // The times are of clocks that may disagree.
  Builder& several_clocks() { return done(assay_several_clocks(plain())); }

  // The builder is empty again.
  History finish() { return History(assay_finish(plain())); }

 private:
  struct Free {
    void operator()(assay_builder* builder) const { assay_builder_free(builder); }
  };
  assay_builder* plain() const { return builder_.get(); }
  Builder& done(int result) {
    detail::done(result);
    return *this;
  }
  Builder& add(assay_operation operation, const Value& key, const Value* value) {
    return done(assay_add(plain(), operation, &key.plain(), value == nullptr ? nullptr : &value->plain()));
  }
  Builder& end(assay_fate fate, const Times& times) {
    return done(
        assay_end_at(plain(), fate, times.start.value_or(ASSAY_NO_TIME), times.end.value_or(ASSAY_NO_TIME)));
  }
  static std::vector<assay_row> plain_rows(std::span<const Row> rows) {
    std::vector<assay_row> out;
    out.reserve(rows.size());
    for (const Row& row : rows) {
      out.push_back({row.key.plain(), row.value ? row.value->plain() : assay_nothing()});
    }
    return out;
  }

  std::unique_ptr<assay_builder, Free> builder_;
};

enum class Verdict : std::uint8_t { holds, violated, undecided };

inline Verdict verdict_of(assay_verdict verdict) {
  switch (verdict) {
    case ASSAY_HOLDS:
      return Verdict::holds;
    case ASSAY_VIOLATED:
      return Verdict::violated;
    case ASSAY_UNDECIDED:
      break;
  }
  return Verdict::undecided;
}

struct Options {
  bool session_order = true;
  std::optional<std::chrono::nanoseconds> clock_drift = {};  // for the levels with real time
  std::optional<double> timeout_seconds = {};
  std::optional<std::size_t> memory_bytes = {};  // of the whole process
  unsigned threads = 1;
  std::string method = "auto";          // or "width", "sat": a slower second opinion on a small history
  std::uint64_t require_committed = 0;  // fewer committed transactions cannot show that a level holds
};

namespace detail {
struct FreeOptions {
  void operator()(assay_options* options) const { assay_options_free(options); }
};
inline std::unique_ptr<assay_options, FreeOptions> plain(const Options& options) {
  std::unique_ptr<assay_options, FreeOptions> out(given(assay_options_new()));
  done(assay_set_session_order(out.get(), options.session_order ? 1 : 0));
  if (options.clock_drift) done(assay_set_clock_drift(out.get(), options.clock_drift->count()));
  if (options.timeout_seconds) done(assay_set_timeout(out.get(), *options.timeout_seconds));
  if (options.memory_bytes) done(assay_set_memory(out.get(), *options.memory_bytes));
  done(assay_set_threads(out.get(), options.threads));
  done(assay_set_method(out.get(), options.method.c_str()));
  done(assay_require_committed(out.get(), options.require_committed));
  return out;
}
}  // namespace detail

struct Result {
  std::string level;  // its canonical name
  Verdict verdict = Verdict::undecided;
  std::string explanation;  // violated: why, in sentences; undecided: the reason
};

class Report {
 public:
  std::vector<Result> results;           // one per asked level, in the order asked
  std::optional<std::string> strongest;  // of the asked levels that hold
  std::string text;                      // what `assay check` prints
  std::string json;                      // what `assay check --json` prints

  // The web page of `assay check --report`, the graph of --dot, the test cases of --junit.
  std::string page() const { return detail::given(assay_report_page(plain())); }
  std::string dot() const { return detail::given(assay_report_dot(plain())); }
  std::string junit() const { return detail::given(assay_report_junit(plain())); }
  // A proof of results[index], for verify(); none where it is undecided or a proof would be unbearably long.
  std::optional<std::string> certificate(std::size_t index = 0) const {
    const char* found = assay_report_certificate(plain(), index);
    return found == nullptr ? std::nullopt : std::optional<std::string>(found);
  }

  // Of what a C function returned; it stays with `owner`.
  explicit Report(std::shared_ptr<assay_report> owner) : report_(std::move(owner)) {
    for (std::size_t i = 0; i < assay_report_levels(plain()); ++i) {
      results.push_back({assay_report_level(plain(), i), verdict_of(assay_report_level_verdict(plain(), i)),
                         detail::given(assay_report_explanation(plain(), i))});
    }
    if (const char* level = assay_report_strongest(plain())) strongest = level;
    text = detail::given(assay_report_text(plain()));
    json = detail::given(assay_report_json(plain()));
  }

 private:
  assay_report* plain() const { return report_.get(); }
  std::shared_ptr<assay_report> report_;
};

// Levels by name or alias; see `assay levels`.
inline Report check(const History& history, const std::vector<std::string>& levels = {"serializable"},
                    const Options& options = {}) {
  std::vector<const char*> names;
  names.reserve(levels.size());
  for (const std::string& level : levels) names.push_back(level.c_str());
  assay_report* found = detail::given(
      assay_check_levels(history.plain(), names.data(), names.size(), detail::plain(options).get()));
  return Report(std::shared_ptr<assay_report>(found, assay_report_free));
}

// What became of a certificate. An accepted one proves its claim: compare that with what you want to know.
struct Verification {
  bool accepted = false;
  std::string reason;  // rejected: why
  std::string level;
  Verdict verdict = Verdict::undecided;
  bool session_order = true;
  std::chrono::nanoseconds clock_drift{0};
};

// Judges a certificate by the history alone.
inline Verification verify(const History& history, std::string_view certificate) {
  const std::unique_ptr<assay_verification, void (*)(assay_verification*)> found(
      detail::given(assay_verify(history.plain(), certificate.data(), certificate.size())),
      assay_verification_free);
  return {assay_verification_accepted(found.get()) != 0,
          assay_verification_reason(found.get()),
          assay_verification_level(found.get()),
          verdict_of(assay_verification_verdict(found.get())),
          assay_verification_session_order(found.get()) != 0,
          std::chrono::nanoseconds(assay_verification_clock_drift(found.get()))};
}

// What one round of a watch found. A violation is told once.
struct Round {
  Verdict verdict = Verdict::undecided;
  std::string reason;              // undecided: why; violated: what the report cannot show by itself
  std::uint64_t transactions = 0;  // new in this round
  bool more = false;               // decide again at once
  std::optional<Report> report;    // violated: the few transactions that show it, where some do
};

// Decides a history that goes on, in rounds; keeps only what a transaction still to come can touch.
class Watcher {
 public:
  explicit Watcher(const std::string& level, const Options& options = {})
      : watcher_(detail::given(assay_watcher_new(level.c_str(), detail::plain(options).get()))) {}

  Watcher& admit(const std::string& session) {
    return done(assay_watcher_admit(watcher_.get(), session.c_str()));
  }
  // Only those that were admitted, or have sent something, will send anything.
  Watcher& all_admitted() { return done(assay_watcher_all_admitted(watcher_.get())); }
  Watcher& close(const std::string& session) {
    return done(assay_watcher_close(watcher_.get(), session.c_str()));
  }
  Watcher& add(const History& fragment) { return done(assay_watcher_add(watcher_.get(), fragment.plain())); }
  Round decide() {
    const std::shared_ptr<assay_round> found(detail::given(assay_watcher_decide(watcher_.get())),
                                             assay_round_free);
    Round round{verdict_of(assay_round_verdict(found.get())), assay_round_reason(found.get()),
                assay_round_transactions(found.get()), assay_round_more(found.get()) != 0, std::nullopt};
    if (assay_report* report = assay_round_report(found.get())) {
      round.report.emplace(std::shared_ptr<assay_report>(found, report));
    }
    return round;
  }
  std::uint64_t kept() const { return assay_watcher_kept(watcher_.get()); }
  std::uint64_t waiting() const { return assay_watcher_waiting(watcher_.get()); }

 private:
  struct Free {
    void operator()(assay_watcher* watcher) const { assay_watcher_free(watcher); }
  };
  Watcher& done(int result) {
    detail::done(result);
    return *this;
  }
  std::unique_ptr<assay_watcher, Free> watcher_;
};

}  // namespace assay::api
