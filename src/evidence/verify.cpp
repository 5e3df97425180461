#include "evidence/verify.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "evidence/certificate_line.hpp"
#include "evidence/facts.hpp"
#include "evidence/query_reads.hpp"
#include "evidence/replay.hpp"
#include "history/digest.hpp"
#include "history/error.hpp"

namespace assay::evidence {

namespace {

constexpr std::string_view kFirstLine = "assay-certificate 1";
constexpr std::size_t kDeepest = 1000;  // cases inside of cases

template <class T>
bool contains(const T& list, const typename T::value_type& element) {
  return std::find(list.begin(), list.end(), element) != list.end();
}

std::string hexadecimal(std::uint64_t number) {
  std::string digits(16, '0');
  for (std::size_t i = 16; i-- > 0; number >>= 4) digits[i] = "0123456789abcdef"[number & 15];
  return digits;
}

// The begin or the commit of a transaction; levels that do not tell them apart know only commits. The initial
// state is one event.
using check::Event;
constexpr Event kInit{kInitialTxn, Event::Side::commit};
constexpr Event commit(Txn t) {
  return {t, Event::Side::commit};
}
constexpr bool is_commit(const Event& e) {
  return e != kInit && e.side == Event::Side::commit;
}

class Verifier {
 public:
  Verifier(std::string_view text, const History& history, Verification& result)
      : text_(text), original_(history), result_(result), members_(history.transactions(), false) {}

  // The history that the rest speaks of: the original, or that with its queries taken apart, where
  // transactions and keys are the same.
  const History& plain() const { return apart_ ? apart_->history : original_; }

  std::size_t line_number() const { return line_number_; }

  void run() {
    require_whole();
    require(next_text() == kFirstLine, "this is no certificate");
    read_head();
    if (has_queries(original_)) apart_ = take_queries_apart(original_, result_.level);
    facts_.emplace(plain());
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

  std::string_view next_text() {
    require(at_ < text_.size(), "a line is missing");
    const std::size_t end = text_.find('\n', at_);
    const std::string_view text = text_.substr(at_, end - at_);
    at_ = end + 1;
    ++line_number_;
    return text;
  }
  Line next() { return Line(next_text()); }
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
    const auto count = [](std::uint32_t n, const char* what) { return std::to_string(n) + what; };
    require(next_text() == "history " + count(original_.sessions(), " sessions ") +
                               count(original_.transactions(), " transactions ") +
                               count(original_.operations(), " operations ") +
                               count(original_.keys(), " keys ") + hexadecimal(digest(original_)),
            "the certificate is about another history");
    Line level = next("level");
    const std::string_view name = level.word();
    level.end();
    const std::optional<Level> found = find_level(name);
    require(found && info(*found).name == name, "there is no such level");
    result_.level = *found;
    strong_ = implies(*found, Level::prefix);
    two_events_ = strong_ && !implies(*found, Level::serializable);
    exclusive_ = two_events_ && implies(*found, Level::snapshot_isolation);

    result_.keep_sessions = either("sessions", "keep", "ignore");
    Line drift = next("clock-drift");
    const std::uint64_t nanoseconds = drift.number();
    drift.end();
    require(nanoseconds <= std::numeric_limits<std::int64_t>::max(), "the clock drift is out of range");
    result_.clock_drift = std::chrono::nanoseconds(static_cast<std::int64_t>(nanoseconds));
    result_.holds = either("verdict", "holds", "violated");
  }
  bool either(std::string_view head, std::string_view yes, std::string_view no) {
    Line line = next(head);
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
    require(!contains(order, kInit), "the initial state is in the order");
    if (auto wrong = replay(plain(), result_.level, result_.keep_sessions, result_.clock_drift, order)) {
      throw Rejected{*wrong};
    }
  }

  // --- what lines speak of ---

