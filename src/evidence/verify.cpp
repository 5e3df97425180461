#include "evidence/verify.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "evidence/replay.hpp"
#include "history/digest.hpp"
#include "history/error.hpp"

namespace assay::evidence {

namespace {

constexpr std::string_view kFirstLine = "assay-certificate 1";
constexpr std::size_t kDeepest = 1000;  // cases inside of cases

// Why a line is not accepted.
struct Rejected {
  std::string why;
};
void require(bool condition, const char* otherwise) {
  if (!condition) throw Rejected{otherwise};
}

// What the raw operations say. One pass over the history; nothing here depends on a level.
class Facts {
 public:
  explicit Facts(const History& history)
      : h_(history),
        is_list_(h_.keys(), false),
        muddled_(h_.keys(), false),
        counts_(h_.transactions(), false) {
    find_lists();
    find_writers();
    find_who_counts();
  }

  // The transactions that did not abort and whose last write of its key is this version; for elements of
  // lists, that appended it.
  std::span<const Txn> writers(Version v) const {
    return {writers_.data() + begin_[index(v)], writers_.data() + begin_[index(v) + 1]};
  }
  bool is_list(Key k) const { return is_list_[index(k)]; }
  // A list whose elements do not tell who appended them.
  bool is_muddled(Key k) const { return muddled_[index(k)]; }
  // Committed for certain: reported as such, or the only possible writer of what a committed one read.
  bool counts(Txn t) const { return counts_[index(t)]; }

  bool writes_key(Txn t, Key k) const {
    for (const Op op : h_.operations_of(t)) {
      if (writes(h_.kind(op)) && h_.key(op) == k) return true;
    }
    return false;
  }
  // The last own write of the key before the operation.
  std::optional<Op> own_write(Txn t, Op before, Key k) const {
    std::optional<Op> found;
    for (const Op op : h_.operations_of(t)) {
      if (op == before) break;
      if (writes(h_.kind(op)) && h_.key(op) == k) found = op;
    }
    return found;
  }
  std::vector<Version> own_appends(Txn t, Op before, Key k) const {
    std::vector<Version> found;
    for (const Op op : h_.operations_of(t)) {
      if (op == before) break;
      if (h_.kind(op) == OpKind::append && h_.key(op) == k) found.push_back(h_.version(op));
    }
    return found;
  }
  bool is_read(Op op) const { return h_.kind(op) == OpKind::read || h_.kind(op) == OpKind::list_read; }
  Key key(Op op) const { return h_.kind(op) == OpKind::list_read ? h_.list(op).key : h_.key(op); }
  // What a read of a list returned; reading nothing is reading the empty list.
  std::span<const Version> elements(Op op) const {
    return h_.kind(op) == OpKind::list_read ? h_.list(op).elements : std::span<const Version>{};
  }

 private:
  void find_lists() {
    if (!h_.has(OpKind::append) && !h_.has(OpKind::list_read)) return;
    for (const Op op : IdRange<Op>{0, h_.operations()}) {
      if (h_.kind(op) == OpKind::append) is_list_[index(h_.key(op))] = true;
      if (h_.kind(op) == OpKind::list_read) is_list_[index(h_.list(op).key)] = true;
    }
    for (const Op op : IdRange<Op>{0, h_.operations()}) {
      if (h_.kind(op) == OpKind::append || h_.kind(op) >= OpKind::list_read) continue;
      const bool reads_nothing = h_.kind(op) == OpKind::read && h_.is_initial(h_.version(op));
      if (is_list_[index(h_.key(op))] && !reads_nothing) muddled_[index(h_.key(op))] = true;
    }
  }

  void find_writers() {
    struct Written {
      Version version;
      Txn txn;
    };
    std::vector<Written> all;
    std::vector<std::uint32_t> last(h_.keys(), h_.transactions());
    begin_.assign(h_.versions() + std::size_t{1}, 0);
    for (const Txn t : h_.all_transactions()) {
      if (h_.status(t) == Status::aborted) continue;
      const IdRange<Op> ops = h_.operations_of(t);
      for (std::uint32_t i = ops.size(); i-- > 0;) {
        if (!writes(h_.kind(ops[i]))) continue;
        const Version v = h_.version(ops[i]);
        std::uint32_t& seen = last[index(h_.key_of(v))];
        if (seen == index(t) && h_.kind(ops[i]) != OpKind::append) continue;
        seen = index(t);
        all.push_back({v, t});
        ++begin_[index(v) + 1];
      }
    }
    for (std::size_t v = 1; v < begin_.size(); ++v) begin_[v] += begin_[v - 1];
    writers_.resize(all.size());
    std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
    for (const Written& w : all) writers_[next[index(w.version)]++] = w.txn;
    for (std::uint32_t v = 0; v < h_.versions(); ++v) {
      const Key k = h_.key_of(Version{v});
      if (is_list(k) && writers(Version{v}).size() > 1) muddled_[index(k)] = true;
    }
  }

