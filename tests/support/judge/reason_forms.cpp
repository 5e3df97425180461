#include "support/judge/reason_forms.hpp"

#include <algorithm>
#include <vector>

namespace assay {

namespace {

using B = const Bindings&;

const std::string kRead = "{t} read {v} of key {k}";
const std::string kAsked = "{t} asked for {q} and did not see row {k}";

// Each form with what makes it true of two events.
class ReasonForms {
 public:
  ReasonForms(const SpokenFacts& facts, SpokenEvent from, SpokenEvent to, const Precedes& precedes)
      : f_(facts), from_(from), to_(to), a_(from.first), b_(to.first), precedes_(precedes) {}

  bool fit(const std::string& reason) const {
    for (const auto& forms : {of_order(), of_seen(), of_missed(), of_lists(), of_replaced()}) {
      if (f_.is_one_of(forms, reason)) return true;
    }
    return false;
  }

 private:
  std::vector<Form> of_order() const {
    return {
        {"a transaction begins before it commits",
         [this](B) { return a_ == b_ && from_.second && !to_.second; }},
        {"the initial state comes before everything",
         [this](B) { return a_ == kInitialTxn && b_ != kInitialTxn; }},
        {"both ran in session {v}, in this order", [this](B x) { return f_.in_session(a_, b_, x.text[0]); }},
        {"{t} had ended before {t} started, by the clock{v}",
         [this](B x) { return x.txn[0] == a_ && x.txn[1] == b_ && f_.ended_before(a_, b_, x.text[2]); }},
        {"both wrote key {k}, and {t} began before {t} committed: of two that overlap only one may commit",
         [this](B x) {
           return x.txn[0] == a_ && x.txn[1] == b_ && f_.writes(a_, x.key[0]) && f_.writes(b_, x.key[0]) &&
                  precedes_(a_, b_);
         }},
        {"assumed: it is one of the two orders that were still possible", [](B) { return true; }},
        {"assumed: it is one of the writers that the read can have seen", [](B) { return true; }},
    };
  }

  // Who saw comes after.
  std::vector<Form> of_seen() const {
    return {
        {kRead + ", which {t} {d}",
         [this](B x) {
           return x.txn[0] == b_ && x.txn[1] == a_ && f_.saw(b_, x.text[1], x.key[0], a_) &&
                  f_.did_so(a_, x.key[0], x.text[4]);
         }},
        {kRead + ", which {t} left by a delete",
         [this](B x) {
           return x.txn[0] == b_ && x.txn[1] == a_ && f_.saw(b_, x.text[1], x.key[0], a_) &&
                  f_.did_so(a_, x.key[0], "deleted");
         }},
        {kRead + ", with the {v} that {t} appended",
         [this](B x) {
           return x.txn[0] == b_ && x.txn[1] == a_ && f_.list_has(b_, x.text[1], x.key[0], a_, x.text[3]);
         }},
        {kAsked + " because {t} {d} it",
         [this](B x) {
           return x.txn[0] == b_ && x.txn[1] == a_ && f_.did_not_see(b_, x.text[1], x.key[0]) &&
                  f_.did_so(a_, x.key[0], x.text[4]);
         }},
    };
  }

  // Who missed comes before.
  std::vector<Form> of_missed() const {
    return {
        {kRead + ", without the {v} that {t} appended",
         [this](B x) {
           return x.txn[0] == a_ && x.txn[1] == b_ && f_.list_lacks(a_, x.text[1], x.key[0], b_, x.text[3]);
         }},
        {kRead + ", and {t} {d} that key",
         [this](B x) {
           return x.txn[0] == a_ && x.txn[1] == b_ && x.text[1] == "the initial value" &&
                  f_.read(a_, x.text[1], x.key[0]) && f_.did_so(b_, x.key[0], x.text[4]);
         }},
        {kRead + ", which {t} {o}; {t} {d} that key too and comes after {t}",
         [this](B x) {
           return x.txn[0] == a_ && x.txn[2] == b_ && x.txn[1] == x.txn[3] &&
                  f_.saw(a_, x.text[1], x.key[0], x.txn[1]) && f_.did_so(b_, x.key[0], x.text[6]) &&
                  precedes_(x.txn[1], b_);
         }},
        {kAsked + ", which {t} {d}: that had not happened yet",
         [this](B x) {
           return x.txn[0] == a_ && x.txn[1] == b_ && f_.did_not_see(a_, x.text[1], x.key[0]) &&
                  f_.did_so(b_, x.key[0], x.text[4]);
         }},
        {kAsked + ", which {t} {d}: it saw that row as {t} left it, and {t} came after {t}",
         [this](B x) {
           return x.txn[0] == a_ && x.txn[1] == b_ && x.txn[3] == b_ && x.txn[2] == x.txn[4] &&
                  f_.did_not_see(a_, x.text[1], x.key[0]) && f_.did_so(b_, x.key[0], x.text[4]) &&
                  f_.writes(x.txn[2], x.key[0]) && precedes_(x.txn[2], b_);
         }},
    };
  }

