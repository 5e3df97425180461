#include "report/story.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "report/printable.hpp"
#include "report/query_words.hpp"
#include "report/report.hpp"
#include "report/sentence.hpp"

namespace assay::report {

using check::Derivation;
using check::Step;
using evidence::Anomaly;
using evidence::Counterexample;

namespace {

// "T8" by the input's own id; where that is the same for two of them, with the session: "T3.8".
std::vector<std::string> names_of(const History& h, std::span<const Txn> transactions) {
  std::vector<std::string> ids;
  for (const Txn t : transactions) ids.push_back(printable(h.name(t)));
  std::vector<std::string> sorted = ids;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      ids[i] = printable(h.name(h.session_of(transactions[i]))) + "." + ids[i];
    }
  }
  for (std::string& id : ids) id.insert(0, "T");
  return ids;
}

// The textbook pattern of the anomaly, found again in the counterexample and told in one sentence.
class Summary {
 public:
  Summary(const History& h, const Counterexample& found, const Naming& name)
      : h_(h), found_(found), name_(name) {
    for (const Txn t : found.transactions) {
      if (h.status(t) == Status::committed) collect(t);
    }
  }

  std::string sentence() const {
    switch (found_.anomaly) {
      case Anomaly::dirty_write:
        return dirty_write();
      case Anomaly::circular_information_flow:
        return circular_information_flow();
      case Anomaly::lost_update:
        return lost_update();
      case Anomaly::write_skew:
        return write_skew();
      case Anomaly::long_fork:
        return long_fork();
      case Anomaly::fractured_read:
        return fractured_read();
      case Anomaly::non_repeatable_read:
        return non_repeatable_read();
      case Anomaly::read_your_writes_violation:
      case Anomaly::monotonic_reads_violation:
      case Anomaly::monotonic_writes_violation:
      case Anomaly::writes_follow_reads_violation:
      case Anomaly::causality_violation:
      case Anomaly::read_skew:
      case Anomaly::stale_read:
        return missed_update();
      case Anomaly::phantom:
        return phantom(found_.derivation);
      case Anomaly::predicate_write_skew:
        return phantom_write_skew(found_.derivation);
      default:
        return "";
    }
  }

 private:
  struct Read {
    Txn reader;
    Op op;
    Key key;
    Version seen;            // not of a list
    Txn source;              // a possible one
    std::vector<Txn> shows;  // all whose writes it shows
  };

  void collect(Txn t) {
    std::vector<Key> written;
    for (const Op op : h_.operations_of(t)) {
      const OpKind kind = h_.kind(op);
      if (writes(kind)) {
        written.push_back(h_.key(op));
        continue;
      }
      const bool list = kind == OpKind::list_read;
      if (is_query(h_, op)) {
        for (const Version row : h_.query(op).results) collect(t, op, h_.key_of(row), row, written);
      } else {
        collect(t, op, list ? h_.list(op).key : h_.key(op), list ? Version{} : h_.version(op), written);
      }
    }
  }
  void collect(Txn t, Op op, Key k, Version seen, const std::vector<Key>& written) {
    const bool list = h_.kind(op) == OpKind::list_read;
    if (!list && std::find(written.begin(), written.end(), k) != written.end()) return;
    Read read{t, op, k, seen, kInitialTxn, {}};
    const auto look = [&](Version v) {
      for (const Txn writer : found_.transactions) {
        if (writer == t || h_.status(writer) == Status::aborted || last_write(writer, v) == check::kNoOp)
          continue;
        read.source = writer;
        read.shows.push_back(writer);
      }
    };
    if (list) {
      for (const Version v : h_.list(op).elements) look(v);
    } else {
      look(seen);
    }
    const bool answered = list || !read.shows.empty() || h_.is_initial(seen);
    if (answered) reads_.push_back(std::move(read));
  }

