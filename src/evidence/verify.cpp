// Read this file from top to bottom to know why an accepted certificate is right. It rests on the reading of
// histories (src/format, src/history) and the table of levels (src/level), and on nothing else of Assay.
//
//   1. lines        what a certificate is written in
//   2. queries      what a range or predicate read says, key by key
//   3. facts        what the operations of a history say, whatever the level
//   4. replay       "holds" at prefix and stronger: run the history in the given order
//   5. axioms       "holds" below prefix: evaluate the level's axiom under the given commit order
//   6. proof        "violated": a read that no level allows, or steps that end in a cycle
//   7. verdict
#include "evidence/verify.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "history/digest.hpp"
#include "history/error.hpp"
#include "history/key_order.hpp"
#include "history/predicate.hpp"

namespace assay::evidence {

namespace {

constexpr std::string_view kFirstLine = "assay-certificate 2";
constexpr std::size_t kDeepest = 1000;               // cases inside of cases
constexpr std::uint64_t kMostAnswers = 100'000'000;  // reads that queries come to
constexpr std::uint64_t kMostClocks = std::uint64_t{1} << 33;

// --- 1. lines -------------------------------------------------------------------------------------------

struct Rejected {
  std::string why;
};
void require(bool condition, const char* otherwise) {
  if (!condition) throw Rejected{otherwise};
}

std::uint64_t number_in(std::string_view text) {
  std::uint64_t value = 0;
  const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  require(error == std::errc{} && at == text.data() + text.size(), "a number was expected");
  require(text.size() == 1 || text.front() != '0', "a number with a leading zero");
  return value;
}

std::string hexadecimal(std::uint64_t number) {
  std::string digits(16, '0');
  for (std::size_t i = 16; i-- > 0; number >>= 4) digits[i] = "0123456789abcdef"[number & 15];
  return digits;
}

// Lines of words that are separated by single spaces. A line is read to its end before the next.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  // A certificate that was cut off or changed by accident is refused before anything else; who repairs the
  // sum has to convince the rest of this file.
  void require_whole() {
    require(rest_.ends_with('\n'), "the last line is incomplete");
    const std::size_t begin = rest_.rfind('\n', rest_.size() - 2) + 1;  // npos + 1 == 0
    const std::string_view body = rest_.substr(0, begin);
    std::uint64_t sum = 0xCBF29CE484222325ULL;  // FNV-1a
    for (const char c : body) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
    const auto count = std::count(body.begin(), body.end(), '\n');
    require(rest_.substr(begin) == "end " + std::to_string(count) + " " + hexadecimal(sum) + "\n",
            "the certificate was cut off or changed: its last line is wrong");
    rest_ = body;
  }

  std::size_t number() const { return number_; }
  bool more_lines() const { return !rest_.empty(); }
  // The head of the next line.
  std::string_view peek() const { return rest_.substr(0, rest_.find_first_of(" \n")); }
  std::string_view whole_line() {
    require(!more_, "a word too many");
    require(more_lines(), "a line is missing");
    line_ = rest_.substr(0, rest_.find('\n'));
    rest_.remove_prefix(line_.size() + 1);
    ++number_;
    return line_;
  }
  void next(std::string_view head) {
    if (peek() != head) throw Rejected{"a line \"" + std::string(head) + "\" was expected"};
    whole_line();
    more_ = true;
    word();
  }
  bool more() const { return more_; }
  std::string_view word() {
    require(more_, "a word is missing");
    const std::string_view found = line_.substr(0, line_.find(' '));
    require(!found.empty(), "an empty word");
    more_ = found.size() < line_.size();
    line_.remove_prefix(found.size() + (more_ ? 1 : 0));
    return found;
  }
  std::uint64_t number_word() { return number_in(word()); }
  bool either(std::string_view head, std::string_view yes, std::string_view no) {
    next(head);
    const std::string_view found = word();
    require(found == yes || found == no, "an unknown word");
    return found == yes;
  }
  void end() const { require(!more_ && !more_lines(), "a line or a word too many"); }

 private:
  std::string_view rest_, line_;
  bool more_ = false;  // words in the line
  std::size_t number_ = 0;
};

// --- 2. queries -----------------------------------------------------------------------------------------

// What a read returned: a version; or, numbered behind all versions, a set of versions of which it saw one.
enum class Seen : std::uint32_t {};

// A query is a read of every key that it asked for, all at one moment. Of a returned row it saw that version;
// of any other key it saw the absence of a row or, if it has a predicate, a row that does not match. What is
// not clear (see below) keeps "holds" from being said; a violation only needs sets that are large enough.
class Queries {
 public:
  struct Answer {
    Key key;
    Seen seen;
  };

  // At repeatable read what was not returned says nothing.
  Queries(const History& history, Level level, const std::vector<bool>& is_list)
      : h_(history), misses_count_(level != Level::repeatable_read), is_list_(is_list) {
    if (!h_.has(OpKind::predicate_read) && !h_.has(OpKind::range_read)) return;
    look_at_versions();
    for (const Txn t : h_.all_transactions()) {
      for (const Op op : h_.operations_of(t)) {
        if (h_.kind(op) >= OpKind::predicate_read && h_.status(t) == Status::committed) take(op);
      }
    }
  }

  const std::string& unclear() const { return unclear_; }
  std::span<const Answer> answers(Op query) const {
    const auto at = std::lower_bound(begins_.begin(), begins_.end(), std::pair(query, std::size_t{0}));
    if (at == begins_.end() || at->first != query) return {};
    const std::size_t end = at + 1 == begins_.end() ? answers_.size() : (at + 1)->second;
    return std::span(answers_).subspan(at->second, end - at->second);
  }
  template <class Visit>
  void for_each_version(Seen seen, Visit visit) const {
    if (index(seen) < h_.versions()) return visit(Version{index(seen)});
    for (const Version v : sets_[index(seen) - h_.versions()]) visit(v);
  }
  bool covers(Seen seen, Version written) const {
    if (index(seen) < h_.versions()) return index(seen) == index(written);
    const std::vector<Version>& set = sets_[index(seen) - h_.versions()];
    return std::binary_search(set.begin(), set.end(), written);
  }

 private:
  void unclear(const char* why) {
    unclear_ = std::string("the queries of the history are not clear: ") + why;
  }
  // Numbers, texts and other values do not compare (history/key_order.hpp); here they follow each other.
  static bool less(const Atom& a, const Atom& b) {
    const auto sort = [](AtomKind k) { return k == AtomKind::text ? 1 : k == AtomKind::json ? 2 : 0; };
    return comparable(a, b) ? key_less(a, b) : sort(a.kind) < sort(b.kind);
  }

