// From what PHP writes to what the client reads.
#include <gtest/gtest.h>

#include "audit/front/cgi_head.hpp"
#include "audit/front/http_response.hpp"

namespace assay::audit::front {
namespace {

std::string understood(std::string_view bytes, std::size_t piece, std::size_t largest = 1000) {
  CgiHeadDecoder decoder(largest);
  while (true) {
    std::string_view part = bytes.substr(0, piece);
    const std::size_t before = part.size();
    const Decoded decoded = decoder.take(part);
    bytes.remove_prefix(before - part.size());
    if (decoded == Decoded::refused) return "refused: " + decoder.why();
    if (decoded == Decoded::need_more) {
      if (bytes.empty()) return "unfinished";
      continue;
    }
    const CgiHead& head = decoder.head();
    std::string out = std::to_string(head.status) + " '" + head.reason + "'";
    for (const Field& field : head.fields) out += " [" + field.name + "=" + field.value + "]";
    return out + " then " + std::string(bytes);
  }
}

TEST(CgiHeads, FieldsKeepTheirOrderAndSpellingAndTheStatusIsTakenOut) {
  const std::string head =
      "X-Powered-By: PHP/8.2\r\nStatus: 404 Not  Found\r\nSet-Cookie: a=1\r\nset-cookie:  b=2 "
      "\r\nEmpty:\r\n\r\nbody\r\n";
  for (std::size_t piece = 1; piece <= head.size(); ++piece) {
    EXPECT_EQ(
        understood(head, piece),
        "404 'Not  Found' [X-Powered-By=PHP/8.2] [Set-Cookie=a=1] [set-cookie=b=2] [Empty=] then body\r\n");
  }
}

TEST(CgiHeads, LinesMayEndInALineFeedAlone) {
  EXPECT_EQ(understood("A: 1\nB: 2\r\n\nx", 100), "200 '' [A=1] [B=2] then x");
  EXPECT_EQ(understood("\r\nx", 1), "200 '' then x");
  EXPECT_EQ(understood("Status: 500\n\n", 100), "500 '' then ");
}

TEST(CgiHeads, AMalformedHeadIsRefused) {
  for (const char* const bytes :
       {"no colon\r\n\r\n", "A : 1\r\n\r\n", " A: 1\r\n\r\n", "A: \x01\r\n\r\n", "A: b\rc\r\n\r\n",
        "Status: abc\r\n\r\n", "Status: 42\r\n\r\n", "Status: 2000\r\n\r\n", "Status: 100 Continue\r\n\r\n",
        "Status: 200\r\nStatus: 200\r\n\r\n", "Status:\r\n\r\n"}) {
    EXPECT_EQ(understood(bytes, 100).substr(0, 7), "refused") << bytes;
  }
  EXPECT_EQ(understood("A: 12345\r\n\r\n", 100, 12), "200 '' [A=12345] then ");
  EXPECT_EQ(understood("A: 12345\r\n\r\n", 100, 11).substr(0, 7), "refused");
  EXPECT_EQ(understood("AAAAAAAAAAAAA", 1, 11).substr(0, 7), "refused") << "without waiting for more";
  EXPECT_EQ(understood("A: 1\r\n", 100), "unfinished");
}

constexpr std::time_t kNow = 784111777;
const std::string kDate = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n";

CgiHead head_of(std::uint32_t status, std::string reason, Fields fields) {
  return {status, std::move(reason), std::move(fields)};
}

TEST(HttpResponses, PhpsFieldsStandAsPhpWroteThemAndTheLengthIsTheTrueOne) {
  EXPECT_EQ(
      response(head_of(200, "", {{"Set-Cookie", "a=1"}, {"content-length", "999"}, {"Set-Cookie", "b=2"}}),
               "hello", {true, false, kNow}),
      "HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n" + kDate +
          "Content-Length: 5\r\nConnection: keep-alive\r\n\r\nhello");
}

TEST(HttpResponses, WhatSpeaksOfTheConnectionIsNotPhps) {
  EXPECT_EQ(response(head_of(404, "Gone Fishing",
                             {{"Transfer-Encoding", "chunked"},
                              {"Connection", "keep-alive"},
                              {"Keep-Alive", "timeout=5"},
                              {"Upgrade", "h2c"},
                              {"Trailer", "X"},
                              {"Date", "today"}}),
                     "", {false, false, kNow}),
            "HTTP/1.1 404 Gone Fishing\r\nDate: today\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
}

TEST(HttpResponses, NoBodyFollowsWhereNoneMay) {
  EXPECT_EQ(response(head_of(200, "", {{"Content-Length", "999"}}), "hello", {true, true, kNow}),
            "HTTP/1.1 200 OK\r\nContent-Length: 999\r\n" + kDate + "Connection: keep-alive\r\n\r\n");
  EXPECT_EQ(response(head_of(204, "", {{"Content-Length", "999"}}), "hello", {true, false, kNow}),
            "HTTP/1.1 204 No Content\r\n" + kDate + "Connection: keep-alive\r\n\r\n");
  EXPECT_EQ(response(head_of(304, "", {{"Content-Length", "1"}, {"Content-Length", "x"}}), "hello",
                     {true, false, kNow}),
            "HTTP/1.1 304 Not Modified\r\nContent-Length: 1\r\n" + kDate + "Connection: keep-alive\r\n\r\n");
}

TEST(HttpResponses, OwnAnswersSayWhy) {
  EXPECT_EQ(own_response(502, "because", {false, false, kNow}),
            "HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/plain\r\n" + kDate +
                "Content-Length: 24\r\nConnection: close\r\n\r\n502 Bad Gateway\nbecause\n");
  for (const int status : {400, 404, 408, 413, 414, 417, 431, 501, 502, 503, 504, 505}) {
    EXPECT_EQ(own_response(status, "", {}).find(" \r\n"), std::string::npos) << status << " has no name";
  }
}

}  // namespace
}  // namespace assay::audit::front
