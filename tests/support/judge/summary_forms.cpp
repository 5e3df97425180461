#include "support/judge/summary_forms.hpp"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace assay {

namespace {

using B = const Bindings&;

class SummaryForms {
 public:
  SummaryForms(const SpokenFacts& facts, const Precedes& before) : f_(facts), before_(before) {}

  bool fit(const std::string& sentence) const {
    return f_.is_one_of(of_missed(), sentence) || f_.is_one_of(of_pattern(), sentence);
  }

 private:
  // A read of something older, with who replaced it.
  bool is_missed(const std::string& clause) const { return !missed(clause).empty(); }
  // Who missed what who did.
  std::vector<std::pair<Txn, Txn>> missed(const std::string& clause) const {
    std::vector<std::pair<Txn, Txn>> found;
    const auto note = [&](B x, bool is) {
      if (is) found.push_back({x.txn[0], x.txn[1]});
      return false;  // there may be others
    };
    (void)f_.is_one_of(
        {{"{t} read {v} of key {k}, without the {v} that {t} appended",
          [&](B x) { return note(x, f_.list_lacks(x.txn[0], x.text[1], x.key[0], x.txn[1], x.text[3])); }},
         {"{t} read {v} of key {k}, which {t} {r}",
          [&](B x) {
            const bool deleted = x.text[4] == "deleted";
            return note(x, f_.read(x.txn[0], x.text[1], x.key[0]) && f_.writes(x.txn[1], x.key[0]) &&
                               deleted == f_.did_so(x.txn[1], x.key[0], "deleted") &&
                               is_older(x.txn[0], x.text[1], x.key[0], x.txn[1]));
          }},
         {"{t} asked for {q} and did not see row {k}, which {t} {d}",
          [&](B x) {
            return note(
                x, f_.did_not_see(x.txn[0], x.text[1], x.key[0]) && f_.did_so(x.txn[1], x.key[0], x.text[4]));
          }}},
        clause);
    return found;
  }
  // Whether somebody who can have written what was read comes before the other writer of the key.
  bool is_older(Txn reader, const std::string& value, Key k, Txn writer) const {
    for (const Txn source : f_.writers_of(reader, value, k)) {
      if (source == kInitialTxn || before_(source, writer)) return true;
    }
    return false;
  }

  bool saw(const std::string& text, Txn reader, Txn writer) const {
    return f_.is_one_of({{"{t} read {v} of key {k}, which {t} {o}",
                          [&](B x) {
                            return x.txn[0] == reader && x.txn[1] == writer &&
                                   f_.saw(reader, x.text[1], x.key[0], writer);
                          }},
                         {"{t} read {v} of key {k}, with the {v} that {t} appended",
                          [&](B x) {
                            return x.txn[0] == reader && x.txn[1] == writer &&
                                   f_.list_has(reader, x.text[1], x.key[0], writer, x.text[3]);
                          }}},
                        text);
  }
  bool miss(const std::string& text, Txn reader, Txn writer) const {
    const auto all = missed(text);
    return std::find(all.begin(), all.end(), std::pair(reader, writer)) != all.end();
  }

  // What was missed along the circle.
  std::vector<Form> of_missed() const {
    return {{"{v}, although {t} comes before {t}.",
             [this](B x) { return miss(x.text[0], x.txn[1], x.txn[0]) && before_(x.txn[0], x.txn[1]); }},
            {"{v}, and {v}: neither saw what the other did.",
             [this](B x) {
               for (const auto& [r, w] : missed(x.text[0])) {
                 if (miss(x.text[1], w, r)) return true;
               }
               return false;
             }},
            {"{v}, and {v}: both changed that key, and neither saw what the other did.",
             [this](B x) {
               for (const auto& [r, w] : missed(x.text[0])) {
                 if (miss(x.text[1], w, r)) return true;
               }
               return false;
             }},
            {"{v}, although {t} comes after {t}; {v}, although {t} comes after {t}: they saw two writes in "
             "opposite orders.",
             [this](B x) {
               return miss(x.text[0], x.txn[0], x.txn[3]) && before_(x.txn[1], x.txn[0]) &&
                      miss(x.text[3], x.txn[2], x.txn[1]) && before_(x.txn[3], x.txn[2]);
             }},
            {"{v}: each missed what another did.", [this](B x) {
               const std::function<bool(const std::string&)> all = [&](const std::string& part) {
                 return is_missed(part) || in_parts(part, "; ", all);
               };
               return in_parts(x.text[0], "; ", all);
             }}};
  }

  // What some transactions saw of each other.
  std::vector<Form> of_pattern() const {
    return {
        {"{v}, and {v}: each saw what the other wrote.",
         [this](B x) {
           for (const auto& [name, a] : f_.names()) {
             for (const auto& [other, b] : f_.names()) {
               if (saw(x.text[0], a, b) && saw(x.text[1], b, a)) return true;
             }
           }
           return false;
         }},
        {"{v}, but {v}: it saw a part of what {t} did.",
         [this](B x) {
           for (const auto& [name, reader] : f_.names()) {
             if (saw(x.text[0], reader, x.txn[0]) && miss(x.text[1], reader, x.txn[0])) return true;
           }
           return false;
         }},
        {"{t} and {t} both read {v} of key {k} and both overwrote it: one update is lost.",
         [this](B x) {
           return x.txn[0] != x.txn[1] && f_.read(x.txn[0], x.text[2], x.key[0]) &&
                  f_.read(x.txn[1], x.text[2], x.key[0]) && f_.writes(x.txn[0], x.key[0]) &&
                  f_.writes(x.txn[1], x.key[0]);
         }},
        {"{t} and {t} both read {v} of key {k} and both appended to it: neither saw what the other did.",
         [this](B x) {
           return x.txn[0] != x.txn[1] && f_.list_lacks_all(x.txn[0], x.text[2], x.key[0], x.txn[1]) &&
                  f_.list_lacks_all(x.txn[1], x.text[2], x.key[0], x.txn[0]);
         }},
        {"{t} read key {k} twice and saw two versions: first {v}, then {v}.",
         [this](B x) {
           return x.text[2] != x.text[3] &&
                  f_.read_one_after_the_other(x.txn[0], x.key[0], x.text[2], x.text[3]);
         }},
        {"{t} read {v} of key {k}, with the {v} that {t} appended before the {v} that {t} did, but {t} read "
         "{v} of key {k}, with "
         "the {v} that {t} appended before the {v} that {t} did: their writes were mixed.",
         [this](B x) {
           return x.txn[1] == x.txn[5] && x.txn[2] == x.txn[4] &&
                  f_.list_shows(x.txn[0], x.text[1], x.key[0], x.txn[1], x.text[3], x.txn[2], x.text[5]) &&
                  f_.list_shows(x.txn[3], x.text[8], x.key[1], x.txn[4], x.text[10], x.txn[5], x.text[12]);
         }}};
  }

  const SpokenFacts& f_;
  const Precedes& before_;
};

}  // namespace

bool is_summary(const SpokenFacts& facts, const std::string& sentence, const Precedes& before) {
  return SummaryForms(facts, before).fit(sentence);
}

}  // namespace assay
