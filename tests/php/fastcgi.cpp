#include "fastcgi.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace assay::php::testing {

namespace {

constexpr char kBegin = 1, kEnd = 3, kParameters = 4, kStdin = 5, kStdout = 6, kStderr = 7;

void add_record(std::string& out, char type, const std::string& content) {
  std::size_t at = 0;
  do {
    const std::size_t size = std::min<std::size_t>(content.size() - at, 65000);
    const std::array<char, 8> head = {1, type, 0, 1, static_cast<char>(size >> 8), static_cast<char>(size),
                                      0, 0};
    out.append(head.data(), head.size()).append(content, at, size);
    at += size;
  } while (at < content.size());
}

void add_length(std::string& out, std::size_t size) {
  if (size < 128) {
    out.push_back(static_cast<char>(size));
    return;
  }
  for (const int shift : {24, 16, 8, 0})
    out.push_back(static_cast<char>((size >> shift) | (shift == 24 ? 0x80 : 0)));
}

bool read_all(int socket, char* out, std::size_t size) {
  while (size > 0) {
    const ssize_t got = ::read(socket, out, size);
    if (got <= 0) return false;
    out += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

}  // namespace

Response parse_cgi(const std::string& output) {
  Response response;
  const std::size_t end = output.find("\r\n\r\n");
  response.body = end == std::string::npos ? "" : output.substr(end + 4);
  std::size_t at = 0;
  while (at < end && at < output.size()) {
    const std::size_t line_end = std::min(output.find("\r\n", at), output.size());
    const std::string line = output.substr(at, line_end - at);
    const std::size_t colon = line.find(": ");
    if (line.rfind("Status: ", 0) == 0) {
      response.status = std::stoi(line.substr(8));
    } else if (colon != std::string::npos) {
      response.headers.emplace_back(line.substr(0, colon), line.substr(colon + 2));
    }
    at = line_end + 2;
  }
  return response;
}

Response ask(const std::string& socket_path, const Parameters& parameters, const std::string& input) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, socket_path.c_str(), sizeof address.sun_path - 1);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    ::close(socket);
    return {};
  }
  std::string pairs;
  for (const auto& [name, value] : parameters) {
    add_length(pairs, name.size());
    add_length(pairs, value.size());
    pairs += name + value;
  }
  std::string request;
  add_record(request, kBegin, std::string("\0\1\0\0\0\0\0\0", 8));
  add_record(request, kParameters, pairs);
  if (!pairs.empty()) add_record(request, kParameters, "");
  if (!input.empty()) add_record(request, kStdin, input);
  add_record(request, kStdin, "");
  std::string output;
  std::string errors;
  bool complete = false;
  if (::send(socket, request.data(), request.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(request.size())) {
    std::array<char, 8> head{};
    while (!complete && read_all(socket, head.data(), head.size())) {
      const std::size_t size =
          static_cast<unsigned char>(head[4]) * std::size_t{256} + static_cast<unsigned char>(head[5]);
      std::string content(size + static_cast<unsigned char>(head[6]), '\0');
      if (!read_all(socket, content.data(), content.size())) break;
      content.resize(size);
      if (head[1] == kStdout) output += content;
      if (head[1] == kStderr) errors += content;
      complete = head[1] == kEnd;
    }
  }
  ::close(socket);
  Response response = parse_cgi(output);
  response.complete = complete;
  response.errors = errors;
  return response;
}

}  // namespace assay::php::testing
