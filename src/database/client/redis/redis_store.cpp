// Redis. A transaction watches every key before it reads it, keeps its writes to itself, and sends them at
// commit between MULTI and EXEC; the server refuses if a watched key has changed (optimistic concurrency
// control). What was read is therefore current at commit, for readers too: strictly serializable on one
// server.
//
// Rows are strings "assay:r:KEY", lists are lists "assay:l:KEY". A sorted set holds the keys of all rows in
// byte order; scans watch it, so that a row that is created or erased is a conflict. The key "assay:mark" says
// that these are Assay's.
#include <fmt/format.h>
#include <hiredis.h>
#include <sys/time.h>

#include <cassert>
#include <charconv>
#include <map>

#include "database/mark.hpp"
#include "database/product.hpp"
#include "database/row.hpp"

namespace assay::database {

namespace {

constexpr std::string_view kIndex = "assay:keys";
constexpr std::string_view kMarkKey = "assay:mark";
std::string row_key(std::string_view key) {
  return fmt::format("assay:r:{}", key);
}
std::string list_key(std::string_view key) {
  return fmt::format("assay:l:{}", key);
}

bool is_of_a_recording(std::string_view key) {
  return key == kIndex || key.starts_with(row_key("")) || key.starts_with(list_key(""));
}

struct RedisOptions {
  Endpoint endpoint;
  std::string user, password;
  std::uint64_t database = 0;
  std::uint64_t connect_seconds = 0;
  std::uint64_t seconds = 0;  // for one answer
};

// Gone, or given up. What it means depends on whether EXEC was sent.
struct ConnectionLost {
  std::string why;
};

struct FreeContext {
  void operator()(redisContext* context) const { redisFree(context); }
};
struct FreeReply {
  void operator()(void* reply) const { freeReplyObject(reply); }
};
using Reply = std::unique_ptr<redisReply, FreeReply>;
using Command = std::vector<std::string_view>;

timeval time_of(std::uint64_t seconds) {
  timeval time{};
  time.tv_sec = static_cast<time_t>(seconds);
  return time;
}

std::string_view text_of(const redisReply& reply) {
  return {reply.str, reply.len};
}

class RedisConnection {
 public:
  // Throws ConnectionLost, or StoreError where the server refuses.
  explicit RedisConnection(const RedisOptions& options) {
    context_.reset(redisConnectWithTimeout(options.endpoint.host.c_str(), options.endpoint.port,
                                           time_of(options.connect_seconds)));
    if (!context_) throw StoreError(Failure::fatal, "redis: no memory for a connection");
    if (context_->err != 0) lose();
    redisSetTimeout(context_.get(), time_of(options.seconds));
    if (!options.password.empty()) {
      if (options.user.empty()) {
        expect_ok(call({"AUTH", options.password}));
      } else {
        expect_ok(call({"AUTH", options.user, options.password}));
      }
    }
    if (options.database != 0) expect_ok(call({"SELECT", std::to_string(options.database)}));
    // While a restarted server reads its files, it takes no commands.
    const Reply ready = call({"EXISTS", kIndex});
    if (ready->type == REDIS_REPLY_ERROR && text_of(*ready).starts_with("LOADING")) {
      throw ConnectionLost{std::string(text_of(*ready))};
    }
    expect_ok(ready);
  }

  void send(const Command& command) {
    pointers_.clear();
    lengths_.clear();
    for (const std::string_view part : command) {
      pointers_.push_back(part.data());
      lengths_.push_back(part.size());
    }
    if (redisAppendCommandArgv(context_.get(), static_cast<int>(command.size()), pointers_.data(),
                               lengths_.data()) != REDIS_OK) {
      lose();
    }
  }

  // The answer to the oldest command without one.
  Reply take() {
    void* reply = nullptr;
    if (redisGetReply(context_.get(), &reply) != REDIS_OK) lose();
    return Reply(static_cast<redisReply*>(reply));
  }

  Reply call(const Command& command) {
    send(command);
    return take();
  }

  static void expect_ok(const Reply& reply) {
    if (reply->type == REDIS_REPLY_ERROR) {
      throw StoreError(Failure::fatal, fmt::format("redis: {}", text_of(*reply)));
    }
  }

