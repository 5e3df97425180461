// Read this file from top to bottom to know why an accepted certificate is right. It relies on the reading
// of histories (src/format, src/history) and the table of levels (src/level), and on nothing else of Assay.
//
//   1. lines        what a certificate is written in
//   2. queries      what a range or predicate read says, key by key
//   3. facts        what the operations of a history say, whatever the level
//   4. replay       "holds" at prefix and stronger levels: run the history in the given order
//   5. axioms       "holds" below prefix: evaluate the level's axiom under the given commit order
//   6. proof        "violated": a read that no level allows, or steps that end in a cycle
//   7. verdict
#include "evidence/verify.hpp"

#include <algorithm>
#include <array>
#include <charconv>
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

// The words of one line, separated by single spaces.
class Line {
 public:
  explicit Line(std::string_view text) : rest_(text), head_(word()) {}

  std::string_view head() const { return head_; }
  bool more() const { return !ended_; }
  void end() const { require(ended_, "a word too many"); }
  std::string_view word() {
    require(!ended_, "a word is missing");
    const std::size_t end = rest_.find(' ');
    const std::string_view found = rest_.substr(0, end);
    require(!found.empty(), "an empty word");
    ended_ = end == std::string_view::npos;
    if (!ended_) rest_.remove_prefix(end + 1);
    return found;
  }
  std::uint64_t number() { return number_in(word()); }

 private:
  std::string_view rest_;
  bool ended_ = false;
  std::string_view head_;
};

class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {}

  // A certificate that was cut off or changed by accident is refused before anything else; who repairs the
  // sum has to convince the rest of this file.
  void require_whole() {
    require(text_.ends_with('\n'), "the last line is incomplete");
    const std::size_t begin = text_.rfind('\n', text_.size() - 2) + 1;  // npos + 1 == 0
    const std::string_view body = text_.substr(0, begin);
    std::uint64_t sum = 0xCBF29CE484222325ULL;
    for (const char c : body) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
    Line last(text_.substr(begin, text_.size() - begin - 1));
    require(last.head() == "end", "the certificate has no end");
    require(last.number() == static_cast<std::uint64_t>(std::count(body.begin(), body.end(), '\n')),
            "lines are missing, or there are too many");
    require(last.word() == hexadecimal(sum), "the certificate was changed: its sum is wrong");
    last.end();
    text_ = body;
  }
  std::size_t number() const { return number_; }
  bool more() const { return at_ < text_.size(); }
  std::string_view text() {
    require(more(), "a line is missing");
    const std::size_t end = text_.find('\n', at_);
    const std::string_view found = text_.substr(at_, end - at_);
    at_ = end + 1;
    ++number_;
    return found;
  }
  Line next() { return Line(text()); }
  Line next(std::string_view head) {
    Line line = next();
    if (line.head() != head) throw Rejected{"a line \"" + std::string(head) + "\" was expected"};
    return line;
  }
  std::string_view peek() const {
    const std::string_view rest = text_.substr(at_);
    return rest.substr(0, rest.find_first_of(" \n"));
  }
  bool either(std::string_view head, std::string_view yes, std::string_view no) {
    Line line = next(head);
    const std::string_view word = line.word();
    require(word == yes || word == no, "an unknown word");
    line.end();
    return word == yes;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0, number_ = 0;
};

// --- 2. queries -----------------------------------------------------------------------------------------

// What a read returned: a version; or, numbered behind all versions, a set of versions of which it saw one.
enum class Seen : std::uint32_t {};

// A query is a read of every key that it asked for, all at one moment. Of a returned row it saw that version;
// of any other key it saw the absence of a row or, if it has a predicate, a row that does not match.
class Queries {
 public:
  struct Answer {
    Key key;
    Seen seen;
  };

  // At repeatable read what was not returned says nothing.
  Queries(const History& history, Level level) : h_(history), misses_count_(level != Level::repeatable_read) {
    if (!h_.has(OpKind::predicate_read) && !h_.has(OpKind::range_read)) return;
    look_at_versions();
    for (const Txn t : h_.all_transactions()) {
      if (h_.status(t) != Status::committed) continue;
      for (const Op op : h_.operations_of(t)) {
        if (h_.kind(op) >= OpKind::predicate_read) take(op);
      }
    }
  }

  // Not empty: why nothing can be said to hold of this history.
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
  // Numbers, texts and other values do not compare with each other (history/key_order.hpp); here they follow
  // each other.
  static bool less(const Atom& a, const Atom& b) {
    const auto sort = [](const Atom& x) {
      return x.kind == AtomKind::text ? 1 : x.kind == AtomKind::json ? 2 : 0;
    };
    return comparable(a, b) ? key_less(a, b) : sort(a) < sort(b);
  }

