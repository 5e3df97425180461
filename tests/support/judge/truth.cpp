#include "support/judge/truth.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <string_view>
#include <utility>

#include "support/judge/bad_read_forms.hpp"
#include "support/judge/belief_truth.hpp"
#include "support/judge/reason_forms.hpp"
#include "support/judge/spoken_facts.hpp"
#include "support/judge/summary_forms.hpp"

namespace assay {

namespace {

// What comes before what, by steps that were told.
class Order {
 public:
  void add(std::pair<Txn, bool> from, std::pair<Txn, bool> to) { edges_.push_back({from, to}); }
  // Whether some event of `from` comes before some event of `to`.
  bool has(Txn from, Txn to) const {
    std::set<std::pair<Txn, bool>> reached{{from, true}, {from, false}};
    for (bool more = true; more;) {
      more = false;
      for (const auto& [a, b] : edges_) {
        if (!reached.contains(a)) continue;
        more = reached.insert(b).second || more;
        if (b.second) more = reached.insert({b.first, false}).second || more;  // begins, then commits
      }
    }
    return from != to && (reached.contains({to, true}) || reached.contains({to, false}));
  }

 private:
  std::vector<std::pair<std::pair<Txn, bool>, std::pair<Txn, bool>>> edges_;
};

class Judge {
 public:
  Judge(const History& h, const Told& told) : told_(told), facts_(h, told.names) {}

  std::vector<std::string> judge() {
    for (const ToldDeeds& deeds : told_.deeds) {
      if (!facts_.did(deeds.full_name, deeds.operations))
        wrong("deeds", deeds.name + ": " + deeds.operations);
    }
    for (const std::string& sentence : told_.bad_reads) {
      if (!sentence.ends_with("…") && !is_bad_read(facts_, sentence)) wrong("bad read", sentence);
    }
    for (const ToldScene& scene : told_.scenes) judge(scene);
    for (const std::string& sentence : told_.sentences) {
      if (!is_true(sentence)) wrong("sentence", sentence);
    }
    return std::move(wrong_);
  }

 private:
  void wrong(const std::string& what, const std::string& text) {
    wrong_.push_back(told_.where + ", " + told_.anomaly + ", " + what + ": " + text);
  }

  using Event = SpokenEvent;
  static bool anything(Txn, Txn) { return true; }
  std::vector<Event> events(const ToldEvent& e) const {
    std::vector<Event> found;
    for (const Txn t : facts_.transactions(e.name)) found.push_back({t, e.begin});
    return found;
  }

  void judge(const ToldScene& scene) {
    for (const std::string& one : scene.assumptions) {
      if (!is_assumption(facts_, one)) wrong("assumption", one);
    }
    Order whole;
    for (const ToldStep& step : scene.steps) {
      Order premises;
      for (const std::size_t i : step.premises) {
        if (i >= scene.steps.size()) continue;
        for (const Event& from : events(scene.steps[i].from)) {
          for (const Event& to : events(scene.steps[i].to)) premises.add(from, to);
        }
      }
      bool found = false;
      for (const Event& from : events(step.from)) {
        for (const Event& to : events(step.to)) {
          const bool follows = is_reason(facts_, step.reason, from, to,
                                         [&](Txn a, Txn b) { return !scene.complete || premises.has(a, b); });
          if (follows) whole.add(from, to);
          found = found || follows;
        }
      }
      if (!found) wrong("step", step.from.name + " before " + step.to.name + ": " + step.reason);
    }
    for (std::size_t i = 0; scene.complete && i < scene.cycle.size(); ++i) {
      const std::size_t next = scene.cycle[(i + 1) % scene.cycle.size()];
      if (scene.steps.at(scene.cycle[i]).to != scene.steps.at(next).from)
        wrong("circle", scene.steps[next].reason);
    }
    if (scene.complete) {
      orders_.push_back(std::move(whole));
    } else {
      some_left_out_ = true;
    }
  }

  // What is said of the whole must be so in each case.
  bool before(Txn a, Txn b) const {
    if (some_left_out_) return true;
    return !orders_.empty() &&
           std::all_of(orders_.begin(), orders_.end(), [&](const Order& order) { return order.has(a, b); });
  }

  bool is_circle(const std::string& text) const {
    std::vector<Txn> all;
    std::size_t at = 0;
    for (bool more = true; more;) {
      const std::size_t next = text.find(" → ", at);
      more = next != std::string::npos;
      const std::vector<Txn> called = facts_.transactions(text.substr(at, more ? next - at : next));
      if (called.empty()) return false;
      all.push_back(called.front());
      at = next + std::string_view(" → ").size();
    }
    return all.size() > 2 && all.front() == all.back();
  }