 private:
  [[noreturn]] void lose() const { throw ConnectionLost{context_->errstr}; }

  std::unique_ptr<redisContext, FreeContext> context_;
  std::vector<const char*> pointers_;
  std::vector<std::size_t> lengths_;
};

class RedisSession final : public StoreSession {
 public:
  explicit RedisSession(RedisOptions options) : options_(std::move(options)) {
    try {
      connection_ = std::make_unique<RedisConnection>(options_);
    } catch (const ConnectionLost& lost) {
      throw StoreError(Failure::fatal, "redis: " + lost.why);
    }
  }

  void begin(std::optional<Level> level) override {
    assert(!open_);
    if (level != Level::serializable && level != Level::strict_serializable) {
      throw StoreError(Failure::fatal, fmt::format("redis: there is no level {}", name_of(level)));
    }
    guarded([&] {
      if (!connection_) connection_ = std::make_unique<RedisConnection>(options_);
    });
    open_ = true;
  }

  std::optional<StoredValue> read(std::string_view key) override {
    const auto own = writes_.find(key);
    if (own != writes_.end()) return own->second;
    std::optional<StoredValue> found;
    guarded([&] {
      const std::string at = row_key(key);
      const Reply value = watched(at, {"GET", at});
      if (value->type == REDIS_REPLY_STRING) found = without_version(text_of(*value));
    });
    return found;
  }

  void write(std::string_view key, const StoredValue& value) override {
    writes_.insert_or_assign(std::string(key), value);
  }

  bool insert(std::string_view key, const StoredValue& value) override {
    if (read(key)) return false;
    write(key, value);
    return true;
  }

  bool erase(std::string_view key) override {
    if (!read(key)) return false;
    writes_.insert_or_assign(std::string(key), std::nullopt);
    return true;
  }

  void append(std::string_view key, std::uint64_t version) override {
    const auto own = appends_.try_emplace(std::string(key)).first;
    own->second.push_back({version});
  }

  void read_list(std::string_view key, std::vector<ListElement>& elements) override {
    elements.clear();
    guarded([&] {
      const std::string at = list_key(key);
      const Reply list = watched(at, {"LRANGE", at, "0", "-1"});
      for (std::size_t i = 0; i < list->elements; ++i) {
        const std::string_view text = text_of(*list->element[i]);
        ListElement element;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), element.version);
        if (error != std::errc() || end != text.data() + text.size()) {
          throw StoreError(Failure::fatal, "redis: a list holds something that the recorder did not write");
        }
        elements.push_back(element);
      }
    });
    const auto own = appends_.find(key);
    if (own != appends_.end()) elements.insert(elements.end(), own->second.begin(), own->second.end());
  }

  void range_read(std::string_view low, std::string_view high, std::vector<StoredRow>& rows) override {
    rows.clear();
    if (low > high) return;
    scan(fmt::format("[{}", low), fmt::format("[{}", high), rows,
         [&](std::string_view key, std::string_view) { return low <= key && key <= high; });
  }

  void filter_read(const NumberFilter& filter, std::vector<StoredRow>& rows) override {
    const auto end = end_of_prefix(filter.prefix);
    scan(fmt::format("[{}", filter.prefix), end ? fmt::format("({}", *end) : "+", rows,
         [&](std::string_view key, std::string_view value) { return passes(filter, key, value); });
  }

  void commit() override {
    bool sent = false;
    try {
      const std::size_t commands = send_writes();
      connection_->send({"EXEC"});
      sent = true;
      take_commit(commands);
    } catch (const ConnectionLost& lost) {
      connection_.reset();
      finish();
      throw StoreError(sent ? Failure::unknown : Failure::aborted, "redis: " + lost.why);
    } catch (const StoreError&) {
      finish();
      throw;
    }
    finish();
  }

  void abort() override {
    if (open_) drop();
  }

 private:
  template <typename Action>
  void guarded(const Action& action) {
    try {
      action();
    } catch (const ConnectionLost& lost) {
      connection_.reset();
      finish();
      throw StoreError(Failure::aborted, "redis: " + lost.why);
    } catch (const StoreError&) {
      drop();
      throw;
    }
  }

