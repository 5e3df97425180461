// Read atomic: visible is what the transaction read from, and what its session did before. Read your writes
// is the second half alone.
#include <vector>

#include "check/weak/common_keys.hpp"
#include "check/weak/forcing.hpp"

namespace assay::check {

namespace {

// The last transaction of the current session that wrote each key. One table serves all sessions because
// transactions are numbered session by session: older entries belong to other sessions.
class LastWriterInSession {
 public:
  explicit LastWriterInSession(const AttributedHistory& history)
      : h_(history), last_(history.keys(), kNobody) {}

  Txn before(Txn session_begin, Key key) const {
    const Txn writer = last_[index(key)];
    return writer != kNobody && writer >= session_begin ? writer : kNobody;
  }
  void enter_writes_of(Txn t) {
    for (const Write w : h_.writes_of(t)) last_[index(h_.reads().key(w))] = t;
  }

 private:
  const AttributedHistory& h_;
  std::vector<Txn> last_;  // per key
};

}  // namespace

void force_read_atomic(const AttributedHistory& h, ForcedOrders& forced) {
  force_read_your_writes(h, forced);
  CommonKeys keys(h);
  FirstFromSource first_from_source(h);
  std::vector<Txn> first_source;
  for (std::size_t i = 0; i < h.causal_order().size(); ++i) {
    const Txn t = h.causal_order()[i];
    keys.prefetch_after(i);
    keys.load(t);
    first_source.clear();
    for (std::uint32_t read = h.first_read(t); read < h.last_read(t); ++read) {
      const std::uint32_t slot = keys.slot_of(h.key(read));
      if (slot == first_source.size()) {
        first_source.push_back(h.source(read));
      } else {
        // If they differ this is a cycle, so the other reads of the key need no further orders.
        forced.add(first_source[slot], h.source(read));
        forced.add(h.source(read), first_source[slot]);
      }
    }
    for (std::uint32_t read = h.first_read(t); read < h.last_read(t); ++read) {
      const Txn source = h.source(read);
      if (source == kNobody || !first_from_source(t, read)) continue;
      keys.for_each_written_by(source, [&](std::uint32_t slot) { forced.add(source, first_source[slot]); });
    }
  }
}

void force_read_your_writes(const AttributedHistory& h, ForcedOrders& forced) {
  LastWriterInSession last_writer(h);
  for (const Txn t : h.all_transactions()) {
    if (!h.present(t)) continue;
    const Txn session_begin = h.session_begin(t);
    for (std::uint32_t read = h.first_read(t); read < h.last_read(t); ++read) {
      forced.add(last_writer.before(session_begin, h.key(read)), h.source(read));
    }
    last_writer.enter_writes_of(t);
  }
}

}  // namespace assay::check