  // Which versions are rows and which the absence of one, and the keys of registers.
  void look_at_versions() {
    std::vector<bool> used(h_.keys(), false);
    for (std::uint32_t v = 0; v < h_.versions(); ++v) {
      is_row_.push_back(h_.is_initial(Version{v}) && h_.initial_is_row(h_.key_of(Version{v})));
      is_gone_.push_back(h_.is_initial(Version{v}) && !is_row_[v]);
    }
    for (const Txn t : h_.all_transactions()) {
      for (const Op op : h_.operations_of(t)) {
        if (h_.kind(op) < OpKind::predicate_read) continue;
        for (const Version v : h_.query(op).results) {
          used[index(h_.key_of(v))] = true;
          if (!h_.is_initial(v) || h_.status(t) != Status::committed) continue;
          is_row_[index(v)] = true;
          is_gone_[index(v)] = false;
        }
      }
    }
    for (const Op op : IdRange<Op>{0, h_.operations()}) {
      const OpKind kind = h_.kind(op);
      if (kind >= OpKind::list_read) continue;
      used[index(h_.key(op))] = true;
      if (kind == OpKind::write || kind == OpKind::insert) is_row_[index(h_.version(op))] = true;
      if (kind == OpKind::erase) is_gone_[index(h_.version(op))] = true;
    }
    for (std::uint32_t k = 0; k < h_.keys(); ++k) {
      if (is_list_[k] || !(used[k] || h_.initial_is_row(Key{k}))) continue;
      keys_.push_back(Key{k});
      for (const Version v : h_.versions_of(Key{k})) {
        if (is_row_[index(v)] && is_gone_[index(v)]) unclear("a version is a row and the absence of one");
      }
    }
    std::sort(keys_.begin(), keys_.end(), [&](Key a, Key b) { return less(h_.name(a), h_.name(b)); });
  }

  void take(Op op) {
    const Query query = h_.query(op);
    begins_.emplace_back(op, answers_.size());
    std::optional<Predicate> predicate;
    if (query.predicate) predicate = Predicate::parse(*query.predicate);
    if (query.predicate && !predicate) unclear("there is a predicate whose meaning is not known");
    std::map<Key, Version> returned;
    for (const Version v : query.results) {
      if (!returned.emplace(h_.key_of(v), v).second) unclear("one returned a key twice");
    }
    auto at = keys_.begin();
    if (query.low) {
      at = std::partition_point(at, keys_.end(), [&](Key k) { return less(h_.name(k), *query.low); });
    }
    for (; at != keys_.end() && !(query.high && less(*query.high, h_.name(*at))); ++at) {
      const Atom name = h_.name(*at);
      if (!query.predicate && !in_range(name, query.low, query.high)) continue;
      const bool asked = query.predicate ? predicate && predicate->allows_key(name) : true;
      if (const auto row = returned.find(*at); row != returned.end()) {
        if (predicate && !(asked && may_match(*predicate, row->second))) {
          unclear("one returned a row that does not match");
        }
        answers_.push_back({*at, Seen{index(row->second)}});
        returned.erase(row);
      } else if (asked && misses_count_) {
        answers_.push_back({*at, not_returned(*at, predicate ? to_json(*query.predicate) : "", predicate)});
      }
    }
    for (const auto& [k, v] : returned) {
      unclear("one returned a row for which it did not ask");
      if (!is_list_[index(k)]) answers_.push_back({k, Seen{index(v)}});
    }
    if (answers_.size() > kMostAnswers) {
      unclear("they ask for too many keys");
      misses_count_ = false;
    }
  }
  bool may_match(const Predicate& predicate, Version v) const {
    return is_row_[index(v)] && (h_.is_initial(v) || predicate.allows_value(h_.value(v)));
  }
  Seen not_returned(Key k, const std::string& text, const std::optional<Predicate>& predicate) {
    const Seen next{h_.versions() + static_cast<std::uint32_t>(sets_.size())};
    const auto [known, is_new] = not_returned_.try_emplace({text, k}, next);
    if (!is_new) return known->second;
    std::vector<Version> members;
    for (const Version v : h_.versions_of(k)) {
      const bool loaded = h_.is_initial(v) && is_row_[index(v)];
      if (predicate && loaded) unclear("a predicate asks for a value from before the first transaction");
      if (is_gone_[index(v)] || (predicate && (loaded || !may_match(*predicate, v)))) members.push_back(v);
    }
    sets_.push_back(std::move(members));
    return next;
  }

  const History& h_;
  bool misses_count_;
  const std::vector<bool>& is_list_;  // per key
  std::string unclear_;
  std::vector<bool> is_row_, is_gone_;  // per version
  std::vector<Key> keys_;               // of registers, in the order of ranges
  std::vector<Answer> answers_;
  std::vector<std::pair<Op, std::size_t>> begins_;  // where the answers of each query begin
  std::vector<std::vector<Version>> sets_;
  std::map<std::pair<std::string, Key>, Seen> not_returned_;
};

// --- 3. facts -------------------------------------------------------------------------------------------

// A read of one key by a committed transaction.
struct Read {
  Op op;
  Txn reader;
  Key key;
  bool is_list;
  bool after_own;                 // the transaction had written the key itself
  bool fits_own;                  // and the read shows that
  Seen seen;                      // of a register
  std::span<const Version> list;  // of a list: what stands before the transaction's own appends
};

// The begin or the commit of a transaction. Levels that do not tell them apart know only commits.
struct Event {
  Txn txn;
  bool begins;
  bool operator==(const Event&) const = default;
};
constexpr Event kInit{kInitialTxn, false};

// Transactions by what they wrote, each group in increasing order.
class Groups {
 public:
  Groups() = default;
  // `for_each(visit)` calls visit(group, transaction), in order of transactions.
  template <class ForEach>
  Groups(std::size_t groups, ForEach for_each) : begin_(groups + 1, 0) {
    for_each([&](auto group, Txn) { ++begin_[index(group) + 1]; });
    for (std::size_t i = 1; i <= groups; ++i) begin_[i] += begin_[i - 1];
    members_.resize(begin_.back());
    std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
    for_each([&](auto group, Txn t) { members_[next[index(group)]++] = t; });
  }
  template <class Id>
  std::span<const Txn> operator[](Id group) const {
    return {members_.data() + begin_[index(group)], members_.data() + begin_[index(group) + 1]};
  }

 private:
  std::vector<std::uint32_t> begin_;
  std::vector<Txn> members_;
};

class Facts {
 public:
  Facts(const History& history, Level level)
      : h(history), is_list_(h.keys(), false), muddled_(h.keys(), false), own_(h.keys()) {
    if (h.has(OpKind::append) || h.has(OpKind::list_read)) find_lists();
    queries_.emplace(h, level, is_list_);
  }

  const History& h;

  // A list that is a register too, or whose elements do not tell who appended them: proves nothing.
  bool is_muddled(Key k) const { return muddled_[index(k)]; }
  // "Holds" is said of all that the clients saw, or not at all.
  void require_understood() const {
    if (!h.left_out().empty()) throw Rejected{h.left_out()};
    if (!queries_->unclear().empty()) throw Rejected{queries_->unclear()};
    require(std::find(muddled_.begin(), muddled_.end(), true) == muddled_.end(),
            "the elements of a list do not tell who appended them, or it is a register too");
  }

