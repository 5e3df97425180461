#include <algorithm>
#include <numeric>

#include "format/assay/packed_block.hpp"
#include "format/assay/packed_column.hpp"
#include "format/assay/packed_layout.hpp"

namespace assay {

using format::append_little;
using format::ColumnWriter;
using namespace format::packed;

namespace {

// ranks[order[i]] = i
std::vector<std::uint32_t> inverse(const std::vector<std::uint32_t>& order) {
  std::vector<std::uint32_t> ranks(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) ranks[order[i]] = i;
  return ranks;
}

std::vector<std::uint32_t> counting(std::size_t n) {
  std::vector<std::uint32_t> ids(n);
  std::iota(ids.begin(), ids.end(), 0U);
  return ids;
}

}  // namespace

class PackedCodec::Encoder {
 public:
  explicit Encoder(const History& history) : h_(history), columns_(out_) {}

  std::string encode() {
    sort_texts();
    sort_keys();
    sort_versions();
    put_counts();
    put_texts();
    put_sessions_and_transactions();
    put_keys_and_versions();
    put_lists_and_queries();
    put_operations();
    put_notes();
    return std::move(out_);
  }

 private:
  // In the block, a text's number follows its place in the order of all texts: comparing numbers compares
  // texts.
  std::uint64_t bits(const AtomColumn& column, std::size_t i) const {
    const AtomKind kind = column.kind(i);
    const bool text = kind == AtomKind::text || kind == AtomKind::json;
    return text ? text_rank_[static_cast<std::uint32_t>(column.bits(i))] : column.bits(i);
  }

  auto by_atom(const AtomColumn& column) const {
    return [this, &column](std::uint32_t a, std::uint32_t b) {
      return std::pair(column.kind(a), bits(column, a)) < std::pair(column.kind(b), bits(column, b));
    };
  }

  void sort_texts() {
    text_order_ = counting(h_.texts_.size());
    std::sort(text_order_.begin(), text_order_.end(),
              [this](std::uint32_t a, std::uint32_t b) { return h_.texts_[a] < h_.texts_[b]; });
    text_rank_ = inverse(text_order_);
  }

  void sort_keys() {
    key_order_ = counting(h_.keys());
    std::sort(key_order_.begin(), key_order_.end(), by_atom(h_.key_names_));
    key_rank_ = inverse(key_order_);
  }

  void sort_versions() {
    version_order_.reserve(h_.versions());
    for (const std::uint32_t k : key_order_) {
      const std::size_t initial = version_order_.size();
      for (std::uint32_t v = h_.key_versions_[k]; v < h_.key_versions_[k + 1]; ++v)
        version_order_.push_back(v);
      std::sort(version_order_.begin() + static_cast<std::ptrdiff_t>(initial) + 1, version_order_.end(),
                by_atom(h_.values_));
    }
    version_rank_ = inverse(version_order_);
  }

  void put_counts() {
    std::uint64_t flags = 0;
    if (h_.has_times()) flags |= kHasTimes;
    if (h_.clocks_ == Clocks::several) flags |= kSeveralClocks;
    const std::uint64_t text_bytes =
        std::accumulate(text_order_.begin(), text_order_.end(), std::uint64_t{0},
                        [this](std::uint64_t sum, std::uint32_t id) { return sum + h_.texts_[id].size(); });
    std::uint64_t note_bytes = 0;
    for (const std::string& note : h_.notes_) note_bytes += note.size();
    const std::uint64_t counts[kCounts] = {flags,
                                           h_.sessions(),
                                           h_.transactions(),
                                           h_.operations(),
                                           h_.keys(),
                                           h_.versions(),
                                           h_.lists_.size(),
                                           h_.queries_.size(),
                                           query_atoms(),
                                           h_.elements_.size(),
                                           h_.texts_.size(),
                                           text_bytes,
                                           h_.notes_.size(),
                                           note_bytes};
    for (const std::uint64_t count : counts) append_little(out_, count);
  }

  std::uint64_t query_atoms() const {
    std::uint64_t n = 0;
    for (const History::QuerySpan& query : h_.queries_) {
      for (const std::uint32_t atom : {query.predicate, query.low, query.high}) n += atom != History::kNone;
    }
    return n;
  }

  void put_texts() {
    columns_.put(text_order_.size(), [this](std::size_t i) { return h_.texts_[text_order_[i]].size(); });
    std::string bytes;
    for (const std::uint32_t id : text_order_) bytes += h_.texts_[id];
    columns_.put_bytes(bytes);
  }

