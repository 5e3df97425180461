// One request at PHP: what is sent, and the ways in which it ends.
#include "audit/front/exchange.hpp"

#include <gtest/gtest.h>

namespace assay::audit::front {
namespace {

using fastcgi::put_record;
using fastcgi::Type;
using wire::EndReason;

std::string end_request(char protocol_status = 0) {
  std::string bytes;
  put_record(bytes, Type::end_request,
             std::string("\0\0\0\0", 4) + protocol_status + std::string("\0\0\0", 3));
  return bytes;
}

std::string record(Type type, std::string_view content) {
  std::string bytes;
  put_record(bytes, type, content);
  return bytes;
}

std::string output(std::string_view content) {
  return record(Type::standard_output, content);
}

const std::string kPage = "Status: 201 Made\r\nA: 1\r\n\r\npage";

// How the exchange stands, as text.
std::string state(const Exchange& exchange) {
  static constexpr const char* kNames[] = {"complete", "client gone", "server gone", "refused", "given up"};
  std::string out = exchange.ended() ? kNames[static_cast<int>(*exchange.ended())] : "going on";
  if (exchange.head()) out += " " + std::to_string(exchange.head()->status) + " '" + exchange.body() + "'";
  return out;
}

std::string after(std::string_view bytes, std::size_t piece = 1000, const ResponseLimits& limits = {}) {
  Exchange exchange({}, "", limits);
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size())))
    exchange.received(bytes.substr(0, piece));
  return state(exchange);
}

TEST(Exchanges, TheRequestIsSentWithItsBodyInRecords) {
  const std::string body(150'000, 'b');
  Exchange exchange({{"A", "1"}}, body, {});
  std::string sent;
  for (std::string_view bytes = exchange.output(); !bytes.empty(); bytes = exchange.output()) {
    const std::size_t some = std::min<std::size_t>(bytes.size(), 70'001);
    sent += bytes.substr(0, some);
    exchange.sent(some);
  }
  std::string expected;
  fastcgi::put_begin_request(expected);
  fastcgi::put_params(expected, {{"A", "1"}});
  for (const std::size_t size : {65535U, 65535U, 18930U, 0U}) {
    put_record(expected, Type::standard_input, std::string(size, 'b'));
  }
  EXPECT_TRUE(sent == expected);
  EXPECT_EQ(state(exchange), "going on");
}

TEST(Exchanges, AResponseIsWholeAtItsEndRecordHoweverItIsCut) {
  const std::string bytes = output(kPage.substr(0, 10)) + record(Type::standard_error, "oops") +
                            output(kPage.substr(10)) + output("!") + output("") + end_request();
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    EXPECT_EQ(after(bytes, piece), "complete 201 'page!'");
    EXPECT_EQ(after(bytes.substr(0, bytes.size() - 1), piece), "going on 201 'page!'");
  }
}

TEST(Exchanges, WhatComesBehindTheEndChangesNothing) {
  EXPECT_EQ(after(output(kPage) + end_request() + output("more") + "garbage"), "complete 201 'page'");
  Exchange exchange({}, "", {});
  exchange.received(output(kPage) + end_request());
  exchange.closed();
  exchange.give_up("late");
  EXPECT_EQ(state(exchange), "complete 201 'page'");
  EXPECT_EQ(exchange.why(), "");
}

TEST(Exchanges, AServerThatLeavesIsGoneWithWhatItSent) {
  Exchange exchange({}, "", {});
  exchange.received(output(kPage));
  exchange.closed();
  EXPECT_EQ(state(exchange), "server gone 201 'page'");
  Exchange early({}, "", {});
  early.received(output("A: 1\r\n"));
  early.closed();
  EXPECT_EQ(state(early), "server gone") << "half a head is no head";
  EXPECT_EQ(after(end_request()), "server gone") << "it ended without a response";
}

TEST(Exchanges, AServerThatWillNotIsARefusal) {
  for (const char status : {'\1', '\2', '\3'}) EXPECT_EQ(after(end_request(status)), "refused");
  EXPECT_EQ(after(output(kPage) + end_request('\2')), "given up 201 'page'") << "it has run";
  EXPECT_EQ(after(end_request('\4')), "given up");
  Exchange exchange({}, "", {});
  exchange.not_connected("nobody there");
  EXPECT_EQ(state(exchange), "refused");
  EXPECT_EQ(exchange.why(), "nobody there");
}

TEST(Exchanges, WhatIsNotFastCgiOrNotCgiIsGivenUp) {
  EXPECT_EQ(after("HTTP/1.1 200 OK\r\n\r\n"), "given up");
  EXPECT_EQ(after(output(kPage) + "garbage....."), "given up 201 'page'");
  EXPECT_EQ(after(output("no head\r\n\r\n") + end_request()), "given up");
  EXPECT_EQ(after(record(Type::params, "")), "given up") << "that is for a server to say";
  EXPECT_EQ(after(record(Type::end_request, "short")), "given up");
  std::string other = output(kPage);
  other[3] = 2;
  EXPECT_EQ(after(other), "given up") << "another request";
}

TEST(Exchanges, AResponseAboveItsLimitsIsGivenUpWithAsMuchAsMayBeKept) {
  ResponseLimits limits;
  limits.body_bytes = 4;
  EXPECT_EQ(after(output(kPage) + end_request(), 1000, limits), "complete 201 'page'");
  EXPECT_EQ(after(output(kPage + "!") + end_request(), 1000, limits), "given up 201 'page'");
  limits.head_bytes = 10;
  EXPECT_EQ(after(output(kPage) + end_request(), 1000, limits), "given up");
}

TEST(Exchanges, ComplaintsAreKeptUpToAMeasure) {
  Exchange exchange({}, "", {});
  for (int i = 0; i < 10; ++i) exchange.received(record(Type::standard_error, std::string(5000, 'e')));
  EXPECT_EQ(exchange.complaints(), std::string(8192, 'e'));
}

TEST(Exchanges, AServerThatTakesNoMoreMayStillAnswer) {
  Exchange exchange({}, std::string(100'000, 'b'), {});
  exchange.sent(5);
  exchange.stop_sending();
  EXPECT_TRUE(exchange.output().empty());
  exchange.received(output(kPage) + end_request());
  EXPECT_EQ(state(exchange), "complete 201 'page'");
}

}  // namespace
}  // namespace assay::audit::front
