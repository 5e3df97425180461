// The world while no lane is worked on. What is asked of a database is asked for each lane, and the answers are put together; whoever asks
// for anything else is denied, for the lanes may have different answers.
#pragma once

#include <map>
#include <memory>

#include "rerun/told_world.hpp"
#include "superpose/lanes.hpp"

namespace assay::php {

// The world of one lane: it sees its own of what differs.
class LaneWorld final : public ToldWorld {
 public:
  LaneWorld(Pipe& pipe, unsigned lane) : ToldWorld(pipe), lane_(lane) {}
  void copy_cell(zval* out, zval* cell) const override;

 private:
  unsigned lane_;
};

class GroupWorld final : public World {
 public:
  // One for each lane, until they are forgotten.
  void begin(std::vector<std::unique_ptr<LaneWorld>>& told) { told_ = &told; }
  void forget() {
    last_rowids_.clear();
    paths_read_clock_ = false;
  }

  // While PHP looks up the path of a database, which asks the clock how long it may trust what it knows.
  void let_paths_read_clock(bool let) { paths_read_clock_ = let; }

  // By lane.
  const std::vector<std::int64_t>* last_rowids(std::uint64_t connection) const;

  bool live() const override { return false; }
  std::uint64_t ask_clock() override { ask("the clock"); }
  std::uint64_t ask_clock_after_sleep() override { ask("the clock"); }
  std::uint64_t clock_standing() const override;
  void random_bytes(void*, std::size_t) override { ask("chance"); }
  std::uint64_t process_id() override { ask("the process"); }
  std::string host_name() override { ask("the host"); }
  std::string fact(std::string (*)(void*), void*) override { ask("a fact"); }
  void refuse_told() override { ask("nobody"); }
  void cannot_repeat(const std::string& what) override { ask(what); }

  SqlResult sql_open(std::uint64_t connection, const std::string& path, wire::OpenMode mode) override;
  SqlResult sql_prepare(std::uint64_t connection, std::string_view sql) override;
  SqlResult sql_statement(std::uint64_t connection, std::string_view sql,
                          const std::vector<wire::SqlParameter>& parameters) override;
  void sql_close(std::uint64_t connection) override;
  void sql_timeout(std::uint64_t, int) override {}

  std::optional<StoredValue> kv_fetch(std::string_view) override { ask("the cache"); }
  bool kv_exists(std::string_view) override { ask("the cache"); }
  bool kv_store(std::string_view, const wire::KvValue&, std::uint64_t) override { ask("the cache"); }
  bool kv_add(std::string_view, const wire::KvValue&, std::uint64_t) override { ask("the cache"); }
  bool kv_delete(std::string_view) override { ask("the cache"); }
  std::optional<std::int64_t> kv_inc(std::string_view, std::int64_t, std::uint64_t) override {
    ask("the cache");
  }
  bool kv_cas(std::string_view, std::int64_t, std::int64_t) override { ask("the cache"); }
  void kv_clear() override { ask("the cache"); }

  std::optional<std::string> session_read(std::string_view) override { ask("a session"); }
  bool session_write(std::string_view, std::string_view) override { ask("a session"); }
  void session_delete(std::string_view) override { ask("a session"); }

  bool lock_acquire(std::string_view, std::uint64_t, wire::LockMode, bool, bool (*)(void*), void*) override {
    ask("a lock");
  }
  void lock_release(std::string_view, std::uint64_t) override { ask("a lock"); }

 private:
  [[noreturn]] static void ask(const std::string& whom) { deny("all lanes at once ask " + whom); }

  std::vector<std::unique_ptr<LaneWorld>>* told_ = nullptr;
  bool paths_read_clock_ = false;
  std::map<std::uint64_t, std::vector<std::int64_t>> last_rowids_;  // by connection and lane
};

extern GroupWorld group_world;

}  // namespace assay::php
