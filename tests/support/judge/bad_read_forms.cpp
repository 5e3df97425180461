#include "support/judge/bad_read_forms.hpp"

#include <string>
#include <vector>

namespace assay {

namespace {

using B = const Bindings&;

const std::string kRead = "{t} read {v} of key {k}";
const std::string kSaw = "{t} asked for {q} and saw row {k} as {v}";
const std::string kAsked = "{t} asked for {q} and did not see row {k}";
const std::string kAmongRows = "{t} read {q} and saw row {k} as {v}";
const std::string kOwn = ", although it had itself done {v} before and should have seen that.";
const std::string kAborted = ", but that was written by {t} ({v}), which aborted.";
const std::string kHalf =
    ", but {t} overwrote that ({v}) itself before it committed: nobody else may see it.";
const std::string kLater = ", which only this transaction itself writes, and only later.";
const std::string kNobody = ", but nobody ever wrote that.";

class BadReadForms {
 public:
  explicit BadReadForms(const SpokenFacts& facts) : f_(facts) {}

  bool fit(const std::string& sentence) const {
    for (const auto& forms : {of_values(), of_queries(), of_rows(), of_lists()}) {
      if (f_.is_one_of(forms, sentence)) return true;
    }
    return false;
  }

 private:
  std::vector<Form> of_values() const {
    return {{kRead + kOwn, [this](B x) { return f_.had_done(x.txn[0], x.text[1], x.key[0], x.text[3]); }},
            {kSaw + kOwn, [this](B x) { return f_.had_done(x.txn[0], x.text[3], x.key[0], x.text[4]); }},
            {kAsked + kOwn,
             [this](B x) {
               return f_.did_not_see(x.txn[0], x.text[1], x.key[0]) && f_.has_done(x.txn[0], x.text[3]);
             }},
            {kRead + kAborted,
             [this](B x) {
               return f_.reads_anyhow(x.txn[0], x.text[1], x.key[0]) &&
                      f_.wrote_and_aborted(x.txn[1], x.text[4], x.key[0], x.text[1]);
             }},
            {kSaw + kAborted,
             [this](B x) {
               return f_.reads_anyhow(x.txn[0], x.text[3], x.key[0]) &&
                      f_.wrote_and_aborted(x.txn[1], x.text[5], x.key[0], x.text[3]);
             }},
            {kAsked + kAborted,
             [this](B x) {
               return f_.did_not_see(x.txn[0], x.text[1], x.key[0]) && f_.is_aborted(x.txn[1]) &&
                      f_.has_done(x.txn[1], x.text[4]);
             }},
            {kRead + kHalf,
             [this](B x) {
               return f_.reads_anyhow(x.txn[0], x.text[1], x.key[0]) &&
                      f_.overwrote_itself(x.txn[1], x.text[4], x.key[0], x.text[1]);
             }},
            {kSaw + kHalf,
             [this](B x) {
               return f_.reads_anyhow(x.txn[0], x.text[3], x.key[0]) &&
                      f_.overwrote_itself(x.txn[1], x.text[5], x.key[0], x.text[3]);
             }},
            {kAsked + kHalf,
             [this](B x) {
               return f_.did_not_see(x.txn[0], x.text[1], x.key[0]) && f_.has_done(x.txn[1], x.text[4]);
             }},
            {kRead + kLater, [this](B x) { return f_.writes_later(x.txn[0], x.text[1], x.key[0]); }},
            {kSaw + kLater, [this](B x) { return f_.writes_later(x.txn[0], x.text[3], x.key[0]); }},
            {kAsked + kLater,
             [this](B x) {
               return f_.did_not_see(x.txn[0], x.text[1], x.key[0]) && f_.writes(x.txn[0], x.key[0]);
             }},
            {kRead + kNobody,
             [this](B x) {
               return f_.reads_anyhow(x.txn[0], x.text[1], x.key[0]) && f_.nobody_wrote(x.text[1], x.key[0]);
             }},
            {kSaw + kNobody, [this](B x) {
               return f_.reads_anyhow(x.txn[0], x.text[3], x.key[0]) && f_.nobody_wrote(x.text[3], x.key[0]);
             }}};
  }

