#include "audit/front/client_session.hpp"

#include <utility>

#include "audit/front/http_response.hpp"

namespace assay::audit::front {

namespace {

// What the client is told instead of a response that PHP did not give. The trace has the reason, from which
// this follows.
int status_for(wire::EndReason end) {
  switch (end) {
    case wire::EndReason::refused:
      return 503;
    case wire::EndReason::given_up:
      return 504;
    default:
      return 502;
  }
}

// Makes it anew and gives its memory back, which assigning an empty string would keep.
template <class Value>
void renew(Value& value, Value fresh = {}) {
  const Value old = std::move(value);
  value = std::move(fresh);
}

}  // namespace

Session::Session(SessionPlace place, Peer peer)
    : place_(place), peer_(std::move(peer)), decoder_(place.request) {}

void Session::enter(Phase phase) {
  if (phase == phase_) return;
  phase_ = phase;
  ++turn_;
}

bool Session::wants_input() const {
  return phase_ == Phase::idle || phase_ == Phase::head || phase_ == Phase::body || phase_ == Phase::closing;
}

void Session::received(std::string_view bytes) {
  if (phase_ == Phase::closing || phase_ == Phase::over) return;
  input_.append(bytes);
  advance();
}

// Decodes as far as there are bytes and it is the client's turn.
void Session::advance() {
  if (phase_ != Phase::idle && phase_ != Phase::head && phase_ != Phase::body) return;
  std::string_view bytes = input_;
  const Decoded decoded = decoder_.take(bytes);
  input_.erase(0, input_.size() - bytes.size());
  if (decoder_.asks_to_continue()) output_ += kContinue;
  switch (decoded) {
    case Decoded::need_more:
      enter(decoder_.in_body() ? Phase::body : decoder_.begun() ? Phase::head : Phase::idle);
      return;
    case Decoded::whole:
      return queue(decoder_.request());
    case Decoded::refused:
      return refuse(decoder_.refusal());
  }
}

void Session::queue(HttpRequest request) {
  request_ = std::move(request);
  auto found = place_.scripts.find(request_.target);
  if (const auto* const refusal = std::get_if<Refusal>(&found)) {
    refused_ = *refusal;
    answer(own_response(refusal->status, refusal->why,
                        {request_.keep_alive, request_.method == "HEAD", std::time(nullptr)}),
           request_.keep_alive);
    return;
  }
  script_ = std::get<Script>(std::move(found));
  enter(Phase::queued);
}

void Session::refuse(Refusal refusal) {
  renew(input_);
  renew(decoder_, RequestDecoder(place_.request));
  renew(request_);
  answer(own_response(refusal.status, refusal.why, {false, false, std::time(nullptr)}), false);
  refused_ = std::move(refusal);
}

void Session::answer(std::string bytes, bool keep_alive) {
  output_.erase(0, output_sent_);
  output_sent_ = 0;
  output_ = output_.empty() ? std::move(bytes) : output_ + bytes;
  keep_alive_ = keep_alive;
  enter(Phase::answering);
}

void Session::sent(std::size_t bytes) {
  output_sent_ += bytes;
  if (output_sent_ < output_.size()) return;
  renew(output_);
  output_sent_ = 0;
  if (phase_ != Phase::answering) return;  // it was "100 Continue"
  if (!keep_alive_) return enter(client_ended_ ? Phase::over : Phase::closing);
  enter(Phase::idle);
  if (!input_.empty()) advance();
  // Nothing will complete what has come of another request.
  if (client_ended_ && wants_input()) enter(Phase::over);
}

void Session::client_ended() {
  client_ended_ = true;
  if (wants_input()) enter(Phase::over);
}

void Session::client_reset() {
  if (phase_ == Phase::at_php) {
    client_gone_ = true;
    return;
  }
  enter(Phase::over);
}

void Session::send_to_php() {
  rid_ = place_.trace.next_rid();
  fastcgi::Params params = params_of(request_, script_, place_.scripts.root_at_php(), peer_, place_.secure);
  params.insert(params.end(), place_.parameters.begin(), place_.parameters.end());
  params.emplace_back(kRidParam, std::to_string(rid_));
  place_.trace.request(rid_, params, request_.body);
  exchange_.emplace(params, std::exchange(request_.body, {}), place_.response);
  enter(Phase::at_php);
}

void Session::php_received(std::string_view bytes) {
  exchange_->received(bytes);
  settle();
}

void Session::php_closed() {
  exchange_->closed();
  settle();
}

void Session::php_not_connected(const std::string& why) {
  exchange_->not_connected(why);
  settle();
}

void Session::give_up(const std::string& why) {
  exchange_->give_up(why);
  settle();
}

// Once PHP's part has ended: records it, then lets the client have it.
void Session::settle() {
  if (!exchange_->ended()) return;
  wire::EndReason end = *exchange_->ended();
  if (end == wire::EndReason::complete && client_gone_) end = wire::EndReason::client_gone;
  const CgiHead* const head = exchange_->head() ? &*exchange_->head() : nullptr;
  place_.trace.response(rid_, end, head, exchange_->body());
  ended_ = Ended{rid_, end, exchange_->why(), exchange_->complaints()};
  if (client_gone_) {
    enter(Phase::over);
  } else {
    const bool keep_alive = request_.keep_alive && (!client_ended_ || !input_.empty());
    const ResponseFraming framing{keep_alive, request_.method == "HEAD", std::time(nullptr)};
    answer(end == wire::EndReason::complete
               ? response(*head, exchange_->body(), framing)
               : own_response(status_for(end), "the application gave no complete response", framing),
           keep_alive);
  }
  exchange_.reset();
  renew(request_);
}

std::size_t Session::held() const {
  return input_.capacity() + output_.capacity() + decoder_.held() + request_.body.capacity() +
         (exchange_ ? exchange_->held() : 0);
}

std::optional<Session::Ended> Session::take_ended() {
  return std::exchange(ended_, std::nullopt);
}

std::optional<Refusal> Session::take_refused() {
  return std::exchange(refused_, std::nullopt);
}

}  // namespace assay::audit::front