  Txn transaction(std::string_view word) const {
    const std::uint64_t number = Line::number_in(word);
    require(number < plain().transactions(), "there is no such transaction");
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
    const std::string_view rest = word.substr(dot + 1);
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    const std::uint64_t place = Line::number_in(rest.substr(0, slash));
    require(place < original_.operations_of(t).size(), "there is no such operation");
    const Op op = original_.operations_of(t)[static_cast<std::uint32_t>(place)];
    if (slash == rest.size() && !apart_) return op;
    // Of a query with the key that it is about.
    std::optional<Op> found;
    if (slash < rest.size()) {
      require(apart_ && original_.kind(op) >= OpKind::predicate_read, "only a query is of several keys");
      found = apart_->read_of(op, key(Line::number_in(rest.substr(slash + 1))));
    } else {
      require(original_.kind(op) < OpKind::predicate_read, "a query is of several keys");
      found = apart_->only(op);
    }
    require(found.has_value(), "the query says nothing of that key");
    return *found;
  }
  // Where it stands in its transaction: reads of one query are at one place.
  Op place(Op op) const { return apart_ ? apart_->operations[index(op)] : op; }
  Key key(std::uint64_t number) const {
    require(number < plain().keys(), "there is no such key");
    return Key{static_cast<std::uint32_t>(number)};
  }
  Event begin(Txn t) const { return {t, two_events_ ? Event::Side::begin : Event::Side::commit}; }
  // Where the writes of `t` come after those of an earlier writer of the same key.
  Event overwrites(Txn t) const { return exclusive_ ? begin(t) : commit(t); }

  // The transactions that the proof is about. What holds of them alone, with reads of others left out, holds
  // of the whole history.
  void read_members() {
    std::optional<Txn> last;
    while (peek() == "member") {
      const std::string_view text = next_text();
      const Txn t = transaction(Line(text).word());
      require(!last || *last < t, "members are not in order");
      require(text == "member " + std::to_string(index(t)) + " " +
                          to_json(plain().name(plain().session_of(t))) + " " + to_json(plain().name(t)),
              "the history calls that transaction something else");
      members_[index(t)] = true;
      last = t;
    }
  }
  void require_committed_member(Txn t) const {
    require(members_[index(t)], "the reader is no member");
    require(plain().status(t) == Status::committed, "the reader did not commit: its reads are no evidence");
  }

  // --- a read that no level allows ---

  void read_bad_read() {
    Line line = next();
    const std::string_view kind = line.word();
    const Op read = operation(line.word());
    std::optional<Op> other;
    if (line.more()) other = operation(line.word());
    line.end();
    require(facts_->is_read(read), "that is no read");
    require_committed_member(plain().transaction_of(read));
    require(!other || members_[index(plain().transaction_of(*other))], "the writer is no member");
    if (facts_->is_list(facts_->key(read))) {
      read_bad_list(kind, read, other);
    } else {
      read_bad_register(kind, read, other);
    }
  }

  void read_bad_register(std::string_view kind, Op read, std::optional<Op> other) const {
    const Txn reader = plain().transaction_of(read);
    const Version v = plain().version(read);
    const std::vector<Op> own = facts_->own_writes(read);
    if (kind == "internal") {
      require(!own.empty() && own.back() == other, "the transaction had not written the key there");
      require(!plain().covers(v, plain().version(own.back())), "the read shows the transaction's own write");
      return;
    }
    require(own.empty(), "the transaction had written the key itself");
    for (const Txn t : facts_->possible_writers(v)) require(t == reader, "somebody wrote that");
    if (kind == "thin-air") {
      require(!other, "nobody can have written it");
      for (const Op op : IdRange<Op>{0, plain().operations()}) {
        require(!writes(plain().kind(op)) || !plain().covers(v, plain().version(op)), "somebody wrote that");
      }
      return;
    }
    require(other && writes(plain().kind(*other)) && plain().covers(v, plain().version(*other)),
            "that write is another");
    const Txn writer = plain().transaction_of(*other);
    const bool aborted = plain().status(writer) == Status::aborted;
    require((kind == "aborted" && aborted) || (kind == "intermediate" && !aborted && writer != reader) ||
                (kind == "future" && writer == reader),
            "the writer's fate is another");
  }