  // The reads of a committed transaction in program order. Valid until the next call.
  const std::vector<Read>& reads_of(Txn t) {
    reads_.clear();
    ++walk_;
    const IdRange<Op> ops = h.operations_of(t);
    if (earlier_.size() < ops.size()) earlier_.resize(ops.size());
    for (std::uint32_t i = 0; i < ops.size(); ++i) {
      const OpKind kind = h.kind(ops[i]);
      if (writes(kind)) {
        Own& own = own_[index(h.key(ops[i]))];
        earlier_[i] = own.walk == walk_ ? own.last : i;
        own = {walk_, i};
      } else if (kind >= OpKind::predicate_read) {
        for (const auto& [k, seen] : queries_->answers(ops[i])) add_register_read(t, ops[i], k, seen);
      } else if (is_list_[index(key(ops[i]))]) {
        add_list_read(t, ops[i]);
      } else {
        add_register_read(t, ops[i], h.key(ops[i]), Seen{index(h.version(ops[i]))});
      }
    }
    return reads_;
  }
  bool covers(Seen seen, Version written) const { return queries_->covers(seen, written); }
  // All that a read of a list returned; reading nothing is reading the empty list.
  std::span<const Version> elements(Op op) const {
    return h.kind(op) == OpKind::list_read ? h.list(op).elements : std::span<const Version>{};
  }

  // visit(t, op, whether it is the transaction's last write of the key), without aborted transactions.
  template <class Visit>
  void for_each_write(Visit visit) const {
    std::vector<std::uint32_t> last(h.keys(), h.transactions());
    for (const Txn t : h.all_transactions()) {
      if (h.status(t) == Status::aborted) continue;
      const IdRange<Op> ops = h.operations_of(t);
      for (std::uint32_t i = ops.size(); i-- > 0;) {
        if (!writes(h.kind(ops[i]))) continue;
        visit(t, ops[i], last[index(h.key(ops[i]))] != index(t));
        last[index(h.key(ops[i]))] = index(t);
      }
    }
  }
  bool writes_key(Txn t, Key k) const {
    for (const Op op : h.operations_of(t)) {
      if (writes(h.kind(op)) && h.key(op) == k) return true;
    }
    return false;
  }
  // What follows asks who wrote what.
  void find_writers() {
    writers_ = Groups(h.versions(), [&](auto visit) {
      for_each_write([&](Txn t, Op op, bool is_last) {
        if (is_last || h.kind(op) == OpKind::append) visit(h.version(op), t);
      });
    });
  }
  // The transactions that did not abort and whose last write of its key is this version; for an element of a
  // list, that appended it.
  std::span<const Txn> writers(Version v) const { return writers_[v]; }
  // Whoever can have written what a read of a register saw, kInitialTxn for the initial state.
  template <class Visit>
  void for_each_candidate(const Read& read, Visit visit) const {
    queries_->for_each_version(read.seen, [&](Version v) {
      if (h.is_initial(v)) visit(kInitialTxn);
      for (const Txn t : writers(v)) {
        if (t != read.reader) visit(t);
      }
    });
  }
  // Whether a list shows something else than, transaction by transaction, all that others appended, once.
  bool is_torn(const Read& read) const {
    std::set<Txn> done;
    for (auto at = read.list.begin(); at != read.list.end();) {
      const auto by = writers(*at);
      if (by.empty() || by[0] == read.reader || !done.insert(by[0]).second) return true;
      for (const Op op : h.operations_of(by[0])) {
        if (h.kind(op) != OpKind::append || h.key(op) != read.key) continue;
        if (at == read.list.end() || *at != h.version(op)) return true;
        ++at;
      }
    }
    return false;
  }

  // --- what words speak of ---

  Txn transaction(std::string_view word) const {
    const std::uint64_t number = number_in(word);
    require(number < h.transactions(), "there is no such transaction");
    return Txn{static_cast<std::uint32_t>(number)};
  }
  Txn writer(std::string_view word) const { return word == "init" ? kInitialTxn : transaction(word); }
  Event event(std::string_view word) const {
    if (word == "init") return kInit;
    require(word.size() > 1 && (word[0] == 'b' || word[0] == 'c'), "an event was expected");
    return {transaction(word.substr(1)), word[0] == 'b'};
  }
  Key key(std::uint64_t number) const {
    require(number < h.keys(), "there is no such key");
    return Key{static_cast<std::uint32_t>(number)};
  }
  // "7.2" is the third operation of transaction 7; of a query "7.2/5" is what it says of key 5.
  Read read(std::string_view word) {
    const std::size_t dot = word.find('.'), slash = word.find('/');
    require(dot < slash, "an operation was expected");
    const Txn t = transaction(word.substr(0, dot));
    const std::uint64_t place = number_in(word.substr(dot + 1, slash - dot - 1));
    require(place < h.operations_of(t).size(), "there is no such operation");
    require_of(h.status(t) == Status::committed, t, "did not commit: its reads are no evidence");
    const Op op = h.operations_of(t)[static_cast<std::uint32_t>(place)];
    std::optional<Key> of;
    if (slash != std::string_view::npos) of = key(number_in(word.substr(slash + 1)));
    require(of.has_value() == (h.kind(op) >= OpKind::predicate_read),
            "a query, and only that, is of several keys");
    for (const Read& r : reads_of(t)) {
      if (r.op == op && (!of || r.key == *of)) return r;
    }
    throw Rejected{"that is no read, or it says nothing of that key"};
  }
  void require_of(bool condition, Txn t, const char* otherwise) const {
    if (condition) return;
    throw Rejected{"transaction " + to_string(h.name(t)) + " of session " +
                   to_string(h.name(h.session_of(t))) + " " + otherwise};
  }
  void require_of(bool condition, Txn reader, Key k, const char* otherwise) const {
    if (condition) return;
    require_of(false, reader, ("has a read of key " + to_string(h.name(k)) + " that " + otherwise).c_str());
  }

 private:
  Key key(Op op) const { return h.kind(op) == OpKind::list_read ? h.list(op).key : h.key(op); }

  void find_lists() {
    for (const Op op : IdRange<Op>{0, h.operations()}) {
      if (h.kind(op) == OpKind::append || h.kind(op) == OpKind::list_read) is_list_[index(key(op))] = true;
    }
    std::vector<bool> appended(h.versions(), false);
    for (const Txn t : h.all_transactions()) {
      for (const Op op : h.operations_of(t)) {
        if (h.kind(op) >= OpKind::list_read || !is_list_[index(h.key(op))]) continue;
        const Version v = h.version(op);
        if (h.kind(op) == OpKind::append) {
          const bool counts = h.status(t) != Status::aborted;
          if (counts && appended[index(v)]) muddled_[index(h.key(op))] = true;
          if (counts) appended[index(v)] = true;
        } else if (h.kind(op) != OpKind::read || !h.is_initial(v)) {  // nothing is the empty list
          muddled_[index(h.key(op))] = true;
        }
      }
    }
  }

  void add_register_read(Txn t, Op op, Key k, Seen seen) {
    const Own& own = own_[index(k)];
    const bool wrote = own.walk == walk_;
    const bool fits = !wrote || covers(seen, h.version(h.operations_of(t)[own.last]));
    reads_.push_back({op, t, k, false, wrote, fits, seen, {}});
  }
  void add_list_read(Txn t, Op op) {
    const Own& own = own_[index(key(op))];
    const bool wrote = own.walk == walk_;
    std::span<const Version> others = elements(op);
    bool fits = true;
    for (std::uint32_t i = own.last, more = wrote; more && fits; i = earlier_[i]) {
      fits = !others.empty() && others.back() == h.version(h.operations_of(t)[i]);
      if (fits) others = others.first(others.size() - 1);
      more = earlier_[i] != i;
    }
    reads_.push_back({op, t, key(op), true, wrote, fits, {}, others});
  }