  void find_who_counts() {
    std::vector<std::uint32_t> written(h_.keys(), h_.transactions());
    for (const Txn t : h_.all_transactions()) {
      if (h_.status(t) != Status::committed) continue;
      counts_[index(t)] = true;
      for (const Op op : h_.operations_of(t)) {
        if (writes(h_.kind(op))) written[index(h_.key(op))] = index(t);
        if (!is_read(op)) continue;
        if (is_list(key(op))) {
          for (const Version v : elements(op)) read_by(t, v);
        } else if (written[index(key(op))] != index(t)) {
          read_by(t, h_.version(op));
        }
      }
    }
  }
  void read_by(Txn reader, Version v) {
    if (h_.is_initial(v) || is_muddled(h_.key_of(v))) return;
    std::optional<Txn> only;
    for (const Txn t : writers(v)) {
      if (t == reader) continue;
      if (only) return;
      only = t;
    }
    if (only) counts_[index(*only)] = true;
  }

  const History& h_;
  std::vector<bool> is_list_, muddled_, counts_;
  std::vector<std::uint32_t> begin_;
  std::vector<Txn> writers_;
};

// The words of one line.
class Line {
 public:
  explicit Line(std::string_view text) {
    require(!text.empty() && text.front() != ' ' && text.back() != ' ', "an empty word");
    bool quoted = false;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
      if (i < text.size() && text[i] == '\\' && quoted) {
        ++i;
      } else if (i < text.size() && text[i] == '"') {
        quoted = !quoted;
      } else if (i >= text.size() || (text[i] == ' ' && !quoted)) {
        words_.push_back(text.substr(begin, i - begin));
        begin = i + 1;
      }
    }
    require(!quoted, "a quotation without an end");
  }

  std::string_view head() const { return words_[0]; }
  bool more() const { return next_ < words_.size(); }
  std::string_view word() {
    require(more(), "a word is missing");
    return words_[next_++];
  }
  void word(std::string_view expected) {
    if (word() != expected) throw Rejected{"\"" + std::string(expected) + "\" was expected"};
  }
  std::uint64_t number() { return number_in(word()); }
  void end() const { require(!more(), "a word too many"); }

  static std::uint64_t number_in(std::string_view text) {
    std::uint64_t value = 0;
    const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    require(error == std::errc{} && at == text.data() + text.size(), "a number was expected");
    require(text.size() == 1 || text.front() != '0', "a number with a leading zero");
    return value;
  }

 private:
  std::vector<std::string_view> words_;
  std::size_t next_ = 1;
};

// The begin or the commit of a transaction; levels that do not tell them apart know only commits. The initial
// state is one event.
using check::Event;
constexpr Event kInit{kInitialTxn, Event::Side::commit};

class Verifier {
 public:
  Verifier(std::string_view text, const History& history, Verification& result)
      : text_(text), h_(history), result_(result), facts_(history) {}

  std::size_t line_number() const { return line_number_; }

  void run() {
    require_whole();
    next().word("1");
    read_head();
    if (result_.holds) {
      read_order();
    } else {
      read_members();
      if (peek() == "bad-read") {
        read_bad_read();
      } else {
        read_derivation(0);
      }
    }
    require(at_ == text_.size(), "a line too many");
  }

 private:
  // --- lines ---

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
  static std::string hexadecimal(std::uint64_t number) {
    std::string digits(16, '0');
    for (std::size_t i = 16; i-- > 0; number >>= 4) digits[i] = "0123456789abcdef"[number & 15];
    return digits;
  }

