#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "format/cobra/cobra.hpp"
#include "format/naturals.hpp"
#include "system/input_error.hpp"
#include "system/output_file.hpp"

namespace assay::format {

namespace {

using namespace cobra;

bool reserved(std::uint64_t id) {
  return id == kInit || id == kNull || id == kDelete || id == kByValue || id == kGarbageCollection[0] ||
         id == kGarbageCollection[1];
}

// How many writes a version has, and the transaction of the last.
struct Writer {
  std::uint32_t writes = 0;
  Txn txn{};
};

class LogWriter {
 public:
  LogWriter(const History& history, const std::filesystem::path& directory)
      : history_(history), directory_(directory), target_{directory.string(), "cobra"} {}

  void write() {
    require_reads_and_writes(history_, target_);
    find_writers();
    choose_transaction_ids();
    choose_write_ids();
    choose_times();
    make_directory();
    const std::vector<std::uint64_t> sessions = session_numbers(history_);
    for (std::uint32_t s = 0; s < history_.sessions(); ++s) {
      system::OutputFile out(directory_ / fmt::format("T{}.log", sessions[s]));
      for (const Txn t : history_.transactions_of(Session{s})) {
        write_transaction(t);
        out.put(bytes_);
        bytes_.clear();
      }
      out.close();
    }
  }

 private:
  void make_directory() const {
    std::error_code error;
    std::filesystem::create_directories(directory_, error);
    if (error) throw InputError(directory_.string(), "", "cannot create the directory: " + error.message());
    for (const auto& entry : std::filesystem::directory_iterator(directory_)) {
      if (!session_digits(entry.path().string())) continue;
      throw InputError(entry.path().string(), "",
                       "the directory already holds a Cobra log, and the two would mix");
    }
  }

  void find_writers() {
    writers_.resize(history_.versions());
    for (const Txn t : history_.all_transactions()) {
      if (history_.status(t) != Status::committed)
        target_.refuse("a transaction that is not known to have committed");
      for (const Op op : history_.operations_of(t)) {
        if (history_.kind(op) != OpKind::write) continue;
        Writer& writer = writers_[index(history_.version(op))];
        ++writer.writes;
        writer.txn = t;
      }
    }
    by_value_ = std::any_of(writers_.begin(), writers_.end(), [](const Writer& w) { return w.writes > 1; });
  }

  // Ids grow inside a session; names that do not, or that mean something else, are replaced.
  void choose_transaction_ids() {
    ids_ = transaction_numbers(history_);
    bool usable = std::none_of(ids_.begin(), ids_.end(), reserved);
    for (const Txn t : history_.all_transactions()) {
      if (history_.position_in_session(t) > 0 && ids_[index(t) - 1] >= ids_[index(t)]) usable = false;
    }
    if (!usable) std::iota(ids_.begin(), ids_.end(), std::uint64_t{1});
  }

  // Write ids are unique in the whole log: the values themselves where no two keys share one, else numbers.
  void choose_write_ids() {
    values_.resize(history_.versions());
    for (std::uint32_t v = 0; v < history_.versions(); ++v) {
      if (!history_.is_initial(Version{v}))
        values_[v] = require_natural(history_.value(Version{v}), "value", target_);
    }
    if (by_value_) return;
    std::vector<std::uint64_t> sorted;
    bool usable = true;
    for (std::uint32_t v = 0; v < history_.versions(); ++v) {
      if (history_.is_initial(Version{v})) continue;
      usable = usable && !reserved(values_[v]);
      sorted.push_back(values_[v]);
    }
    std::sort(sorted.begin(), sorted.end());
    usable = usable && std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
    write_ids_ = values_;
    // Versions are numbered below 2^31, so below every reserved id except one; numbering from 2^32 avoids
    // that one.
    if (!usable) std::iota(write_ids_.begin(), write_ids_.end(), std::uint64_t{1} << 32);
  }

  // The variant with times says milliseconds for every transaction; anything finer or partial is left out.
  void choose_times() {
    constexpr std::int64_t kNanoseconds = 1'000'000;
    with_times_ = history_.has_times();
    for (const Txn t : history_.all_transactions()) {
      for (const auto time : {history_.start(t), history_.end(t)}) {
        if (!time || *time < 0 || *time % kNanoseconds != 0) with_times_ = false;
      }
    }
  }

  void put(std::uint64_t number) {
    for (int shift = 56; shift >= 0; shift -= 8) bytes_ += static_cast<char>(number >> shift & 0xFF);
  }

  void put_mark(char tag, Txn t, std::optional<std::int64_t> time) {
    bytes_ += tag;
    put(ids_[index(t)]);
    if (with_times_) put(static_cast<std::uint64_t>(*time / 1'000'000));
  }

  void write_transaction(Txn t) {
    put_mark('S', t, history_.start(t));
    for (const Op op : history_.operations_of(t)) {
      const Version v = history_.version(op);
      const bool initial = history_.is_initial(v);
      const std::uint64_t write = initial ? kNull : by_value_ ? kByValue : write_ids_[index(v)];
      if (history_.kind(op) == OpKind::write) {
        bytes_ += 'W';
      } else {
        bytes_ += 'R';
        const Writer& writer = writers_[index(v)];
        const std::uint64_t nobody = 0;  // a read of what nobody wrote
        put(initial || by_value_ ? write : writer.writes == 1 ? ids_[index(writer.txn)] : nobody);
      }
      put(write);
      put(require_natural(history_.name(history_.key_of(v)), "key", target_));
      put(initial ? 0 : values_[index(v)]);
    }
    put_mark('C', t, history_.end(t));
  }

  const History& history_;
  const std::filesystem::path directory_;
  const Target target_;
  std::vector<Writer> writers_;                    // by version
  std::vector<std::uint64_t> ids_;                 // by transaction
  std::vector<std::uint64_t> values_, write_ids_;  // by version
  bool by_value_ = false;  // some value is written twice: only VeriStrong's dialect can say that
  bool with_times_ = false;
  std::string bytes_;
};

}  // namespace

void write_cobra(const History& history, const std::filesystem::path& path) {
  LogWriter(history, path).write();
}

}  // namespace assay::format
