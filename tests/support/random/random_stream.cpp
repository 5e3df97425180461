#include "support/random/random_stream.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "history/builder.hpp"

namespace assay {

Stream random_stream(Rng& rng) {
  Stream stream;
  stream.transactions = rng.between(8, 40);
  stream.sessions = rng.between(1, 5);
  stream.keys = rng.between(1, 6);
  stream.operations = rng.between(1, 4);
  stream.reads = rng.chance(0.3) ? 0.2 : 0.6;
  stream.blind = rng.chance(0.5) ? 0.95 : 0.4;
  stream.fence = rng.chance(0.3) ? 0.1 : 0.4;
  stream.aborted = rng.chance(0.5) ? 0.1 : 0;
  return stream;
}

namespace {

struct Operation {
  bool write;
  std::uint32_t key, value;
};
struct Transaction {
  std::uint32_t session;
  Status status;
  std::vector<Operation> operations;
  std::int64_t start = 0, end = 0;
};

// What a run left: the transactions as they took effect, and how many values each key was given.
struct Ran {
  std::vector<Transaction> transactions;
  std::vector<std::uint32_t> written;
};

// A transaction that sees `seen` and leaves its own writes there.
Transaction random_transaction(Rng& rng, const Stream& stream, std::vector<std::uint32_t>& seen,
                               std::vector<std::uint32_t>& written) {
  Transaction t{rng.below(stream.sessions), Status::committed, {}};
  if (rng.chance(stream.aborted)) t.status = Status::aborted;
  if (rng.chance(stream.unknown)) t.status = Status::unknown;
  const auto read = [&](std::uint32_t key) { t.operations.push_back({false, key, seen[key]}); };
  const auto write = [&](std::uint32_t key) {
    t.operations.push_back({true, key, ++written[key]});
    seen[key] = written[key];
  };
  if (rng.chance(stream.fence)) {
    read(0);
    write(0);
    return t;
  }
  for (std::uint32_t n = rng.between(1, stream.operations); n > 0; --n) {
    const std::uint32_t key = rng.between(1, stream.keys);
    const bool reads = rng.chance(stream.reads);
    if (reads || !rng.chance(stream.blind)) read(key);
    if (!reads) write(key);
  }
  return t;
}

bool takes_effect(Rng& rng, const Transaction& t) {
  return t.status == Status::committed || (t.status == Status::unknown && rng.chance(0.5));
}

Ran run_serially(Rng& rng, const Stream& stream) {
  Ran ran;
  ran.written.assign(stream.keys + 1, 0);
  std::vector<std::uint32_t> current(stream.keys + 1, 0);
  std::vector<std::int64_t> busy_until(stream.sessions, 0);
  const bool early_commits = rng.chance(0.5);
  for (std::uint32_t i = 0; i < stream.transactions; ++i) {
    std::vector<std::uint32_t> seen = current;
    Transaction t = random_transaction(rng, stream, seen, ran.written);
    if (takes_effect(rng, t)) current = seen;
    // It takes effect at time 10 * i; what surrounds that may overlap others.
    const std::int64_t now = 10 * std::int64_t{i};
    t.start = std::max(busy_until[t.session], now - rng.between(0, early_commits ? 3 : 30));
    t.end = std::max(t.start, now) + rng.between(0, early_commits ? 3 : 30);
    busy_until[t.session] = t.end;
    ran.transactions.push_back(std::move(t));
  }
  return ran;
}

// Every session has a replica of its own and hears now and then of all that another has seen; of two writes
// of a key the later by Lamport's clock wins. Causal, and often no more than that.
Ran run_on_replicas(Rng& rng, const Stream& stream) {
  struct Winner {
    std::uint64_t time = 0;  // Lamport's, made distinct
    std::uint32_t value = 0;
  };
  struct Replica {
    std::uint64_t time = 0;
    std::vector<Winner> rows;
  };
  Ran ran;
  ran.written.assign(stream.keys + 1, 0);
  std::vector<Replica> replicas(stream.sessions, {0, std::vector<Winner>(stream.keys + 1)});
  const double hears = rng.chance(0.5) ? 0.7 : 0.3;
  for (std::uint32_t i = 0; i < stream.transactions; ++i) {
    std::vector<std::uint32_t> seen(stream.keys + 1);
    Replica& own = replicas[rng.below(stream.sessions)];
    while (rng.chance(hears)) {
      const Replica& other = replicas[rng.below(stream.sessions)];
      own.time = std::max(own.time, other.time);
      for (std::uint32_t k = 0; k <= stream.keys; ++k) {
        if (other.rows[k].time > own.rows[k].time) own.rows[k] = other.rows[k];
      }
    }
    for (std::uint32_t k = 0; k <= stream.keys; ++k) seen[k] = own.rows[k].value;
    Transaction t = random_transaction(rng, stream, seen, ran.written);
    t.session = static_cast<std::uint32_t>(&own - replicas.data());
    if (takes_effect(rng, t)) {
      own.time += 1 + rng.below(3);
      for (const Operation& op : t.operations) {
        if (op.write) own.rows[op.key] = {own.time * 1000 + i, op.value};
      }
    }
    ran.transactions.push_back(std::move(t));
  }
  return ran;
}

// At most a few reads see another version, or transactions another session.
void disturb(Rng& rng, const Stream& stream, Ran& ran) {
  for (std::uint32_t n = rng.chance(0.4) ? 0 : rng.between(1, 2); n > 0; --n) {
    Transaction& t = ran.transactions[rng.below(stream.transactions)];
    Operation& op = t.operations[rng.below(static_cast<std::uint32_t>(t.operations.size()))];
    const std::uint32_t written = ran.written[op.key];
    if (!op.write && written > 0) {
      // Mostly a version not far from the one it was.
      op.value = rng.chance(0.7) ? std::min(written, op.value + 1 - std::min(op.value + 1, rng.below(3)))
                                 : rng.between(0, written);
    } else if (rng.chance(0.5)) {
      std::swap(t.session, ran.transactions[rng.below(stream.transactions)].session);
    }
  }
}

History history_of(const Stream& stream, const Ran& ran) {
  HistoryBuilder builder;
  for (std::uint32_t s = 0; s < stream.sessions; ++s) builder.session(Atom::integer(s + 1));
  for (std::uint32_t i = 0; i < stream.transactions; ++i) {
    const Transaction& t = ran.transactions[i];
    builder.begin(Session{t.session}, Atom::integer(i));
    for (const Operation& op : t.operations) {
      const Atom key = Atom::integer(op.key + 1);
      const Atom value = Atom::integer(op.value);
      if (op.write) {
        builder.write(key, value);
      } else if (op.value == 0) {
        builder.read_initial(key);
      } else {
        builder.read(key, value);
      }
    }
    if (stream.times) {
      builder.end(t.status, t.start,
                  t.status == Status::unknown ? std::nullopt : std::optional<std::int64_t>(t.end));
    } else {
      builder.end(t.status);
    }
  }
  return builder.finish();
}

// Serial runs say little about levels that allow much else.
bool allows_replicas(Level level) {
  return !implies(level, Level::snapshot_isolation);
}

}  // namespace

History run_stream(Rng& rng, const Stream& stream, Level level) {
  Ran ran =
      allows_replicas(level) && rng.chance(0.7) ? run_on_replicas(rng, stream) : run_serially(rng, stream);
  disturb(rng, stream, ran);
  return history_of(stream, ran);
}

}  // namespace assay
