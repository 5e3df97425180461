#include "audit/trial/web_client.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <strings.h>
#include <sys/socket.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <stdexcept>

#include "system/socket.hpp"

namespace assay::audit {

namespace {

constexpr auto kPatience = std::chrono::seconds(120);

[[noreturn]] void fail(const char* what) {
  throw std::runtime_error(fmt::format("a visitor's connection to the collector failed: {}", what));
}

void wait(const system::Descriptor& socket, short events) {
  if (!system::wait_for(socket, events, std::chrono::steady_clock::now() + kPatience))
    fail("there was no answer in time");
}

std::size_t number_in(std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) fail("a number was expected");
  return number;
}

bool is_field(std::string_view line, std::string_view name, std::string_view& value) {
  if (line.size() <= name.size() || line[name.size()] != ':' ||
      ::strncasecmp(line.data(), name.data(), name.size()) != 0)
    return false;
  value = line.substr(name.size() + 1);
  while (value.starts_with(' ')) value.remove_prefix(1);
  return true;
}

std::string message_of(const WebRequest& request, const system::Address& server) {
  std::string message =
      fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\n", request.method, request.target, system::shown(server));
  if (!request.cookies.empty()) message += fmt::format("Cookie: {}\r\n", request.cookies);
  if (request.method == "POST")
    message += fmt::format("Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n",
                           request.form.size());
  message += "\r\n";
  if (request.method == "POST") message += request.form;
  return message;
}

}  // namespace

void WebClient::send_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      wait(socket_, POLLOUT);
    } else if (errno != EINTR) {
      fail("it takes nothing more");
    }
  }
}

void WebClient::receive_more() {
  char bytes[16384];
  wait(socket_, POLLIN);
  const ssize_t n = ::recv(socket_.get(), bytes, sizeof bytes, 0);
  if (n > 0) {
    received_.append(bytes, static_cast<std::size_t>(n));
  } else if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
    fail("it ended before the response did");
  }
}

WebResponse WebClient::ask(const WebRequest& request) {
  if (!socket_) {
    socket_ = system::connect_to(server_);
    system::send_at_once(socket_);
    received_.clear();
  }
  send_all(message_of(request, server_));
  std::size_t head_end = 0;
  while ((head_end = received_.find("\r\n\r\n")) == std::string::npos) receive_more();
  WebResponse response;
  std::size_t length = 0;
  bool closes = false;
  const std::string head = received_.substr(0, head_end + 2);
  for (std::size_t at = 0, end = 0; (end = head.find("\r\n", at)) != std::string::npos; at = end + 2) {
    const std::string_view line(head.data() + at, end - at);
    std::string_view value;
    if (at == 0) {
      response.status = static_cast<int>(number_in(line.size() >= 12 ? line.substr(9, 3) : ""));
    } else if (is_field(line, "Content-Length", value)) {
      length = number_in(value);
    } else if (is_field(line, "Set-Cookie", value)) {
      response.set_cookies.emplace_back(value);
    } else if (is_field(line, "Connection", value)) {
      closes = value == "close";
    }
  }
  const std::size_t whole = head_end + 4 + (request.method == "HEAD" ? 0 : length);
  while (received_.size() < whole) receive_more();
  response.body = received_.substr(head_end + 4, whole - head_end - 4);
  received_.erase(0, whole);
  if (closes) socket_.reset();
  return response;
}

}  // namespace assay::audit
