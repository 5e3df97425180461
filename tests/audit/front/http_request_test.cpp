// Requests out of bytes: what is understood, what is refused and how, and that it does not matter how the
// bytes were cut.
#include "audit/front/http_request.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace assay::audit::front {
namespace {

// All that comes out of the bytes when they arrive in these pieces, as text.
std::string understood(std::string_view bytes, const std::vector<std::size_t>& cuts,
                       const RequestLimits& limits = {}) {
  RequestDecoder decoder(limits);
  std::string out, input;
  std::size_t at = 0;
  const auto drain = [&] {
    while (true) {
      std::string_view rest = input;
      const Decoded decoded = decoder.take(rest);
      input.erase(0, input.size() - rest.size());
      if (decoder.asks_to_continue()) out += "continue? ";
      if (decoded == Decoded::need_more) return true;
      if (decoded == Decoded::refused) {
        out += "refused " + std::to_string(decoder.refusal().status) + ": " + decoder.refusal().why;
        return false;
      }
      const HttpRequest request = decoder.request();
      out += request.method + " " + request.target + (request.keep_alive ? " keep" : " close");
      for (const Field& field : request.fields) out += " [" + field.name + "=" + field.value + "]";
      if (request.has_body) out += " {" + request.body + "}";
      out += "\n";
      if (input.empty()) return true;
    }
  };
  for (const std::size_t cut : cuts) {
    input += bytes.substr(at, cut - at);
    at = cut;
    if (!drain()) return out;
  }
  input += bytes.substr(at);
  if (drain() && decoder.begun()) out += "unfinished";
  return out;
}

std::string understood(std::string_view bytes, const RequestLimits& limits = {}) {
  return understood(bytes, {}, limits);
}

const std::string kHost = "Host: a\r\n";

TEST(HttpRequests, AGetHasMethodTargetAndFieldsInTheirOrder) {
  EXPECT_EQ(
      understood("GET /a?b=c HTTP/1.1\r\nHost: example.org:80\r\nX-One:  1 \r\nx-one:\t2\r\nEmpty:\r\n\r\n"),
      "GET /a?b=c keep [Host=example.org:80] [X-One=1] [x-one=2] [Empty=]\n");
}

TEST(HttpRequests, SeveralOnOneConnectionAreTakenOneByOne) {
  EXPECT_EQ(understood("POST / HTTP/1.1\r\n" + kHost + "Content-Length: 3\r\n\r\nabcGET /b HTTP/1.1\r\n" +
                       kHost + "\r\n"),
            "POST / keep [Host=a] [Content-Length=3] {abc}\nGET /b keep [Host=a]\n");
}

TEST(HttpRequests, OneBlankLineBeforeARequestIsPassedOver) {
  EXPECT_EQ(understood("\r\nGET / HTTP/1.1\r\n" + kHost + "\r\n"), "GET / keep [Host=a]\n");
  EXPECT_EQ(understood("\r\n\r\nGET / HTTP/1.1\r\n" + kHost + "\r\n").substr(0, 11), "refused 400");
}

TEST(HttpRequests, AnAbsoluteTargetNamesTheHost) {
  EXPECT_EQ(understood("GET http://b.org:8080/x?y HTTP/1.1\r\n" + kHost + "\r\n"),
            "GET /x?y keep [Host=b.org:8080]\n");
  EXPECT_EQ(understood("GET HTTP://b.org?y HTTP/1.1\r\n" + kHost + "\r\n"), "GET /?y keep [Host=b.org]\n");
  EXPECT_EQ(understood("GET https://b HTTP/1.0\r\n\r\n"), "GET / close [Host=b]\n");
}

TEST(HttpRequests, TheConnectionStaysOpenAsVersionAndFieldSay) {
  EXPECT_EQ(understood("GET / HTTP/1.0\r\n\r\n"), "GET / close\n");
  EXPECT_EQ(understood("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"),
            "GET / keep [Connection=Keep-Alive]\n");
  EXPECT_EQ(understood("GET / HTTP/1.1\r\n" + kHost + "Connection: x, Close\r\n\r\n"),
            "GET / close [Host=a] [Connection=x, Close]\n");
  EXPECT_EQ(understood("GET / HTTP/1.1\r\n" + kHost + "Connection: close\r\nConnection: keep-alive\r\n\r\n")
                .substr(0, 11),
            "GET / close");
}

TEST(HttpRequests, AChunkedBodyIsPutTogether) {
  const std::string head = "POST / HTTP/1.1\r\n" + kHost + "Transfer-Encoding: Chunked\r\n\r\n";
  const std::string shown = "POST / keep [Host=a] [Transfer-Encoding=Chunked] {";
  EXPECT_EQ(understood(head + "3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n"), shown + "abc0123456789}\n");
  EXPECT_EQ(understood(head + "0\r\n\r\n"), shown + "}\n");
  EXPECT_EQ(understood(head + "1\r\n\n\r\n000\r\nX-Sum: 9\r\n\r\nGET /n HTTP/1.1\r\n" + kHost + "\r\n"),
            shown + "\n}\nGET /n keep [Host=a]\n");
}

TEST(HttpRequests, AClientThatAsksFirstIsToldOnce) {
  EXPECT_EQ(understood("POST / HTTP/1.1\r\n" + kHost + "Expect: 100-Continue\r\nContent-Length: 2\r\n\r\nhi"),
            "continue? POST / keep [Host=a] [Expect=100-Continue] [Content-Length=2] {hi}\n");
  EXPECT_EQ(understood("POST / HTTP/1.1\r\n" + kHost + "Expect: 100-continue\r\nContent-Length: 0\r\n\r\n"),
            "POST / keep [Host=a] [Expect=100-continue] [Content-Length=0] {}\n")
      << "there is no body to wait for";
  EXPECT_EQ(understood("GET / HTTP/1.1\r\n" + kHost + "Expect: tea\r\n\r\n").substr(0, 11), "refused 417");
}

struct Refused {
  const char* bytes;
  int status;
};

TEST(HttpRequests, WhatTwoReadersCouldReadDifferentlyIsRefused) {
  const Refused cases[] = {
      // Two lengths, or one that is none.
      {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
      {"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n", 400},
      {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n", 400},
      {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\n", 400},
      {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3, 3\r\n\r\n", 400},
      {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +3\r\n\r\n", 400},
      {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -3\r\n\r\n", 400},
      {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0x3\r\n\r\n", 400},
      {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3 \x0b\r\n\r\n", 400},
      {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n", 400},
      {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n", 413},
      {"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501},
      {"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, identity\r\n\r\n", 501},
      {"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n", 501},
      {"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
      {"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
      // Fields that are not one name, a colon, a value, on one line.
      {"GET / HTTP/1.1\r\nHost: a\r\nX-One : 1\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: a\r\nX-One: 1\r\n folded\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\n Host: a\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: a\r\nX One: 1\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: a\r\nnothing\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: a\r\n: 1\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: a\r\nX: a\x01\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: a\r\nX: a\x7f\r\n\r\n", 400},
      // Lines that end in something else.
      {"GET / HTTP/1.1\nHost: a\n\n", 400},
      {"GET / HTTP/1.1\r\nHost: a\nX: 1\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: a\r\n\n", 400},
      // Hosts.
      {"GET / HTTP/1.1\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: a@b\r\n\r\n", 400},
      {"GET http://u@a/ HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"GET http:/// HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      // Request lines.
      {"GET /\r\nHost: a\r\n\r\n", 400},
      {"GET  / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"GET / x HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"GET / HTTP/1.1 \r\nHost: a\r\n\r\n", 400},
      {"GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"G(T / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"GET a HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"GET * HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"GET /#x HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"GET /\x80 HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"GET / http/1.1\r\nHost: a\r\n\r\n", 400},
      {"GET / HTTP/1.2\r\nHost: a\r\n\r\n", 505},
      {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
      {"CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n", 501},
      {"TRACE / HTTP/1.1\r\nHost: a\r\n\r\n", 501},
  };
  for (const Refused& one : cases) {
    EXPECT_EQ(understood(one.bytes).substr(0, 11), "refused " + std::to_string(one.status)) << one.bytes;
  }
}

TEST(HttpRequests, AChunkThatIsNotPlainIsRefused) {
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const char* const bytes :
       {"\r\n", "g\r\n", "0x3\r\nabc\r\n", "+3\r\nabc\r\n", "-3\r\nabc\r\n", " 3\r\nabc\r\n", "3 \r\nabc\r\n",
        "3 ;x\r\nabc\r\n", "3\nabc\r\n", "3\r\nabcd\r\n", "3\r\nabc\n", "3\r\nabc0\r\n\r\n",
        "3;a\x01\r\nabc\r\n", "3;a\nb\r\nabc\r\n", "000000003\r\nabc\r\n", "FFFFFFFFFFFFFFFF3\r\nabc\r\n",
        "0\r\nbad trailer\r\n\r\n", "0\r\nX: 1\n\r\n", "0\r\n folded: 1\r\n\r\n"}) {
    EXPECT_EQ(understood(head + bytes).substr(0, 11), "refused 400") << bytes;
  }
}

TEST(HttpRequests, LimitsHaveStatusesOfTheirOwn) {
  RequestLimits limits;
  limits.line_bytes = 30;
  limits.head_bytes = 60;
  limits.fields = 3;
  limits.body_bytes = 4;
  const std::string start = "POST / HTTP/1.1\r\nHost: a\r\n";  // 26 bytes
  EXPECT_EQ(
      understood("GET /" + std::string(14, 'x') + " HTTP/1.1\r\n" + kHost + "\r\n", limits).substr(0, 4),
      "GET ");
  EXPECT_EQ(
      understood("GET /" + std::string(15, 'x') + " HTTP/1.1\r\n" + kHost + "\r\n", limits).substr(0, 11),
      "refused 414");
  EXPECT_EQ(understood(std::string(31, 'x'), limits).substr(0, 11), "refused 414")
      << "without waiting for more";
  EXPECT_EQ(understood(start + "X: " + std::string(27, 'y') + "\r\n\r\n", limits).substr(0, 5), "POST ");
  EXPECT_EQ(understood(start + "X: " + std::string(28, 'y') + "\r\n\r\n", limits).substr(0, 11),
            "refused 431");
  EXPECT_EQ(understood(start + "A:1\r\nB:1\r\n\r\n", limits).substr(0, 5), "POST ");
  EXPECT_EQ(understood(start + "A:1\r\nB:1\r\nC:1\r\n\r\n", limits).substr(0, 11), "refused 431");
  const std::string named = "GET http://b/ HTTP/1.0\r\nA:1\r\nB:1\r\n";  // the target's host is a field, too
  EXPECT_EQ(understood(named + "\r\n", limits), "GET / close [A=1] [B=1] [Host=b]\n");
  EXPECT_EQ(understood(named + "C:1\r\n\r\n", limits).substr(0, 11), "refused 431");
  EXPECT_EQ(understood(start + "Content-Length: 4\r\n\r\nabcd", limits).substr(0, 5), "POST ");
  EXPECT_EQ(understood(start + "Content-Length: 5\r\n\r\n", limits).substr(0, 11), "refused 413");
  limits.head_bytes = 200;
  const std::string chunked = start + "Transfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(understood(chunked + "2\r\nab\r\n2\r\ncd\r\n0\r\n\r\n", limits).substr(0, 5), "POST ");
  EXPECT_EQ(understood(chunked + "2\r\nab\r\n3\r\n", limits).substr(0, 11), "refused 413");
}

TEST(HttpRequests, EndlessExtensionsAndTrailersAreRefused) {
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  std::string extensions = head, trailers = head + "0\r\n";
  for (int i = 0; i < 1000; ++i) {
    extensions += "1;" + std::string(200, 'x') + "\r\na\r\n";
    trailers += "X: " + std::string(200, 'x') + "\r\n";
  }
  EXPECT_EQ(understood(extensions).substr(0, 11), "refused 400");
  EXPECT_EQ(understood(trailers).substr(0, 11), "refused 431");
  EXPECT_EQ(understood(head + "1;" + std::string(300, 'x')).substr(0, 11), "refused 400");
}

// Good and bad messages, one after the other.
const std::vector<std::string>& samples() {
  static const std::vector<std::string> all = {
      "GET /a HTTP/1.1\r\nHost: a\r\n\r\nPOST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello\r\n"
      "GET http://x/c HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n"
      "4;e=f\r\nab\r\n\r\n1\r\nc\r\n0\r\nT: 1\r\n\r\nGET / HTTP/1.0\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\nX: 1\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
      "\r\nGET /\x01 HTTP/1.1\r\n\r\n",
  };
  return all;
}

TEST(HttpRequests, EveryCutGivesTheSameMessages) {
  RequestLimits tight;
  tight.line_bytes = 24;
  tight.head_bytes = 70;
  tight.body_bytes = 4;
  for (const RequestLimits& limits : {RequestLimits{}, tight}) {
    for (const std::string& bytes : samples()) {
      const std::string whole = understood(bytes, limits);
      std::vector<std::size_t> every;
      for (std::size_t i = 0; i <= bytes.size(); ++i) {
        EXPECT_EQ(understood(bytes, {i}, limits), whole) << bytes << " cut at " << i;
        every.push_back(i);
      }
      EXPECT_EQ(understood(bytes, every, limits), whole) << bytes << " byte by byte";
    }
  }
}

TEST(HttpRequests, EveryCutOfDamagedBytesGivesTheSameMessages) {
  std::mt19937 random(7);
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  constexpr std::string_view kSpice = "\r\n\r\n :;,0123af\t\x01\xff/%?HTTP";
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = samples()[below(samples().size())];
    for (std::size_t edits = 1 + below(4); edits > 0; --edits) {
      const std::size_t at = below(bytes.size());
      switch (below(3)) {
        case 0:
          bytes[at] = kSpice[below(kSpice.size())];
          break;
        case 1:
          bytes.insert(at, 1, kSpice[below(kSpice.size())]);
          break;
        default:
          bytes.erase(at, 1);
      }
    }
    std::vector<std::size_t> cuts = {below(bytes.size() + 1), below(bytes.size() + 1),
                                     below(bytes.size() + 1)};
    std::sort(cuts.begin(), cuts.end());
    EXPECT_EQ(understood(bytes, cuts), understood(bytes)) << bytes;
  }
}

// Chunks read in the plainest way, from a text that is whole: the body, or nothing if anything is unusual.
std::string plain_chunks(std::string_view rest) {
  std::string body;
  while (true) {
    const std::size_t line = rest.find("\r\n");
    if (line == std::string_view::npos || line == 0 || line > 8) return "bad";
    const std::string digits(rest.substr(0, line));
    if (digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) return "bad";
    const std::size_t size = std::stoul(digits, nullptr, 16);
    rest.remove_prefix(line + 2);
    if (rest.size() < size + 2 || rest.substr(size, 2) != "\r\n") return "bad";
    if (size == 0) return rest.size() == 2 ? "good " + body : "bad";
    body += rest.substr(0, size);
    rest.remove_prefix(size + 2);
  }
}

TEST(HttpRequests, ChunksAreReadAsThePlainestReaderReadsThem) {
  std::mt19937 random(11);
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  int good = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string bytes;
    for (std::size_t chunks = below(4); chunks > 0; --chunks) {
      const std::size_t size = 1 + below(3);
      bytes += std::to_string(size) + "\r\n" + std::string("a\r\n0").substr(below(2), size) + "\r\n";
    }
    bytes += "0\r\n\r\n";
    if (below(2) == 0) bytes[below(bytes.size())] = "\r\n012a"[below(6)];
    ChunkedDecoder decoder(1000);
    std::string body;
    std::string_view rest = bytes;
    const Decoded decoded = decoder.take(rest, body);
    const std::string expected = plain_chunks(bytes);
    // A trailer and bytes behind the end are beyond the plainest reader; it is only asked about all else.
    if (decoded == Decoded::whole && rest.empty() && bytes.substr(bytes.size() - 5) == "0\r\n\r\n") {
      EXPECT_EQ(expected, "good " + body) << bytes;
      ++good;
    } else {
      EXPECT_EQ(expected, "bad") << bytes;
    }
  }
  EXPECT_GT(good, 5000);
}

}  // namespace
}  // namespace assay::audit::front
