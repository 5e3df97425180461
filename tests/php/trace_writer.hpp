// Stands for the collector: writes down what clients and PHP said to each other.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <string>

#include "audit/verdict.hpp"
#include "audit/wire/file_frame.hpp"
#include "audit/wire/trace_records.hpp"
#include "fastcgi.hpp"

namespace assay::php::testing {

inline std::uint64_t now() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::system_clock::now().time_since_epoch())
                                        .count());
}

class TraceWriter {
 public:
  void request(std::uint64_t rid, const Parameters& parameters, const std::string& input) {
    const std::lock_guard hold(mutex_);
    audit::wire::Request request;
    request.rid = rid;
    request.time = now();
    for (const auto& [name, value] : parameters) request.params.push_back({name, value});
    request.stdin_bytes = input;
    bytes_ += audit::wire::frame(audit::wire::Tag::request, audit::wire::encode(request));
  }
  void response(std::uint64_t rid, const Response& got) {
    const std::lock_guard hold(mutex_);
    audit::wire::Response response;
    response.rid = rid;
    response.time = now();
    response.end = got.complete ? audit::wire::EndReason::complete : audit::wire::EndReason::server_gone;
    response.status = static_cast<std::uint32_t>(got.status);
    for (const auto& [name, value] : got.headers) response.headers.push_back({name, value});
    response.body = got.body;
    bytes_ += audit::wire::frame(audit::wire::Tag::response, audit::wire::encode(response));
  }
  // A number and its request frame are one step: numbers rise in the trace.
  std::uint64_t arrive(const std::function<Parameters(std::uint64_t)>& parameters, const std::string& input) {
    const std::lock_guard hold(arrival_);
    const std::uint64_t rid = ++last_;
    request(rid, parameters(rid), input);
    return rid;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::mutex mutex_, arrival_;
  std::uint64_t last_ = 0;
  std::string bytes_ = audit::wire::file_head(audit::wire::kTraceMagic);
};

// Why, for a message.
inline std::string told(const audit::Verdict& verdict) {
  return verdict.finding
             ? std::string(audit::name(verdict.finding->reason)) + ": " + verdict.finding->sentence
             : "";
}

}  // namespace assay::php::testing
