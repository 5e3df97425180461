#include "history/rebuild.hpp"

namespace assay {

void Rebuild::all_keys() {
  constexpr std::uint32_t kAhead = 16;
  for (std::uint32_t k = 0; k < from_.keys(); ++k) {
    if (k + kAhead < from_.keys()) into_.prefetch_key(from_.name(Key{k + kAhead}));
    there(Key{k});
  }
}

void Rebuild::list_read(Op op) {
  const ListRead list = from_.list(op);
  elements_.clear();
  for (const Version v : list.elements) elements_.push_back(from_.value(v));
  into_.list_read(from_.name(list.key), elements_);
}

void Rebuild::query(Op op) {
  const Query query = from_.query(op);
  rows_.clear();
  for (const Version v : query.results) {
    const bool there_before = from_.is_initial(v);
    rows_.push_back(
        {from_.name(from_.key_of(v)), there_before ? std::nullopt : std::optional(from_.value(v))});
  }
  if (from_.kind(op) == OpKind::rows_read) return into_.rows_read(rows_);
  if (query.predicate) return into_.predicate_read(*query.predicate, rows_);
  into_.range_read(query.low, query.high, rows_);
}

}  // namespace assay
