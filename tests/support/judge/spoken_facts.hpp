// What sentences speak of, looked up in the history in the plainest way: operations one by one, values by how
// they are spelt.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "history/history.hpp"
#include "support/judge/sentence_forms.hpp"

namespace assay {

class SpokenFacts {
 public:
  // `names` are short ones; everybody also has a full one.
  SpokenFacts(const History& history, std::map<std::string, Txn> names);

  const std::map<std::string, Txn>& names() const { return names_; }
  std::vector<Txn> transactions(const std::string& name) const;
  bool is_one_of(const std::vector<Form>& forms, const std::string& text) const;

  // Transactions and their order.
  bool did(const std::string& full_name, const std::string& operations) const;
  bool in_session(Txn a, Txn b, const std::string& session) const;
  bool ended_before(Txn a, Txn b, const std::string& times) const;
  bool is_aborted(Txn t) const { return h_.status(t) == Status::aborted; }

  // Registers and rows. A value is "5" or "the initial value"; what was done is "wrote", "inserted", "deleted".
  bool writes(Txn t, Key k) const;
  bool did_so(Txn t, Key k, const std::string& what) const;
  bool read(Txn t, const std::string& value, Key k) const;          // of others
  bool reads_anyhow(Txn t, const std::string& value, Key k) const;  // or of its own
  bool saw(Txn reader, const std::string& value, Key k, Txn writer) const;
  bool saw_something_of(Txn reader, Key k, Txn writer) const;
  bool read_one_after_the_other(Txn t, Key k, const std::string& first, const std::string& then) const;
  std::vector<Txn> writers_of(Txn reader, const std::string& value, Key k) const;

  // Reads that nothing explains. `operation` is "w(x)=5".
  bool has_done(Txn t, const std::string& operation) const;
  bool had_done(Txn t, const std::string& value, Key k, const std::string& operation) const;
  bool wrote_and_aborted(Txn t, const std::string& operation, Key k, const std::string& value) const;
  bool overwrote_itself(Txn t, const std::string& operation, Key k, const std::string& value) const;
  bool writes_later(Txn t, const std::string& value, Key k) const;
  bool nobody_wrote(const std::string& value, Key k) const;

  // Queries.
  bool did_not_see(Txn t, const std::string& asked, Key row) const;
  // Of "3 rows at once" or "1 row", this one as that.
  bool saw_among_rows(Txn t, const std::string& how_many, Key row, const std::string& value) const;
  bool nobody_deleted(Key k) const;
  bool returned_twice(Txn t, Key row, const std::string& one, const std::string& own) const;

  // Lists, each read as it is spelt: "[1,2]".
  bool list_has(Txn reader, const std::string& list, Key k, Txn writer, const std::string& element) const;
  bool list_lacks(Txn reader, const std::string& list, Key k, Txn writer, const std::string& element) const;
  bool list_lacks_all(Txn reader, const std::string& list, Key k, Txn writer) const;
  bool list_shows(Txn reader, const std::string& list, Key k, Txn a, const std::string& first, Txn b,
                  const std::string& second) const;
  bool list_parts(Txn reader, const std::string& list, Key k, Txn writer, const std::string& one,
                  const std::string& next) const;
  bool list_repeats(Txn reader, const std::string& list, Key k, const std::string& element) const;
  bool list_ends_otherwise(Txn reader, const std::string& list, Key k, const std::string& own) const;
  bool list_has_later(Txn reader, const std::string& list, Key k, const std::string& element) const;
  bool list_has_from_nowhere(Txn reader, const std::string& list, Key k, const std::string& element) const;
  bool lists_differ(Key k, Txn a, const std::string& one, Txn b, const std::string& other) const;

 private:
  using Elements = std::vector<Version>;

  // "97@22167" of a recording is the value 97, written as number 22167.
  std::string spelt_value(Version v) const;
  std::string spelt(Version v) const;
  std::string spelt(Op op) const;
  std::string spelt_list(std::span<const Version> elements, bool with_keys) const;
  std::vector<Version> seen(Op op, Key k) const;
  std::vector<Elements> lists(Txn reader, const std::string& list, Key k) const;
  bool appends(Txn t, Version v) const;
  bool appends(Txn t, Key k, const std::string& element) const;
  std::vector<Op> writes_before(Txn t, Op op, Key k) const;

  const History& h_;
  const bool is_recorded_;
  std::map<std::string, Txn> names_;
  std::unordered_map<std::string, std::vector<Txn>> full_names_;
  std::unordered_map<std::string, std::vector<Key>> keys_;
};

}  // namespace assay