  Op last_write(Txn t, Version v) const {
    Op found = check::kNoOp;
    for (const Op op : h_.operations_of(t)) {
      if (!writes(h_.kind(op)) || h_.key(op) != h_.key_of(v)) continue;
      if (h_.version(op) == v) {
        found = op;
      } else if (h_.kind(op) != OpKind::append) {
        found = check::kNoOp;
      }
    }
    return found;
  }
  bool writes_key(Txn t, Key k) const {
    for (const Op op : h_.operations_of(t)) {
      if (writes(h_.kind(op)) && h_.key(op) == k) return true;
    }
    return false;
  }
  const Read* sees(Txn reader, Txn writer) const {
    for (const Read& r : reads_) {
      if (r.reader == reader && std::find(r.shows.begin(), r.shows.end(), writer) != r.shows.end()) return &r;
    }
    return nullptr;
  }
  const Read* misses(Txn reader, Txn writer) const {
    for (const Read& r : reads_) {
      if (r.reader == reader && writer != reader && r.source != writer && writes_key(writer, r.key) &&
          std::find(r.shows.begin(), r.shows.end(), writer) == r.shows.end()) {
        return &r;
      }
    }
    return nullptr;
  }

  std::string key(const Read& r) const { return printable(h_.name(r.key)); }
  // "x=4", "the initial x", "the list x=[1,2]".
  std::string content(const Read& r) const {
    if (h_.kind(r.op) == OpKind::list_read) {
      const std::string shown = operation(h_, r.op);  // r(x)=[1,2]
      return "the list " + key(r) + shown.substr(shown.find(")=") + 1);
    }
    if (r.source == kInitialTxn) return "the initial " + key(r);
    return fmt::format("{}={}", key(r), printable(h_.value(r.seen)));
  }
  // The same, and for a register who wrote it: "x=4 written by T4", or where several can have, "by T4 or T5".
  std::string value(const Read& r) const {
    if (h_.kind(r.op) == OpKind::list_read) return content(r);
    std::string writers;
    for (const Txn writer : r.shows) writers += (writers.empty() ? " written by " : " or ") + name_(writer);
    return content(r) + writers;
  }

  std::string dirty_write() const {
    const auto place = [](const Read& r, Txn t) { return std::find(r.shows.begin(), r.shows.end(), t); };
    for (const Read& one : reads_) {
      for (const Read& other : reads_) {
        for (const Txn a : one.key == other.key ? std::vector<Txn>{} : one.shows) {
          for (const Txn b : one.shows) {
            if (place(one, a) >= place(one, b) || place(other, b) >= place(other, a)) continue;
            if (place(other, a) == other.shows.end()) continue;
            return fmt::format(
                "{0} and {1} both wrote {2} and {3}, but {2} shows what {0} wrote first ({4}) and {3} what "
                "{1} "
                "wrote first ({5}): their writes were mixed.",
                name_(a), name_(b), key(one), key(other), content(one), content(other));
          }
        }
      }
    }
    return "";
  }

  std::string circular_information_flow() const {
    for (const Txn a : found_.transactions) {
      for (const Txn b : found_.transactions) {
        const Read* first = a < b ? sees(a, b) : nullptr;
        const Read* second = first != nullptr ? sees(b, a) : nullptr;
        if (second == nullptr) continue;
        return fmt::format("{} read {}, and {} read {}: each saw what the other wrote.", name_(a),
                           value(*first), name_(b), value(*second));
      }
    }
    return "";
  }

  std::string lost_update() const {
    for (const Read& a : reads_) {
      for (const Read& b : reads_) {
        if (a.reader >= b.reader || a.key != b.key || a.source != b.source) continue;
        if (!writes_key(a.reader, a.key) || !writes_key(b.reader, a.key)) continue;
        return fmt::format("{} and {} both read {} and both overwrote it: one update is lost.",
                           name_(a.reader), name_(b.reader), value(a));
      }
    }
    return "";
  }

  std::string write_skew() const {
    for (const Txn a : found_.transactions) {
      for (const Txn b : found_.transactions) {
        const Read* first = a < b ? misses(a, b) : nullptr;
        const Read* second = first != nullptr ? misses(b, a) : nullptr;
        if (second == nullptr) continue;
        return fmt::format(
            "{0} read {2}, which {1} overwrote, and {1} read {3}, which {0} overwrote: neither saw what the "
            "other did.",
            name_(a), name_(b), value(*first), value(*second));
      }
    }
    return "";
  }

