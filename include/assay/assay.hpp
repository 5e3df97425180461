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
// a message for a person; beside it there is only std::bad_alloc, and std::length_error past 2^31 operations.
// Different objects may be used by different threads.
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
#include <vector>

namespace assay::api {

std::string_view version();

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A key, a value, or the name of a session or transaction: a 64-bit number or a text. The number 1 and the
// text "1" differ. A text is borrowed only until the call that is given it returns.
class Value {
 public:
  template <std::signed_integral Number>
  Value(Number number)
      : number_(static_cast<std::uint64_t>(static_cast<std::int64_t>(number))), kind_(Kind::integer) {}
  template <std::unsigned_integral Number>
  Value(Number number) : number_(number), kind_(Kind::natural) {}
  Value(std::string_view text) : text_(text), kind_(Kind::text) {}
  Value(const char* text) : Value(std::string_view(text)) {}
  Value(const std::string& text) : Value(std::string_view(text)) {}

  enum class Kind : std::uint8_t { integer, natural, text };
  Kind kind() const { return kind_; }
  std::uint64_t number() const { return number_; }  // two's complement for Kind::integer
  std::string_view text() const { return text_; }

 private:
  std::uint64_t number_ = 0;
  std::string_view text_;
  Kind kind_;
};

// What clients sent and saw; immutable, and cheap to copy.
class History {
 public:
  std::size_t sessions() const;
  std::size_t transactions() const;
  std::size_t operations() const;
  std::size_t keys() const;

  // Writes it in a format of `assay formats`.
  void write(const std::string& path, std::string_view format) const;

  class Data;
  explicit History(std::shared_ptr<const Data> data);  // for the library
  const Data& data() const { return *data_; }

 private:
  std::shared_ptr<const Data> data_;
};

// How to read a file whose format leaves something open.
struct ReadOptions {
  std::optional<std::string> format;          // told by the content if not given
  std::string initial = "auto";               // or "zero", "first-transaction", "none"
  std::string failed_statements = "unknown";  // or "drop"
};

History read(const std::string& path, const ReadOptions& options = {});

// Start and end of a transaction in nanoseconds, for the levels with real time.
struct Times {
  std::optional<std::int64_t> start, end;
};

// Puts a history together, transaction by transaction. Transactions of different sessions may come in any
// order, those of one session in theirs.
class Builder {
 public:
  Builder();
  ~Builder();
  Builder(Builder&&) noexcept;
  Builder& operator=(Builder&&) noexcept;

  Builder& begin(const Value& session, const Value& transaction);

  Builder& read(const Value& key, const Value& value);
  Builder& read_initial(const Value& key);  // the client found nothing written yet
  Builder& write(const Value& key, const Value& value);
  Builder& insert(const Value& key, const Value& value);
  Builder& erase(const Value& key);
  Builder& append(const Value& key, const Value& element);
  Builder& list_read(const Value& key, std::span<const Value> elements);

  Builder& commit(const Times& times = {});
  Builder& abort(const Times& times = {});
  Builder& unknown(const Times& times = {});  // the client never learned

  History finish();  // the builder is empty again

 private:
  class State;
  std::unique_ptr<State> state_;
};

enum class Verdict : std::uint8_t { holds, violated, undecided };

struct Options {
  bool session_order = true;
  std::optional<std::chrono::nanoseconds> clock_drift;  // for the levels with real time
  std::optional<double> timeout_seconds;
  std::optional<std::size_t> memory_bytes;
  unsigned threads = 1;
};

struct Result {
  std::string level;  // its canonical name
  Verdict verdict = Verdict::undecided;
  std::string explanation;  // violated: why, in sentences; undecided: the reason
};

struct Report {
  std::vector<Result> results;           // one per asked level, in the order asked
  std::optional<std::string> strongest;  // of the asked levels that hold
  std::string text;                      // what `assay check` prints
  std::string json;                      // what `assay check --json` prints
};

// Levels by name or alias; see `assay levels`.
Report check(const History& history, const std::vector<std::string>& levels = {"serializable"},
             const Options& options = {});

}  // namespace assay::api