  void read_bad_list(std::string_view kind, Op read, std::optional<Op> other) const {
    const Txn reader = plain().transaction_of(read);
    const Key k = facts_->key(read);
    const std::span<const Version> list = facts_->elements(read);
    require(!facts_->is_muddled(k), "the elements of that list do not tell who appended them");
    const bool other_appends = other && plain().kind(*other) == OpKind::append && plain().key(*other) == k;
    if (kind == "internal") {
      const std::vector<Op> own = facts_->own_writes(read);
      const auto others = before_own(list, own);
      require(!own.empty() &&
                  (!others || std::any_of(own.begin(), own.end(),
                                          [&](Op o) { return contains(*others, plain().version(o)); })),
              "the list ends with the transaction's own appends");
      require(other && contains(own, *other), "the other operation is no earlier append of the transaction");
    } else if (kind == "thin-air") {
      require(!other, "nobody can have appended it");
      std::vector<bool> appended(plain().versions(), false);
      for (const Op op : IdRange<Op>{0, plain().operations()}) {
        if (plain().kind(op) == OpKind::append) appended[index(plain().version(op))] = true;
      }
      require(std::any_of(list.begin(), list.end(), [&](Version v) { return !appended[index(v)]; }),
              "all elements were appended");
    } else if (kind == "incompatible-order" && !other) {
      std::vector<Version> sorted(list.begin(), list.end());
      std::sort(sorted.begin(), sorted.end());
      require(std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end(), "no element is there twice");
    } else if (kind == "incompatible-order" && !other_appends) {
      require(facts_->is_read(*other) && facts_->key(*other) == k, "the other is no read of the list");
      require_committed_member(plain().transaction_of(*other));
      const std::span<const Version> second = facts_->elements(*other);
      const std::size_t shared = std::min(list.size(), second.size());
      require(!std::equal(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(shared), second.begin()),
              "one list continues the other");
    } else {
      require(other_appends, "that append is another");
      read_bad_element(kind, reader, read, *other);
    }
  }
  void read_bad_element(std::string_view kind, Txn reader, Op read, Op append) const {
    const std::span<const Version> list = facts_->elements(read);
    const auto at = std::find(list.begin(), list.end(), plain().version(append));
    require(at != list.end(), "the element is not in the list");
    const Txn writer = plain().transaction_of(append);
    const bool aborted = plain().status(writer) == Status::aborted;
    if (kind == "aborted") {
      require(facts_->writers(*at).empty() && aborted, "the writer did not abort");
    } else if (kind == "future") {
      require(writer == reader && append > read, "the append did not come later");
    } else {
      require(!aborted && writer != reader, "not somebody else's append");
      // What the writer appended to the same list just before and just after.
      std::optional<Version> before, after;
      for (const Op op : plain().operations_of(writer)) {
        if (plain().kind(op) != OpKind::append || plain().key(op) != plain().key(append)) continue;
        if (op < append) before = plain().version(op);
        if (op > append && !after) after = plain().version(op);
      }
      const bool cut_off = after && (at + 1 == list.end() || at[1] != *after);
      const bool displaced = before && (at == list.begin() || at[-1] != *before);
      require((kind == "intermediate" && cut_off) || (kind == "incompatible-order" && displaced),
              "what was appended with it is there");
    }
  }
  // A list without the reader's own appends at its end; nullopt if they are not there.
  std::optional<std::span<const Version>> before_own(std::span<const Version> list,
                                                     const std::vector<Op>& own) const {
    if (list.size() < own.size()) return std::nullopt;
    const auto others = list.first(list.size() - own.size());
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (list[others.size() + i] != plain().version(own[i])) return std::nullopt;
    }
    return others;
  }

  // --- derivations ---