  // Watches, then reads: in one round trip, and in this order.
  Reply watched(std::string_view key, const Command& command) {
    connection_->send({"WATCH", key});
    connection_->send(command);
    RedisConnection::expect_ok(connection_->take());
    Reply answer = connection_->take();
    RedisConnection::expect_ok(answer);
    return answer;
  }

  // Replaces `rows` by the rows between the bounds, in Redis' notation, that pass; own writes are laid over.
  template <typename Condition>
  void scan(const std::string& low, const std::string& high, std::vector<StoredRow>& rows,
            const Condition& passes_filter) {
    std::map<std::string, StoredValue, std::less<>> seen;
    guarded([&] {
      const Reply keys = watched(kIndex, {"ZRANGEBYLEX", kIndex, low, high});
      if (keys->elements == 0) return;
      std::vector<std::string> at;
      for (std::size_t i = 0; i < keys->elements; ++i) at.push_back(row_key(text_of(*keys->element[i])));
      Command watch{"WATCH"};
      Command get{"MGET"};
      for (const std::string& one : at) {
        watch.push_back(one);
        get.push_back(one);
      }
      connection_->send(watch);
      connection_->send(get);
      RedisConnection::expect_ok(connection_->take());
      const Reply values = connection_->take();
      RedisConnection::expect_ok(values);
      // A row that was erased in between is nil here; the commit will fail.
      for (std::size_t i = 0; i < values->elements; ++i) {
        if (values->element[i]->type != REDIS_REPLY_STRING) continue;
        seen.emplace(text_of(*keys->element[i]), without_version(text_of(*values->element[i])));
      }
    });
    for (const auto& [key, value] : writes_) {
      if (value) {
        seen.insert_or_assign(key, *value);
      } else {
        seen.erase(key);
      }
    }
    rows.clear();
    for (auto& [key, stored] : seen) {
      if (passes_filter(key, stored.value)) rows.push_back({key, std::move(stored)});
    }
  }

  // Returns how many commands were queued.
  std::size_t send_writes() {
    connection_->send({"MULTI"});
    std::size_t commands = 0;
    for (const auto& [key, value] : writes_) {
      const std::string at = row_key(key);
      if (value) {
        connection_->send({"SET", at, with_version(*value)});
        connection_->send({"ZADD", kIndex, "0", key});
      } else {
        connection_->send({"DEL", at});
        connection_->send({"ZREM", kIndex, key});
      }
      commands += 2;
    }
    for (const auto& [key, elements] : appends_) {
      const std::string at = list_key(key);
      for (const ListElement element : elements) {
        connection_->send({"RPUSH", at, std::to_string(element.version)});
        ++commands;
      }
    }
    return commands;
  }

  void take_commit(std::size_t commands) {
    connection_->take();                                             // of MULTI
    for (std::size_t i = 0; i < commands; ++i) connection_->take();  // QUEUED, or an error that EXEC repeats
    const Reply executed = connection_->take();
    if (executed->type == REDIS_REPLY_NIL) {
      throw StoreError(Failure::aborted, "redis: a watched key has changed");
    }
    if (executed->type == REDIS_REPLY_ERROR) {
      const std::string_view error = text_of(*executed);
      // A command could not be queued, for want of memory or because the server reads its files: nothing was
      // executed.
      throw StoreError(error.starts_with("EXECABORT") ? Failure::aborted : Failure::fatal,
                       fmt::format("redis: {}", error));
    }
    for (std::size_t i = 0; i < executed->elements; ++i) {
      if (executed->element[i]->type == REDIS_REPLY_ERROR) {
        throw StoreError(Failure::fatal,
                         fmt::format("redis: executed only in part: {}", text_of(*executed->element[i])));
      }
    }
  }

  // The writes were not sent; the server has only keys to watch.
  void drop() {
    finish();
    if (!connection_) return;
    try {
      connection_->call({"UNWATCH"});
    } catch (const ConnectionLost&) {
      connection_.reset();
    }
  }

  void finish() {
    open_ = false;
    writes_.clear();
    appends_.clear();
  }

