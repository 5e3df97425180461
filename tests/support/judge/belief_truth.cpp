#include "support/judge/belief_truth.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "evidence/certificate.hpp"
#include "report/page/data.hpp"
#include "support/judge/sentence_forms.hpp"
#include "verify/verify.hpp"

namespace assay {

namespace {

using check::Outcome;
using check::Verdict;
using Json = nlohmann::json;

bool timed(const History& h, Txn t) {
  return h.status(t) == Status::committed && h.start(t) && h.end(t) && *h.end(t) >= *h.start(t);
}

// The keys that a transaction touched: of a query those of the rows that it returned.
std::set<Key> keys_of(const History& h, Txn t, bool written) {
  std::set<Key> keys;
  for (const Op op : h.operations_of(t)) {
    if (writes(h.kind(op))) {
      if (written) keys.insert(h.key(op));
    } else if (written) {
      continue;
    } else if (h.kind(op) == OpKind::list_read) {
      keys.insert(h.list(op).key);
    } else if (h.kind(op) == OpKind::read) {
      keys.insert(h.key(op));
    } else {
      for (const Version v : h.query(op).results) keys.insert(h.key_of(v));
    }
  }
  return keys;
}

bool share_a_key(const std::set<Key>& one, const std::set<Key>& other) {
  return std::any_of(one.begin(), one.end(), [&](Key key) { return other.contains(key); });
}

bool conflict(const History& h, Txn a, Txn b) {
  const std::set<Key> wrote = keys_of(h, a, true), other_wrote = keys_of(h, b, true);
  return share_a_key(wrote, other_wrote) || share_a_key(wrote, keys_of(h, b, false)) ||
         share_a_key(keys_of(h, a, false), other_wrote);
}

struct Met {
  std::size_t met = 0, of = 0;
};
Met met_of(const History& h) {
  std::vector<Txn> all;
  for (const Txn t : h.all_transactions()) {
    if (timed(h, t)) all.push_back(t);
  }
  std::stable_sort(all.begin(), all.end(), [&](Txn a, Txn b) { return *h.start(a) < *h.start(b); });
  Met found{0, all.size()};
  for (std::size_t i = 0; i < all.size(); ++i) {
    bool met = false;
    for (std::size_t j = 0; j < i && !met; ++j) {
      met = h.session_of(all[i]) != h.session_of(all[j]) && *h.end(all[j]) >= *h.start(all[i]) &&
            conflict(h, all[i], all[j]);
    }
    found.met += met ? 1 : 0;
  }
  return found;
}

// Of the order that was found for a level: who comes after one that started, by the clock, when they had ended.
Met departed(const History& h, const Outcome& outcome) {
  std::vector<Txn> order;
  for (const check::Event& e : outcome.order) {
    if (e.side != check::Event::Side::commit || e.txn == kInitialTxn) continue;
    if (h.start(e.txn) && h.end(e.txn) && *h.end(e.txn) >= *h.start(e.txn)) order.push_back(e.txn);
  }
  Met found{0, order.size()};
  for (std::size_t i = 0; i < order.size(); ++i) {
    found.met += std::any_of(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(i),
                             [&](Txn before) { return *h.end(order[i]) < *h.start(before); })
                     ? 1
                     : 0;
  }
  return found;
}

std::size_t number_in(std::string text) {
  std::erase(text, ',');
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  return digits ? std::stoul(text) : std::string::npos;
}

// "1 transaction", "2 transactions"
std::size_t counted_in(const std::string& text, const std::string& noun) {
  const std::size_t blank = text.find(' ');
  if (blank == std::string::npos) return std::string::npos;
  const std::size_t n = number_in(text.substr(0, blank));
  return text.substr(blank + 1) == noun + (n == 1 ? "" : "s") ? n : std::string::npos;
}

bool is_proved(const evidence::Examination& e, const Outcome& outcome) {
  const auto proof = evidence::certificate(e, outcome);
  return proof && verify::verify(*proof, "test", *e.history).accepted;
}

bool share_is(const std::string& told, const Met& found) {
  const double share = 100.0 * static_cast<double>(found.met) / static_cast<double>(found.of);
  const std::size_t dot = told.find('.');
  const double step = dot == std::string::npos ? 1 : 0.1;
  return told.ends_with(" %") && std::abs(std::stod(told) - share) <= step * 0.51;
}

class BeliefJudge {
 public:
  explicit BeliefJudge(const evidence::Examination& e) : e_(e), h_(*e.history) {
    for (const Txn t : h_.all_transactions()) committed_ += h_.status(t) == Status::committed ? 1 : 0;
  }