  struct Own {
    std::uint64_t walk = 0;  // what follows is of this walk
    std::uint32_t last = 0;  // where the transaction last wrote the key
  };

  std::vector<bool> is_list_, muddled_;  // per key
  std::optional<Queries> queries_;
  std::vector<Own> own_;                // per key
  std::vector<std::uint32_t> earlier_;  // per write of the walk: the one of the same key before, or itself
  std::uint64_t walk_ = 0;
  std::vector<Read> reads_;
  Groups writers_;
};

// Whether one transaction ended before another started, by more than the clocks may disagree. One of unknown
// fate ended, for its client, when that gave up: nobody knows when it took effect.
bool ended_before(const History& h, Txn first, Txn second, std::chrono::nanoseconds drift) {
  const auto end = h.status(first) == Status::committed ? h.end(first) : std::nullopt;
  const auto start = h.start(second);
  if (!end || !start || *end >= *start) return false;
  const std::uint64_t apart = static_cast<std::uint64_t>(*start) - static_cast<std::uint64_t>(*end);
  return apart > static_cast<std::uint64_t>(drift.count());
}

// --- 4. replay ------------------------------------------------------------------------------------------

// Runs the events one after the other. Serializable: one commit each, where the whole transaction happens.
// Prefix, snapshot isolation: reads happen at the begin, writes at the commit; for snapshot isolation no two
// writers of a key overlap. By the definitions of the levels an order that runs is all that "holds" asks for.
class Replay {
 public:
  Replay(Facts& facts, const Verification& claim)
      : facts_(facts),
        h_(facts.h),
        claim_(claim),
        one_event_(implies(claim.level, Level::serializable)),
        exclusive_(!one_event_ && implies(claim.level, Level::snapshot_isolation)),
        real_time_(info(claim.level).real_time),
        progress_(h_.transactions(), Progress::waiting),
        last_of_session_(h_.sessions(), kInitialTxn),
        lists_(h_.has(OpKind::append) || h_.has(OpKind::list_read) ? h_.keys() : 0),
        locked_(exclusive_ ? h_.keys() : 0, false) {
    require(!real_time_ || h_.has_times(), "the history has no times");
    for (std::uint32_t k = 0; k < h_.keys(); ++k) registers_.push_back(h_.initial_version(Key{k}));
  }

  void add(const Event& event) {
    const Txn t = event.txn;
    const bool begins = one_event_ || event.begins;
    facts_.require_of(h_.status(t) != Status::aborted, t, "aborted but is in the order");
    facts_.require_of(progress_[index(t)] == (begins ? Progress::waiting : Progress::running) &&
                          !(one_event_ && event.begins),
                      t, "begins or commits where it cannot");
    if (begins) begin(t);
    if (!event.begins) commit(t);
    progress_[index(t)] = event.begins ? Progress::running : Progress::done;
  }
  void finish() {
    for (const Txn t : h_.all_transactions()) {
      const bool needed = h_.status(t) == Status::committed || progress_[index(t)] == Progress::running;
      facts_.require_of(!needed || progress_[index(t)] == Progress::done, t, "does not commit in the order");
    }
  }

 private:
  enum class Progress : std::uint8_t { waiting, running, done };

  void begin(Txn t) {
    if (claim_.keep_sessions) {  // transactions are numbered in session order
      Txn& last = last_of_session_[index(h_.session_of(t))];
      facts_.require_of(last == kInitialTxn || (last < t && progress_[index(last)] == Progress::done), t,
                        "is not after the one before it in its session");
      last = t;
    }
    if (real_time_ && h_.start(t) && (latest_ == kInitialTxn || *h_.start(latest_) < *h_.start(t)))
      latest_ = t;
    if (h_.status(t) == Status::committed) {
      for (const Read& read : facts_.reads_of(t)) {
        facts_.require_of(read.fits_own, t, read.key, "does not see the transaction's own write");
        facts_.require_of(sees_what_is_there(read), t, read.key, "does not see what was there");
      }
    }
    if (!exclusive_) return;
    for (const Op op : h_.operations_of(t)) {
      facts_.require_of(!writes(h_.kind(op)) || !locked_[index(h_.key(op))], t,
                        "overlaps a writer of its keys");
    }
    lock(t, true);
  }
  void lock(Txn t, bool locked) {
    for (const Op op : h_.operations_of(t)) {
      if (writes(h_.kind(op))) locked_[index(h_.key(op))] = locked;
    }
  }
  bool sees_what_is_there(const Read& read) const {
    if (!read.is_list) return read.after_own || facts_.covers(read.seen, registers_[index(read.key)]);
    const std::vector<Version>& list = lists_[index(read.key)];
    return std::equal(list.begin(), list.end(), read.list.begin(), read.list.end());
  }

  void commit(Txn t) {
    if (!one_event_ && !lists_.empty() && h_.status(t) == Status::committed) {
      // What a transaction appends comes to stand where it saw it: right behind what it had read.
      for (const Read& read : facts_.reads_of(t)) {
        facts_.require_of(!read.is_list || !read.after_own || sees_what_is_there(read), t, read.key,
                          "shows its own appends where they did not come to stand");
      }
    }
    // Of all that began before, who started last is the first to be too late.
    facts_.require_of(
        !real_time_ || latest_ == kInitialTxn || !ended_before(h_, t, latest_, claim_.clock_drift), t,
        "ended before one started that began before it in the order");
    for (const Op op : h_.operations_of(t)) {
      if (h_.kind(op) == OpKind::append) {
        lists_[index(h_.key(op))].push_back(h_.version(op));
      } else if (writes(h_.kind(op))) {
        registers_[index(h_.key(op))] = h_.version(op);
      }
    }
    if (exclusive_) lock(t, false);
  }

  Facts& facts_;
  const History& h_;
  const Verification& claim_;
  bool one_event_, exclusive_, real_time_;
  std::vector<Progress> progress_;
  std::vector<Txn> last_of_session_;  // the last that began
  std::vector<Version> registers_;    // per key: what is there
  std::vector<std::vector<Version>> lists_;
  std::vector<bool> locked_;  // per key: a writer of it is running
  Txn latest_ = kInitialTxn;  // of those that began, who started last by its clock
};

// --- 5. axioms ------------------------------------------------------------------------------------------

// The levels below prefix say of a total commit order co that contains session order and reads-from:
//
//   t reads x from t1,  t2 writes x,  t1 != t2,  t2 is visible to that read   =>   t2 before t1 in co
//
// where each has its own notion of visible. A read saw whom the certificate names, or else the latest before
// it in co that can have written what it returned: whatever was chosen, what remains is to look at every
// instance. Repeatable read has no commit order; of the given one only the set of transactions counts.
//
// By which paths of session order (s) and reads-from (r) from t2 to t:
bool makes_visible(Level level, std::string_view path) {
  switch (level) {
    case Level::read_committed:         // only if t had read t2 before that read
    case Level::monotonic_atomic_view:  // the same
    case Level::repeatable_read:        // only if t read the same key from t2
      return path == "r";
    case Level::read_atomic:
      return path == "r" || path == "s";
    case Level::read_your_writes:
      return path == "s";
    case Level::monotonic_reads:
      return path == "rs";
    case Level::monotonic_writes:
      return path == "sr";
    case Level::writes_follow_reads:
      return path == "rr" || path == "rsr";
    default:
      return level == Level::causal && path.find_first_not_of("sr") == std::string_view::npos;
  }
}

class CommitOrder {
 public:
  CommitOrder(Facts& facts, const Verification& claim)
      : facts_(facts),
        h_(facts.h),
        level_(claim.level),
        has_order_(level_ != Level::repeatable_read),
        keep_sessions_(claim.keep_sessions && has_order_),
        position_(h_.transactions(), kNotThere) {}

