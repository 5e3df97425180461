// One request at PHP, from the first byte sent to the end of the response: FastCGI without the socket. It
// ends in exactly one way, which is what the trace says about it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "audit/front/cgi_head.hpp"
#include "audit/front/fastcgi.hpp"
#include "audit/front/front_limits.hpp"
#include "audit/wire/trace_records.hpp"

namespace assay::audit::front {

class Exchange {
 public:
  Exchange(const fastcgi::Params& params, std::string body, const ResponseLimits& limits);

  // What is to be sent next; empty if nothing is left. sent() says how much of it was.
  std::string_view output();
  void sent(std::size_t bytes);
  // PHP takes no more of the request. It may still answer.
  void stop_sending();

  void received(std::string_view bytes);
  // The connection ended. That this is early if it is, is found out here.
  void closed();
  // There was no connection to send the request on.
  void not_connected(std::string why);
  // The collector waits no longer.
  void give_up(std::string why);

  // Nothing while it goes on; what comes after the end changes nothing.
  std::optional<wire::EndReason> ended() const { return ended_; }
  // A sentence, where it did not end well.
  const std::string& why() const { return why_; }
  // What PHP has sent of its response. No head: it was not whole, and there is no body.
  const std::optional<CgiHead>& head() const { return head_; }
  const std::string& body() const { return body_; }
  // What PHP wrote to its standard error, at most some kilobytes.
  const std::string& complaints() const { return complaints_; }
  std::size_t held() const { return request_body_.capacity() + body_.capacity(); }

 private:
  void end(wire::EndReason reason, std::string why = "");
  void take(const fastcgi::Record& record);
  void take_output(std::string_view bytes);
  void take_end(std::string_view content);

  ResponseLimits limits_;
  std::string request_body_;
  std::size_t body_sent_ = 0;  // of request_body_, what has become records
  bool input_ended_ = false;   // so has the empty record behind it
  std::string out_;
  std::size_t out_sent_ = 0;

  fastcgi::RecordDecoder records_;
  CgiHeadDecoder head_decoder_;
  std::optional<CgiHead> head_;
  std::string body_, complaints_;
  std::optional<wire::EndReason> ended_;
  std::string why_;
};

}  // namespace assay::audit::front