  std::string long_fork() const {
    for (const Txn r1 : found_.transactions) {
      for (const Txn w1 : found_.transactions) {
        for (const Txn w2 : found_.transactions) {
          const Read* missed = sees(r1, w1) != nullptr && w1 != w2 ? misses(r1, w2) : nullptr;
          if (missed == nullptr) continue;
          for (const Txn r2 : found_.transactions) {
            const Read* other = r2 != r1 && sees(r2, w2) != nullptr ? misses(r2, w1) : nullptr;
            if (other == nullptr) continue;
            return fmt::format(
                "{0} saw what {2} wrote ({4}) but not what {3} wrote (it read {5}); {1} saw what {3} wrote "
                "({6}) "
                "but not what {2} wrote (it read {7}): they saw the two writes in opposite orders.",
                name_(r1), name_(r2), name_(w1), name_(w2), content(*sees(r1, w1)), value(*missed),
                content(*sees(r2, w2)), value(*other));
          }
        }
      }
    }
    return "";
  }

  std::string fractured_read() const {
    for (const Txn reader : found_.transactions) {
      for (const Txn writer : found_.transactions) {
        const Read* seen = sees(reader, writer);
        const Read* missed = seen != nullptr ? misses(reader, writer) : nullptr;
        if (missed == nullptr) continue;
        return fmt::format("{0} saw what {1} wrote to {2} ({3}) but not what it wrote to {4}: it read {5}.",
                           name_(reader), name_(writer), key(*seen), content(*seen), key(*missed),
                           value(*missed));
      }
    }
    return "";
  }

  std::string non_repeatable_read() const {
    for (const Read& a : reads_) {
      for (const Read& b : reads_) {
        if (a.reader != b.reader || a.key != b.key || a.op >= b.op || a.source == b.source) continue;
        return fmt::format("{} read {} twice and saw two versions: first {}, then {}.", name_(a.reader),
                           key(a), value(a), value(b));
      }
    }
    return "";
  }

  std::string missed_update() const {
    for (const Txn reader : found_.transactions) {
      for (const Txn writer : found_.transactions) {
        const Read* missed = misses(reader, writer);
        if (missed == nullptr || missed->source == writer || comes_after(missed->source, writer)) continue;
        return fmt::format("{} read {}, although {} had overwritten it and comes before {}.", name_(reader),
                           value(*missed), name_(writer), name_(reader));
      }
    }
    return "";
  }
  // The steps of a contradiction that rest on a row that a query did not return; of cases, of the first.
  std::vector<const Step*> missed_rows(const Derivation& d) const {
    if (d.cycle.empty()) {
      return d.cases.empty() ? std::vector<const Step*>{} : missed_rows(d.cases.front().derivation);
    }
    std::vector<const Step*> found;
    for (const std::uint32_t i : d.cycle) {
      if (rests_on_missing_row(h_, d.steps[i])) found.push_back(&d.steps[i]);
    }
    return found;
  }
  // "T2 asked for all rows between 10 and 20 and did not see row 15, which T1 inserted".
  std::string missed_row(const Step& step) const {
    const bool axiom = step.rule == check::Rule::axiom;
    const Txn reader = axiom ? step.witness : step.from.txn, writer = axiom ? step.from.txn : step.to.txn;
    return fmt::format("{} {}, which {} {}", name_(reader), did_not_see(h_, step.read, step.key),
                       name_(writer), did_to(h_, writer, step.key));
  }
  std::string phantom(const Derivation& d) const {
    const std::vector<const Step*> missed = missed_rows(d);
    if (missed.empty()) return "";
    const Step& step = *missed.front();
    const Txn writer = step.rule == check::Rule::axiom ? step.from.txn : step.to.txn;
    return fmt::format("{}, although {} comes before it by what it saw otherwise.", missed_row(step),
                       name_(writer));
  }
  std::string phantom_write_skew(const Derivation& d) const {
    std::string out;
    for (const Step* step : missed_rows(d)) out += (out.empty() ? "" : "; ") + missed_row(*step);
    return out.empty() ? "" : out + ": each missed what another did.";
  }

  // By reading from it, or in its session: then what was read is the newer one.
  bool comes_after(Txn a, Txn b) const {
    if (a == kInitialTxn) return false;
    return sees(a, b) != nullptr || (h_.session_of(a) == h_.session_of(b) && b < a);
  }

