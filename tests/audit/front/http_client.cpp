#include "audit/front/http_client.hpp"

#include <poll.h>
#include <strings.h>
#include <sys/socket.h>

#include <cerrno>

#include "system/address.hpp"
#include "system/socket.hpp"

namespace assay::testing {

std::string HttpAnswer::field(const std::string& name) const {
  for (const auto& [key, value] : fields) {
    if (::strcasecmp(key.c_str(), name.c_str()) == 0) return value;
  }
  return "(none)";
}

HttpClient::HttpClient(const std::string& address)
    : socket_(system::connect_to(system::address_of(address))) {}

bool HttpClient::say(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno == EAGAIN) {
      pollfd ready{socket_.get(), POLLOUT, 0};
      if (::poll(&ready, 1, patience_milliseconds_) <= 0) return false;
    } else {
      return false;
    }
  }
  return true;
}

bool HttpClient::get(const std::string& path, const std::string& fields) {
  return say("GET " + path + " HTTP/1.1\r\nHost: example.org\r\n" + fields + "\r\n");
}

bool HttpClient::post(const std::string& path, std::string_view body, const std::string& fields) {
  return say("POST " + path + " HTTP/1.1\r\nHost: example.org\r\nContent-Length: " +
             std::to_string(body.size()) + "\r\n" + fields + "\r\n") &&
         say(body);
}

bool HttpClient::more() {
  pollfd ready{socket_.get(), POLLIN, 0};
  if (::poll(&ready, 1, patience_milliseconds_) <= 0) return false;
  char bytes[65536];
  const ssize_t n = ::recv(socket_.get(), bytes, sizeof bytes, 0);
  if (n <= 0) return false;
  in_.append(bytes, static_cast<std::size_t>(n));
  return true;
}

HttpAnswer HttpClient::answer(bool to_head) {
  std::size_t end = 0;
  while ((end = in_.find("\r\n\r\n")) == std::string::npos) {
    if (!more()) return {};
  }
  HttpAnswer out;
  std::string_view head = std::string_view(in_).substr(0, end + 2);
  const std::string_view line = head.substr(0, head.find("\r\n"));
  const int status = std::stoi(std::string(line.substr(9, 3)));
  out.reason = line.size() > 13 ? line.substr(13) : "";
  std::size_t length = 0;
  for (head.remove_prefix(line.size() + 2); !head.empty();) {
    const std::string_view field = head.substr(0, head.find("\r\n"));
    head.remove_prefix(field.size() + 2);
    const std::size_t colon = field.find(": ");
    out.fields.emplace_back(field.substr(0, colon), field.substr(colon + 2));
    if (out.fields.back().first == "Content-Length") length = std::stoul(out.fields.back().second);
  }
  if (to_head || status == 204 || status == 304 || status < 200) length = 0;
  while (in_.size() < end + 4 + length) {
    if (!more()) return {};
  }
  out.body = in_.substr(end + 4, length);
  out.status = status;
  in_.erase(0, end + 4 + length);
  return out;
}

bool HttpClient::closes() {
  return in_.empty() && !more();
}

void HttpClient::end_input() {
  ::shutdown(socket_.get(), SHUT_WR);
}

void HttpClient::reset() {
  const linger at_once{1, 0};
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  socket_.reset();
}

void HttpClient::hurry() {
  patience_milliseconds_ = 1000;
}

HttpAnswer http_get(const std::string& address, const std::string& path, const std::string& fields) {
  HttpClient client(address);
  client.get(path, fields + "Connection: close\r\n");
  return client.answer();
}

}  // namespace assay::testing
