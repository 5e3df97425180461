#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "format/assay/packed_block.hpp"
#include "format/assay/packed_column.hpp"
#include "format/assay/packed_layout.hpp"

namespace assay {

using format::ByteCursor;
using format::ColumnReader;
using namespace format::packed;

class PackedCodec::Decoder {
 public:
  explicit Decoder(ByteCursor& in) : in_(in) {}

  History decode() {
    get_counts();
    get_texts();
    get_sessions();
    get_transactions();
    get_keys();
    get_values();
    get_lists();
    get_queries();
    get_elements();
    get_operations();
    get_notes();
    if (in_.remaining() != 0) in_.fail(fmt::format("{} bytes too many in this block", in_.remaining()));
    return std::move(h_);
  }

 private:
  void get_counts() {
    for (std::uint64_t& count : counts_) count = in_.little<std::uint64_t>("the counts of a block");
    if (counts_[kFlags] > kAllFlags) in_.fail(fmt::format("unknown flags {:#x}", counts_[kFlags]));
    for (const Count which : {kSessions, kTransactions, kOperations, kKeys, kVersions, kLists, kQueries,
                              kQueryAtoms, kElements, kTexts, kNotes}) {
      if (counts_[which] > kMost)
        in_.fail(fmt::format("count {} of the block is {}, above 2^31 - 1", +which, counts_[which]));
    }
    if (counts_[kVersions] < counts_[kKeys])
      in_.fail("fewer versions than keys, each of which has an initial one");
    h_.clocks_ = (counts_[kFlags] & kSeveralClocks) != 0 ? Clocks::several : Clocks::one;
  }

  std::size_t count(Count which) const { return static_cast<std::size_t>(counts_[which]); }

  // A column of sizes whose sum is known, as the begins of consecutive runs.
  template <class Number>
  std::vector<Number> get_begins(std::size_t runs, std::uint64_t total, std::string_view what,
                                 std::uint64_t least = 0) {
    std::vector<Number> begin;
    begin.reserve(bounded(runs) + 1);
    begin.push_back(0);
    std::uint64_t sum = 0;
    columns_.get(in_, runs, what, [&](std::size_t, std::uint64_t size) {
      if (size > total - sum || size < least)
        columns_.fail(fmt::format("{} where {} are left in all", size, total - sum));
      sum += size;
      begin.push_back(static_cast<Number>(sum));
    });
    if (sum != total) columns_.fail(fmt::format("their sum is {}, not {}", sum, total));
    return begin;
  }

  // A count, as far as the bytes that are left can hold so many: columns check their own count before they
  // are filled, and nothing is set aside for more than that.
  std::size_t bounded(std::size_t n) const {
    return std::min<std::size_t>(n, in_.remaining() * format::kMaxRatio + format::kRatioAllowance);
  }

  void get_texts() {
    std::vector<std::uint64_t> ends =
        get_begins<std::uint64_t>(count(kTexts), counts_[kTextBytes], "text lengths");
    std::string bytes = columns_.get_bytes(in_, counts_[kTextBytes], "texts");
    h_.texts_ = TextPool::sealed(std::move(bytes), std::move(ends));
    for (std::uint32_t i = 1; i < h_.texts_.size(); ++i) {
      if (!(h_.texts_[i - 1] < h_.texts_[i]))
        columns_.fail(fmt::format("text {} does not come after the one before", i));
    }
    known_json_.resize(h_.texts_.size(), false);
  }

  // "Any other JSON value": what a report prints as it stands must be JSON, and a number or string has its
  // own kind.
  bool other_json(std::uint32_t text) {
    if (known_json_[text]) return true;
    const std::string_view json = h_.texts_[text];
    if (json.empty() || json.front() == '"' || json.front() <= ' ' || json.back() <= ' ') return false;
    const char* const end = json.data() + json.size();
    std::int64_t integer = 0;
    std::uint64_t natural = 0;
    const auto is_whole = [&](std::from_chars_result r) { return r.ec == std::errc() && r.ptr == end; };
    if (is_whole(std::from_chars(json.data(), end, integer)) ||
        is_whole(std::from_chars(json.data(), end, natural))) {
      return false;
    }
    if (!nlohmann::json::accept(json)) return false;
    known_json_[text] = true;
    return true;
  }