  Line next() {
    require(at_ < text_.size(), "a line is missing");
    const std::size_t end = text_.find('\n', at_);
    const std::string_view text = text_.substr(at_, end - at_);
    at_ = end + 1;
    ++line_number_;
    return Line(text);
  }
  Line next(std::string_view head) {
    Line line = next();
    if (line.head() != head) throw Rejected{"a line \"" + std::string(head) + "\" was expected"};
    return line;
  }
  std::string_view peek() const {
    const std::string_view rest = text_.substr(at_);
    return rest.substr(0, rest.find_first_of(" \n"));
  }

  // --- the head ---

  void read_head() {
    Line history = next("history");
    bool same = true;
    const auto count = [&](std::string_view what, std::uint32_t here) {
      same = (history.number() == here) && same;
      history.word(what);
    };
    count("sessions", h_.sessions());
    count("transactions", h_.transactions());
    count("operations", h_.operations());
    count("keys", h_.keys());
    same = (history.word() == hexadecimal(digest(h_))) && same;
    history.end();
    require(same, "the certificate is about another history");

    Line level = next("level");
    const std::string_view name = level.word();
    const std::optional<Level> found = find_level(name);
    require(found && info(*found).name == name, "there is no such level");
    level.end();
    result_.level = *found;
    one_event_ = implies(*found, Level::serializable);
    strong_ = implies(*found, Level::prefix);
    exclusive_ = !one_event_ && implies(*found, Level::snapshot_isolation);

    Line sessions = next("sessions");
    result_.keep_sessions = either(sessions, "keep", "ignore");
    Line drift = next("clock-drift");
    const std::uint64_t nanoseconds = drift.number();
    drift.end();
    require(nanoseconds <= std::numeric_limits<std::int64_t>::max(), "the clock drift is out of range");
    result_.clock_drift = std::chrono::nanoseconds(static_cast<std::int64_t>(nanoseconds));
    Line verdict = next("verdict");
    result_.holds = either(verdict, "holds", "violated");
  }
  static bool either(Line& line, std::string_view yes, std::string_view no) {
    const std::string_view word = line.word();
    require(word == yes || word == no, "an unknown word");
    line.end();
    return word == yes;
  }

  // --- holds ---

  void read_order() {
    std::vector<Event> order;
    while (at_ < text_.size()) {
      Line line = next("order");
      require(line.more(), "an empty line of the order");
      while (line.more()) order.push_back(event(line.word()));
    }
    require(std::find(order.begin(), order.end(), kInit) == order.end(), "the initial state is in the order");
    if (auto wrong = replay(h_, result_.level, result_.keep_sessions, result_.clock_drift, order)) {
      throw Rejected{*wrong};
    }
  }

  // --- what lines speak of ---

  Txn transaction(std::string_view word) const {
    const std::uint64_t number = Line::number_in(word);
    require(number < h_.transactions(), "there is no such transaction");
    return Txn{static_cast<std::uint32_t>(number)};
  }
  Txn member(std::string_view word) const {
    const Txn t = transaction(word);
    require(members_[index(t)], "a transaction that is no member");
    return t;
  }
  Event event(std::string_view word) const {
    if (word == "init") return kInit;
    require(word.size() > 1 && (word[0] == 'b' || word[0] == 'c'), "an event was expected");
    return {transaction(word.substr(1)), word[0] == 'b' ? Event::Side::begin : Event::Side::commit};
  }
  Op operation(std::string_view word) const {
    const std::size_t dot = word.find('.');
    require(dot != std::string_view::npos, "an operation was expected");
    const Txn t = transaction(word.substr(0, dot));
    const std::uint64_t place = Line::number_in(word.substr(dot + 1));
    require(place < h_.operations_of(t).size(), "there is no such operation");
    return h_.operations_of(t)[static_cast<std::uint32_t>(place)];
  }
  Event begin(Txn t) const { return {t, strong_ && !one_event_ ? Event::Side::begin : Event::Side::commit}; }
  static Event commit(Txn t) { return {t, Event::Side::commit}; }

  // The transactions that the proof is about. What holds of them alone, with reads of others left out, holds
  // of the whole history.
  void read_members() {
    members_.assign(h_.transactions(), false);
    std::optional<Txn> last;
    while (peek() == "member") {
      Line line = next();
      const Txn t = transaction(line.word());
      require(!last || *last < t, "members are not in order");
      require(line.word() == to_json(h_.name(h_.session_of(t))) && line.word() == to_json(h_.name(t)),
              "the history calls that transaction something else");
      line.end();
      members_[index(t)] = true;
      last = t;
    }
  }

  // --- a read that no level allows ---

