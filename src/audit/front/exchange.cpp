#include "audit/front/exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace assay::audit::front {

namespace {

constexpr std::size_t kMostComplaints = 8192;

}  // namespace

Exchange::Exchange(const fastcgi::Params& params, std::string body, const ResponseLimits& limits)
    : limits_(limits), request_body_(std::move(body)), head_decoder_(limits.head_bytes) {
  fastcgi::put_begin_request(out_);
  fastcgi::put_params(out_, params);
}

std::string_view Exchange::output() {
  if (out_sent_ == out_.size() && !input_ended_) {
    out_.clear();
    out_sent_ = 0;
    const std::string_view piece =
        std::string_view(request_body_).substr(body_sent_, fastcgi::kLargestContent);
    fastcgi::put_record(out_, fastcgi::Type::standard_input, piece);
    body_sent_ += piece.size();
    input_ended_ = piece.empty();
  }
  return std::string_view(out_).substr(out_sent_);
}

void Exchange::sent(std::size_t bytes) {
  out_sent_ += bytes;
}

void Exchange::stop_sending() {
  out_sent_ = out_.size();
  input_ended_ = true;
}

void Exchange::end(wire::EndReason reason, std::string why) {
  if (ended_) return;
  ended_ = reason;
  why_ = std::move(why);
}

void Exchange::received(std::string_view bytes) {
  while (!ended_) {
    switch (records_.take(bytes)) {
      case Decoded::need_more:
        return;
      case Decoded::refused:
        return give_up("what PHP sends is not FastCGI");
      case Decoded::whole:
        take(records_.record());
        break;
    }
  }
}

void Exchange::take(const fastcgi::Record& record) {
  if (record.request != fastcgi::kRequest) return give_up("PHP answers a request that it was not asked");
  switch (record.type) {
    case fastcgi::Type::standard_output:
      return take_output(record.content);
    case fastcgi::Type::standard_error:
      complaints_.append(record.content.substr(0, kMostComplaints - complaints_.size()));
      return;
    case fastcgi::Type::end_request:
      return take_end(record.content);
    default:
      return give_up("PHP sends a FastCGI record that only a server may send");
  }
}

void Exchange::take_output(std::string_view bytes) {
  if (!head_) {
    switch (head_decoder_.take(bytes)) {
      case Decoded::need_more:
        return;
      case Decoded::refused:
        return give_up(head_decoder_.why());
      case Decoded::whole:
        head_ = std::move(head_decoder_.head());
        break;
    }
  }
  const std::size_t room = limits_.body_bytes - body_.size();
  body_.append(bytes.substr(0, room));
  if (bytes.size() > room) give_up(fmt::format("PHP's response has more than {} bytes", limits_.body_bytes));
}

void Exchange::take_end(std::string_view content) {
  if (content.size() != fastcgi::kEndRequestContent) return give_up("what PHP sends is not FastCGI");
  switch (static_cast<fastcgi::ProtocolStatus>(content[4])) {
    case fastcgi::ProtocolStatus::request_complete:
      if (head_) return end(wire::EndReason::complete);
      return end(wire::EndReason::server_gone, "PHP ended the request without a response");
    case fastcgi::ProtocolStatus::cannot_multiplex:
    case fastcgi::ProtocolStatus::overloaded:
    case fastcgi::ProtocolStatus::unknown_role:
      if (head_) return give_up("PHP refuses a request that it has answered");
      return end(wire::EndReason::refused, "PHP refused the request");
  }
  give_up("PHP ended the request in a way that FastCGI does not know");
}

void Exchange::closed() {
  end(wire::EndReason::server_gone, "PHP closed the connection before the end of its response");
}

void Exchange::not_connected(std::string why) {
  end(wire::EndReason::refused, std::move(why));
}

void Exchange::give_up(std::string why) {
  end(wire::EndReason::given_up, std::move(why));
}

}  // namespace assay::audit::front
