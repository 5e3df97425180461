#include "record/generate/generate.hpp"

#include <algorithm>
#include <utility>

#include "history/builder.hpp"
#include "record/generate/plant.hpp"
#include "system/random.hpp"

namespace assay::record {

namespace {

constexpr std::uint32_t kDuplicateValues = 8;  // the values that duplicates are drawn from: 1 to 8
constexpr std::uint32_t kFreshKeys = 8;  // keys 0 to 7 are left to the planted transactions, if there are any
constexpr std::uint32_t kNanosecondsPerStep = 1000;  // a step of a client takes up to this long

// What one operation of an open transaction saw or wrote. Lists and rows lie in the client's pool.
struct Recorded {
  OpKind kind;
  bool initial;  // read: nothing was there; erase: leaves nothing
  std::int64_t key;
  std::int64_t value;  // range_read: the upper bound, and `key` the lower
  std::uint32_t begin = 0, end = 0;
};

struct Client {
  Session store_session;
  Session history_session;
  std::uint32_t transactions_left;
  bool open = false;
  std::uint32_t operations_left = 0;
  // The second half of a read-modify-write is a step of its own, so that others can come between.
  std::optional<std::int64_t> modify;
  bool modify_creates = false;
  std::int64_t start = 0;
  std::vector<Recorded> operations;
  std::vector<std::int64_t> pool;  // elements of lists; keys and values of rows in turn
};

class Generation {
 public:
  Generation(const GenerateOptions& options, Receipts receipts)
      : options_(options),
        keep_receipts_(receipts == Receipts::keep),
        random_(options.seed),
        store_({options.level, options.fault, std::min(options.sessions, 4U), 16, random_.next()}),
        choice_(options.keys, options.distribution),
        first_key_(options.inject ? kFreshKeys : 0),
        next_value_(options.duplicates > 0 ? kDuplicateValues + 1 : 1) {
    for (std::uint32_t s = 0; s < options.sessions; ++s) {
      const std::uint32_t extra = s < options.transactions % options.sessions ? 1 : 0;
      add_client(options.transactions / options.sessions + extra);
    }
    if (lists()) {
      generation_.resize(options.keys, 0);
      appended_.resize(options.keys, 0);
    }
  }

  Generated run();

 private:
  bool lists() const { return options_.model == GenerateOptions::Model::lists; }
  void add_client(std::uint32_t transactions);
  void step(Client& client);
  void begin(Client& client);
  void operate(Client& client);
  void finish(Client& client);
  void read(Client& client, std::int64_t key);
  void read_range(Client& client, std::int64_t low, OpKind kind);
  void write(Client& client, std::int64_t key, bool creates);
  void record(Client& client, Status status, const database::Receipt& receipt);
  void record_operation(const Client& client, const Recorded& operation);
  std::int64_t draw_key(bool to_append);
  std::int64_t new_value() { return next_value_++; }
  void pass_time() { now_ += 1 + static_cast<std::int64_t>(random_.below(kNanosecondsPerStep)); }

  // Planting.
  struct PlantedKey {
    std::int64_t name = 0;
    database::Cell before;
    std::vector<std::int64_t> elements;  // lists: before, then those planted
    std::size_t elements_before = 0;
    std::vector<std::int64_t> values;  // by planted version, from 1
  };
  void close_all();
  void plant(Anomaly anomaly);
  bool existing_keys_are_safe() const;
  std::vector<PlantedKey> choose_planted_keys(const PlantScript& script, bool fresh);
  std::vector<Session> choose_planted_sessions(std::uint32_t count);
  void record_planted(const PlantedOperation& operation, const std::vector<PlantedKey>& keys);
  void record_planted_range(const PlantedOperation& operation, const PlantedKey& inserted);

  const GenerateOptions& options_;
  bool keep_receipts_;
  system::Random random_;
  database::MemoryEngine store_;
  KeyChoice choice_;
  std::int64_t first_key_;
  std::int64_t next_value_;
  std::int64_t now_ = 0;