  struct Step {
    Event from, to;
    char kind;               // s: session, r: a read, a: an axiom, o: other
    std::optional<Op> read;  // of kind r
  };
  struct Assumption {
    Op read;
    Txn writer;
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
    } else {
      require(line.head() == "split-read", "a step, a cycle or a split was expected");
      read_split_read(line, depth);
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

  Line next_case() {
    Line line = next("case");
    require(line.number() == steps_.size(), "a wrong number");
    return line;
  }
  void read_case(const Step& assumed, std::size_t depth) {
    steps_.push_back(assumed);
    read_derivation(depth + 1);
    steps_.pop_back();
  }

  void read_split_order(Line& line, std::size_t depth) {
    const Key k = key(line.number());
    const Txn a = member(line.word()), b = member(line.word());
    line.end();
    require(strong_, "the level says nothing about the order of two writers");
    require(a != b && counts(a) && counts(b) && facts_->writes_key(a, k) && facts_->writes_key(b, k),
            "not two writers of the key");
    for (const auto& [first, second] : {std::pair{a, b}, std::pair{b, a}}) {
      Line one = next_case();
      require(member(one.word()) == first && member(one.word()) == second, "the cases are others");
      one.end();
      read_case({commit(first), overwrites(second), 'o', std::nullopt}, depth);
    }
    next("qed").end();
  }

  void read_split_read(Line& line, std::size_t depth) {
    const Op read = operation(line.word());
    line.end();
    require_outside_register_read(read);
    std::vector<Txn> open = candidates(read);
    while (peek() == "case") {
      Line one = next_case();
      const std::string_view word = one.word();
      const Txn writer = word == "init" ? kInitialTxn : member(word);
      one.end();
      const auto found = std::find(open.begin(), open.end(), writer);
      require(found != open.end(), "the read cannot have seen that, or the case was there before");
      open.erase(found);
      assumptions_.push_back({read, writer});
      read_case({commit(writer), begin(plain().transaction_of(read)), 'r', read}, depth);
      assumptions_.pop_back();
    }
    require(open.empty(), "the cases are not all");
    next("qed").end();
  }

  const Step& step(std::uint64_t number) const {
    require(number < steps_.size(), "a step that is not there");
    return steps_[static_cast<std::size_t>(number)];
  }
  bool counts(Txn t) const {
    return members_[index(t)] &&
           (facts_->counts(t) || std::any_of(assumptions_.begin(), assumptions_.end(),
                                             [&](const Assumption& a) { return a.writer == t; }));
  }

  // --- who a read saw ---

  std::vector<Txn> candidates(Op read) const {
    std::vector<Txn> found;
    for (const Txn t : facts_->possible_writers(plain().version(read))) {
      if (t != plain().transaction_of(read)) found.push_back(t);
    }
    return found;
  }
  void require_outside_register_read(Op read) const {
    require(plain().kind(read) == OpKind::read && !facts_->is_list(plain().key(read)),
            "that is no read of a register");
    require_committed_member(plain().transaction_of(read));
    require(facts_->own_writes(read).empty(), "the transaction had written the key itself");
  }
  void require_list_read(Op read) const {
    require(facts_->is_read(read) && facts_->is_list(facts_->key(read)), "that is no read of a list");
    require_committed_member(plain().transaction_of(read));
    require(!facts_->is_muddled(facts_->key(read)),
            "the elements of that list do not tell who appended them");
  }

  // Requires that the read saw what the writer wrote: by force, or by an assumption of the cases around.
  void require_saw(Op read, Txn writer) const {
    require(facts_->is_read(read), "that is no read");
    if (facts_->is_list(facts_->key(read))) return require_list_saw(read, writer);
    require_outside_register_read(read);
    const std::vector<Txn> possible = candidates(read);
    require(contains(possible, writer), "the read saw somebody else");
    // Under a snapshot two reads of one version by one transaction saw the same write.
    const auto same = [&](Op other) {
      return other == read || (strong_ && plain().transaction_of(other) == plain().transaction_of(read) &&
                               plain().version(other) == plain().version(read));
    };
    require(possible.size() == 1 ||
                std::any_of(assumptions_.begin(), assumptions_.end(),
                            [&](const Assumption& a) { return same(a.read) && a.writer == writer; }),
            "several transactions can have written that");
  }

  // A list was read from whoever appended its last element. What others than members appended is not looked
  // at; where the level knows no snapshots that is allowed only if the last element is a member's.
  void require_list_saw(Op read, Txn writer) const {
    require_list_read(read);
    std::vector<Version> list;
    bool last_is_members = true;
    for (const Version v : facts_->elements(read)) {
      const auto writers = facts_->writers(v);
      const bool of_member = !writers.empty() && members_[index(writers[0])];
      if (writers.empty() || writers[0] != plain().transaction_of(read)) last_is_members = of_member;
      if (of_member) list.push_back(v);
    }
    require(strong_ || last_is_members, "the list shows somebody else");
    const auto others = before_own(list, facts_->own_writes(read));
    require(others.has_value(), "the list does not end with the transaction's own appends");
    require((others->empty() ? kInitialTxn : facts_->writers(others->back())[0]) == writer,
            "the list shows somebody else");
  }

  // Requires that the read saw `source` and not `writer`, which writes the same key.
  void require_missed(Op read, Txn source, Txn writer) const {
    require(writer != source && writer != plain().transaction_of(read), "other events");
    require_saw(read, source);
    require(facts_->writes_key(writer, facts_->key(read)), "it does not write the key");
  }

  // --- steps ---

  // Steps from one event to another.
  std::vector<const Step*> path(Line& line, const Event& from, const Event& to) const {
    require(line.word() == ":", "\":\" was expected");
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
    require(to != kInit || rule == "axiom", "nothing comes before the initial state");
    Step made{from, to, 'o', std::nullopt};
    if (rule == "program") {
      require(two_events_ && is_commit(to) && from == begin(to.txn), "not begin and commit of one");
    } else if (rule == "session") {
      made.kind = 's';
      check_session(from, to);
    } else if (rule == "real-time") {
      check_real_time(from, to);
    } else if (rule == "reads-from") {
      made.kind = 'r';
      made.read = operation(line.word());
      require(is_commit(from) && to == begin(plain().transaction_of(*made.read)), "other events");
      require_saw(*made.read, from.txn);
    } else if (rule == "initial") {
      if (from != kInit) check_initial(from, to, operation(line.word()));
    } else if (rule == "version-order") {
      check_version_order(from, to, operation(line.word()));
    } else if (rule == "overwritten") {
      check_overwritten(line, from, to);
    } else if (rule == "anti-dependency") {
      check_anti_dependency(line, from, to);
    } else if (rule == "first-committer") {
      check_first_committer(line, from, to);
    } else {
      require(rule == "axiom", "an unknown rule");
      made.kind = 'a';
      check_axiom(line, from, to);
    }
    line.end();
    steps_.push_back(made);
  }

  void check_session(const Event& from, const Event& to) const {
    require(result_.keep_sessions, "session order is ignored");
    require(from != kInit && plain().session_of(from.txn) == plain().session_of(to.txn) && from.txn < to.txn,
            "not this order in one session");
    require(two_events_ || (is_commit(from) && is_commit(to)), "other events");
  }

  void check_real_time(const Event& from, const Event& to) const {
    require(info(result_.level).real_time, "the level says nothing about real time");
    require(is_commit(from) && to == begin(to.txn), "other events");
    require(plain().status(from.txn) == Status::committed, "nobody knows when it took effect");
    const auto end = plain().end(from.txn), start = plain().start(to.txn);
    require(end && start && *end < *start, "one did not end before the other started");
    const std::uint64_t apart = static_cast<std::uint64_t>(*start) - static_cast<std::uint64_t>(*end);
    require(apart > static_cast<std::uint64_t>(result_.clock_drift.count()),
            "the clocks may disagree by more");
  }

  // Who read the initial version came before everybody who wrote the key.
  void check_initial(const Event& from, const Event& to, Op read) const {
    require(strong_ && is_commit(to) && from == begin(plain().transaction_of(read)), "other events");
    require_missed(read, kInitialTxn, to.txn);
  }

  void check_version_order(const Event& from, const Event& to, Op read) const {
    require_list_read(read);
    require(is_commit(from) && from.txn != to.txn && to == overwrites(to.txn), "other events");
    require(facts_->writes_key(to.txn, facts_->key(read)), "it does not write the key");
    bool seen_first = false;
    for (const Version v : facts_->elements(read)) {
      const auto writers = facts_->writers(v);
      if (writers.empty()) continue;
      if (writers[0] == to.txn) break;
      seen_first = seen_first || writers[0] == from.txn;
    }
    require(seen_first, "the list does not show this order");
  }

  // t2 = from writes k, t3 reads k from t1 = to, t2 before t3, so t2 before t1.
  void check_overwritten(Line& line, const Event& from, const Event& to) const {
    const Op read = operation(line.word());
    require(strong_ && is_commit(from) && to == overwrites(to.txn), "other events");
    require_missed(read, to.txn, from.txn);
    path(line, from, begin(plain().transaction_of(read)));
  }

  // t3 = from reads k from t1, t2 = to writes k, t1 before t2, so t3 before t2. At snapshot isolation t1 and
  // t2 do not overlap, so it is enough that t1 began before t2 committed.
  void check_anti_dependency(Line& line, const Event& from, const Event& to) const {
    const Op read = operation(line.word());
    const Txn source = member(line.word());
    require(strong_ && is_commit(to) && from == begin(plain().transaction_of(read)), "other events");
    require_missed(read, source, to.txn);
    path(line, exclusive_ ? begin(source) : commit(source), to);
  }

  void check_first_committer(Line& line, const Event& from, const Event& to) const {
    const Key k = key(line.number());
    require(exclusive_ && is_commit(from) && from.txn != to.txn && to == begin(to.txn), "other events");
    require(facts_->writes_key(from.txn, k) && facts_->writes_key(to.txn, k), "not two writers of the key");
    path(line, begin(from.txn), commit(to.txn));
  }

  // t2 = from writes k, t3 reads k from t1 = to, and t2 is visible to that read: each weak level says by
  // which paths of session order (s) and reads-from (r).
  void check_axiom(Line& line, const Event& from, const Event& to) const {
    const Op read = operation(line.word());
    require(!strong_ && is_commit(from) && to == commit(to.txn), "other events");
    require_missed(read, to.txn, from.txn);
    const std::vector<const Step*> steps = path(line, from, commit(plain().transaction_of(read)));
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
        return shape == "r" && place(*seen) < place(read);
      case Level::repeatable_read:
        return shape == "r" && facts_->key(*seen) == facts_->key(read);
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
  const History& original_;
  Verification& result_;
  std::optional<QueryReads> apart_;  // if there are queries
  std::optional<Facts> facts_;
  bool strong_ = false;      // prefix or stronger
  bool two_events_ = false;  // begin and commit are told apart
  bool exclusive_ = false;   // two writers of a key do not overlap
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