  // Which versions are rows and which are the absence of one, and the keys that queries ask for.
  void look_at_versions() {
    for (std::uint32_t v = 0; v < h_.versions(); ++v) {
      is_row_.push_back(h_.is_initial(Version{v}) && h_.initial_is_row(h_.key_of(Version{v})));
      is_gone_.push_back(h_.is_initial(Version{v}) && !is_row_[v]);
    }
    std::vector<bool> used(h_.keys(), false);
    is_list_.resize(h_.keys(), false);
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
      if (kind == OpKind::list_read) is_list_[index(h_.list(op).key)] = true;
      if (kind >= OpKind::list_read) continue;
      used[index(h_.key(op))] = true;
      if (kind == OpKind::append) is_list_[index(h_.key(op))] = true;
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
    if (query.predicate) {
      predicate = Predicate::parse(*query.predicate);
      if (!predicate) unclear("there is a predicate whose meaning is not known");
    }
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
      if (const auto row = returned.find(*at); row != returned.end()) {
        if (predicate && !(predicate->allows_key(name) && may_match(*predicate, row->second))) {
          unclear("one returned a row that does not match");
        }
        answers_.push_back({*at, Seen{index(row->second)}});
        returned.erase(row);
      } else if (misses_count_ && (!query.predicate || (predicate && predicate->allows_key(name)))) {
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
  // What a query can have seen of a key that it asked for and that is not in its result.
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
  std::string unclear_;
  std::vector<bool> is_row_, is_gone_;  // per version
  std::vector<bool> is_list_;
  std::vector<Key> keys_;  // that queries ask for, in the order of ranges
  std::vector<Answer> answers_;
  std::vector<std::pair<Op, std::size_t>> begins_;  // where the answers of each query begin
  std::vector<std::vector<Version>> sets_;
  std::map<std::pair<std::string, Key>, Seen> not_returned_;
};

// --- 3. facts -------------------------------------------------------------------------------------------

// A read of one key.
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

// Transactions by what they wrote, each group in increasing order.
class Groups {
 public:
  Groups() = default;
  // `for_each(visit)` calls visit(group, transaction), in order of transactions.
  template <class ForEach>
  Groups(std::size_t groups, ForEach for_each) : begin_(groups + 1, 0) {
    for_each([&](std::uint32_t group, Txn) { ++begin_[group + 1]; });
    for (std::size_t i = 1; i <= groups; ++i) begin_[i] += begin_[i - 1];
    members_.resize(begin_.back());
    std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
    for_each([&](std::uint32_t group, Txn t) { members_[next[group]++] = t; });
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
      : h(history),
        queries_(history, level),
        is_list_(h.keys(), false),
        mixed_(h.keys(), false),
        own_(h.keys()) {
    if (!h.has(OpKind::append) && !h.has(OpKind::list_read)) return;
    const IdRange<Op> all{0, h.operations()};
    for (const Op op : all) {
      if (h.kind(op) == OpKind::append || h.kind(op) == OpKind::list_read) is_list_[index(key(op))] = true;
    }
    for (const Op op : all) {
      if (h.kind(op) >= OpKind::append || !is_list(h.key(op))) continue;
      // Reading nothing is reading the empty list.
      if (h.kind(op) != OpKind::read || !h.is_initial(h.version(op))) mixed_[index(h.key(op))] = true;
    }
  }

  const History& h;

  bool is_list(Key k) const { return is_list_[index(k)]; }
  bool is_mixed(Key k) const { return mixed_[index(k)]; }  // used both as a list and as a register
  // "Holds" is said of all that the clients saw, or not at all.
  void require_understood() const {
    if (!h.left_out().empty()) throw Rejected{h.left_out()};
    if (!queries_.unclear().empty()) throw Rejected{queries_.unclear()};
    require(std::find(mixed_.begin(), mixed_.end(), true) == mixed_.end(),
            "a key is used both as a list and as a register");
  }

  // The reads of a transaction in program order. Valid until the next call.
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
        for (const auto& [k, seen] : queries_.answers(ops[i])) add_register_read(t, ops[i], k, seen);
      } else if (is_list(key(ops[i]))) {
        add_list_read(t, ops[i]);
      } else {
        add_register_read(t, ops[i], h.key(ops[i]), Seen{index(h.version(ops[i]))});
      }
    }
    return reads_;
  }
  bool covers(Seen seen, Version written) const { return queries_.covers(seen, written); }
  // All that a read of a list returned; reading nothing is reading the empty list.
  std::span<const Version> elements(Op op) const {
    return h.kind(op) == OpKind::list_read ? h.list(op).elements : std::span<const Version>{};
  }