  bool is_true(const std::string& sentence) const {
    if (sentence.empty() || sentence.back() != '.')
      return sentence.ends_with("…");  // cut off by a limit of the page
    return is_summary(facts_, sentence, [&](Txn a, Txn b) { return before(a, b); }) ||
           is_of_derivation(sentence) || is_bad_read(facts_, sentence);
  }

  bool is_of_derivation(const std::string& sentence) const {
    using B = const Bindings&;
    const auto reason_holds = [&](B x) {
      if (some_left_out_) return true;
      for (const ToldScene& scene : told_.scenes) {
        for (const ToldStep& step : scene.steps) {
          // The steps themselves were judged; here they may only be called otherwise.
          const auto same = [&](const ToldEvent& e, Txn t) {
            const std::vector<Txn> called = facts_.transactions(e.name);
            return std::find(called.begin(), called.end(), t) != called.end();
          };
          if (same(step.from, x.txn[0]) && same(step.to, x.txn[1])) {
            for (const bool a : {true, false}) {
              for (const bool b : {true, false}) {
                if (is_reason(facts_, x.text[2], {x.txn[0], a}, {x.txn[1], b}, anything)) return true;
              }
            }
          }
        }
      }
      return false;
    };
    const auto either = [&](B x) {
      const std::function<bool(const std::string&)> all = [&](const std::string& part) {
        return is_assumption(facts_, part) || in_parts(part, ", or ", all);
      };
      return all(x.text[0]);
    };
    return facts_.is_one_of(
        {{"{t} comes before {t}: {v}.", reason_holds},
         {"{v}: that is a circle.", [&](B x) { return is_circle_of_reasons(x.text[0]); }},
         {"That is a circle: {v}.", [&](B x) { return is_circle(x.text[0]); }},
         {"Either {v}: the recording leaves that open, but each leads to a contradiction.", either},
         {"If {v}, there is a circle: {v}.",
          [&](B x) { return is_assumption(facts_, x.text[0]) && is_circle(x.text[1]); }},
         {"If {v}, further cases all end in a circle.",
          [&](B x) { return is_assumption(facts_, x.text[0]); }},
         {"What else happened is open, but each of the {v} possibilities leads to a contradiction.",
          [&](B) { return told_.scenes.size() > 1; }},
         {"No order of the transactions explains what they saw.", [&](B) { return told_.bad_reads.empty(); }},
         {"No order explains what they saw: each way in which it can have been ends in a contradiction.",
          [&](B) { return told_.scenes.size() > 1 || some_left_out_; }}},
        sentence);
  }

  // The reasons of a circle, one after the other.
  bool is_circle_of_reasons(const std::string& text) const {
    const std::function<bool(const std::string&)> all = [&](const std::string& part) {
      for (const ToldScene& scene : told_.scenes) {
        for (const ToldStep& step : scene.steps) {
          for (const Event& from : events(step.from)) {
            for (const Event& to : events(step.to)) {
              if (is_reason(facts_, part, from, to, anything)) return true;
              if (facts_.is_one_of({{"{t} and {t} ran in session {v}, in this order",
                                     [&](const Bindings& x) {
                                       return x.txn[0] == from.first && x.txn[1] == to.first &&
                                              facts_.in_session(from.first, to.first, x.text[2]);
                                     }}},
                                   part)) {
                return true;
              }
            }
          }
        }
      }
      return in_parts(part, ", but ", all);
    };
    return some_left_out_ || all(text);
  }

  const Told& told_;
  const SpokenFacts facts_;
  std::vector<Order> orders_;
  bool some_left_out_ = false;
  std::vector<std::string> wrong_;
};

}  // namespace

std::vector<std::string> untrue(const History& history, const Told& told) {
  return Judge(history, told).judge();
}

std::vector<std::string> untrue(const evidence::Examination& examination) {
  std::vector<std::string> all;
  for (const auto& read : {told_by_text, told_by_json, told_by_page}) {
    for (const Told& told : read(examination)) {
      const std::vector<std::string> found = untrue(*examination.history, told);
      all.insert(all.end(), found.begin(), found.end());
    }
  }
  const std::vector<std::string> beliefs = untrue_beliefs(examination);
  all.insert(all.end(), beliefs.begin(), beliefs.end());
  return all;
}

}  // namespace assay