  void read_bad_read() {
    Line line = next();
    const std::string_view kind = line.word();
    const Op read = operation(line.word());
    std::optional<Op> other;
    if (line.more()) other = operation(line.word());
    line.end();
    const Txn reader = h_.transaction_of(read);
    require(h_.status(reader) == Status::committed, "the reader did not commit: its reads are no evidence");
    require(facts_.is_read(read), "that is no read");
    require(members_[index(reader)], "the reader is no member");
    require(!other || members_[index(h_.transaction_of(*other))], "the writer is no member");
    const Key k = facts_.key(read);
    if (facts_.is_list(k)) {
      require(!facts_.is_muddled(k), "the elements of that list do not tell who appended them");
      read_bad_list(kind, reader, read, other);
    } else {
      read_bad_register(kind, reader, read, other);
    }
  }

  void read_bad_register(std::string_view kind, Txn reader, Op read, std::optional<Op> other) const {
    const Version v = h_.version(read);
    const std::optional<Op> own = facts_.own_write(reader, read, h_.key_of(v));
    if (kind == "internal") {
      require(own && own == other, "the transaction had not written the key there");
      require(h_.version(*own) != v, "the read shows the transaction's own write");
      return;
    }
    require(!own, "the transaction had written the key itself");
    require(!h_.is_initial(v), "the initial value can be read");
    for (const Txn t : facts_.writers(v)) require(t == reader, "somebody wrote that");
    if (kind == "thin-air") {
      require(!other, "nobody can have written it");
      for (const Op op : IdRange<Op>{0, h_.operations()}) {
        require(!writes(h_.kind(op)) || h_.version(op) != v, "somebody wrote that");
      }
      return;
    }
    require(other && writes(h_.kind(*other)) && h_.version(*other) == v, "that write is another");
    const Txn writer = h_.transaction_of(*other);
    if (kind == "aborted") {
      require(h_.status(writer) == Status::aborted, "the writer did not abort");
    } else if (kind == "intermediate") {
      require(h_.status(writer) != Status::aborted && writer != reader,
              "the write was not overwritten by its writer");
    } else {
      require(kind == "future" && writer == reader, "an unknown word");
    }
  }

  void read_bad_list(std::string_view kind, Txn reader, Op read, std::optional<Op> other) const {
    const Key k = facts_.key(read);
    const std::span<const Version> list = facts_.elements(read);
    const std::vector<Version> own = facts_.own_appends(reader, read, k);
    if (kind == "internal") {
      const bool ends_with_own =
          list.size() >= own.size() && std::equal(own.rbegin(), own.rend(), list.rbegin());
      const auto others = ends_with_own ? list.first(list.size() - own.size()) : list;
      const bool own_inside = std::any_of(own.begin(), own.end(), [&](Version v) {
        return std::find(others.begin(), others.end(), v) != others.end();
      });
      require(!own.empty() && (!ends_with_own || own_inside),
              "the list ends with the transaction's own appends");
      require(other && h_.kind(*other) == OpKind::append && h_.key(*other) == k &&
                  h_.transaction_of(*other) == reader && *other < read,
              "the other operation is no earlier append of the transaction");
      return;
    }
    if (kind == "thin-air") {
      require(!other, "nobody can have appended it");
      std::vector<bool> appended(h_.versions(), false);
      for (const Op op : IdRange<Op>{0, h_.operations()}) {
        if (h_.kind(op) == OpKind::append) appended[index(h_.version(op))] = true;
      }
      require(std::any_of(list.begin(), list.end(), [&](Version v) { return !appended[index(v)]; }),
              "all elements were appended");
      return;
    }
    if (kind == "incompatible-order" && (!other || h_.kind(*other) != OpKind::append)) {
      if (!other) {
        std::vector<Version> sorted(list.begin(), list.end());
        std::sort(sorted.begin(), sorted.end());
        require(std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end(),
                "no element is there twice");
        return;
      }
      require(facts_.is_read(*other) && facts_.key(*other) == k,
              "the other operation is no read of the list");
      require(h_.status(h_.transaction_of(*other)) == Status::committed, "the other reader did not commit");
      const std::span<const Version> second = facts_.elements(*other);
      const std::size_t shared = std::min(list.size(), second.size());
      require(!std::equal(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(shared), second.begin()),
              "one list continues the other");
      return;
    }
    require(other && h_.kind(*other) == OpKind::append && h_.key(*other) == k, "that append is another");
    const auto at = std::find(list.begin(), list.end(), h_.version(*other));
    require(at != list.end(), "the element is not in the list");
    const Txn writer = h_.transaction_of(*other);
    if (kind == "aborted") {
      require(facts_.writers(*at).empty() && h_.status(writer) == Status::aborted,
              "the writer did not abort");
    } else if (kind == "future") {
      require(writer == reader && *other > read, "the append did not come later");
    } else {
      require(h_.status(writer) != Status::aborted && writer != reader, "not somebody else's append");
      const auto [before, after] = neighbours(*other);
      if (kind == "intermediate") {
        require(after && (at + 1 == list.end() || at[1] != *after), "what was appended next is there");
      } else {
        require(kind == "incompatible-order", "an unknown word");
        require(before && (at == list.begin() || at[-1] != *before),
                "what was appended just before is there");
      }
    }
  }
  // What the same transaction appended to the same list just before and just after.
  std::pair<std::optional<Version>, std::optional<Version>> neighbours(Op append) const {
    std::optional<Version> before;
    for (const Op op : h_.operations_of(h_.transaction_of(append))) {
      if (h_.kind(op) != OpKind::append || h_.key(op) != h_.key(append) || op == append) continue;
      if (op > append) return {before, h_.version(op)};
      before = h_.version(op);
    }
    return {before, std::nullopt};
  }