  // What follows asks who wrote what.
  void find_writers() {
    writers_ = Groups(h.versions(), [&](auto visit) {
      for_each_write([&](Txn t, Op op, bool is_last) {
        if (is_last || h.kind(op) == OpKind::append) visit(index(h.version(op)), t);
      });
    });
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
        std::uint32_t& seen = last[index(h.key(ops[i]))];
        visit(t, ops[i], seen != index(t));
        seen = index(t);
      }
    }
  }
  // The transactions that did not abort and whose last write of its key is this version; for elements of
  // lists, that appended it.
  std::span<const Txn> writers(Version v) const { return writers_[v]; }
  // Whoever can have written what a read saw, kInitialTxn for the initial state.
  template <class Visit>
  void for_each_candidate(const Read& read, Visit visit) const {
    queries_.for_each_version(read.seen, [&](Version v) {
      if (h.is_initial(v)) visit(kInitialTxn);
      for (const Txn t : writers(v)) {
        if (t != read.reader) visit(t);
      }
    });
  }
  bool writes_key(Txn t, Key k) const {
    for (const Op op : h.operations_of(t)) {
      if (writes(h.kind(op)) && h.key(op) == k) return true;
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
  Key key(std::uint64_t number) const {
    require(number < h.keys(), "there is no such key");
    return Key{static_cast<std::uint32_t>(number)};
  }
  // "7.2" is the third operation of transaction 7; of a query "7.2/5" is what it says of key 5.
  Read read(std::string_view word) {
    const std::size_t dot = word.find('.'), slash = word.find('/');
    require(dot < slash && dot != std::string_view::npos, "an operation was expected");
    const Txn t = transaction(word.substr(0, dot));
    const std::uint64_t place = number_in(word.substr(dot + 1, slash - dot - 1));
    require(place < h.operations_of(t).size(), "there is no such operation");
    require(h.status(t) == Status::committed, "the reader did not commit: its reads are no evidence");
    const Op op = h.operations_of(t)[static_cast<std::uint32_t>(place)];
    const bool of_query = h.kind(op) >= OpKind::predicate_read;
    require(of_query == (slash != std::string_view::npos), "a query, and only that, is of several keys");
    std::optional<Key> of;
    if (of_query) of = key(number_in(word.substr(slash + 1)));
    for (const Read& r : reads_of(t)) {
      if (r.op == op && (!of || r.key == *of)) return r;
    }
    throw Rejected{of_query ? "the query says nothing of that key" : "that is no read"};
  }
  std::string name(Txn t) const {
    return "transaction " + to_string(h.name(t)) + " of session " + to_string(h.name(h.session_of(t)));
  }
  std::string name(const Read& r) const {
    return "a read of key " + to_string(h.name(r.key)) + " in " + name(r.reader);
  }

 private:
  Key key(Op op) const { return h.kind(op) == OpKind::list_read ? h.list(op).key : h.key(op); }

  void add_register_read(Txn t, Op op, Key k, Seen seen) {
    const Own& own = own_[index(k)];
    const bool wrote = own.walk == walk_;
    const bool fits = !wrote || covers(seen, h.version(h.operations_of(t)[own.last]));
    reads_.push_back({op, t, k, false, wrote, fits, seen, {}});
  }
  void add_list_read(Txn t, Op op) {
    const Key k = key(op);
    const Own& own = own_[index(k)];
    const bool wrote = own.walk == walk_;
    std::span<const Version> others = elements(op);
    bool fits = true;
    for (std::uint32_t i = own.last, more = wrote; more && fits; i = earlier_[i]) {
      fits = !others.empty() && others.back() == h.version(h.operations_of(t)[i]);
      if (fits) others = others.first(others.size() - 1);
      more = earlier_[i] != i;
    }
    reads_.push_back({op, t, k, true, wrote, fits, {}, others});
  }

  struct Own {
    std::uint64_t walk = 0;  // what follows is of this walk
    std::uint32_t last = 0;  // where the transaction last wrote the key
  };

  Queries queries_;
  std::vector<bool> is_list_, mixed_;
  std::vector<Own> own_;                // per key
  std::vector<std::uint32_t> earlier_;  // per write of the walk: the one of the same key before, or itself
  std::uint64_t walk_ = 0;
  std::vector<Read> reads_;
  Groups writers_;
};

// The begin or the commit of a transaction. Levels that do not tell them apart know only commits.
struct Event {
  Txn txn;
  bool begins;
  bool operator==(const Event&) const = default;
};
constexpr Event kInit{kInitialTxn, false};

Event event(std::string_view word, const Facts& facts) {
  if (word == "init") return kInit;
  require(word.size() > 1 && (word[0] == 'b' || word[0] == 'c'), "an event was expected");
  return {facts.transaction(word.substr(1)), word[0] == 'b'};
}

// Whether one transaction ended before another started, by more than the clocks may disagree. A transaction
// of unknown fate ended, for its client, when that gave up: nobody knows when it took effect.
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

  void run(const Event& event) {
    const Txn t = event.txn;
    refuse(h_.status(t) == Status::aborted, t, " aborted but is in the order");
    const bool begins = one_event_ || event.begins;
    refuse(progress_[index(t)] != (begins ? Progress::waiting : Progress::running) ||
               (one_event_ && event.begins),
           t, event.begins ? " begins where it cannot" : " commits where it cannot");
    if (begins) begin(t);
    if (!event.begins) commit(t);
    progress_[index(t)] = event.begins ? Progress::running : Progress::done;
  }
  void finish() const {
    for (const Txn t : h_.all_transactions()) {
      refuse(progress_[index(t)] == Progress::running, t, " begins but does not commit");
      refuse(progress_[index(t)] == Progress::waiting && h_.status(t) == Status::committed, t,
             " committed but is not in the order");
    }
  }

 private:
  enum class Progress : std::uint8_t { waiting, running, done };

  void refuse(bool condition, Txn t, const char* why) const {
    if (condition) throw Rejected{facts_.name(t) + why};
  }
  void refuse(bool condition, const Read& read, const char* why) const {
    if (condition) throw Rejected{facts_.name(read) + why};
  }

  void begin(Txn t) {
    if (claim_.keep_sessions) {
      // Transactions are numbered in session order.
      Txn& last = last_of_session_[index(h_.session_of(t))];
      refuse(last != kInitialTxn && (last > t || progress_[index(last)] != Progress::done), t,
             " is not after the one before it in its session");
      last = t;
    }
    if (real_time_ && h_.start(t) && (latest_ == kInitialTxn || *h_.start(latest_) < *h_.start(t)))
      latest_ = t;
    if (h_.status(t) == Status::committed) {
      for (const Read& read : facts_.reads_of(t)) {
        refuse(!read.fits_own, read, " does not see the transaction's own write");
        refuse(!sees_what_is_there(read), read, " does not see what was there");
      }
    }
    if (!exclusive_) return;
    for (const bool locks : {false, true}) {
      for (const Op op : h_.operations_of(t)) {
        if (!writes(h_.kind(op))) continue;
        refuse(!locks && locked_[index(h_.key(op))], t, " overlaps another writer of a key");
        if (locks) locked_[index(h_.key(op))] = true;
      }
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
        refuse(read.is_list && read.after_own && !sees_what_is_there(read), read,
               " shows its own appends where they did not come to stand");
      }
    }
    // Of all that began before, who started last is the first to be too late.
    refuse(real_time_ && latest_ != kInitialTxn && ended_before(h_, t, latest_, claim_.clock_drift), t,
           " had ended before one started that began before it");
    for (const Op op : h_.operations_of(t)) {
      const OpKind kind = h_.kind(op);
      if (!writes(kind)) continue;
      if (exclusive_) locked_[index(h_.key(op))] = false;
      if (kind == OpKind::append) {
        lists_[index(h_.key(op))].push_back(h_.version(op));
      } else {
        registers_[index(h_.key(op))] = h_.version(op);
      }
    }
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
    refuse(event.begins, t, " begins, in an order of commits");
    refuse(h_.status(t) == Status::aborted, t, " aborted but is in the order");
    refuse(is_there(t), t, " is in the order twice");
    position_[index(t)] = static_cast<std::uint32_t>(order_.size());
    order_.push_back(t);
  }
  void check() {
    Txn last = kInitialTxn;
    for (const Txn t : h_.all_transactions()) {
      refuse(!is_there(t) && h_.status(t) == Status::committed, t, " committed but is not in the order");
      if (!is_there(t)) continue;
      const bool follows = keep_sessions_ && last != kInitialTxn && h_.session_of(last) == h_.session_of(t);
      refuse(follows && !before(last, t), t, " is not after the one before it in its session");
      last = t;
    }
    writers_ = Groups(h_.keys(), [&](auto visit) {
      facts_.for_each_write([&](Txn t, Op op, bool is_last) {
        if (is_last && is_there(t)) visit(index(h_.key(op)), t);
      });
    });
    build_lists();
    find_sources();
    if (level_ == Level::causal) return check_causal();
    if (level_ == Level::monotonic_reads || level_ == Level::writes_follow_reads) collect_what_sessions_saw();
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

  void refuse(bool condition, Txn t, const char* why) const {
    if (condition) throw Rejected{facts_.name(t) + why};
  }
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
  Txn first_of(std::uint32_t c) const {
    if (c >= chains()) return Txn{h_.transactions()};
    return keep_sessions_ ? h_.transactions_of(Session{c})[0] : Txn{c};
  }

  // Each list as the commits made it. Without commit order each list has an order of its own: that of the
  // longest read, as far as it goes.
  void build_lists() {
    if (!h_.has(OpKind::append) && !h_.has(OpKind::list_read)) return;
    lists_.resize(h_.keys());
    for (const Txn t : order_) {
      for (const Op op : h_.operations_of(t)) {
        if (h_.kind(op) == OpKind::append)
          lists_[index(h_.key(op))].push_back({h_.version(op), t, kNotThere});
      }
    }
    if (has_order_) return;
    std::vector<std::span<const Version>> longest(h_.keys());
    for (const Txn t : order_) {
      for (const Op op : h_.operations_of(t)) {
        if (h_.kind(op) != OpKind::list_read || h_.status(t) != Status::committed) continue;
        auto& known = longest[index(h_.list(op).key)];
        if (h_.list(op).elements.size() > known.size()) known = h_.list(op).elements;
      }
    }
    std::vector<std::uint32_t> place(h_.versions(), kNotThere);
    for (const auto& list : longest) {
      for (std::uint32_t i = 0; i < list.size(); ++i) place[index(list[i])] = i;
    }
    for (std::vector<Element>& list : lists_) {
      for (std::size_t i = 0, first = 0; i < list.size(); ++i) {
        if (list[i].by != list[first].by) first = i;
        list[first].rank = std::min(list[first].rank, place[index(list[i].version)]);
      }
      for (std::size_t i = 1; i < list.size(); ++i) {
        if (list[i].by == list[i - 1].by) list[i].rank = list[i - 1].rank;
      }
      std::stable_sort(list.begin(), list.end(),
                       [](const Element& a, const Element& b) { return a.rank < b.rank; });
    }
  }

  void find_sources() {
    for (const Txn t : h_.all_transactions()) {
      if (h_.status(t) == Status::committed) {
        for (const Read& read : facts_.reads_of(t)) {
          if (!read.fits_own) reject(read, " does not see the transaction's own write");
          if (read.is_list) {
            sources_.push_back({read.key, source_of_list(read), read.op});
          } else if (!read.after_own) {
            sources_.push_back({read.key, source_of_register(read), read.op});
          }
        }
      }
      begin_.push_back(sources_.size());
    }
  }
  Txn source_of_register(const Read& read) const {
    const auto named = saw_.find({read.op, read.key});
    std::optional<Txn> best;
    facts_.for_each_candidate(read, [&](Txn w) {
      if (w != kInitialTxn && (!is_there(w) || (has_order_ && !before(w, read.reader)))) return;
      if (named != saw_.end() ? w == named->second : !best || before(*best, w)) best = w;
    });
    if (!best) reject(read, " sees what nobody before it wrote");
    return *best;
  }
  // A list is read from whoever appended its last element, and shows whole transactions.
  Txn source_of_list(const Read& read) const {
    const std::vector<Element>& list = lists_[index(read.key)];
    const std::size_t size = read.list.size();
    const bool is_start =
        size <= list.size() && std::equal(read.list.begin(), read.list.end(), list.begin(),
                                          [](Version v, const Element& e) { return v == e.version; });
    const bool is_whole =
        is_start && (size == 0 || size == list.size() || list[size].by != list[size - 1].by);
    // Own appends come to stand right behind what was there.
    const bool is_own_place =
        is_whole && (!read.after_own || (size < list.size() && list[size].by == read.reader));
    const Txn source = size == 0 || !is_whole ? kInitialTxn : list[size - 1].by;
    if (!is_own_place || source == read.reader || (has_order_ && !before(source, read.reader))) {
      reject(read, " shows a list that did not exist");
    }
    return source;
  }

  [[noreturn]] void reject(const Read& read, const char* why) const {
    throw Rejected{facts_.name(read) + why};
  }

  // The axiom for the i-th read of t.
  void check_read(Txn t, std::size_t i) const {
    const Source& read = reads(t)[i];
    const auto for_others = [&](std::size_t last, auto look_at) {
      for (std::size_t j = 0; j < last; ++j) {
        if (reads(t)[j].writer != kInitialTxn) look_at(reads(t)[j]);
      }
    };
    const auto visible = [&](const Source& other) {
      const auto all = writers_[read.key];
      if (std::binary_search(all.begin(), all.end(), other.writer)) require_before(other.writer, t, read);
    };
    const auto all = reads(t).size();
    switch (level_) {
      case Level::read_committed:
      case Level::monotonic_atomic_view:  // whom an earlier operation read
        return for_others(i, [&](const Source& other) {
          if (other.op != read.op) visible(other);
        });
      case Level::repeatable_read:  // all reads of a key by one transaction saw the same
        for (std::size_t j = 0; j < i; ++j) {
          if (reads(t)[j].key == read.key && reads(t)[j].writer != read.writer) reject(t, read);
        }
        return;
      case Level::read_atomic:  // whom the transaction read, and who is earlier in its session
        for_others(all, visible);
        return require_before(earlier_in_session(t, read.key), t, read);
      case Level::read_your_writes:  // who is earlier in the session
        return require_before(earlier_in_session(t, read.key), t, read);
      case Level::monotonic_reads:  // whom somebody earlier in the session read
        return require_before(seen_before(t, t, read.key), t, read);
      case Level::monotonic_writes:  // who is earlier in the session of whom the transaction read
        return for_others(all, [&](const Source& other) {
          require_before(earlier_in_session(other.writer, read.key), t, read);
        });
      default:  // writes_follow_reads: whom they had read whom the transaction read
        return for_others(all, [&](const Source& other) {
          require_before(seen_before(other.writer, Txn{index(other.writer) + 1}, read.key), t, read);
        });
    }
  }
  // kInitialTxn: nobody is visible.
  void require_before(Txn visible, Txn t, const Source& read) const {
    if (visible != kInitialTxn && visible != read.writer && !before(visible, read.writer)) reject(t, read);
  }
  [[noreturn]] void reject(Txn t, const Source& read) const {
    throw Rejected{"a read of key " + to_string(h_.name(read.key)) + " in " + facts_.name(t) +
                   " does not see what the level lets it see"};
  }

  // The last writer of a key before t in its session, which is the last in co as well.
  Txn earlier_in_session(Txn t, Key k) const {
    const auto all = writers_[k];
    const auto after = std::lower_bound(all.begin(), all.end(), t);
    return after == all.begin() || chain(*(after - 1)) != chain(t) ? kInitialTxn : *(after - 1);
  }

  // Per session and key: the latest writer of the key that the session had read, after each transaction.
  struct Knowledge {
    std::uint32_t chain;
    Key key;
    Txn by, writer;
  };
  void collect_what_sessions_saw() {
    for (const Txn t : order_) {
      for (const Source& read : reads(t)) {
        if (read.writer == kInitialTxn) continue;
        for (const Op op : h_.operations_of(read.writer)) {
          if (writes(h_.kind(op))) knowledge_.push_back({chain(t), h_.key(op), t, read.writer});
        }
      }
    }
    std::sort(knowledge_.begin(), knowledge_.end(), [](const Knowledge& a, const Knowledge& b) {
      return std::tie(a.chain, a.key, a.by) < std::tie(b.chain, b.key, b.by);
    });
    for (std::size_t i = 1; i < knowledge_.size(); ++i) {
      const Knowledge& last = knowledge_[i - 1];
      Knowledge& next = knowledge_[i];
      const bool same = last.chain == next.chain && last.key == next.key;
      if (same && before(next.writer, last.writer)) next.writer = last.writer;
    }
  }
  // What the session of t knows of a key by what those before `end` read.
  Txn seen_before(Txn t, Txn end, Key k) const {
    const auto after = std::partition_point(knowledge_.begin(), knowledge_.end(), [&](const Knowledge& one) {
      return std::tuple(one.chain, one.key, one.by) < std::tuple(chain(t), k, end);
    });
    if (after == knowledge_.begin()) return kInitialTxn;
    const Knowledge& last = *(after - 1);
    return last.chain == chain(t) && last.key == k ? last.writer : kInitialTxn;
  }

  // Visible is whoever a path of session order and reads-from leads from. That past is a start of every
  // chain, known by the number of the first transaction that is not in it; some chains at a time, so that
  // memory stays linear.
  void check_causal() {
    constexpr std::uint32_t kAtATime = 16;
    require(std::uint64_t{chains()} * h_.transactions() <= kMostClocks,
            "the history is too large to confirm causal consistency");
    std::vector<std::array<std::uint32_t, kAtATime>> pasts(h_.transactions());
    for (std::uint32_t first = 0; first < chains(); first += kAtATime) {
      for (const Txn t : order_) {
        auto& past = pasts[index(t)];
        past.fill(0);
        const auto include = [&](Txn other) {
          const auto& its = pasts[index(other)];
          for (std::uint32_t c = 0; c < kAtATime; ++c) past[c] = std::max(past[c], its[c]);
          const std::uint32_t c = chain(other) - first;  // huge if below
          if (c < kAtATime) past[c] = std::max(past[c], index(other) + 1);
        };
        for (Txn last = t; keep_sessions_ && h_.position_in_session(last) > 0;) {
          last = Txn{index(last) - 1};
          if (!is_there(last)) continue;
          include(last);
          break;
        }
        for (const Source& read : reads(t)) {
          if (read.writer != kInitialTxn) include(read.writer);
        }
        for (const Source& read : reads(t)) {
          const auto all = writers_[read.key];
          auto at = std::lower_bound(all.begin(), all.end(), first_of(first));
          // Of each chain only the last writer in the past matters: co contains session order.
          while (at != all.end() && chain(*at) - first < kAtATime) {
            const std::uint32_t c = chain(*at);
            const auto end = std::lower_bound(at, all.end(), first_of(c + 1));
            const auto unseen = std::lower_bound(at, end, Txn{past[c - first]});
            if (unseen != at) require_before(*(unseen - 1), t, read);
            at = end;
          }
        }
      }
    }
  }

  Facts& facts_;
  const History& h_;
  Level level_;
  bool has_order_, keep_sessions_;
  std::map<std::pair<Op, Key>, Txn> saw_;
  std::vector<Txn> order_;
  std::vector<std::uint32_t> position_;
  Groups writers_;  // of keys
  struct Element {
    Version version;
    Txn by;
    std::uint32_t rank;
  };
  std::vector<std::vector<Element>> lists_;
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
        lines_(lines),
        strong_(implies(claim.level, Level::prefix)),
        two_events_(strong_ && !implies(claim.level, Level::serializable)),
        exclusive_(two_events_ && implies(claim.level, Level::snapshot_isolation)),
        counts_(h_.transactions(), false),
        muddled_(h_.keys(), false) {
    for (std::uint32_t v = 0; v < h_.versions(); ++v) {
      const Key k = h_.key_of(Version{v});
      const bool twice = facts_.is_list(k) && facts_.writers(Version{v}).size() > 1;
      if (twice || facts_.is_mixed(k)) muddled_[index(k)] = true;
    }
    for (const Txn t : h_.all_transactions()) {
      if (h_.status(t) == Status::committed) add_who_counts(t);
    }
  }

  void check() {
    if (lines_.peek() == "bad-read") {
      check_bad_read(lines_.next());
    } else {
      check_derivation(0);
    }
  }

 private:
  // --- a read that no level allows ---

  void check_bad_read(Line line) {
    const Read read = facts_.read(line.word());
    if (line.more()) {
      // Two reads of a list, of which none continues the other: a list only grows, at its end.
      const Read other = facts_.read(line.word());
      require(read.is_list && other.is_list && read.key == other.key && !muddled_[index(read.key)],
              "not two reads of one list");
      const std::span<const Version> a = facts_.elements(read.op), b = facts_.elements(other.op);
      const auto shared = static_cast<std::ptrdiff_t>(std::min(a.size(), b.size()));
      require(!std::equal(a.begin(), a.begin() + shared, b.begin()), "one list continues the other");
    } else if (!read.fits_own) {
      // It does not show what the transaction itself had written.
      require(!muddled_[index(read.key)], "the elements of that list do not tell who appended them");
    } else if (read.is_list) {
      check_torn(read);
    } else {
      // Nobody else who did not abort has that as the last write of the key.
      require(!read.after_own, "the read shows the transaction's own write");
      require(candidates(read).empty(), "somebody can have written that");
    }
    line.end();
  }

  // What others had appended is, transaction by transaction, all that they appended, once.
  void check_torn(const Read& read) const {
    require(!muddled_[index(read.key)], "the elements of that list do not tell who appended them");
    std::set<Txn> done;
    for (auto at = read.list.begin(); at != read.list.end();) {
      const auto writers = facts_.writers(*at);
      if (writers.empty() || writers[0] == read.reader || !done.insert(writers[0]).second) return;
      for (const Op op : h_.operations_of(writers[0])) {
        if (h_.kind(op) != OpKind::append || h_.key(op) != read.key) continue;
        if (at == read.list.end() || *at != h_.version(op)) return;
        ++at;
      }
    }
    throw Rejected{"the list shows what others appended"};
  }

  // --- derivations ---

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
    while (lines_.peek() == "step") check_step(lines_.next());
    Line line = lines_.next();
    if (line.head() == "cycle") {
      check_cycle(line);
    } else if (line.head() == "split-order") {
      split_order(line, depth);
    } else {
      require(line.head() == "split-read", "a step, a cycle or a split was expected");
      split_read(line, depth);
    }
    steps_.resize(steps);
  }

  // Steps that follow each other, up to the end of the line.
  struct Path {
    Event from, to;
    std::string kinds;
    Step first;
  };
  Path path(Line& line) const {
    std::optional<Path> path;
    while (line.more()) {
      const std::uint64_t number = line.number();
      require(number < steps_.size(), "a step that is not there");
      const Step& step = steps_[static_cast<std::size_t>(number)];
      if (!path) path = Path{step.from, step.from, "", step};
      require(step.from == path->to, "the steps do not follow each other");
      path->to = step.to;
      path->kinds += step.kind;
    }
    require(path.has_value(), "a step is missing");
    return *path;
  }
  Path premises(Line& line) const {
    require(line.word() == ":", "\":\" was expected");
    return path(line);
  }

  void check_cycle(Line& line) const {
    const Path cycle = path(line);
    require(cycle.from == cycle.to, "the steps do not end where they began");
    // Repeatable read knows no order of transactions that could be violated; but there an axiom by itself
    // says that one transaction saw two versions of a key.
    require(claim_.level != Level::repeatable_read || cycle.kinds.find('a') != std::string::npos,
            "repeatable read orders no transactions");
  }

  // Two writers of a key commit one after the other.
  void split_order(Line& line, std::size_t depth) {
    const Key k = facts_.key(line.number());
    const Txn a = facts_.transaction(line.word()), b = facts_.transaction(line.word());
    line.end();
    require(strong_, "the level says nothing about the order of two writers");
    require(a != b && counts(a) && counts(b) && facts_.writes_key(a, k) && facts_.writes_key(b, k),
            "not two writers of the key");
    for (const auto& [first, second] : {std::pair{a, b}, std::pair{b, a}}) {
      Line one = next_case();
      require(facts_.transaction(one.word()) == first && facts_.transaction(one.word()) == second,
              "the cases are others");
      one.end();
      check_case({commit(first), overwrite(second), 'o'}, depth);
    }
    lines_.next("qed").end();
  }

  // A read saw one of those who can have written what it returned.
  void split_read(Line& line, std::size_t depth) {
    const Read read = facts_.read(line.word());
    line.end();
    require(!read.is_list && !read.after_own, "that is no read of what others wrote to a register");
    std::vector<Txn> open = candidates(read);
    while (lines_.peek() == "case") {
      Line one = next_case();
      const auto found = std::find(open.begin(), open.end(), facts_.writer(one.word()));
      one.end();
      require(found != open.end(), "the read cannot have seen that, or the case was there before");
      assumptions_.push_back({read, *found});
      open.erase(found);
      check_case({commit(assumptions_.back().writer), begin(read.reader), 'r', read.op, read.key}, depth);
      assumptions_.pop_back();
    }
    require(open.empty(), "the cases are not all");
    lines_.next("qed").end();
  }

  Line next_case() {
    Line line = lines_.next("case");
    require(line.number() == steps_.size(), "a wrong number");
    return line;
  }
  void check_case(const Step& assumed, std::size_t depth) {
    steps_.push_back(assumed);
    check_derivation(depth + 1);
    steps_.pop_back();
  }

  // --- steps ---

  static Event commit(Txn t) { return {t, false}; }
  Event begin(Txn t) const { return {t, two_events_ && t != kInitialTxn}; }
  // Where the writes of t come after those of an earlier writer of the same key.
  Event overwrite(Txn t) const { return exclusive_ ? begin(t) : commit(t); }

  // What a rule's events are.
  enum class At : std::uint8_t { init, begin, commit, overwrite, either, commit_or_init };
  bool is_at(const Event& e, At at) const {
    if (e == kInit) return at == At::init || at == At::commit_or_init;
    switch (at) {
      case At::begin:
        return e == begin(e.txn);
      case At::overwrite:
        return e == overwrite(e.txn);
      case At::either:
        return e == begin(e.txn) || e == commit(e.txn);
      default:
        return at != At::init && e == commit(e.txn);
    }
  }
  struct Rule {
    std::string_view name;
    bool applies;  // at the level
    At from, to;
    char kind;
    void (Proof::*check)(Step&, Line&);
  };

  void check_step(Line line) {
    const std::array<Rule, 11> rules{{
        {"start", true, At::init, At::either, 'o', &Proof::start},
        {"program", two_events_, At::begin, At::commit, 'p', &Proof::program},
        {"session", claim_.keep_sessions, At::either, At::either, 's', &Proof::session},
        {"real-time", info(claim_.level).real_time, At::commit, At::begin, 'o', &Proof::real_time},
        {"reads-from", true, At::commit, At::begin, 'r', &Proof::reads_from},
        {"initial", strong_, At::begin, At::commit, 'o', &Proof::initial},
        {"version-order", true, At::commit, At::overwrite, 'o', &Proof::version_order},
        {"overwritten", strong_, At::commit, At::overwrite, 'o', &Proof::overwritten},
        {"anti-dependency", strong_, At::begin, At::commit, 'o', &Proof::anti_dependency},
        {"first-committer", exclusive_, At::commit, At::begin, 'o', &Proof::first_committer},
        {"axiom", !strong_, At::commit, At::commit_or_init, 'a', &Proof::axiom},
    }};
    require(line.number() == steps_.size(), "a wrong number");
    const std::string_view name = line.word();
    const auto rule = std::find_if(rules.begin(), rules.end(), [&](const Rule& r) { return r.name == name; });
    require(rule != rules.end() && rule->applies, "the level has no such rule");
    Step step{event(line.word(), facts_), event(line.word(), facts_), rule->kind};
    require(is_at(step.from, rule->from) && is_at(step.to, rule->to), "the rule is about other events");
    for (const Event& e : {step.from, step.to}) {
      // A transaction that did not commit still has its place in its session, where it did nothing.
      require(e == kInit || rule->kind == 'p' || rule->kind == 's' || counts(e.txn),
              "it is not known to have committed");
    }
    (this->*rule->check)(step, line);
    line.end();
    steps_.push_back(step);
  }

  // The initial state comes before everything.
  void start(Step&, Line&) {}
  // A transaction begins before it commits.
  void program(Step& step, Line&) { require(step.from.txn == step.to.txn, "not begin and commit of one"); }
  // A transaction ends before the next of its session begins.
  void session(Step& step, Line&) {
    const Txn a = step.from.txn, b = step.to.txn;
    require(a < b && h_.session_of(a) == h_.session_of(b), "not this order in one session");
  }
  // What ended before another started is before it.
  void real_time(Step& step, Line&) {
    require(ended_before(h_, step.from.txn, step.to.txn, claim_.clock_drift),
            "one did not end before the other started, or the clocks may disagree by more");
  }
  // What was seen was there.
  void reads_from(Step& step, Line& line) {
    const Read read = facts_.read(line.word());
    require(read.reader == step.to.txn, "another reader");
    require_saw(read, step.from.txn, step.from.txn);
    step.op = read.op;
    step.key = read.key;
  }
  // Who read the initial version of a key came before everybody who wrote it.
  void initial(Step& step, Line& line) {
    const Read read = facts_.read(line.word());
    require(read.reader == step.from.txn, "another reader");
    require_missed(read, kInitialTxn, step.to.txn);
  }
  // A list grows at its end: what stands first was appended first, what does not stand there later.
  void version_order(Step& step, Line& line) {
    const Read read = facts_.read(line.word());
    require_clear_list(read);
    require(step.from.txn != step.to.txn && facts_.writes_key(step.to.txn, read.key), "it does not append");
    bool seen_first = false;
    for (const Version v : facts_.elements(read.op)) {
      const auto writers = facts_.writers(v);
      if (!writers.empty() && writers[0] == step.to.txn) break;
      seen_first = seen_first || (!writers.empty() && writers[0] == step.from.txn);
    }
    require(seen_first, "the list does not show this order");
  }
  // t2 = from writes k and comes before t3, which yet read k from t1 = to: so t2 comes before t1.
  void overwritten(Step& step, Line& line) {
    const Read read = facts_.read(line.word());
    require_missed(read, step.to.txn, step.from.txn);
    const Path before = premises(line);
    require(before.from == step.from && before.to == begin(read.reader), "the premises lead elsewhere");
  }
  // t3 = from read k from t1, which comes before t2 = to, which writes k: so t3 had not seen t2. At snapshot
  // isolation t1 and t2 do not overlap, so it is enough that t1 began before t2 committed.
  void anti_dependency(Step& step, Line& line) {
    const Read read = facts_.read(line.word());
    require(read.reader == step.from.txn, "another reader");
    const Path before = premises(line);
    require(before.from != kInit && before.from == overwrite(before.from.txn) && before.to == step.to,
            "the premises lead elsewhere");
    require_missed(read, before.from.txn, step.to.txn);
  }
  // Snapshot isolation: two writers of a key do not overlap, so who began before the other committed also
  // committed before the other began.
  void first_committer(Step& step, Line& line) {
    const Key k = facts_.key(line.number());
    const Txn a = step.from.txn, b = step.to.txn;
    require(a != b && facts_.writes_key(a, k) && facts_.writes_key(b, k), "not two writers of the key");
    const Path before = premises(line);
    require(before.from == begin(a) && before.to == commit(b), "the premises lead elsewhere");
  }
  // t2 = from writes k, t3 reads k from t1 = to, and t2 is visible to that read: by the level's axiom t2
  // comes before t1.
  void axiom(Step& step, Line& line) {
    const Read read = facts_.read(line.word());
    require_missed(read, step.to.txn, step.from.txn);
    const Path before = premises(line);
    require(before.from == step.from && before.to == commit(read.reader), "the premises lead elsewhere");
    require(is_visible(before, read), "the level does not make that visible");
  }
  // By which path of session order (s) and reads-from (r) each level makes a transaction visible to a read.
  bool is_visible(const Path& path, const Read& read) const {
    const std::string& kinds = path.kinds;
    switch (claim_.level) {
      case Level::read_committed:
      case Level::monotonic_atomic_view:
        return kinds == "r" && path.first.op < read.op;
      case Level::repeatable_read:
        return kinds == "r" && path.first.key == read.key;
      case Level::read_your_writes:
        return kinds == "s";
      case Level::monotonic_reads:
        return kinds == "rs";
      case Level::monotonic_writes:
        return kinds == "sr";
      case Level::writes_follow_reads:
        return kinds == "rr" || kinds == "rsr";
      case Level::read_atomic:
        return kinds == "r" || kinds == "s";
      default:
        return claim_.level == Level::causal && kinds.find_first_not_of("sr") == std::string::npos;
    }
  }

  // --- who a read saw ---

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
  void add_who_counts(Txn committed) {
    counts_[index(committed)] = true;
    for (const Read& read : facts_.reads_of(committed)) {
      if (!read.is_list && !read.after_own) {
        Txn only = kInitialTxn;
        std::size_t others = 0;
        facts_.for_each_candidate(read, [&](Txn t) { only = t, ++others; });
        if (others == 1 && only != kInitialTxn) counts_[index(only)] = true;
      }
      if (!read.is_list || muddled_[index(read.key)]) continue;
      for (const Version v : read.list) {
        for (const Txn writer : facts_.writers(v)) counts_[index(writer)] = true;
      }
    }
  }
  void require_clear_list(const Read& read) const {
    require(read.is_list && !muddled_[index(read.key)] && read.fits_own, "that is no read of a clear list");
  }

  // Requires that the read saw what `source` wrote, and nothing that `other` wrote after it.
  void require_saw(const Read& read, Txn source, Txn other) const {
    if (read.is_list) {
      require_clear_list(read);
      Txn last = kInitialTxn;
      for (const Version v : read.list) {
        const auto writers = facts_.writers(v);
        require(!writers.empty(), "nobody appended one of the elements");
        // A snapshot shows all that came before; the weaker levels say only whom a list was read from, which
        // is who appended its last element.
        if (!strong_ || writers[0] == source || writers[0] == other) last = writers[0];
      }
      return require(last == source, "the list shows somebody else");
    }
    require(!read.after_own, "the transaction had written the key itself");
    const std::vector<Txn> all = candidates(read);
    require(std::find(all.begin(), all.end(), source) != all.end(), "the read saw somebody else");
    // Under a snapshot two reads of one key by one transaction saw the same write.
    const auto is_assumed = [&](const Assumption& a) {
      return a.writer == source && a.read.key == read.key &&
             (a.read.op == read.op || (strong_ && a.read.reader == read.reader && a.read.seen == read.seen));
    };
    require(all.size() == 1 || std::any_of(assumptions_.begin(), assumptions_.end(), is_assumed),
            "several transactions can have written that");
  }
  // Requires that the read saw `source` and not `writer`, which writes the same key.
  void require_missed(const Read& read, Txn source, Txn writer) const {
    require(writer != source && writer != read.reader, "the rule is about other transactions");
    require_saw(read, source, writer);
    require(facts_.writes_key(writer, read.key), "it does not write the key");
  }

  Facts& facts_;
  const History& h_;
  const Verification& claim_;
  Lines& lines_;
  bool strong_;      // prefix or stronger
  bool two_events_;  // begin and commit are told apart
  bool exclusive_;   // two writers of a key do not overlap
  std::vector<bool> counts_;
  std::vector<bool> muddled_;  // per list: its elements do not tell who appended them
  std::vector<Step> steps_;
  std::vector<Assumption> assumptions_;
};