  void saw(const Read& read, Txn writer) {
    require(saw_.emplace(std::pair(read.op, read.key), writer).second, "said twice");
  }
  void add(const Event& event) {
    const Txn t = event.txn;
    facts_.require_of(h_.status(t) != Status::aborted, t, "aborted but is in the order");
    facts_.require_of(!event.begins && !is_there(t), t, "is not in the order once, with its commit");
    position_[index(t)] = static_cast<std::uint32_t>(order_.size());
    order_.push_back(t);
  }
  void finish() {
    Txn last = kInitialTxn;
    for (const Txn t : h_.all_transactions()) {
      facts_.require_of(is_there(t) || h_.status(t) != Status::committed, t, "does not commit in the order");
      if (!is_there(t)) continue;
      const bool follows = keep_sessions_ && last != kInitialTxn && h_.session_of(last) == h_.session_of(t);
      facts_.require_of(!follows || before(last, t), t, "is not after the one before it in its session");
      last = t;
    }
    writers_ = Groups(h_.keys(), [&](auto visit) {
      facts_.for_each_write([&](Txn t, Op op, bool is_last) {
        if (is_last && is_there(t)) visit(h_.key(op), t);
      });
    });
    build_lists();
    find_sources();
    if (level_ == Level::causal) return check_causal();
    if (level_ == Level::monotonic_reads || level_ == Level::writes_follow_reads) find_what_sessions_saw();
    for (const Txn t : order_) {
      for (std::size_t i = 0; i < reads(t).size(); ++i) check_read(t, i);
    }
  }

 private:
  static constexpr std::uint32_t kNotThere = 0xFFFFFFFFU;
  struct Source {
    Key key;
    Txn writer;
    Op op;  // reads of one query are one operation
  };

  bool is_there(Txn t) const { return position_[index(t)] != kNotThere; }
  bool before(Txn a, Txn b) const {
    if (a == b || b == kInitialTxn) return false;
    return a == kInitialTxn || position_[index(a)] < position_[index(b)];
  }
  std::span<const Source> reads(Txn t) const {
    return {sources_.data() + begin_[index(t)], sources_.data() + begin_[index(t) + 1]};
  }
  // Session order lives in chains: sessions or, where it is ignored, single transactions.
  std::uint32_t chains() const { return keep_sessions_ ? h_.sessions() : h_.transactions(); }
  std::uint32_t chain(Txn t) const { return keep_sessions_ ? index(h_.session_of(t)) : index(t); }

  // Each list as the commits made it. Without commit order a list has some order of its own, and the longest
  // read shows as much of it as anybody saw.
  void build_lists() {
    if (!h_.has(OpKind::append) && !h_.has(OpKind::list_read)) return;
    lists_.resize(h_.keys());
    for (const Txn t : order_) {
      for (const Op op : h_.operations_of(t)) {
        if (has_order_ && h_.kind(op) == OpKind::append) lists_[index(h_.key(op))].push_back(h_.version(op));
        if (has_order_ || h_.kind(op) != OpKind::list_read || h_.status(t) != Status::committed) continue;
        const auto [key, elements] = h_.list(op);
        if (elements.size() > lists_[index(key)].size())
          lists_[index(key)].assign(elements.begin(), elements.end());
      }
    }
  }

  void find_sources() {
    for (const Txn t : h_.all_transactions()) {
      if (h_.status(t) == Status::committed) {
        for (const Read& read : facts_.reads_of(t)) {
          facts_.require_of(read.fits_own, t, read.key, "does not see the transaction's own write");
          if (!read.is_list && read.after_own) continue;
          const auto writer = read.is_list ? source_of_list(read) : source_of_register(read);
          facts_.require_of(writer.has_value(), t, read.key, "sees what was not there before");
          sources_.push_back({read.key, *writer, read.op});
        }
      }
      begin_.push_back(sources_.size());
    }
  }
  std::optional<Txn> source_of_register(const Read& read) const {
    const auto named = saw_.find({read.op, read.key});
    std::optional<Txn> best;
    facts_.for_each_candidate(read, [&](Txn w) {
      if (w != kInitialTxn && (!is_there(w) || (has_order_ && !before(w, read.reader)))) return;
      if (named != saw_.end() ? w == named->second : !best || before(*best, w)) best = w;
    });
    return best;
  }
  // A list is read from whoever appended its last element, shows whole transactions, and own appends stand
  // right behind.
  std::optional<Txn> source_of_list(const Read& read) const {
    const std::vector<Version>& list = lists_[index(read.key)];
    const std::span<const Version> shown = facts_.elements(read.op);
    const auto by = [&](Version v) { return facts_.writers(v)[0]; };
    if (shown.size() > list.size() || !std::equal(shown.begin(), shown.end(), list.begin())) return {};
    const std::size_t size = read.list.size();
    if (has_order_) {
      const Txn source = size == 0 ? kInitialTxn : by(list[size - 1]);
      const bool is_whole = size == 0 || size == list.size() || by(list[size]) != source;
      return is_whole && before(source, read.reader) ? std::optional(source) : std::nullopt;
    }
    if (facts_.is_torn(read)) return {};
    for (const Version v : read.list) {
      if (!is_there(by(v))) return {};
    }
    return size == 0 ? kInitialTxn : by(read.list.back());
  }

  // The axiom for the i-th read of t.
  void check_read(Txn t, std::size_t i) const {
    const Source& read = reads(t)[i];
    const bool one_by_one = level_ == Level::read_committed || level_ == Level::monotonic_atomic_view;
    if (level_ == Level::repeatable_read) {  // reads of one key by one transaction saw the same
      for (const Source& other : reads(t).first(i)) {
        facts_.require_of(other.key != read.key || other.writer == read.writer, t, read.key,
                          "cannot be repeated");
      }
      return;
    }
    if (makes_visible(level_, "s")) require_before(earlier_in_session(t, read.key), t, read);
    if (makes_visible(level_, "rs")) require_before(seen_before(t, t, read.key), t, read);
    // ... r: through whom the transaction read (by an earlier operation, where these are told apart).
    for (const Source& other : reads(t).first(one_by_one ? i : reads(t).size())) {
      const Txn w = other.writer;
      if (w == kInitialTxn || (one_by_one && other.op == read.op)) continue;
      if (makes_visible(level_, "r") && writes_key(w, read.key)) require_before(w, t, read);
      if (makes_visible(level_, "sr")) require_before(earlier_in_session(w, read.key), t, read);
      if (makes_visible(level_, "rsr")) require_before(seen_before(w, Txn{index(w) + 1}, read.key), t, read);
    }
  }
  bool writes_key(Txn t, Key k) const {
    return std::binary_search(writers_[k].begin(), writers_[k].end(), t);
  }
  // kInitialTxn: nobody is visible.
  void require_before(Txn visible, Txn t, const Source& read) const {
    facts_.require_of(visible == kInitialTxn || visible == read.writer || before(visible, read.writer), t,
                      read.key, "does not see what the level lets it see");
  }
  // The last writer of a key before t in its session, which is the last in co as well.
  Txn earlier_in_session(Txn t, Key k) const {
    const auto all = writers_[k];
    const auto after = std::lower_bound(all.begin(), all.end(), t);
    return after == all.begin() || chain(*(after - 1)) != chain(t) ? kInitialTxn : *(after - 1);
  }