  // --- derivations ---

  struct Step {
    Event from, to;
    char kind;               // s: session, r: a read, a: an axiom, i: initial, o: other
    std::optional<Op> read;  // of kind r
  };
  struct Assumption {
    Op read;
    Txn reader, writer;
  };

  // Steps, then a cycle or an exhaustive split into cases that each end in a cycle. What is derived before a
  // split can be used in all of its cases.
  void read_derivation(std::size_t depth) {
    require(depth <= kDeepest, "too many cases inside of cases");
    const std::size_t steps = steps_.size();
    while (peek() == "step") read_step();
    Line line = next();
    if (line.head() == "cycle") {
      read_cycle(line);
    } else if (line.head() == "split-order") {
      read_split_order(line, depth);
    } else if (line.head() == "split-read") {
      read_split_read(line, depth);
    } else {
      throw Rejected{"a step, a cycle or a split was expected"};
    }
    steps_.resize(steps);
  }

  void read_cycle(Line& line) const {
    const Step& first = step(line.number());
    Event at = first.to;
    bool axiom = first.kind == 'a';
    while (line.more()) {
      const Step& next_step = step(line.number());
      require(next_step.from == at, "the steps do not follow each other");
      axiom = axiom || next_step.kind == 'a';
      at = next_step.to;
    }
    require(at == first.from, "the steps do not end where they began");
    // Repeatable read knows no order of transactions that could be violated; but there an axiom by itself
    // says that one transaction saw two versions of a key.
    require(axiom || result_.level != Level::repeatable_read, "repeatable read orders no transactions");
  }

  void read_split_order(Line& line, std::size_t depth) {
    const Key k = key(line.number());
    const Txn a = member(line.word()), b = member(line.word());
    line.end();
    require(strong_, "the level says nothing about the order of two writers");
    require(a != b && writes_and_counts(a, k) && writes_and_counts(b, k), "not two writers of the key");
    for (const auto& [first, second] : {std::pair{a, b}, std::pair{b, a}}) {
      Line one = next("case");
      require(one.number() == steps_.size(), "a wrong number");
      require(member(one.word()) == first && member(one.word()) == second, "the cases are others");
      one.end();
      steps_.push_back({commit(first), exclusive_ ? begin(second) : commit(second), 'o', std::nullopt});
      read_derivation(depth + 1);
      steps_.pop_back();
    }
    next("qed").end();
  }

  void read_split_read(Line& line, std::size_t depth) {
    const Op read = operation(line.word());
    line.end();
    const Txn reader = h_.transaction_of(read);
    require_outside_register_read(reader, read);
    std::vector<Txn> open = candidates(reader, h_.version(read));
    while (peek() == "case") {
      Line one = next();
      require(one.number() == steps_.size(), "a wrong number");
      const std::string_view word = one.word();
      const Txn writer = word == "init" ? kInitialTxn : member(word);
      one.end();
      const auto found = std::find(open.begin(), open.end(), writer);
      require(found != open.end(), "the read cannot have seen that, or the case was there before");
      open.erase(found);
      assumptions_.push_back({read, reader, writer});
      steps_.push_back({writer == kInitialTxn ? kInit : commit(writer), begin(reader), 'r', read});
      read_derivation(depth + 1);
      steps_.pop_back();
      assumptions_.pop_back();
    }
    require(open.empty(), "the cases are not all");
    next("qed").end();
  }

