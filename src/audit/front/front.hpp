// The collector: a middlebox between clients and PHP. HTTP/1.1 in, FastCGI out, and a trace of all that
// passed (session.hpp says what is recorded when). One thread, which waits for all sockets at once.
// docs/audit-front.md says how to deploy it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "audit/front/client_session.hpp"
#include "audit/front/front_limits.hpp"
#include "audit/front/php_address.hpp"
#include "audit/front/trace_writer.hpp"
#include "system/descriptor.hpp"

namespace assay::audit::front {

struct Connection;

struct FrontOptions {
  std::string listen;          // HOST:PORT; port 0 is any that is free
  std::string php;             // fastcgi://HOST:PORT or unix:PATH
  std::filesystem::path root;  // the principal's copy of the application: which scripts there are
  std::string root_at_php;     // where PHP has it; empty: at the same path
  std::filesystem::path trace;
  Durability durability = Durability::process;
  bool secure = false;         // clients speak HTTPS to whoever stands before the collector
  fastcgi::Params parameters;  // told to PHP with every request, as a web server's own settings are
  Limits limits;
  // Told what goes wrong, a line at a time.
  std::function<void(const std::string&)> note = [](const std::string&) {};
};

// Since the start. Read one by one while the collector runs: together they may be a request apart.
struct Counters {
  std::uint64_t connections = 0;              // accepted
  std::uint64_t connections_turned_away = 0;  // above the places of their address
  std::uint64_t refused = 0;                  // requests that were answered here and not recorded
  std::uint64_t requests = 0;                 // recorded
  std::uint64_t complete = 0, client_gone = 0, server_gone = 0, php_refused = 0, given_up = 0;  // responses
  std::uint64_t trace_bytes = 0;
};

class Front {
 public:
  // Listens and opens the trace. Throws InputError, or std::system_error.
  explicit Front(FrontOptions options);
  ~Front();
  Front(const Front&) = delete;
  Front& operator=(const Front&) = delete;

  // Where it listens, with the port in digits.
  const std::string& address() const { return address_; }
  // Serves until stop(); then no more is accepted, and what is at PHP has the time of grace. Throws
  // std::system_error if the trace cannot be written: a collector that cannot record does not serve.
  void run();
  // From any thread and any signal handler.
  void stop() noexcept;
  // From any thread.
  Counters counters() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct AtomicCounters {
    std::atomic<std::uint64_t> connections{0}, turned_away{0}, refused{0}, requests{0}, trace_bytes{0};
    std::atomic<std::uint64_t> ends[5]{};
  };

  void wait();
  void accept_clients();
  void admit(system::Descriptor socket);
  void listen_again(bool yes);
  void client_event(Connection& one, std::uint32_t events);
  void php_event(Connection& one, std::uint32_t events);
  void read_client(Connection& one);
  void read_php(Connection& one);
  void drop_client(Connection& one);

  void work_off();
  void send_queued();
  void connect_php(Connection& one);
  void flush_client(Connection& one);
  void flush_php(Connection& one);
  void review(Connection& one);
  void hold(Connection& one);
  void tell(Connection& one);
  void remove(Connection& one);
  void touch(Connection& one);
  void watch(const system::Descriptor& socket, std::uint64_t tag, std::uint32_t events,
             std::uint32_t& watched);

  void sweep();
  void expire(Connection& one);
  void begin_stopping();
  Clock::duration time_for(Phase phase) const;

  FrontOptions options_;
  PhpAddress php_;
  ScriptMap scripts_;
  TraceWriter trace_;
  system::Descriptor listener_, wake_, epoll_;
  std::string address_;
  std::uint64_t next_id_ = 1;
  std::unordered_map<std::uint64_t, std::unique_ptr<Connection>> connections_;  // by id
  std::map<std::string, std::size_t> places_;                                   // by address
  std::vector<Connection*> touched_;
  std::deque<std::uint64_t> queue_;  // ids of connections, in the order of their requests
  std::size_t at_php_ = 0, held_ = 0;
  bool listening_ = true, stopping_ = false;
  Clock::time_point now_{}, next_sweep_{}, grace_ends_{};
  AtomicCounters counts_;
};

}  // namespace assay::audit::front