  template <class Place>
  void put_atoms(const AtomColumn& column, std::size_t count, Place place) {
    columns_.put(count, [&](std::size_t i) { return static_cast<std::uint64_t>(column.kind(place(i))); });
    columns_.put(count, [&](std::size_t i) { return bits(column, place(i)); });
  }

  void put_sessions_and_transactions() {
    const auto same = [](std::size_t i) { return i; };
    const auto differences = [&](const std::vector<std::uint32_t>& begin) {
      columns_.put(begin.size() - 1, [&](std::size_t i) { return begin[i + 1] - begin[i]; });
    };
    put_atoms(h_.session_names_, h_.sessions(), same);
    differences(h_.session_begin_);
    put_atoms(h_.txn_names_, h_.transactions(), same);
    columns_.put(h_.transactions(),
                 [&](std::size_t t) { return static_cast<std::uint64_t>(h_.statuses_[t]); });
    if (h_.has_times()) {
      for (const auto* times : {&h_.starts_, &h_.ends_}) {
        columns_.put(times->size(), [&](std::size_t t) { return static_cast<std::uint64_t>((*times)[t]); });
      }
    }
    differences(h_.op_begin_);
  }

  void put_operations() {
    columns_.put(h_.operations(), [&](std::size_t op) { return static_cast<std::uint64_t>(h_.kinds_[op]); });
    columns_.put(h_.operations(), [&](std::size_t op) {
      return names_version(h_.kinds_[op]) ? version_rank_[h_.payloads_[op]] : h_.payloads_[op];
    });
  }

  void put_keys_and_versions() {
    put_atoms(h_.key_names_, h_.keys(), [&](std::size_t i) { return key_order_[i]; });
    columns_.put(h_.keys(), [&](std::size_t i) {
      return h_.key_versions_[key_order_[i] + std::size_t{1}] - h_.key_versions_[key_order_[i]];
    });
    std::vector<std::uint32_t> written;  // all but the initial versions, in their new order
    written.reserve(h_.versions() - h_.keys());
    for (const std::uint32_t v : version_order_) {
      if (!h_.is_initial(Version{v})) written.push_back(v);
    }
    put_atoms(h_.values_, written.size(), [&](std::size_t i) { return written[i]; });
  }

  void put_lists_and_queries() {
    columns_.put(h_.lists_.size(), [&](std::size_t i) { return key_rank_[h_.lists_[i].key]; });
    columns_.put(h_.lists_.size(), [&](std::size_t i) { return h_.lists_[i].end - h_.lists_[i].begin; });
    columns_.put(h_.queries_.size(), [&](std::size_t i) {
      const History::QuerySpan& query = h_.queries_[i];
      return (query.predicate != History::kNone ? kPredicate : 0U) |
             (query.low != History::kNone ? kLow : 0U) | (query.high != History::kNone ? kHigh : 0U);
    });
    columns_.put(h_.queries_.size(),
                 [&](std::size_t i) { return h_.queries_[i].end - h_.queries_[i].begin; });
    std::vector<std::uint32_t> atoms;
    for (const History::QuerySpan& query : h_.queries_) {
      for (const std::uint32_t atom : {query.predicate, query.low, query.high}) {
        if (atom != History::kNone) atoms.push_back(atom);
      }
    }
    put_atoms(h_.query_atoms_, atoms.size(), [&](std::size_t i) { return atoms[i]; });
    // The elements of all lists, then those of all queries.
    std::vector<std::uint32_t> elements;
    elements.reserve(h_.elements_.size());
    const auto add = [&](const auto& span) {
      for (std::uint64_t e = span.begin; e < span.end; ++e)
        elements.push_back(version_rank_[h_.elements_[e]]);
    };
    for (const History::ListSpan& list : h_.lists_) add(list);
    for (const History::QuerySpan& query : h_.queries_) add(query);
    columns_.put(elements.size(), [&](std::size_t i) { return elements[i]; });
  }

  void put_notes() {
    columns_.put(h_.notes_.size(), [&](std::size_t i) { return h_.notes_[i].size(); });
    std::string bytes;
    for (const std::string& note : h_.notes_) bytes += note;
    columns_.put_bytes(bytes);
  }

  const History& h_;
  std::string out_;
  ColumnWriter columns_;
  std::vector<std::uint32_t> text_order_, text_rank_, key_order_, key_rank_, version_order_, version_rank_;
};

std::string PackedCodec::encode(const History& history) {
  return Encoder(history).encode();
}

}  // namespace assay