  void require_atom(AtomKind kind, std::uint64_t bits) {
    switch (kind) {
      case AtomKind::integer:
        return;
      case AtomKind::natural:
        if (bits <= INT64_MAX) columns_.fail(fmt::format("{} is an integer, not a natural above them", bits));
        return;
      case AtomKind::text:
      case AtomKind::json:
        if (bits >= h_.texts_.size()) columns_.fail(fmt::format("there is no text {}", bits));
        if (kind == AtomKind::json && !other_json(static_cast<std::uint32_t>(bits))) {
          columns_.fail(fmt::format("text {} is not a JSON value of its own kind", bits));
        }
    }
  }

  // Calls sink(i, kind, bits) for each atom.
  template <class Sink>
  void get_atoms(std::size_t n, std::string_view what, Sink sink) {
    std::vector<AtomKind> kinds;  // empty while all are integers
    columns_.get(in_, n, what, [&](std::size_t i, std::uint64_t kind) {
      if (kind >= kAtomKinds) columns_.fail(fmt::format("unknown kind {}", kind));
      if (kind == 0 && kinds.empty()) return;
      if (kinds.empty()) kinds.resize(n, AtomKind::integer);
      kinds[i] = static_cast<AtomKind>(kind);
    });
    columns_.get(in_, n, what, [&](std::size_t i, std::uint64_t bits) {
      const AtomKind kind = kinds.empty() ? AtomKind::integer : kinds[i];
      require_atom(kind, bits);
      sink(i, kind, bits);
    });
  }

  void get_names(AtomColumn& column, std::size_t n, std::string_view what) {
    column.reserve(bounded(n));
    get_atoms(n, what, [&](std::size_t, AtomKind kind, std::uint64_t bits) { column.push_back(kind, bits); });
    column.shrink_to_fit();
  }

  void get_sessions() {
    get_names(h_.session_names_, count(kSessions), "session names");
    std::vector<std::pair<AtomKind, std::uint64_t>> names;
    names.reserve(h_.sessions());
    for (std::size_t s = 0; s < h_.sessions(); ++s)
      names.emplace_back(h_.session_names_.kind(s), h_.session_names_.bits(s));
    std::sort(names.begin(), names.end());
    if (std::adjacent_find(names.begin(), names.end()) != names.end())
      columns_.fail("two sessions have one name");

    h_.session_begin_ =
        get_begins<std::uint32_t>(count(kSessions), counts_[kTransactions], "transactions per session");
  }

  void get_transactions() {
    const std::size_t n = count(kTransactions);
    get_names(h_.txn_names_, n, "transaction names");
    h_.statuses_.reserve(n);  // as many names have been read
    columns_.get(in_, n, "statuses", [&](std::size_t, std::uint64_t status) {
      if (status > static_cast<std::uint64_t>(Status::unknown))
        columns_.fail(fmt::format("unknown status {}", status));
      h_.statuses_.push_back(static_cast<Status>(status));
    });
    if ((counts_[kFlags] & kHasTimes) != 0) {
      for (auto* times : {&h_.starts_, &h_.ends_}) {
        times->reserve(n);
        columns_.get(in_, n, "times", [&](std::size_t, std::uint64_t time) {
          times->push_back(static_cast<std::int64_t>(time));
        });
      }
    }
    h_.op_begin_ = get_begins<std::uint32_t>(n, counts_[kOperations], "operations per transaction");
    h_.txn_sessions_.resize(n);
    for (std::uint32_t s = 0; s < h_.sessions(); ++s) {
      std::fill(h_.txn_sessions_.begin() + h_.session_begin_[s],
                h_.txn_sessions_.begin() + h_.session_begin_[s + 1], s);
    }
  }