  std::vector<Form> of_queries() const {
    return {
        {kAsked + ", although it was there from the beginning and nobody took it away.",
         [this](B x) {
           return f_.did_not_see(x.txn[0], x.text[1], x.key[0]) && f_.nobody_deleted(x.key[0]);
         }},
        {"{t} asked for {q} and was returned row {k} twice: the version of its snapshot, {v}, and its own, "
         "{v}.",
         [this](B x) { return f_.returned_twice(x.txn[0], x.key[0], x.text[3], x.text[4]); }}};
  }

  std::vector<Form> of_rows() const {
    const auto saw = [this](B x) { return f_.saw_among_rows(x.txn[0], x.text[1], x.key[0], x.text[3]); };
    return {
        {kAmongRows + kOwn,
         [this, saw](B x) { return saw(x) && f_.had_done(x.txn[0], x.text[3], x.key[0], x.text[4]); }},
        {kAmongRows + kAborted,
         [this, saw](B x) {
           return saw(x) && f_.wrote_and_aborted(x.txn[1], x.text[5], x.key[0], x.text[3]);
         }},
        {kAmongRows + kHalf,
         [this, saw](B x) {
           return saw(x) && f_.overwrote_itself(x.txn[1], x.text[5], x.key[0], x.text[3]);
         }},
        {kAmongRows + kLater,
         [this, saw](B x) { return saw(x) && f_.writes_later(x.txn[0], x.text[3], x.key[0]); }},
        {kAmongRows + kNobody, [this, saw](B x) { return saw(x) && f_.nobody_wrote(x.text[3], x.key[0]); }},
        {"{t} read {q} and was returned row {k} twice: the version of its snapshot, {v}, and its own, {v}.",
         [this](B x) { return f_.returned_twice(x.txn[0], x.key[0], x.text[3], x.text[4]); }}};
  }

  std::vector<Form> of_lists() const {
    return {
        {kRead + ", with the {v} twice: nobody appended it twice.",
         [this](B x) { return f_.list_repeats(x.txn[0], x.text[1], x.key[0], x.text[3]); }},
        {kRead + ", although it had itself appended {v} before: the list must end with that.",
         [this](B x) { return f_.list_ends_otherwise(x.txn[0], x.text[1], x.key[0], x.text[3]); }},
        {kRead + ", with the {v} that {t} appended, which aborted.",
         [this](B x) {
           return f_.list_has(x.txn[0], x.text[1], x.key[0], x.txn[1], x.text[3]) && f_.is_aborted(x.txn[1]);
         }},
        {kRead + ", with the {v} that {t} appended, which aborted; the {v} that {t} appended stands on it.",
         [this](B x) {
           return f_.is_aborted(x.txn[1]) && !f_.is_aborted(x.txn[2]) &&
                  f_.list_shows(x.txn[0], x.text[1], x.key[0], x.txn[1], x.text[3], x.txn[2], x.text[5]);
         }},
        {kRead + ", where the {v} that {t} appended does not stand right before its {v}: nobody else may see "
                 "that.",
         [this](B x) {
           return f_.list_parts(x.txn[0], x.text[1], x.key[0], x.txn[1], x.text[3], x.text[5]);
         }},
        {kRead + ", where the {v} that {t} appended does not stand right after its {v}: nobody else may see "
                 "that.",
         [this](B x) {
           return f_.list_parts(x.txn[0], x.text[1], x.key[0], x.txn[1], x.text[5], x.text[3]);
         }},
        {kRead + ", but {t} read {v} of that key: no list can have been both.",
         [this](B x) { return f_.lists_differ(x.key[0], x.txn[0], x.text[1], x.txn[1], x.text[4]); }},
        {kRead + ", with the {v} that it appended itself only later.",
         [this](B x) { return f_.list_has_later(x.txn[0], x.text[1], x.key[0], x.text[3]); }},
        {kRead + ", with the {v} that nobody ever appended.",
         [this](B x) { return f_.list_has_from_nowhere(x.txn[0], x.text[1], x.key[0], x.text[3]); }}};
  }

  const SpokenFacts& f_;
};

}  // namespace

bool is_bad_read(const SpokenFacts& facts, const std::string& sentence) {
  return BadReadForms(facts).fit(sentence);
}

}  // namespace assay