  // Per chain, key and transaction: the latest writer of the key that the chain had read by then.
  void find_what_sessions_saw() {
    for (const Txn t : order_) {
      for (const Source& read : reads(t)) {
        if (read.writer == kInitialTxn) continue;
        for (const Op op : h_.operations_of(read.writer)) {
          if (writes(h_.kind(op))) knowledge_.emplace_back(chain(t), h_.key(op), t, read.writer);
        }
      }
    }
    std::sort(knowledge_.begin(), knowledge_.end());
    for (std::size_t i = 1; i < knowledge_.size(); ++i) {
      const auto& [last_chain, last_key, last_reader, latest] = knowledge_[i - 1];
      auto& [next_chain, next_key, reader, writer] = knowledge_[i];
      if (last_chain == next_chain && last_key == next_key && before(writer, latest)) writer = latest;
    }
  }
  // What the chain of t knows of a key by what those before `end` read.
  Txn seen_before(Txn t, Txn end, Key k) const {
    const auto after =
        std::partition_point(knowledge_.begin(), knowledge_.end(), [&](const Knowledge& known) {
          return std::tie(std::get<0>(known), std::get<1>(known), std::get<2>(known)) <
                 std::tuple(chain(t), k, end);
        });
    if (after == knowledge_.begin()) return kInitialTxn;
    const auto& [of_chain, of_key, reader, writer] = *(after - 1);
    return of_chain == chain(t) && of_key == k ? writer : kInitialTxn;
  }

  // Visible is from whom a path of session order and reads-from leads to the reader. That past is a start of
  // every chain, known by the number of the first transaction that is not in it; some chains at a time, so
  // that memory stays linear.
  void check_causal() {
    constexpr std::uint32_t kAtATime = 16;
    require(std::uint64_t{chains()} * h_.transactions() <= kMostClocks,
            "the history is too large to confirm causal consistency");
    std::vector<std::array<std::uint32_t, kAtATime>> pasts(h_.transactions());
    for (std::uint32_t first = 0; first < chains(); first += kAtATime) {
      std::vector<Txn> last_of_chain(chains(), kInitialTxn);
      for (const Txn t : order_) {
        auto& past = pasts[index(t)];
        past.fill(0);
        const auto include = [&](Txn other) {
          if (other == kInitialTxn) return;
          for (std::uint32_t c = 0; c < kAtATime; ++c) past[c] = std::max(past[c], pasts[index(other)][c]);
          const std::uint32_t c = chain(other) - first;  // huge if below
          if (c < kAtATime) past[c] = std::max(past[c], index(other) + 1);
        };
        include(std::exchange(last_of_chain[chain(t)], t));
        for (const Source& read : reads(t)) include(read.writer);
        for (const Source& read : reads(t)) {
          const auto all = writers_[read.key];
          const auto chain_less = [&](Txn w, std::uint32_t c) { return chain(w) < c; };
          auto at = std::lower_bound(all.begin(), all.end(), first, chain_less);
          // Of each chain only the last writer in the past matters: co contains session order.
          while (at != all.end() && chain(*at) - first < kAtATime) {
            const auto end = std::lower_bound(at, all.end(), chain(*at) + 1, chain_less);
            const auto unseen = std::lower_bound(at, end, Txn{past[chain(*at) - first]});
            if (unseen != at) require_before(*(unseen - 1), t, read);
            at = end;
          }
        }
      }
    }
  }

  using Knowledge = std::tuple<std::uint32_t, Key, Txn, Txn>;  // chain, key, reader, writer

  Facts& facts_;
  const History& h_;
  Level level_;
  bool has_order_, keep_sessions_;
  std::map<std::pair<Op, Key>, Txn> saw_;
  std::vector<Txn> order_;
  std::vector<std::uint32_t> position_;
  Groups writers_;  // of keys
  std::vector<std::vector<Version>> lists_;
  std::vector<Source> sources_;        // per read that others answered
  std::vector<std::size_t> begin_{0};  // per transaction, in sources_
  std::vector<Knowledge> knowledge_;
};

// --- 6. proof -------------------------------------------------------------------------------------------

// Each step says that one event comes before another in every order that could prove "holds"; so a cycle
// says that there is none.
class Proof {
 public:
  Proof(Facts& facts, const Verification& claim, Lines& lines)
      : facts_(facts),
        h_(facts.h),
        claim_(claim),
        in_(lines),
        strong_(implies(claim.level, Level::prefix)),
        two_events_(strong_ && !implies(claim.level, Level::serializable)),
        exclusive_(two_events_ && implies(claim.level, Level::snapshot_isolation)),
        counts_(h_.transactions(), false) {
    bool all_known = true;
    for (const Txn t : h_.all_transactions()) {
      counts_[index(t)] = h_.status(t) == Status::committed;
      all_known = all_known && h_.status(t) != Status::unknown;
    }
    if (!all_known) find_who_else_counts();
  }

  void check() {
    if (in_.peek() == "bad-read") {
      check_bad_read();
    } else {
      check_derivation(0);
    }
  }

 private:
  // A read that no level allows.
  void check_bad_read() {
    in_.next("bad-read");
    const Read read = facts_.read(in_.word());
    require(!facts_.is_muddled(read.key), "the elements of that list do not tell who appended them");
    if (in_.more()) {
      // Lists only grow, at their ends: of two reads of a list one continues the other.
      const Read other = facts_.read(in_.word());
      require(read.is_list && other.is_list && read.key == other.key, "not two reads of one list");
      const std::span<const Version> a = facts_.elements(read.op), b = facts_.elements(other.op);
      const auto shared = static_cast<std::ptrdiff_t>(std::min(a.size(), b.size()));
      require(!std::equal(a.begin(), a.begin() + shared, b.begin()), "one list continues the other");
    } else if (read.fits_own) {  // else it does not show what its own transaction had written
      // Nobody who did not abort left that for others to see.
      require(read.is_list ? facts_.is_torn(read) : !read.after_own && candidates(read).empty(),
              "there is nothing wrong with that read");
    }
  }

  struct Step {
    Event from, to;
    char kind;  // p: program, s: session, r: a read, a: an axiom, o: other
    Op op{};    // of the read
    Key key{};
  };
  struct Assumption {
    Read read;
    Txn writer;
  };

  // Steps, then a cycle or an exhaustive split into cases that each end in a cycle. What is derived before a
  // split can be used in all of its cases.
  void check_derivation(std::size_t depth) {
    require(depth <= kDeepest, "too many cases inside of cases");
    const std::size_t steps = steps_.size();
    while (in_.peek() == "step") check_step();
    if (in_.peek() == "split-order") {
      split_order(depth);
    } else if (in_.peek() == "split-read") {
      split_read(depth);
    } else {
      in_.next("cycle");
      const Path cycle = path();
      require(cycle.from == cycle.to, "the steps do not end where they began");
      // Repeatable read knows no order of transactions that could be violated; but there an axiom by itself
      // says that one transaction saw two versions of a key.
      require(claim_.level != Level::repeatable_read || cycle.kinds.find('a') != std::string::npos,
              "repeatable read orders no transactions");
    }
    steps_.resize(steps);
  }