  const History& h_;
  const Counterexample& found_;
  const Naming& name_;
  std::vector<Read> reads_;
};

// "T1 → T2 → T1".
std::string circle(const Derivation& d, const Naming& name) {
  std::string out, first;
  for (const std::uint32_t i : d.cycle) {
    if (d.steps[i].rule == check::Rule::program) continue;
    const std::string link = name(d.steps[i].from.txn);
    if (first.empty()) first = link;
    out += link + " → ";
  }
  return out + first;
}

// What was recorded leaves something open, and each way in which it can have been is impossible.
void tell_cases(const History& h, const Derivation& d, const Naming& name, std::vector<std::string>& out) {
  constexpr std::size_t kMostTold = 4;
  if (d.cases.size() > kMostTold) {
    out.push_back(
        fmt::format("What else happened is open, but each of the {} possibilities leads to a contradiction.",
                    d.cases.size()));
    return;
  }
  std::string either;
  for (const Derivation::Case& one : d.cases)
    either += (either.empty() ? "Either " : ", or ") + assumption(h, one.assumption, name);
  out.push_back(either + ": the recording leaves that open, but each leads to a contradiction.");
  for (const Derivation::Case& one : d.cases) {
    const std::string assumed = assumption(h, one.assumption, name);
    out.push_back(one.derivation.cycle.empty()
                      ? fmt::format("If {}, further cases all end in a circle.", assumed)
                      : fmt::format("If {}, there is a circle: {}.", assumed, circle(one.derivation, name)));
  }
}

void tell_derivation(const History& h, const Derivation& d, const Naming& name,
                     std::vector<std::string>& out) {
  if (d.cycle.empty()) {
    if (!d.cases.empty()) tell_cases(h, d, name, out);
    return;
  }
  for (const std::uint32_t i : d.cycle) {
    const Step& step = d.steps[i];
    if (step.rule == check::Rule::program) continue;
    out.push_back(fmt::format("{} comes before {}: {}.", name(step.from.txn), name(step.to.txn),
                              reason(h, step, name)));
  }
  out.push_back(fmt::format("That is a circle: {}.", circle(d, name)));
}

// Whether another violated level that this one implies was asked for too: its evidence serves for both.
bool has_weaker(const check::Outcome& outcome, std::span<const check::Outcome> all) {
  return std::any_of(all.begin(), all.end(), [&](const check::Outcome& other) {
    return other.verdict == check::Verdict::violated && other.level != outcome.level &&
           implies(outcome.level, other.level);
  });
}

}  // namespace

Story tell(const History& history, const check::Outcome& outcome, const check::Options& options) {
  Story story;
  story.level = outcome.level;
  story.counterexample = evidence::find_counterexample(history, outcome, options);
  const Counterexample& found = story.counterexample;
  story.names = names_of(history, found.transactions);
  const Naming name = [&](Txn t) -> std::string {
    const auto at = std::lower_bound(found.transactions.begin(), found.transactions.end(), t);
    if (at == found.transactions.end() || *at != t) return full_name(history, t);
    return story.names[static_cast<std::size_t>(at - found.transactions.begin())];
  };
  story.consequence = evidence::info(found.anomaly).consequence;
  story.summary = found.bad_reads.empty() ? Summary(history, found, name).sentence()
                                          : sentence(history, found.bad_reads.front());
  if (!story.summary.empty()) story.sentences.push_back(story.summary);
  tell_derivation(history, found.derivation, name, story.sentences);
  return story;
}

std::vector<Story> tell(const History& history, std::span<const check::Outcome> outcomes,
                        const check::Options& options, Which which) {
  std::vector<Story> stories;
  for (const check::Outcome& outcome : outcomes) {
    if (outcome.verdict != check::Verdict::violated) continue;
    if (which == Which::weakest && has_weaker(outcome, outcomes)) continue;
    stories.push_back(tell(history, outcome, options));
  }
  return stories;
}

const Story* story_of(std::span<const Story> stories, Level level) {
  const auto found =
      std::find_if(stories.begin(), stories.end(), [&](const Story& s) { return s.level == level; });
  return found == stories.end() ? nullptr : &*found;
}

}  // namespace assay::report