  bool is_true(const std::string& sentence) const {
    using B = const Bindings&;
    const auto found_by = [&](bool tried) {
      return [this, tried](B x) {
        const Met found = met_of(h_);
        return number_in(x.text[0]) == found.met && number_in(x.text[1]) == found.of &&
               (found.met > 0 && 100 * found.met >= found.of) == tried;
      };
    };
    const auto departs = [&](bool by_clock) {
      return [this, by_clock](B x) {
        const Outcome* outcome = outcome_of(x.text[0]);
        if (outcome == nullptr || info(outcome->level).real_time != by_clock) return false;
        const Met found = departed(h_, *outcome);
        return found.met > 0 && number_in(x.text[1]) == found.met &&
               counted_in(x.text[2], "transaction") == found.of && share_is(x.text[3], found);
      };
    };
    const auto agrees = [&](B x) {
      const Outcome* outcome = outcome_of(x.text[0]);
      if (outcome == nullptr) return false;
      const Met found = departed(h_, *outcome);
      return found.met == 0 && number_in(x.text[1]) == found.of;
    };
    const std::vector<Form> forms{
        {"One order of the transactions explains all that the clients saw; the check found it.",
         [&](B) {
           return all([](const Outcome& o) { return !o.order.empty(); }) &&
                  all([&](const Outcome& o) { return is_proved(e_, o); });
         }},
        {"Nothing that the clients saw contradicts what the level promises; the check looked at every read.",
         [&](B) { return all([&](const Outcome& o) { return o.order.empty() || is_proved(e_, o); }); }},
        {"{v} committed in {v}.",
         [&](B x) {
           return committed_ >= 1000 && counted_in(x.text[0], "transaction") == committed_ &&
                  counted_in(x.text[1], "session") == h_.sessions();
         }},
        {"Only {v} committed: that is little evidence.",
         [&](B x) {
           return committed_ > 0 && committed_ < 1000 && counted_in(x.text[0], "transaction") == committed_;
         }},
        {"No transaction is known to have committed: every level holds of nothing.",
         [&](B) { return committed_ == 0; }},
        {"The level was tried: {v} of {v} began while a conflicting one was running (another session's, on a "
         "key of theirs, one of the two writing it).",
         found_by(true)},
        {"The level was hardly tried: {v} of {v} began while a conflicting one was running.",
         found_by(false)},
        {"Without clock times it is not known how often transactions ran at the same time.",
         [&](B) { return met_of(h_).of == 0; }},
        {"The check found an order of commits for {v}. It never puts a transaction before one that had "
         "already "
         "ended when it started: it agrees with the clock for all {v} transactions that have times.",
         agrees},
        {"The check found an order of commits for {v}. In it {v} of {v} ({v}) come after one that, by the "
         "clock, started only after they had ended. The clocks' drift allows that.",
         departs(true)},
        {"The check found an order of commits for {v}. In it {v} of {v} ({v}) come after one that, by the "
         "clock, started only after they had ended. The level allows that: it promises nothing about real "
         "time. Another order may depart less.",
         departs(false)},
    };
    const Called nobody{[](const std::string&) { return std::vector<Txn>{}; },
                        [](const std::string&) { return std::vector<Key>{}; }};
    return std::any_of(forms.begin(), forms.end(),
                       [&](const Form& form) { return fits(form, sentence, nobody); });
  }

 private:
  template <typename Predicate>
  bool all(Predicate predicate) const {
    return std::all_of(e_.outcomes.begin(), e_.outcomes.end(),
                       [&](const Outcome& o) { return o.verdict == Verdict::holds && predicate(o); });
  }
  const Outcome* outcome_of(const std::string& level) const {
    for (const Outcome& o : e_.outcomes) {
      if (info(o.level).name == level && o.verdict == Verdict::holds) return &o;
    }
    return nullptr;
  }

  const evidence::Examination& e_;
  const History& h_;
  std::size_t committed_ = 0;
};

}  // namespace

bool is_true_belief(const evidence::Examination& examination, const std::string& sentence) {
  return BeliefJudge(examination).is_true(sentence);
}

std::vector<std::string> untrue_beliefs(const evidence::Examination& examination) {
  std::vector<std::string> wrong;
  const BeliefJudge judge(examination);
  const Json data = Json::parse(report::page_data(examination, report::PageLimits{}));
  if (data.at("belief").is_array()) {
    for (const Json& one : data["belief"]) {
      if (!judge.is_true(one.at("sentence")))
        wrong.push_back("page, belief: " + one["sentence"].get<std::string>());
    }
  }
  if (data.at("commitOrder").is_object() && !judge.is_true(data["commitOrder"].at("sentence")))
    wrong.push_back("page, order: " + data["commitOrder"]["sentence"].get<std::string>());
  return wrong;
}

}  // namespace assay