  // Keys come in strictly increasing order: that is how a linear pass knows that no two are alike.
  void get_keys() {
    const std::size_t n = count(kKeys);
    h_.key_names_.reserve(bounded(n));
    std::pair<AtomKind, std::uint64_t> before{};
    get_atoms(n, "key names", [&](std::size_t i, AtomKind kind, std::uint64_t bits) {
      const std::pair name{kind, bits};
      if (i > 0 && !(before < name))
        columns_.fail(fmt::format("key {} does not come after the one before", i));
      before = name;
      h_.key_names_.push_back(kind, bits);
    });
    h_.key_names_.shrink_to_fit();
    h_.key_versions_ = Runs(get_begins<std::uint32_t>(n, counts_[kVersions], "versions per key", 1));
  }

  // So do the values of one key. The initial version has none.
  void get_values() {
    const std::size_t written = count(kVersions) - count(kKeys);
    std::uint32_t key = 0, version = 0;
    std::pair<AtomKind, std::uint64_t> before{};
    AtomColumn values;
    values.reserve(bounded(count(kVersions)));
    const auto add_initial = [&] { values.push_back(AtomKind::integer, 0); };
    if (h_.keys() > 0) add_initial();
    get_atoms(written, "values", [&](std::size_t, AtomKind kind, std::uint64_t bits) {
      const std::pair value{kind, bits};
      bool first = version == h_.key_versions_[key];
      for (++version; version == h_.key_versions_[key + std::size_t{1}]; ++version) {
        ++key;
        first = true;
        add_initial();
      }
      if (!first && !(before < value))
        columns_.fail(fmt::format("the value of version {} does not come after the one before", version));
      before = value;
      values.push_back(kind, bits);
    });
    while (values.size() < count(kVersions)) add_initial();
    values.shrink_to_fit();
    h_.values_ = std::move(values);

    initial_.resize(count(kVersions), false);
    for (std::uint32_t k = 0; k < h_.keys(); ++k) initial_[h_.key_versions_[k]] = true;
  }

  void get_lists() {
    h_.lists_.reserve(bounded(count(kLists)));
    columns_.get(in_, count(kLists), "list keys", [&](std::size_t, std::uint64_t key) {
      if (key >= h_.keys()) columns_.fail(fmt::format("there is no key {}", key));
      h_.lists_.push_back({static_cast<std::uint32_t>(key), 0, 0});
    });
    std::uint64_t at = 0;
    columns_.get(in_, count(kLists), "list lengths",
                 [&](std::size_t i, std::uint64_t length) { take_elements(at, length, h_.lists_[i]); });
    list_elements_ = at;
  }

  void get_queries() {
    h_.queries_.reserve(bounded(count(kQueries)));
    std::uint32_t atoms = 0;
    columns_.get(in_, count(kQueries), "query bounds", [&](std::size_t, std::uint64_t has) {
      if (has != kPredicate && (has & ~std::uint64_t{kLow | kHigh}) != 0) {
        columns_.fail(fmt::format("{} is neither a predicate nor a pair of bounds", has));
      }
      const auto next = [&](std::uint32_t which) { return (has & which) != 0 ? atoms++ : History::kNone; };
      History::QuerySpan query{};
      query.predicate = next(kPredicate);
      query.low = next(kLow);
      query.high = next(kHigh);
      h_.queries_.push_back(query);
    });
    if (atoms != counts_[kQueryAtoms])
      columns_.fail(fmt::format("they need {} atoms, there are {}", atoms, counts_[kQueryAtoms]));
    std::uint64_t at = list_elements_;
    columns_.get(in_, count(kQueries), "query result sizes",
                 [&](std::size_t i, std::uint64_t length) { take_elements(at, length, h_.queries_[i]); });
    if (at != counts_[kElements])
      columns_.fail(fmt::format("lists and results have {} elements, the block {}", at, counts_[kElements]));
    get_names(h_.query_atoms_, count(kQueryAtoms), "query atoms");
  }

  template <class Span>
  void take_elements(std::uint64_t& at, std::uint64_t length, Span& span) {
    if (length > counts_[kElements] - at)
      columns_.fail(fmt::format("{} elements where {} are left", length, counts_[kElements] - at));
    span.begin = at;
    span.end = at += length;
  }

