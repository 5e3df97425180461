// The session guarantees of Terry et al. (1994) that look beyond one transaction: monotonic reads, monotonic
// writes, writes follow reads. (Read your writes is half of read atomic and lives there.)
#include <algorithm>
#include <vector>

#include "check/weak/common_keys.hpp"
#include "check/weak/forcing.hpp"
#include "check/weak/key_writers.hpp"

namespace assay::check {

namespace {

constexpr std::uint32_t kNoSession = 0xFFFFFFFFU;

// Per key a short list of transactions that write it, all emptied at once when a session ends.
class WritersByKey {
 public:
  explicit WritersByKey(std::uint32_t keys) : head_(keys, kEmpty), session_(keys, kNoSession) {}

  void start_session(std::uint32_t session) {
    current_ = session;
    nodes_.clear();
  }
  void clear(Key key) { head_[index(key)] = kEmpty; }
  void add(Key key, Txn writer) {
    const std::uint32_t next = first(key);
    nodes_.push_back({writer, next});
    head_[index(key)] = static_cast<std::uint32_t>(nodes_.size() - 1);
    session_[index(key)] = current_;
  }
  template <class Visit>
  void for_each(Key key, const Visit& visit) {
    for (std::uint32_t at = first(key); at != kEmpty; at = nodes_[at].next) visit(nodes_[at].writer);
  }

 private:
  static constexpr std::uint32_t kEmpty = 0xFFFFFFFFU;
  struct Node {
    Txn writer;
    std::uint32_t next;
  };
  std::uint32_t first(Key key) const { return session_[index(key)] == current_ ? head_[index(key)] : kEmpty; }

  std::vector<std::uint32_t> head_, session_;
  std::vector<Node> nodes_;
  std::uint32_t current_ = kNoSession;
};

}  // namespace

// Per key, the writers that the session has read from and that no later read of the key has put in order yet.
// A read of the key from t1 orders them all before t1, after which t1 stands for them.
void force_monotonic_reads(const AttributedHistory& h, ForcedOrders& forced) {
  WritersByKey pending(h.keys());
  std::vector<std::uint32_t> read_from_by(h.transactions(), kNoSession);  // the last session that did
  std::uint32_t session = kNoSession;
  for (const Txn t : h.all_transactions()) {
    if (h.first_read(t) == h.last_read(t)) continue;
    if (h.session_of(t) != session) pending.start_session(session = h.session_of(t));
    for (std::uint32_t read = h.first_read(t); read < h.last_read(t); ++read) {
      pending.for_each(h.key(read), [&](Txn writer) { forced.add(writer, h.source(read)); });
    }
    for (std::uint32_t read = h.first_read(t); read < h.last_read(t); ++read) pending.clear(h.key(read));
    // Only after the orders for t: what t itself reads is visible to later transactions.
    for (std::uint32_t read = h.first_read(t); read < h.last_read(t); ++read) {
      const Txn source = h.source(read);
      if (source == kNobody) continue;
      if (read_from_by[index(source)] == session) {
        pending.add(h.key(read), source);
        continue;
      }
      read_from_by[index(source)] = session;
      for (const Write w : h.writes_of(source)) pending.add(h.reads().key(w), source);
    }
  }
}

// Visible is what comes before a source in the source's session; per session the latest source sees most.
void force_monotonic_writes(const AttributedHistory& h, ForcedOrders& forced) {
  const KeyWriters writers(h, session_chains(h));
  std::vector<std::uint32_t> latest_source(h.sessions(), 0);  // of t, its number plus one; 0 for none
  std::vector<std::uint32_t> source_sessions;
  for (const Txn t : h.all_transactions()) {
    source_sessions.clear();
    for (std::uint32_t read = h.first_read(t); read < h.last_read(t); ++read) {
      const Txn source = h.source(read);
      if (source == kNobody || h.previous(source) == kNobody) continue;
      std::uint32_t& latest = latest_source[h.session_of(source)];
      if (latest == 0) source_sessions.push_back(h.session_of(source));
      latest = std::max(latest, index(source) + 1);
    }
    for (std::uint32_t read = h.first_read(t); read < h.last_read(t); ++read) {
      const auto entries = writers.entries(h.key(read));
      for (const std::uint32_t session : source_sessions) {
        const Txn source{latest_source[session] - 1};
        const KeyWriters::Entry itself{session, index(source) - index(h.session_begin(source)) + 1};
        const auto at = std::lower_bound(entries.begin(), entries.end(), itself);
        if (at != entries.begin() && at[-1].chain == session)
          forced.add(writers.writer(at[-1]), h.source(read));
      }
    }
    for (const std::uint32_t session : source_sessions) latest_source[session] = 0;
  }
}

// Session by session: while walking along it, per key the writers it has read from so far, of each other
// session only the latest. Whoever reads from the session's current transaction sees them.
void force_writes_follow_reads(const AttributedHistory& h, ForcedOrders& forced) {
  const std::uint32_t n = h.transactions();
  struct Seen {
    Txn writer;
    std::uint32_t session;
  };
  std::vector<std::vector<Seen>> seen(h.keys());
  std::vector<Key> touched;
  std::vector<std::uint32_t> read_from_by(n, kNoSession);  // the last session that did
  std::vector<Txn> reader_done_in(n, kNobody);             // the last transaction for which it was handled
  std::uint32_t session = kNoSession;
  for (const Txn t : h.all_transactions()) {
    if (!h.present(t)) continue;
    if (h.session_of(t) != session) {
      session = h.session_of(t);
      for (const Key key : touched) seen[index(key)].clear();
      touched.clear();
    }
    for (std::uint32_t read = h.first_read(t); read < h.last_read(t); ++read) {
      const Txn source = h.source(read);
      if (source == kNobody || read_from_by[index(source)] == session) continue;
      read_from_by[index(source)] = session;
      for (const Write w : h.writes_of(source)) {
        const Key key = h.reads().key(w);
        std::vector<Seen>& writers = seen[index(key)];
        if (writers.empty()) touched.push_back(key);
        const std::uint32_t its_session = h.session_of(source);
        const auto same = std::find_if(writers.begin(), writers.end(),
                                       [&](const Seen& s) { return s.session == its_session; });
        if (same == writers.end()) {
          writers.push_back({source, its_session});
        } else {
          same->writer = std::max(same->writer, source);
        }
      }
    }
    for (const Txn reader : h.readers(t)) {
      if (reader_done_in[index(reader)] == t) continue;
      reader_done_in[index(reader)] = t;
      for (std::uint32_t read = h.first_read(reader); read < h.last_read(reader); ++read) {
        for (const Seen& s : seen[index(h.key(read))]) forced.add(s.writer, h.source(read));
      }
    }
  }
}

}  // namespace assay::check