  RedisOptions options_;
  std::unique_ptr<RedisConnection> connection_;
  bool open_ = false;
  std::map<std::string, std::optional<StoredValue>, std::less<>> writes_;  // nothing: erased
  std::map<std::string, std::vector<ListElement>, std::less<>> appends_;
};

class Redis final : public Store {
 public:
  explicit Redis(RedisOptions options) : options_(std::move(options)) {
    const auto connection = reach();
    const Reply reply = connection->call({"INFO", "server"});
    RedisConnection::expect_ok(reply);
    const std::string_view text = text_of(*reply);
    constexpr std::string_view kVersion = "redis_version:";
    const std::size_t at = text.find(kVersion);
    description_ = "Redis";
    if (at == std::string_view::npos) return;
    const std::string_view version = text.substr(at + kVersion.size());
    description_ += fmt::format(" {}", version.substr(0, version.find_first_of("\r\n")));
  }

  std::string description() const override { return description_; }
  std::vector<Mode> modes() const override {
    return {{Level::strict_serializable, Level::strict_serializable, "WATCH, MULTI, EXEC"},
            {Level::serializable, Level::serializable, "WATCH, MULTI, EXEC"}};
  }

  void prepare() override {
    remove();
    try {
      RedisConnection::expect_ok(reach()->call({"SET", kMarkKey, kMark}));
    } catch (const ConnectionLost& lost) {
      throw StoreError(Failure::fatal, "redis: " + lost.why);
    }
  }

  void remove() override {
    try {
      const auto connection = reach();
      const Reply mark = connection->call({"GET", kMarkKey});
      RedisConnection::expect_ok(mark);
      const bool marked = mark->type == REDIS_REPLY_STRING && text_of(*mark) == kMark;
      if (mark->type != REDIS_REPLY_NIL && !marked)
        refuse_unmarked("redis", fmt::format("the key {}", kMarkKey));
      std::string cursor = "0";
      do {
        const Reply found = connection->call({"SCAN", cursor, "MATCH", "assay:*", "COUNT", "1000"});
        RedisConnection::expect_ok(found);
        cursor = text_of(*found->element[0]);
        const redisReply& keys = *found->element[1];
        Command unlink{"UNLINK"};
        for (std::size_t i = 0; i < keys.elements; ++i) {
          const std::string_view key = text_of(*keys.element[i]);
          if (!is_of_a_recording(key)) continue;
          if (!marked) refuse_unmarked("redis", fmt::format("the key {}", key));
          unlink.push_back(key);
        }
        if (unlink.size() > 1) RedisConnection::expect_ok(connection->call(unlink));
      } while (cursor != "0");
      RedisConnection::expect_ok(connection->call({"UNLINK", kMarkKey}));
    } catch (const ConnectionLost& lost) {
      throw StoreError(Failure::fatal, "redis: " + lost.why);
    }
  }

  std::unique_ptr<StoreSession> open_session(std::uint32_t) override {
    return std::make_unique<RedisSession>(options_);
  }

 private:
  std::unique_ptr<RedisConnection> reach() const {
    try {
      return std::make_unique<RedisConnection>(options_);
    } catch (const ConnectionLost& lost) {
      throw StoreError(Failure::fatal, "redis: " + lost.why);
    }
  }

  RedisOptions options_;
  std::string description_;
};

}  // namespace

void assay_open_store(StoreUrl& url, std::unique_ptr<Store>& store) {
  RedisOptions options;
  const auto endpoints = url.endpoints(6379);
  if (endpoints.size() != 1) url.fail("expected one host");
  options.endpoint = endpoints.front();
  options.user = url.user();
  options.password = url.password();
  if (!url.path().empty()) {
    const auto number = number_in_value(url.path());
    if (!number || *number < 0)
      url.fail(fmt::format("expected the number of a database, found '{}'", url.path()));
    options.database = static_cast<std::uint64_t>(*number);
  }
  options.seconds = url.take_number("timeout", 10, 86'400);
  options.connect_seconds = url.take_number("connect_timeout", 5, 86'400);
  url.expect_no_more_options();
  store = std::make_unique<Redis>(std::move(options));
}

}  // namespace assay::database