  const system::Share reads_{options_.reads}, ranges_{options_.ranges}, rows_only_{options_.rows},
      updates_{options_.updates}, deletes_{options_.deletes}, duplicates_{options_.duplicates},
      aborts_{options_.aborts}, aborts_or_unknown_{options_.aborts + options_.unknown};

  std::vector<Client> clients_;
  std::vector<std::uint32_t> generation_, appended_;  // lists: by drawn key
  HistoryBuilder build_;
  std::uint32_t ended_ = 0;
  std::optional<Planted> planted_;
  std::vector<database::Receipt> receipts_;
  std::vector<std::int64_t> elements_;
  std::vector<database::EngineRow> rows_;
  std::vector<Atom> atoms_;
  std::vector<Row> atom_rows_;
};

void Generation::add_client(std::uint32_t transactions) {
  Client client{};
  client.store_session = store_.open_session();
  client.history_session = build_.session(Atom::integer(static_cast<std::int64_t>(clients_.size())));
  client.transactions_left = transactions;
  clients_.push_back(std::move(client));
}

Generated Generation::run() {
  // The moment of planting, in ended transactions; a number that is never reached if nothing is to be
  // planted.
  const std::uint64_t plant_at =
      options_.inject ? random_.below(std::uint64_t{options_.transactions} + 1) : UINT64_MAX;
  std::vector<std::uint32_t> active;
  for (std::uint32_t c = 0; c < clients_.size(); ++c) {
    if (clients_[c].transactions_left != 0) active.push_back(c);
  }
  while (!active.empty()) {
    if (ended_ >= plant_at && !planted_) {
      close_all();
      plant(*options_.inject);
    }
    const std::uint32_t at = random_.below(static_cast<std::uint32_t>(active.size()));
    Client& client = clients_[active[at]];
    if (client.open || client.transactions_left != 0) step(client);
    if (!client.open && client.transactions_left == 0) {
      active[at] = active.back();
      active.pop_back();
    }
  }
  if (options_.inject && !planted_) plant(*options_.inject);
  return {build_.finish(), std::move(planted_), std::move(receipts_)};
}

void Generation::step(Client& client) {
  pass_time();
  if (!client.open) {
    begin(client);
  } else if (client.modify) {
    write(client, *std::exchange(client.modify, std::nullopt), client.modify_creates);
  } else if (client.operations_left != 0) {
    operate(client);
  } else {
    finish(client);
  }
}

void Generation::begin(Client& client) {
  client.open = true;
  --client.transactions_left;
  client.operations_left =
      options_.min_operations + random_.below(options_.max_operations - options_.min_operations + 1);
  client.start = now_;
  store_.begin(client.store_session);
}

std::int64_t Generation::draw_key(bool to_append) {
  const std::uint32_t drawn = choice_.draw(random_);
  if (!lists()) return first_key_ + drawn;
  if (to_append && appended_[drawn]++ >= options_.appends_per_key) {
    ++generation_[drawn];
    appended_[drawn] = 1;
  }
  return first_key_ + std::int64_t{generation_[drawn]} * options_.keys + drawn;
}

void Generation::operate(Client& client) {
  --client.operations_left;
  if (random_.chance(reads_)) {
    const std::int64_t key = draw_key(false);
    if (random_.chance(ranges_)) {
      read_range(client, key, OpKind::range_read);
    } else if (options_.rows > 0 && random_.chance(rows_only_)) {  // else older seeds would draw otherwise
      read_range(client, key, OpKind::rows_read);
    } else {
      read(client, key);
    }
    return;
  }
  const std::int64_t key = draw_key(true);
  if (random_.chance(updates_)) {
    read(client, key);
    client.modify = key;
  } else {
    write(client, key, false);
  }
}

void Generation::read(Client& client, std::int64_t key) {
  if (lists()) {
    store_.read_list(client.store_session, key, elements_);
    const auto begin = static_cast<std::uint32_t>(client.pool.size());
    client.pool.insert(client.pool.end(), elements_.begin(), elements_.end());
    client.operations.push_back(
        {OpKind::list_read, false, key, 0, begin, static_cast<std::uint32_t>(client.pool.size())});
    return;
  }
  const database::Cell cell = store_.read(client.store_session, key);
  const bool nothing = cell.state == database::RowState::never ||
                       (cell.state == database::RowState::erased && !options_.tombstones);
  client.operations.push_back({OpKind::read, nothing, key, cell.value});
  client.modify_creates = cell.state != database::RowState::live && options_.deletes > 0;
}

// As a range read, or as a read of the rows that are there.
void Generation::read_range(Client& client, std::int64_t low, OpKind kind) {
  const std::int64_t high =
      std::min<std::int64_t>(low + options_.range_keys, first_key_ + std::int64_t{options_.keys}) - 1;
  store_.range_read(client.store_session, low, high, rows_);
  const auto begin = static_cast<std::uint32_t>(client.pool.size());
  for (const database::EngineRow& row : rows_) {
    client.pool.push_back(row.key);
    client.pool.push_back(row.value);
  }
  client.operations.push_back(
      {kind, false, low, high, begin, static_cast<std::uint32_t>(client.pool.size())});
}

// `creates`: the transaction has just seen that there is no row.
void Generation::write(Client& client, std::int64_t key, bool creates) {
  if (lists()) {
    const std::int64_t element = new_value();
    store_.append(client.store_session, key, element);
    client.operations.push_back({OpKind::append, false, key, element});
    return;
  }
  if (random_.chance(deletes_)) {
    const std::int64_t tombstone = new_value();
    store_.erase(client.store_session, key, tombstone);
    client.operations.push_back({OpKind::erase, !options_.tombstones, key, tombstone});
    return;
  }
  const std::int64_t value = random_.chance(duplicates_)
                                 ? 1 + static_cast<std::int64_t>(random_.below(kDuplicateValues))
                                 : new_value();
  if (creates && store_.insert(client.store_session, key, value)) {
    client.operations.push_back({OpKind::insert, false, key, value});
  } else {
    store_.write(client.store_session, key, value);
    client.operations.push_back({OpKind::write, false, key, value});
  }
}

void Generation::finish(Client& client) {
  // One draw decides: below the share of aborts, then below that of unknown fates.
  const auto draw = static_cast<std::uint32_t>(random_.next() >> 32);
  const bool unknown = !aborts_.covers(draw) && aborts_or_unknown_.covers(draw);
  const bool gives_up = aborts_.covers(draw) || (unknown && random_.below(2U) == 0);
  database::Receipt receipt;
  if (gives_up) {
    store_.abort(client.store_session);
  } else {
    receipt = store_.commit(client.store_session);
  }
  client.open = false;
  record(client,
         unknown             ? Status::unknown
         : receipt.committed ? Status::committed
                             : Status::aborted,
         receipt);
  ++ended_;
}

void Generation::record(Client& client, Status status, const database::Receipt& receipt) {
  build_.begin(client.history_session, Atom::integer(build_.transactions()));
  for (const Recorded& operation : client.operations) record_operation(client, operation);
  if (options_.times) {
    // Who never learns the fate of a transaction has not seen it end.
    build_.end(status, client.start, status == Status::unknown ? std::nullopt : std::optional(now_));
  } else {
    build_.end(status);
  }
  client.operations.clear();
  client.pool.clear();
  if (keep_receipts_) receipts_.push_back(receipt);
}

void Generation::record_operation(const Client& client, const Recorded& operation) {
  const Atom key = Atom::integer(operation.key);
  const Atom value = Atom::integer(operation.value);
  switch (operation.kind) {
    case OpKind::read:
      operation.initial ? build_.read_initial(key) : build_.read(key, value);
      break;
    case OpKind::write:
      build_.write(key, value);
      break;
    case OpKind::insert:
      build_.insert(key, value);
      break;
    case OpKind::erase:
      operation.initial ? build_.erase(key) : build_.erase(key, value);
      break;
    case OpKind::append:
      build_.append(key, value);
      break;
    case OpKind::list_read:
      atoms_.clear();
      for (std::uint32_t i = operation.begin; i < operation.end; ++i)
        atoms_.push_back(Atom::integer(client.pool[i]));
      build_.list_read(key, atoms_);
      break;
    case OpKind::range_read:
    case OpKind::rows_read:
      atom_rows_.clear();
      for (std::uint32_t i = operation.begin; i < operation.end; i += 2) {
        atom_rows_.push_back({Atom::integer(client.pool[i]), Atom::integer(client.pool[i + 1])});
      }
      if (operation.kind == OpKind::rows_read) {
        build_.rows_read(atom_rows_);
      } else {
        build_.range_read(key, value, atom_rows_);
      }
      break;
    case OpKind::predicate_read:
      break;  // no client makes one
  }
}

// Lets every open transaction come to its end, and no new one begin.
void Generation::close_all() {
  std::vector<std::uint32_t> open;
  for (std::uint32_t c = 0; c < clients_.size(); ++c) {
    if (clients_[c].open) open.push_back(c);
  }
  while (!open.empty()) {
    const std::uint32_t at = random_.below(static_cast<std::uint32_t>(open.size()));
    step(clients_[open[at]]);
    if (clients_[open[at]].open) continue;
    open[at] = open.back();
    open.pop_back();
  }
}

// Whether what a key of the workload holds has exactly one writer that everyone can name.
bool Generation::existing_keys_are_safe() const {
  return options_.duplicates == 0 && (options_.deletes == 0 || options_.tombstones) && options_.keys >= 2;
}

std::vector<Generation::PlantedKey> Generation::choose_planted_keys(const PlantScript& script, bool fresh) {
  std::vector<PlantedKey> keys(script.final_versions.size());
  std::uint32_t other = random_.below(kFreshKeys);
  for (std::size_t k = 0; k < keys.size(); ++k) {
    PlantedKey& key = keys[k];
    key.name = fresh ? std::int64_t{other++ % kFreshKeys} : draw_key(true);
    // A skewed distribution may draw the same key again and again: then its neighbour, which is as real.
    if (!fresh && k == 1 && key.name == keys[0].name) {
      const std::int64_t drawn = (key.name - first_key_) % options_.keys;
      const auto neighbour = static_cast<std::uint32_t>((drawn + 1) % options_.keys);
      key.name =
          first_key_ + neighbour + (lists() ? std::int64_t{generation_[neighbour]} * options_.keys : 0);
    }
    key.before = store_.current(key.name);
    store_.current_list(key.name, key.elements);
    key.elements_before = key.elements.size();
    for (int version = 0; version < 2; ++version) key.values.push_back(new_value());
    key.elements.insert(key.elements.end(), key.values.begin(), key.values.end());
  }
  return keys;
}

std::vector<Session> Generation::choose_planted_sessions(std::uint32_t count) {
  while (clients_.size() < count) add_client(0);
  std::vector<Session> sessions;
  for (const Client& client : clients_) sessions.push_back(client.history_session);
  for (std::uint32_t i = 0; i < count; ++i) {
    std::swap(sessions[i], sessions[i + random_.below(static_cast<std::uint32_t>(sessions.size()) - i)]);
  }
  sessions.resize(count);
  return sessions;
}

// REQUIRES: no transaction is open.
void Generation::plant(Anomaly anomaly) {
  const PlantScript script = plant_script(anomaly);
  const bool range = anomaly == Anomaly::phantom;
  const std::vector<Session> sessions = choose_planted_sessions(script.sessions);
  store_.settle();
  const std::vector<PlantedKey> keys = choose_planted_keys(script, range || !existing_keys_are_safe());

  planted_ = Planted{anomaly, {}, {}};
  for (const PlantedKey& key : keys) planted_->keys.push_back(key.name);
  const auto at_tick = [&](std::uint8_t tick) {
    return now_ + (tick + 1) * std::int64_t{kNanosecondsPerStep};
  };
  std::uint8_t last_tick = 0;
  for (const PlantedTransaction& transaction : script.transactions) {
    planted_->transactions.push_back(build_.transactions());
    build_.begin(sessions[transaction.session], Atom::integer(build_.transactions()));
    for (const PlantedOperation& operation : transaction.operations) record_planted(operation, keys);
    if (options_.times) {
      build_.end(transaction.status, at_tick(transaction.start), at_tick(transaction.end));
    } else {
      build_.end(transaction.status);
    }
    last_tick = std::max(last_tick, transaction.end);
    if (keep_receipts_) receipts_.push_back({});
  }
  now_ = at_tick(last_tick);

  for (std::size_t k = 0; k < keys.size(); ++k) {
    const std::uint8_t final_version = script.final_versions[k];
    for (std::uint8_t version = 1; version <= final_version; ++version) {
      const std::int64_t value = keys[k].values[version - std::size_t{1}];
      if (lists() && !range) {
        store_.install(keys[k].name, database::Write::Kind::append, value);
      } else if (version == final_version) {
        store_.install(keys[k].name, database::Write::Kind::put, value);
      }
    }
  }
  store_.settle();
}

void Generation::record_planted(const PlantedOperation& operation, const std::vector<PlantedKey>& keys) {
  const PlantedKey& key = keys[operation.key];
  const Atom name = Atom::integer(key.name);
  const auto value = [&] { return Atom::integer(key.values[operation.version - std::size_t{1}]); };
  switch (operation.kind) {
    case PlantedOperation::Kind::write:
      lists() ? build_.append(name, value()) : build_.write(name, value());
      return;
    case PlantedOperation::Kind::insert:
      build_.insert(name, value());
      return;
    case PlantedOperation::Kind::range:
      record_planted_range(operation, key);
      return;
    case PlantedOperation::Kind::read:
      break;
  }
  if (lists()) {
    atoms_.clear();
    for (std::size_t i = 0; i < key.elements_before + operation.version; ++i) {
      atoms_.push_back(Atom::integer(key.elements[i]));
    }
    build_.list_read(name, atoms_);
  } else if (operation.version != 0) {
    build_.read(name, value());
  } else if (key.before.state == database::RowState::never) {
    build_.read_initial(name);
  } else {
    build_.read(name, Atom::integer(key.before.value));
  }
}

// All fresh keys and, where that is safe, the first few keys of the workload; version 1 shows the planted
// row.
void Generation::record_planted_range(const PlantedOperation& operation, const PlantedKey& inserted) {
  std::int64_t high = kFreshKeys - 1;
  if (!lists() && existing_keys_are_safe()) high += std::min<std::int64_t>(options_.keys, 3);
  atom_rows_.clear();
  if (operation.version != 0) {
    atom_rows_.push_back({Atom::integer(inserted.name), Atom::integer(inserted.values[0])});
  }
  for (std::int64_t key = kFreshKeys; key <= high; ++key) {
    const database::Cell cell = store_.current(key);
    if (cell.state == database::RowState::live)
      atom_rows_.push_back({Atom::integer(key), Atom::integer(cell.value)});
  }
  build_.range_read(Atom::integer(0), Atom::integer(high), atom_rows_);
}

}  // namespace

Generated generate(const GenerateOptions& options, Receipts receipts) {
  validate(options);
  return Generation(options, receipts).run();
}

}  // namespace assay::record