  // What one list shows.
  std::vector<Form> of_lists() const {
    return {
        {kRead + ", with the {v} that {t} appended before the {v} that {t} did",
         [this](B x) {
           return x.txn[1] == a_ && x.txn[2] == b_ &&
                  f_.list_shows(x.txn[0], x.text[1], x.key[0], a_, x.text[3], b_, x.text[5]);
         }},
        {kRead + ", with the {v} that {t} appended and without the {v} that {t} did",
         [this](B x) {
           return x.txn[1] == a_ && x.txn[2] == b_ &&
                  f_.list_has(x.txn[0], x.text[1], x.key[0], a_, x.text[3]) &&
                  f_.list_lacks(x.txn[0], x.text[1], x.key[0], b_, x.text[5]);
         }},
    };
  }

  // What was there before a read that saw something else.
  std::vector<Form> of_replaced() const {
    return {
        {kRead + ", with the {v} that {t} appended and without the {v} that {t} did; {b}, so it was appended "
                 "first",
         [this](B x) {
           return x.txn[1] == b_ && x.txn[2] == a_ &&
                  f_.list_has(x.txn[0], x.text[1], x.key[0], b_, x.text[3]) &&
                  f_.list_lacks(x.txn[0], x.text[1], x.key[0], a_, x.text[5]) &&
                  is_before(x.text[7], a_, x.txn[0]);
         }},
        {kRead + ", without the {v} that {t} appended, although {b}",
         [this](B x) {
           return b_ == kInitialTxn && x.txn[1] == a_ &&
                  f_.list_lacks(x.txn[0], x.text[1], x.key[0], a_, x.text[3]) &&
                  is_before(x.text[5], a_, x.txn[0]);
         }},
        {kRead + "; {t} {d} that key too, although {b}",
         [this](B x) {
           return b_ == kInitialTxn && x.txn[1] == a_ && f_.read(x.txn[0], x.text[1], x.key[0]) &&
                  x.text[1] == "the initial value" && f_.did_so(a_, x.key[0], x.text[4]) &&
                  is_before(x.text[5], a_, x.txn[0]);
         }},
        {kRead + ", which {t} {o}; {t} {d} that key too and {b}, so it had been overwritten by then",
         [this](B x) {
           return x.txn[1] == b_ && x.txn[2] == a_ && f_.saw(x.txn[0], x.text[1], x.key[0], b_) &&
                  f_.did_so(a_, x.key[0], x.text[6]) && is_before(x.text[7], a_, x.txn[0]);
         }},
        {kAsked + ", which {t} {d}, although that was visible to it",
         [this](B x) {
           return b_ == kInitialTxn && x.txn[1] == a_ && f_.did_not_see(x.txn[0], x.text[1], x.key[0]) &&
                  f_.did_so(a_, x.key[0], x.text[4]) && precedes_(a_, x.txn[0]);
         }},
        {kAsked + ", which {t} {d}: that was visible to it, so {t} had changed the row since",
         [this](B x) {
           return x.txn[1] == a_ && x.txn[2] == b_ && f_.did_not_see(x.txn[0], x.text[1], x.key[0]) &&
                  f_.did_so(a_, x.key[0], x.text[4]) && f_.writes(b_, x.key[0]) && precedes_(a_, x.txn[0]);
         }},
    };
  }

  // "T1 comes before T2", "that was visible to it".
  bool is_before(const std::string& clause, Txn writer, Txn reader) const {
    if (!precedes_(writer, reader)) return false;
    if (clause == "that was visible to it") return true;
    return f_.is_one_of(
        {{"{t} comes before {t}", [&](B x) { return x.txn[0] == writer && x.txn[1] == reader; }}}, clause);
  }

  const SpokenFacts& f_;
  const SpokenEvent from_, to_;
  const Txn a_, b_;
  const Precedes& precedes_;
};

}  // namespace

bool is_reason(const SpokenFacts& facts, const std::string& reason, SpokenEvent from, SpokenEvent to,
               const Precedes& precedes) {
  return ReasonForms(facts, from, to, precedes).fit(reason);
}

bool in_parts(const std::string& text, std::string_view separator,
              const std::function<bool(const std::string&)>& is_true) {
  for (std::size_t at = text.find(separator); at != std::string::npos; at = text.find(separator, at + 1)) {
    if (is_true(text.substr(0, at)) && is_true(text.substr(at + separator.size()))) return true;
  }
  return false;
}

bool is_assumption(const SpokenFacts& f, const std::string& text) {
  if (f.is_one_of({{"assumed: it is one of the two orders that were still possible", [&](B) { return true; }},
                   {"assumed: it is one of the writers that the read can have seen", [&](B) { return true; }},
                   {"{t} asked for {q} and did not see row {k} because it was not there at the beginning",
                    [&](B x) { return f.did_not_see(x.txn[0], x.text[1], x.key[0]); }},
                   {"{t} asked for {q} and did not see row {k} because {t} {d} it",
                    [&](B x) {
                      return f.did_not_see(x.txn[0], x.text[1], x.key[0]) &&
                             f.did_so(x.txn[1], x.key[0], x.text[4]);
                    }},
                   {"{t} read the initial value of key {k}",
                    [&](B x) { return f.read(x.txn[0], "the initial value", x.key[0]); }},
                   {"{t} read key {k} from {t}",
                    [&](B x) { return f.saw_something_of(x.txn[0], x.key[0], x.txn[1]); }},
                   {"{t} wrote key {k} before {t} did",
                    [&](B x) { return f.writes(x.txn[0], x.key[0]) && f.writes(x.txn[1], x.key[0]); }}},
                  text)) {
    return true;
  }
  return in_parts(text, ", and ", [&](const std::string& part) { return is_assumption(f, part); });
}

}  // namespace assay
