// One client's connection, without the sockets: bytes of the client in, bytes for PHP out, bytes of PHP in,
// bytes for the client out. It decides what is recorded, and when:
//
//   - A request is recorded when all of it has come and it is about to be sent to PHP. What is refused before
//     that is no request to PHP and leaves no record.
//   - A response is recorded when PHP ends it, and only then does the client get its first byte. So nobody
//     has seen a response that is not in the trace, whenever the collector is killed.
//   - A client that leaves does not change what PHP does: the response is awaited and recorded.
//
// Requests that come ahead of their turn (pipelining) wait unread until the response before them is sent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "audit/front/exchange.hpp"
#include "audit/front/front_limits.hpp"
#include "audit/front/http_request.hpp"
#include "audit/front/params.hpp"
#include "audit/front/script_map.hpp"
#include "audit/front/trace_writer.hpp"

namespace assay::audit::front {

enum class Phase {
  idle,       // between requests
  head,       // a request has begun to come
  body,       // its head is there
  queued,     // all of it is there and waits for a place at PHP
  at_php,     //
  answering,  // the client takes its response
  closing,    // it has been sent the last one and may read it
  over,       // nothing more to do
};

// What all sessions share.
struct SessionPlace {
  const RequestLimits& request;
  const ResponseLimits& response;
  const ScriptMap& scripts;
  TraceWriter& trace;
  const fastcgi::Params& parameters;  // that go with every request
  bool secure = false;
};

class Session {
 public:
  Session(SessionPlace place, Peer peer);

  Phase phase() const { return phase_; }
  // Grows with every change of the phase.
  std::uint64_t turn() const { return turn_; }

  // The client.
  bool wants_input() const;
  void received(std::string_view bytes);
  // It will send nothing more; it may still read.
  void client_ended();
  // It is gone.
  void client_reset();
  std::string_view output() const { return std::string_view(output_).substr(output_sent_); }
  void sent(std::size_t bytes);
  // Told instead of whatever was to come. REQUIRES: no later phase than queued.
  void refuse(Refusal refusal);

  // PHP. REQUIRES: the phase is queued; records the request.
  void send_to_php();
  // REQUIRES: the phase is at_php, for all that follows.
  std::string_view php_output() { return exchange_->output(); }
  void php_sent(std::size_t bytes) { exchange_->sent(bytes); }
  void php_takes_no_more() { exchange_->stop_sending(); }
  void php_received(std::string_view bytes);
  void php_closed();
  void php_not_connected(const std::string& why);
  void give_up(const std::string& why);

  // Bytes of requests and responses in memory.
  std::size_t held() const;
  // How the last request ended at PHP, and why if not well; what PHP complained about. To be told and
  // counted.
  struct Ended {
    std::uint64_t rid = 0;
    wire::EndReason end = wire::EndReason::complete;
    std::string why, complaints;
  };
  std::optional<Ended> take_ended();
  std::optional<Refusal> take_refused();

 private:
  void enter(Phase phase);
  void advance();
  void queue(HttpRequest request);
  void answer(std::string bytes, bool keep_alive);
  void settle();

  SessionPlace place_;
  Peer peer_;
  Phase phase_ = Phase::idle;
  std::uint64_t turn_ = 0;
  RequestDecoder decoder_;
  std::string input_;  // came, but not its turn yet
  std::string output_;
  std::size_t output_sent_ = 0;
  bool keep_alive_ = true, client_ended_ = false, client_gone_ = false;

  HttpRequest request_;  // while queued; of a request at PHP all but its body
  Script script_;
  std::uint64_t rid_ = 0;
  std::optional<Exchange> exchange_;
  std::optional<Ended> ended_;
  std::optional<Refusal> refused_;
};

}  // namespace assay::audit::front