  // The steps that the rest of the line names follow each other.
  struct Path {
    Event from, to;
    std::string kinds;
    Step first;
  };
  Path path() {
    std::optional<Path> path;
    do {
      const std::uint64_t number = in_.number_word();
      require(number < steps_.size(), "a step that is not there");
      const Step& step = steps_[static_cast<std::size_t>(number)];
      if (!path) path = Path{step.from, step.from, "", step};
      require(step.from == path->to, "the steps do not follow each other");
      path->to = step.to;
      path->kinds += step.kind;
    } while (in_.more());
    return *path;
  }

  // Two writers of a key commit one after the other.
  void split_order(std::size_t depth) {
    in_.next("split-order");
    const Key k = facts_.key(in_.number_word());
    const Txn a = facts_.transaction(in_.word()), b = facts_.transaction(in_.word());
    require(strong_, "the level says nothing about the order of two writers");
    require(a != b && counts(a) && counts(b) && both_write(a, b, k), "not two writers of the key");
    for (const auto& [first, second] : {std::pair{a, b}, std::pair{b, a}}) {
      next_case();
      require(facts_.transaction(in_.word()) == first && facts_.transaction(in_.word()) == second,
              "the cases are others");
      check_case({commit(first), overwrite(second), 'o'}, depth);
    }
    in_.next("qed");
  }
  // A read saw one of those who can have written what it returned.
  void split_read(std::size_t depth) {
    in_.next("split-read");
    const Read read = facts_.read(in_.word());
    require(!read.is_list && !read.after_own, "that is no read of what others wrote to a register");
    std::vector<Txn> open = candidates(read);
    while (in_.peek() == "case") {
      next_case();
      const Txn writer = facts_.writer(in_.word());
      require(std::erase(open, writer) == 1, "the read cannot have seen that, or the case was there before");
      assumptions_.push_back({read, writer});
      check_case({commit(writer), begin(read.reader), 'r', read.op, read.key}, depth);
      assumptions_.pop_back();
    }
    require(open.empty(), "the cases are not all");
    in_.next("qed");
  }
  void next_case() {
    in_.next("case");
    require(in_.number_word() == steps_.size(), "a wrong number");
  }
  void check_case(const Step& assumed, std::size_t depth) {
    steps_.push_back(assumed);
    check_derivation(depth + 1);
    steps_.pop_back();
  }

  static Event commit(Txn t) { return {t, false}; }
  Event begin(Txn t) const { return {t, two_events_ && t != kInitialTxn}; }
  // Where the writes of t come after those of an earlier writer of the same key.
  Event overwrite(Txn t) const { return exclusive_ ? begin(t) : commit(t); }

  enum class At : std::uint8_t { init, begin, commit, overwrite, either, commit_or_init };
  bool is_at(const Event& e, At at) const {
    if (e == kInit) return at == At::init || at == At::commit_or_init;
    const bool begins = e == begin(e.txn), commits = e == commit(e.txn);
    if (at == At::begin) return begins;
    if (at == At::overwrite) return e == overwrite(e.txn);
    return at == At::either ? begins || commits : at != At::init && commits;
  }

  // What a line "step" says: from a to b by a rule, with what the rule names.
  Step step_;
  Txn a_{}, b_{};
  Key key_{};
  Read read_{};
  Path path_{};

  struct Rule {
    std::string_view name;
    bool applies;  // at the level
    At from, to;
    char kind;
    std::string_view names;  // k: a key, r: a read, p: a path of premises
    std::function<bool()> follows;
  };
  std::vector<Rule> rules() {
    return {
        // The initial state comes before everything.
        {"start", true, At::init, At::either, 'o', "", [] { return true; }},
        // A transaction begins before it commits.
        {"program", two_events_, At::begin, At::commit, 'p', "", [this] { return a_ == b_; }},
        // A transaction ends before the next of its session begins.
        {"session", claim_.keep_sessions, At::either, At::either, 's', "",
         [this] { return a_ < b_ && h_.session_of(a_) == h_.session_of(b_); }},
        // What ended before another started is before it.
        {"real-time", info(claim_.level).real_time, At::commit, At::begin, 'o', "",
         [this] { return ended_before(h_, a_, b_, claim_.clock_drift); }},
        // What b saw was there.
        {"reads-from", true, At::commit, At::begin, 'r', "r",
         [this] { return read_.reader == b_ && saw(read_, a_, a_); }},
        // a read the initial version of a key, so it comes before everybody who writes it.
        {"initial", strong_, At::begin, At::commit, 'o', "r",
         [this] { return read_.reader == a_ && missed(read_, kInitialTxn, b_); }},
        // A list grows at its end: what stands first was appended first, what does not stand there later.
        {"version-order", true, At::commit, At::overwrite, 'o', "r",
         [this] { return shows_order(read_, a_, b_); }},
        // a writes the key and comes before the reader, who yet read it from b: a comes before b.
        {"overwritten", strong_, At::commit, At::overwrite, 'o', "rp",
         [this] { return leads(step_.from, begin(read_.reader)) && missed(read_, b_, a_); }},
        // a read the key from somebody who comes before b, and b writes it: a had not seen b. At snapshot
        // isolation writers do not overlap, so it is enough that this somebody began before b committed.
        {"anti-dependency", strong_, At::begin, At::commit, 'o', "rp",
         [this] {
           const Txn source = path_.from.txn;
           return read_.reader == a_ && leads(overwrite(source), step_.to) && missed(read_, source, b_);
         }},
        // Snapshot isolation: two writers of a key do not overlap, and a began before b committed.
        {"first-committer", exclusive_, At::commit, At::begin, 'o', "kp",
         [this] { return a_ != b_ && both_write(a_, b_, key_) && leads(begin(a_), commit(b_)); }},
        // a writes the key, the reader read it from b, and a is visible to that read: by the level's axiom.
        {"axiom", !strong_, At::commit, At::commit_or_init, 'a', "rp",
         [this] { return leads(step_.from, commit(read_.reader)) && is_visible() && missed(read_, b_, a_); }},
    };
  }

  void check_step() {
    in_.next("step");
    require(in_.number_word() == steps_.size(), "a wrong number");
    const std::string_view name = in_.word();
    const auto rule =
        std::find_if(rules_.begin(), rules_.end(), [&](const Rule& r) { return r.name == name; });
    require(rule != rules_.end() && rule->applies, "the level has no such rule");
    step_ = {facts_.event(in_.word()), facts_.event(in_.word()), rule->kind};
    a_ = step_.from.txn;
    b_ = step_.to.txn;
    require(is_at(step_.from, rule->from) && is_at(step_.to, rule->to), "the rule is about other events");
    // A transaction that did not commit still has its place in its session, where it did nothing.
    const bool place_only = rule->kind == 'p' || rule->kind == 's';
    require(place_only || ((a_ == kInitialTxn || counts(a_)) && (b_ == kInitialTxn || counts(b_))),
            "it is not known to have committed");
    for (const char what : rule->names) {
      if (what == 'k') key_ = facts_.key(in_.number_word());
      if (what == 'r') read_ = facts_.read(in_.word());
      if (what != 'p') continue;
      require(in_.word() == ":", "\":\" was expected");
      path_ = path();
    }
    require(rule->follows(), "that does not follow");
    step_.op = read_.op;
    step_.key = read_.key;
    steps_.push_back(step_);
  }

