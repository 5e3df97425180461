#include "system/http.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include "support/inputs.hpp"
#include "system/socket.hpp"

namespace assay::system {
namespace {

// Sends the bytes in two pieces and reads until the server closes the connection.
std::string conversation(const HttpServer& server, std::string_view bytes) {
  const Descriptor socket = connect_to(address_of(server.address()));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  const std::size_t half = bytes.size() / 2;
  for (const std::string_view piece : {bytes.substr(0, half), bytes.substr(half)})
    ::send(socket.get(), piece.data(), piece.size(), MSG_NOSIGNAL);
  std::string answer;
  char piece[4096];
  while (wait_for(socket, POLLIN, deadline)) {
    const ssize_t n = ::recv(socket.get(), piece, sizeof piece, 0);
    if (n <= 0) break;
    answer.append(piece, static_cast<std::size_t>(n));
  }
  return answer;
}

TEST(Http, ARequestIsItsFirstLine) {
  const HttpRequest request = parse_http_request("GET /a?b=c HTTP/1.1\r\nHost: x y\r\n\r\n");
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.target, "/a?b=c");
}

TEST(Http, WhatIsNoRequestHasNoTarget) {
  for (const char* bytes : {"", "\r\n\r\n", "GET\r\n\r\n", "GET /\r\nHost: x\r\n\r\n"})
    EXPECT_EQ(parse_http_request(bytes).target, "") << bytes;
}

TEST(Http, AnswersEveryConnectionOnce) {
  const HttpServer server({"127.0.0.1", "0"}, [](const HttpRequest& request) {
    return HttpAnswer{"200 OK", "text/plain",
                      std::string(request.method) + " of " + std::string(request.target)};
  });
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(conversation(server, "GET /x HTTP/1.1\r\nHost: y\r\n\r\n"),
              "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 9\r\nConnection: close\r\n\r\n"
              "GET of /x");
  }
}

TEST(Http, ClientsThatSayNothingKeepNobodyWaiting) {
  const HttpServer server({"127.0.0.1", "0"}, [](const HttpRequest&) {
    return HttpAnswer{"200 OK", "text/plain", "here"};
  });
  std::vector<Descriptor> silent;
  for (int i = 0; i < 200; ++i) silent.push_back(connect_to(address_of(server.address())));
  EXPECT_TRUE(conversation(server, "GET /x HTTP/1.1\r\n\r\n").ends_with("here"));
  // The first of them are gone before their time: there are not so many places.
  char byte = 0;
  EXPECT_TRUE(wait_for(silent.front(), POLLIN, std::chrono::steady_clock::now() + std::chrono::seconds(30)));
  EXPECT_LE(::recv(silent.front().get(), &byte, 1, 0), 0);
}

TEST(Http, ALargeAnswerArrivesWhole) {
  const std::string body(std::size_t{8} << 20, 'x');
  const HttpServer server({"127.0.0.1", "0"}, [&](const HttpRequest&) {
    return HttpAnswer{"200 OK", "text/plain", body};
  });
  EXPECT_TRUE(conversation(server, "GET / HTTP/1.1\r\n\r\n").ends_with(body));
}

TEST(Http, ARequestWithoutEndIsNotAnswered) {
  const HttpServer server({"127.0.0.1", "0"}, [](const HttpRequest&) {
    return HttpAnswer{"200 OK", "", ""};
  });
  EXPECT_EQ(conversation(server, "GET / HTTP/1.1\r\n" + std::string(20'000, 'x')), "");
}

}  // namespace
}  // namespace assay::system