  Key key(std::uint64_t number) const {
    require(number < h_.keys(), "there is no such key");
    return Key{static_cast<std::uint32_t>(number)};
  }
  const Step& step(std::uint64_t number) const {
    require(number < steps_.size(), "a step that is not there");
    return steps_[static_cast<std::size_t>(number)];
  }
  std::vector<Txn> candidates(Txn reader, Version v) const {
    std::vector<Txn> found;
    if (h_.is_initial(v)) found.push_back(kInitialTxn);
    for (const Txn t : facts_.writers(v)) {
      if (t != reader) found.push_back(t);
    }
    return found;
  }
  void require_outside_register_read(Txn reader, Op read) const {
    require(h_.kind(read) == OpKind::read && !facts_.is_list(h_.key(read)), "that is no read of a register");
    require(members_[index(reader)] && h_.status(reader) == Status::committed, "the reader did not commit");
    require(!facts_.own_write(reader, read, h_.key(read)), "the transaction had written the key itself");
  }

  bool counts(Txn t) const {
    return members_[index(t)] &&
           (facts_.counts(t) || std::any_of(assumptions_.begin(), assumptions_.end(),
                                            [&](const Assumption& a) { return a.writer == t; }));
  }
  bool writes_and_counts(Txn t, Key k) const { return counts(t) && facts_.writes_key(t, k); }

  // Requires that the read saw what the writer wrote: by force, or by an assumption of the cases around.
  void require_saw(Op read, Txn writer) const {
    const Txn reader = h_.transaction_of(read);
    require(facts_.is_read(read), "that is no read");
    if (facts_.is_list(facts_.key(read))) return require_list_saw(reader, read, writer);
    require_outside_register_read(reader, read);
    const Version v = h_.version(read);
    const std::vector<Txn> possible = candidates(reader, v);
    require(std::find(possible.begin(), possible.end(), writer) != possible.end(),
            "the read saw somebody else");
    if (possible.size() == 1) return;
    require(std::any_of(assumptions_.begin(), assumptions_.end(),
                        [&](const Assumption& a) {
                          // Under a snapshot two reads of one version by one transaction saw the same write.
                          const bool same =
                              a.read == read || (strong_ && a.reader == reader && h_.version(a.read) == v);
                          return same && a.writer == writer;
                        }),
            "several transactions can have written that");
  }

  // A list was read from whoever appended its last element; under a snapshot the part of the members is what
  // counts.
  void require_list_saw(Txn reader, Op read, Txn writer) const {
    const Key k = facts_.key(read);
    require(members_[index(reader)] && h_.status(reader) == Status::committed, "the reader did not commit");
    require(!facts_.is_muddled(k), "the elements of that list do not tell who appended them");
    std::span<const Version> list = facts_.elements(read);
    const std::vector<Version> own = facts_.own_appends(reader, read, k);
    require(list.size() >= own.size() && std::equal(own.rbegin(), own.rend(), list.rbegin()),
            "the list does not end with the transaction's own appends");
    list = list.first(list.size() - own.size());
    Txn seen = kInitialTxn;
    for (const Version v : list) {
      const auto writers = facts_.writers(v);
      if (writers.empty()) continue;
      if (!strong_ || members_[index(writers[0])]) seen = writers[0];
    }
    require(seen == writer, "the list shows somebody else");
  }

  // Steps from one event to another.
  std::vector<const Step*> path(Line& line, const Event& from, const Event& to) const {
    line.word(":");
    std::vector<const Step*> steps;
    Event at = from;
    while (line.more()) {
      steps.push_back(&step(line.number()));
      require(steps.back()->from == at, "the premises do not follow each other");
      at = steps.back()->to;
    }
    require(!steps.empty() && at == to, "the premises lead somewhere else");
    return steps;
  }