  void get_elements() {
    h_.elements_.reserve(bounded(count(kElements)));
    std::size_t list = 0;
    columns_.get(in_, count(kElements), "elements", [&](std::size_t i, std::uint64_t version) {
      // What a query returned may have been there before the first transaction.
      i < list_elements_ ? require_written(version) : require_version(version);
      while (list < h_.lists_.size() && h_.lists_[list].end <= i) ++list;
      if (list < h_.lists_.size() &&
          h_.key_versions_.run_of(static_cast<std::uint32_t>(version)) != h_.lists_[list].key) {
        columns_.fail(fmt::format("element {} is of another key than its list", i));
      }
      h_.elements_.push_back(static_cast<std::uint32_t>(version));
    });
  }

  void require_version(std::uint64_t version) const {
    if (version >= counts_[kVersions]) columns_.fail(fmt::format("there is no version {}", version));
  }
  void require_written(std::uint64_t version) const {
    require_version(version);
    if (initial_[version])
      columns_.fail(fmt::format("version {} is an initial one, which nothing writes", version));
  }

  void get_operations() {
    const std::size_t n = count(kOperations);
    h_.kinds_.reserve(bounded(n));
    columns_.get(in_, n, "operation kinds", [&](std::size_t, std::uint64_t kind) {
      if (kind >= kOpKinds) columns_.fail(fmt::format("unknown kind {}", kind));
      ++h_.kind_counts_[kind];
      h_.kinds_.push_back(static_cast<OpKind>(kind));
    });
    h_.payloads_.reserve(n);  // as many kinds have been read
    columns_.get(in_, n, "operations", [&](std::size_t op, std::uint64_t payload) {
      require_payload(h_.kinds_[op], payload);
      h_.payloads_.push_back(static_cast<std::uint32_t>(payload));
    });
  }

  void require_payload(OpKind kind, std::uint64_t payload) const {
    switch (kind) {
      case OpKind::read:
      case OpKind::erase:
        return require_version(payload);
      case OpKind::write:
      case OpKind::insert:
      case OpKind::append:
        return require_written(payload);
      case OpKind::list_read:
        if (payload >= counts_[kLists]) columns_.fail(fmt::format("there is no list {}", payload));
        return;
      case OpKind::predicate_read:
      case OpKind::range_read:
      case OpKind::rows_read:
        if (payload >= counts_[kQueries]) columns_.fail(fmt::format("there is no query {}", payload));
        if ((h_.queries_[payload].predicate != History::kNone) != (kind == OpKind::predicate_read)) {
          columns_.fail(fmt::format("query {} is of the other kind", payload));
        }
        if (kind == OpKind::rows_read &&
            (h_.queries_[payload].low != History::kNone || h_.queries_[payload].high != History::kNone)) {
          columns_.fail(fmt::format("query {} has bounds and is a read of rows", payload));
        }
    }
  }

  void get_notes() {
    const auto ends = get_begins<std::uint64_t>(count(kNotes), counts_[kNoteBytes], "note lengths");
    const std::string bytes = columns_.get_bytes(in_, counts_[kNoteBytes], "notes");
    for (std::size_t i = 0; i + 1 < ends.size(); ++i)
      h_.notes_.push_back(bytes.substr(ends[i], ends[i + 1] - ends[i]));
  }

  ByteCursor& in_;
  ColumnReader columns_;
  History h_;
  std::array<std::uint64_t, kCounts> counts_{};
  std::vector<bool> initial_;     // by version
  std::vector<bool> known_json_;  // by text
  std::uint64_t list_elements_ = 0;
};

History PackedCodec::decode(ByteCursor& in) {
  return Decoder(in).decode();
}

std::uint64_t PackedCodec::unpacked_bytes(std::string_view block) {
  // Per count, generously: what the columns of History take, and what decoding them takes meanwhile.
  constexpr std::array<std::uint64_t, kCounts> kBytes{0, 64, 64, 16, 32, 16, 32, 32, 16, 4, 16, 1, 64, 1};
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kCounts && (i + 1) * 8 <= block.size(); ++i) {
    const std::uint64_t count = format::load_little<std::uint64_t>(block.data() + i * 8);
    sum += std::min<std::uint64_t>(count, UINT32_MAX) * kBytes[i];
  }
  return sum;
}

void PackedCodec::source(History& history, std::string path, std::string format) {
  history.path_ = std::move(path);
  history.format_ = std::move(format);
}

}  // namespace assay
