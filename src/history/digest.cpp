#include "history/digest.hpp"

#include <string_view>

namespace assay {

namespace {

// FNV-1a over words and texts, with a final mix.
class Digest {
 public:
  void add(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x100000001B3ULL;
    state_ ^= state_ >> 29;
  }
  void add(std::string_view text) {
    add(text.size());
    for (const char c : text) add(std::uint64_t{static_cast<unsigned char>(c)});
  }
  void add(const Atom& atom) {
    add(static_cast<std::uint64_t>(atom.kind));
    add(atom.bits);
    add(atom.text);
  }
  void add(const std::optional<Atom>& atom) {
    add(std::uint64_t{atom.has_value()});
    if (atom) add(*atom);
  }
  void add(const std::optional<std::int64_t>& time) {
    add(std::uint64_t{time.has_value()});
    if (time) add(static_cast<std::uint64_t>(*time));
  }
  std::uint64_t value() const {
    const std::uint64_t h = (state_ ^ (state_ >> 32)) * 0xD6E8FEB86659FD93ULL;
    return h ^ (h >> 32);
  }

 private:
  std::uint64_t state_ = 0xCBF29CE484222325ULL;
};

}  // namespace

std::uint64_t digest(const History& h) {
  Digest d;
  const auto version = [&](Version v) {
    d.add(h.name(h.key_of(v)));
    d.add(std::uint64_t{h.is_initial(v)});
    if (!h.is_initial(v)) d.add(h.value(v));
  };
  d.add(static_cast<std::uint64_t>(h.clocks()));
  for (const Txn t : h.all_transactions()) {
    if (h.position_in_session(t) == 0) d.add(h.name(h.session_of(t)));
    d.add(h.name(t));
    d.add(static_cast<std::uint64_t>(h.status(t)));
    d.add(h.start(t));
    d.add(h.end(t));
    d.add(std::uint64_t{h.operations_of(t).size()});
    for (const Op op : h.operations_of(t)) {
      d.add(static_cast<std::uint64_t>(h.kind(op)));
      switch (h.kind(op)) {
        case OpKind::list_read:
          d.add(h.name(h.list(op).key));
          d.add(std::uint64_t{h.list(op).elements.size()});
          for (const Version v : h.list(op).elements) version(v);
          break;
        case OpKind::predicate_read:
        case OpKind::range_read:
        case OpKind::rows_read: {
          const Query query = h.query(op);
          d.add(query.predicate);
          d.add(query.low);
          d.add(query.high);
          d.add(std::uint64_t{query.results.size()});
          for (const Version v : query.results) version(v);
          break;
        }
        default:
          version(h.version(op));
      }
    }
  }
  return d.value();
}

}  // namespace assay