  void read_step() {
    Line line = next();
    require(line.number() == steps_.size(), "a wrong number");
    const std::string_view rule = line.word();
    const Event from = event(line.word()), to = event(line.word());
    // A transaction that did not commit still has its place in its session, where it did nothing.
    const bool place_only = rule == "program" || rule == "session";
    for (const Event& e : {from, to}) {
      require(e == kInit || (place_only ? members_[index(e.txn)] : counts(e.txn)),
              "it is not known to have committed");
    }
    Step made{from, to, 'o', std::nullopt};
    if (rule == "program") {
      require(strong_ && !one_event_ && from == begin(to.txn) && to == commit(from.txn),
              "not begin and commit of one");
    } else if (rule == "session") {
      made.kind = 's';
      check_session(from, to);
    } else if (rule == "real-time") {
      check_real_time(from, to);
    } else if (rule == "reads-from") {
      made.kind = 'r';
      made.read = operation(line.word());
      require(from != kInit && from == commit(from.txn) && to == begin(h_.transaction_of(*made.read)),
              "other events");
      require_saw(*made.read, from.txn);
    } else if (rule == "initial") {
      made.kind = 'i';
      if (from != kInit) check_initial(from, to, operation(line.word()));
    } else if (rule == "version-order") {
      check_version_order(from, to, operation(line.word()));
    } else if (rule == "overwritten") {
      check_overwritten(line, from, to);
    } else if (rule == "anti-dependency") {
      check_anti_dependency(line, from, to);
    } else if (rule == "first-committer") {
      check_first_committer(line, from, to);
    } else if (rule == "axiom") {
      made.kind = 'a';
      check_axiom(line, from, to);
    } else {
      throw Rejected{"an unknown rule"};
    }
    line.end();
    require(to != kInit || made.kind == 'a', "nothing comes before the initial state");
    steps_.push_back(made);
  }

  void check_session(const Event& from, const Event& to) const {
    require(result_.keep_sessions, "session order is ignored");
    require(
        from != kInit && to != kInit && h_.session_of(from.txn) == h_.session_of(to.txn) && from.txn < to.txn,
        "not this order in one session");
    require((strong_ && !one_event_) || (from == commit(from.txn) && to == commit(to.txn)), "other events");
  }

  void check_real_time(const Event& from, const Event& to) const {
    require(info(result_.level).real_time, "the level says nothing about real time");
    require(from != kInit && to != kInit && from == commit(from.txn) && to == begin(to.txn), "other events");
    require(h_.status(from.txn) == Status::committed, "nobody knows when it took effect");
    const auto end = h_.end(from.txn), start = h_.start(to.txn);
    require(end && start && *end < *start, "one did not end before the other started");
    const std::uint64_t apart = static_cast<std::uint64_t>(*start) - static_cast<std::uint64_t>(*end);
    require(apart > static_cast<std::uint64_t>(result_.clock_drift.count()),
            "the clocks may disagree by more");
  }

  // Who read the initial version came before everybody who wrote the key.
  void check_initial(const Event& from, const Event& to, Op read) const {
    const Txn reader = h_.transaction_of(read);
    require(strong_ && to != kInit && from == begin(reader) && to == commit(to.txn) && to.txn != reader,
            "other events");
    require_saw(read, kInitialTxn);
    require(facts_.writes_key(to.txn, facts_.key(read)), "it does not write the key");
  }

  void check_version_order(const Event& from, const Event& to, Op read) const {
    const Txn reader = h_.transaction_of(read);
    require(facts_.is_read(read) && facts_.is_list(facts_.key(read)), "that is no read of a list");
    const Key k = facts_.key(read);
    require(members_[index(reader)] && h_.status(reader) == Status::committed && !facts_.is_muddled(k),
            "that read is no evidence");
    require(from != kInit && to != kInit && from.txn != to.txn && from == commit(from.txn) &&
                to == (exclusive_ ? begin(to.txn) : commit(to.txn)),
            "other events");
    require(facts_.writes_key(to.txn, k), "it does not write the key");
    bool seen_first = false;
    for (const Version v : facts_.elements(read)) {
      const auto writers = facts_.writers(v);
      if (writers.empty()) continue;
      if (writers[0] == to.txn) break;
      seen_first = seen_first || writers[0] == from.txn;
    }
    require(seen_first, "the list does not show this order");
  }