// --- 7. verdict -----------------------------------------------------------------------------------------

void check(Lines& lines, const History& history, Verification& claim) {
  lines.require_whole();
  require(lines.text() == kFirstLine, "this is no certificate");
  const auto count = [](std::uint32_t n, const char* what) { return std::to_string(n) + what; };
  require(lines.text() == "history " + count(history.sessions(), " sessions ") +
                              count(history.transactions(), " transactions ") +
                              count(history.operations(), " operations ") + count(history.keys(), " keys ") +
                              hexadecimal(digest(history)),
          "the certificate is about another history");
  Line level = lines.next("level");
  const std::string_view name = level.word();
  level.end();
  const std::optional<Level> found = find_level(name);
  require(found && info(*found).name == name, "there is no such level");
  claim.level = *found;
  claim.keep_sessions = lines.either("sessions", "keep", "ignore");
  Line drift = lines.next("clock-drift");
  const std::uint64_t nanoseconds = drift.number();
  drift.end();
  require(nanoseconds <= std::numeric_limits<std::int64_t>::max(), "the clock drift is out of range");
  claim.clock_drift = std::chrono::nanoseconds(static_cast<std::int64_t>(nanoseconds));
  claim.holds = lines.either("verdict", "holds", "violated");

  Facts facts(history, claim.level);
  const auto read_order = [&](auto& order) {
    while (lines.more()) {
      Line line = lines.next("order");
      require(line.more(), "an empty line of the order");
      while (line.more()) {
        const Event e = event(line.word(), facts);
        require(e != kInit, "the initial state is in the order");
        order(e);
      }
    }
  };
  if (!claim.holds) {
    facts.find_writers();
    Proof(facts, claim, lines).check();
  } else if (implies(claim.level, Level::prefix)) {
    facts.require_understood();
    Replay replay(facts, claim);
    const auto run = [&](const Event& e) { replay.run(e); };
    read_order(run);
    replay.finish();
  } else {
    facts.require_understood();
    facts.find_writers();
    CommitOrder order(facts, claim);
    while (lines.peek() == "saw") {
      Line line = lines.next();
      const Read read = facts.read(line.word());
      order.saw(read, facts.writer(line.word()));
      line.end();
    }
    const auto add = [&](const Event& e) { order.add(e); };
    read_order(add);
    order.check();
  }
  require(!lines.more(), "a line too many");
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
