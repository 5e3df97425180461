// Sentences taken apart by their forms: a text with slots, such as "{t} read {v} of key {k}". Texts of a history
// can be anything, so a sentence may fit a form in several ways; it is true if it is so in one of them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "history/ids.hpp"

namespace assay {

// What stands in the slots: of all their texts, and of {t} and {k} whom and what they mean.
struct Bindings {
  std::vector<std::string> text;
  std::vector<Txn> txn;
  std::vector<Key> key;
};

//   {t} a transaction   {k} a key   {v}, {q}, {b} any text
//   {d} what was done to a key: wrote, inserted, deleted
//   {o} how a value came to be: wrote, inserted, left by a delete
//   {r} how it went: overwrote, deleted
struct Form {
  std::string pattern;
  std::function<bool(const Bindings&)> is_true;
};

// Who and what can be called so.
struct Called {
  std::function<std::vector<Txn>(const std::string&)> transactions;
  std::function<std::vector<Key>(const std::string&)> keys;
};

// Whether the text has the form, in a way that is true.
bool fits(const Form& form, std::string_view text, const Called& called);

// Whether " (10 ns, 20 ns)", or of a wall clock " (07:45:55.406559 and 07:45:55.462703 UTC, 56.1 ms apart)", tells these.
bool are_times(const std::string& told, std::int64_t first, std::int64_t second);

}  // namespace assay