  // t2 = from writes k, t3 reads k from t1 = to, t2 before t3, so t2 before t1.
  void check_overwritten(Line& line, const Event& from, const Event& to) const {
    const Op read = operation(line.word());
    const Txn reader = h_.transaction_of(read);
    require(strong_ && from != kInit && to != kInit && from == commit(from.txn) &&
                to == (exclusive_ ? begin(to.txn) : commit(to.txn)) && from.txn != to.txn &&
                from.txn != reader,
            "other events");
    require_saw(read, to.txn);
    require(facts_.writes_key(from.txn, facts_.key(read)), "it does not write the key");
    path(line, from, begin(reader));
  }

  // t3 = from reads k from t1, t2 = to writes k, t1 before t2, so t3 before t2. At snapshot isolation t1 and
  // t2 do not overlap, so it is enough that t1 began before t2 committed.
  void check_anti_dependency(Line& line, const Event& from, const Event& to) const {
    const Op read = operation(line.word());
    const Txn reader = h_.transaction_of(read);
    const Txn source = member(line.word());
    require(strong_ && to != kInit && from == begin(reader) && to == commit(to.txn) && to.txn != reader &&
                to.txn != source,
            "other events");
    require_saw(read, source);
    require(facts_.writes_key(to.txn, facts_.key(read)), "it does not write the key");
    path(line, exclusive_ ? begin(source) : commit(source), to);
  }

  void check_first_committer(Line& line, const Event& from, const Event& to) const {
    const Key k = key(line.number());
    require(exclusive_ && from != kInit && to != kInit && from.txn != to.txn && from == commit(from.txn) &&
                to == begin(to.txn),
            "other events");
    require(facts_.writes_key(from.txn, k) && facts_.writes_key(to.txn, k), "not two writers of the key");
    path(line, begin(from.txn), commit(to.txn));
  }

  // t2 = from writes k, t3 reads k from t1 = to, and t2 is visible to that read: each weak level says by
  // which paths of session order (s) and reads-from (r).
  void check_axiom(Line& line, const Event& from, const Event& to) const {
    const Op read = operation(line.word());
    const Txn reader = h_.transaction_of(read);
    require(!strong_ && from != kInit && from == commit(from.txn) && (to == kInit || to == commit(to.txn)) &&
                from.txn != to.txn && from.txn != reader,
            "other events");
    require_saw(read, to.txn);
    require(facts_.writes_key(from.txn, facts_.key(read)), "it does not write the key");
    const std::vector<const Step*> steps = path(line, from, commit(reader));
    std::string shape;
    for (const Step* s : steps) {
      require(s->kind == 's' || s->kind == 'r', "neither session order nor a read");
      shape += s->kind;
    }
    require(is_visible(shape, steps[0]->read, read), "the level does not make that visible");
  }
  bool is_visible(std::string_view shape, std::optional<Op> seen, Op read) const {
    switch (result_.level) {
      case Level::read_committed:
      case Level::monotonic_atomic_view:
        return shape == "r" && *seen < read;
      case Level::repeatable_read:
        return shape == "r" && facts_.key(*seen) == facts_.key(read);
      case Level::read_your_writes:
        return shape == "s";
      case Level::monotonic_reads:
        return shape == "rs";
      case Level::monotonic_writes:
        return shape == "sr";
      case Level::writes_follow_reads:
        return shape == "rr" || shape == "rsr";
      case Level::read_atomic:
        return shape == "r" || shape == "s";
      default:
        return result_.level == Level::causal;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_number_ = 0;
  const History& h_;
  Verification& result_;
  const Facts facts_;
  bool one_event_ = false;  // begin and commit are one
  bool strong_ = false;     // prefix or stronger
  bool exclusive_ = false;  // two writers of a key do not overlap
  std::vector<bool> members_;
  std::vector<Step> steps_;
  std::vector<Assumption> assumptions_;
};

}  // namespace

Verification verify(std::string_view certificate, const std::string& path, const History& history) {
  const std::string_view first = certificate.substr(0, certificate.find('\n'));
  if (first != kFirstLine) {
    throw InputError(path, "line 1", "expected \"" + std::string(kFirstLine) + "\": this is no certificate");
  }
  Verification result;
  Verifier verifier(certificate, history, result);
  try {
    verifier.run();
    result.accepted = true;
  } catch (const Rejected& rejected) {
    result.reason = rejected.why;
    if (verifier.line_number() > 0) {
      result.reason = "line " + std::to_string(verifier.line_number()) + ": " + result.reason;
    }
  }
  return result;
}

}  // namespace assay::evidence
