#include "verify/proof.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "verify/axioms.hpp"

namespace assay::verify {

namespace {

constexpr std::size_t kDeepest = 1000;  // cases inside of cases

// Each step says that one event comes before another in every order that could prove "holds"; so a cycle
// says that there is none.
class Proof {
 public:
  Proof(Facts& facts, const Claim& claim, Lines& lines)
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
      require(read.is_list ? facts_.is_torn(read) : !read.after_own && !has_candidate(read),
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
    std::set<Txn> open;
    facts_.for_each_candidate(read, [&](Txn t) { return open.insert(t), true; });
    while (in_.peek() == "case") {
      next_case();
      const Txn writer = facts_.writer(in_.word());
      require(open.erase(writer) == 1, "the read cannot have seen that, or the case was there before");
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

  bool has_candidate(const Read& read) const {
    bool found = false;
    facts_.for_each_candidate(read, [&](Txn) { return !(found = true); });
    return found;
  }
  // Committed for certain: reported as such, or the only one who can have written what a committed one read,
  // or read by an assumption of the cases around.
  bool counts(Txn t) const {
    return counts_[index(t)] || std::any_of(assumptions_.begin(), assumptions_.end(),
                                            [&](const Assumption& a) { return a.writer == t; });
  }
  void find_who_else_counts() {
    const auto is_open = [&](Txn t) { return h_.status(t) == Status::unknown; };
    bool some_are_open = false;
    for (const Txn t : h_.all_transactions()) some_are_open |= is_open(t);
    if (!some_are_open) return;
    for (const Txn t : h_.all_transactions()) {
      if (h_.status(t) != Status::committed) continue;
      for (const Read& read : facts_.reads_of(t)) {
        const bool by_others = !read.is_list && !read.after_own;
        const std::optional<Txn> only = by_others ? facts_.only_candidate(read) : std::nullopt;
        if (only && *only != kInitialTxn) counts_[index(*only)] = true;
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
    return !read.after_own && facts_.is_candidate(read, source) &&
           (facts_.only_candidate(read) || std::any_of(assumptions_.begin(), assumptions_.end(), is_assumed));
  }
  // Whether the read saw `source` and not `writer`, which writes the same key.
  bool missed(const Read& read, Txn source, Txn writer) const {
    return writer != source && writer != read.reader && facts_.writes_key(writer, read.key) &&
           saw(read, source, writer);
  }

  Facts& facts_;
  const History& h_;
  const Claim& claim_;
  Lines& in_;
  bool strong_;      // prefix or stronger
  bool two_events_;  // begin and commit are told apart
  bool exclusive_;   // two writers of a key do not overlap
  std::vector<bool> counts_;
  const std::vector<Rule> rules_ = rules();
  std::vector<Step> steps_;
  std::vector<Assumption> assumptions_;
};

}  // namespace

void check_proof(Lines& lines, Facts& facts, const Claim& claim) {
  Proof(facts, claim, lines).check();
}

}  // namespace assay::verify