  bool leads(const Event& from, const Event& to) const { return path_.from == from && path_.to == to; }
  bool is_visible() const {
    const bool allowed = makes_visible(claim_.level, path_.kinds);
    if (claim_.level == Level::repeatable_read) return allowed && path_.first.key == read_.key;
    const bool of_reads =
        claim_.level == Level::read_committed || claim_.level == Level::monotonic_atomic_view;
    return allowed && (!of_reads || path_.first.op < read_.op);
  }
  bool both_write(Txn a, Txn b, Key k) const { return facts_.writes_key(a, k) && facts_.writes_key(b, k); }
  // Whether a list shows an element of a, and none of b before it.
  bool shows_order(const Read& read, Txn a, Txn b) const {
    if (!is_clear_list(read) || a == b || !facts_.writes_key(b, read.key)) return false;
    for (const Version v : facts_.elements(read.op)) {
      const auto by = facts_.writers(v);
      if (!by.empty() && (by[0] == a || by[0] == b)) return by[0] == a;
    }
    return false;
  }

  std::vector<Txn> candidates(const Read& read) const {
    std::vector<Txn> found;
    facts_.for_each_candidate(read, [&](Txn t) { found.push_back(t); });
    return found;
  }
  // Committed for certain: reported as such, or the only one who can have written what a committed one read,
  // or read by an assumption of the cases around.
  bool counts(Txn t) const {
    return counts_[index(t)] || std::any_of(assumptions_.begin(), assumptions_.end(),
                                            [&](const Assumption& a) { return a.writer == t; });
  }
  void find_who_else_counts() {
    for (const Txn t : h_.all_transactions()) {
      if (h_.status(t) != Status::committed) continue;
      for (const Read& read : facts_.reads_of(t)) {
        Txn only = kInitialTxn;
        std::size_t others = 0;
        if (!read.is_list && !read.after_own) {
          facts_.for_each_candidate(read, [&](Txn w) { only = w, ++others; });
        }
        if (others == 1 && only != kInitialTxn) counts_[index(only)] = true;
        if (!read.is_list || facts_.is_muddled(read.key)) continue;
        for (const Version v : read.list) {
          for (const Txn w : facts_.writers(v)) counts_[index(w)] = true;
        }
      }
    }
  }
  bool is_clear_list(const Read& read) const {
    return read.is_list && !facts_.is_muddled(read.key) && read.fits_own;
  }

  // Whether the read saw what `source` wrote, and nothing that `other` wrote after it.
  bool saw(const Read& read, Txn source, Txn other) const {
    if (read.is_list) {
      // A snapshot shows all that came before; the weaker levels say only whom a list was read from, which is
      // who appended its last element.
      Txn last = kInitialTxn;
      for (const Version v : read.list) {
        const auto by = facts_.writers(v);
        if (by.empty()) return false;
        if (!strong_ || by[0] == source || by[0] == other) last = by[0];
      }
      return is_clear_list(read) && last == source;
    }
    // Under a snapshot two reads of one key by one transaction saw the same write.
    const auto is_assumed = [&](const Assumption& a) {
      return a.writer == source && a.read.key == read.key &&
             (a.read.op == read.op || (strong_ && a.read.reader == read.reader && a.read.seen == read.seen));
    };
    const std::vector<Txn> all = candidates(read);
    return !read.after_own && std::find(all.begin(), all.end(), source) != all.end() &&
           (all.size() == 1 || std::any_of(assumptions_.begin(), assumptions_.end(), is_assumed));
  }
  // Whether the read saw `source` and not `writer`, which writes the same key.
  bool missed(const Read& read, Txn source, Txn writer) const {
    return writer != source && writer != read.reader && facts_.writes_key(writer, read.key) &&
           saw(read, source, writer);
  }

  Facts& facts_;
  const History& h_;
  const Verification& claim_;
  Lines& in_;
  bool strong_;      // prefix or stronger
  bool two_events_;  // begin and commit are told apart
  bool exclusive_;   // two writers of a key do not overlap
  std::vector<bool> counts_;
  const std::vector<Rule> rules_ = rules();
  std::vector<Step> steps_;
  std::vector<Assumption> assumptions_;
};

// --- 7. verdict -----------------------------------------------------------------------------------------

template <class Order>
void check_order(Lines& lines, const Facts& facts, Order& order) {
  while (lines.more_lines()) {
    lines.next("order");
    do {
      const Event e = facts.event(lines.word());
      require(e != kInit, "the initial state is in the order");
      order.add(e);
    } while (lines.more());
  }
  order.finish();
}

void check(Lines& lines, const History& history, Verification& claim) {
  lines.require_whole();
  require(lines.whole_line() == kFirstLine, "this is no certificate");
  const auto count = [](std::uint32_t n, const char* what) { return std::to_string(n) + what; };
  require(lines.whole_line() == "history " + count(history.sessions(), " sessions ") +
                                    count(history.transactions(), " transactions ") +
                                    count(history.operations(), " operations ") +
                                    count(history.keys(), " keys ") + hexadecimal(digest(history)),
          "the certificate is about another history");
  lines.next("level");
  const std::string_view name = lines.word();
  const std::optional<Level> found = find_level(name);
  require(found && info(*found).name == name, "there is no such level");
  claim.level = *found;
  claim.keep_sessions = lines.either("sessions", "keep", "ignore");
  lines.next("clock-drift");
  const std::uint64_t drift = lines.number_word();
  require(drift <= std::numeric_limits<std::int64_t>::max(), "the clock drift is out of range");
  claim.clock_drift = std::chrono::nanoseconds(static_cast<std::int64_t>(drift));
  claim.holds = lines.either("verdict", "holds", "violated");

  Facts facts(history, claim.level);
  if (claim.holds) facts.require_understood();
  if (claim.holds && implies(claim.level, Level::prefix)) {
    Replay replay(facts, claim);
    check_order(lines, facts, replay);
  } else if (facts.find_writers(); claim.holds) {
    CommitOrder order(facts, claim);
    while (lines.peek() == "saw") {
      lines.next("saw");
      const Read read = facts.read(lines.word());
      order.saw(read, facts.writer(lines.word()));
    }
    check_order(lines, facts, order);
  } else {
    Proof(facts, claim, lines).check();
  }
  lines.end();
}

}  // namespace

Verification verify(std::string_view certificate, const std::string& path, const History& history) {
  if (certificate.substr(0, certificate.find('\n')) != kFirstLine) {
    throw InputError(path, "line 1", "expected \"" + std::string(kFirstLine) + "\": this is no certificate");
  }
  Verification result;
  Lines lines(certificate);
  try {
    check(lines, history, result);
    result.accepted = true;
  } catch (const Rejected& rejected) {
    result.reason = lines.number() == 0 ? "" : "line " + std::to_string(lines.number()) + ": ";
    result.reason += rejected.why;
  }
  return result;
}

}  // namespace assay::evidence
