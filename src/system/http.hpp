// A small HTTP server for people and tools on the same network: one request per connection, answered from a
// thread of its own, which never waits for one client while another has something to say. A request is its
// first line; what else it says is read and ignored.
#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <string>
#include <string_view>
#include <thread>

#include "system/address.hpp"
#include "system/descriptor.hpp"

namespace assay::system {

struct HttpRequest {
  std::string_view method;  // "GET"
  std::string_view target;  // "/metrics?x=1", as it came
};

struct HttpAnswer {
  std::string_view status;  // "200 OK"
  std::string_view type;    // "text/plain; charset=utf-8"
  std::string body;
};

// What is meant by the bytes of a request: its first line, or nothing of either where they are no request.
HttpRequest parse_http_request(std::string_view bytes);

class HttpServer {
 public:
  // `handle` is called by the server's thread. Throws InputError if the address cannot be listened at.
  HttpServer(const Address& address, std::function<HttpAnswer(const HttpRequest&)> handle);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::string address() const;

 private:
  struct Client;

  void run();
  void accept_all(std::list<Client>& clients) const;
  bool go_on(Client& client) const;

  Descriptor listener_;
  std::function<HttpAnswer(const HttpRequest&)> handle_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace assay::system
