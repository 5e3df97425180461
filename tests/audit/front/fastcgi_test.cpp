// FastCGI records: what is written is what the specification's reader reads, and what is read does not depend
// on how it was cut.
#include "audit/front/fastcgi.hpp"

#include <gtest/gtest.h>

#include <random>

namespace assay::audit::front::fastcgi {
namespace {

std::size_t number(std::string_view bytes, std::size_t at, std::size_t size) {
  std::size_t out = 0;
  for (std::size_t i = 0; i < size; ++i) out = out << 8 | static_cast<unsigned char>(bytes[at + i]);
  return out;
}

// The content of all records of this type up to the empty one, read by the letter of the specification.
std::string stream_of(std::string_view bytes, unsigned char type) {
  std::string out;
  while (!bytes.empty()) {
    EXPECT_EQ(bytes[0], 1);
    EXPECT_EQ(number(bytes, 2, 2), 1U);
    const std::size_t length = number(bytes, 4, 2);
    if (static_cast<unsigned char>(bytes[1]) == type) {
      if (length == 0) return out;
      out += bytes.substr(8, length);
    }
    bytes.remove_prefix(8 + length + number(bytes, 6, 1));
  }
  return "the stream does not end";
}

Params params_in(std::string_view bytes) {
  Params out;
  const auto length = [&] {
    const bool longer = (static_cast<unsigned char>(bytes[0]) & 0x80) != 0;
    const std::size_t n = number(bytes, 0, longer ? 4 : 1) & 0x7FFFFFFF;
    bytes.remove_prefix(longer ? 4 : 1);
    return n;
  };
  while (!bytes.empty()) {
    const std::size_t name = length(), value = length();
    out.emplace_back(bytes.substr(0, name), bytes.substr(name, value));
    bytes.remove_prefix(name + value);
  }
  return out;
}

TEST(FastCgi, ARequestBeginsAsAResponderThatClosesTheConnection) {
  std::string bytes;
  put_begin_request(bytes);
  EXPECT_EQ(bytes, std::string("\1\1\0\1\0\10\0\0\0\1\0\0\0\0\0\0", 16));
}

TEST(FastCgi, ParametersOfAnyLengthComeBack) {
  const Params params = {{"A", ""},
                         {"", "value without a name"},
                         {std::string(127, 'n'), std::string(128, 'v')},
                         {std::string(128, 'n'), std::string(127, 'v')},
                         {"BIG", std::string(200'000, 'b')},
                         {"LAST", std::string("\0\xff", 2)}};
  std::string bytes;
  put_params(bytes, params);
  EXPECT_EQ(params_in(stream_of(bytes, 4)), params);
  std::string none;
  put_params(none, {});
  EXPECT_EQ(none, std::string("\1\4\0\1\0\0\0\0", 8));
}

// The records in the bytes when they come in pieces of up to `piece`, as text.
std::string understood(std::string_view bytes, std::size_t piece) {
  RecordDecoder decoder;
  std::string out;
  while (!bytes.empty()) {
    std::string_view part = bytes.substr(0, piece);
    bytes.remove_prefix(part.size());
    while (true) {
      const Decoded decoded = decoder.take(part);
      if (decoded == Decoded::refused) return out + "refused";
      if (decoded == Decoded::need_more) break;
      const Record& record = decoder.record();
      out += std::to_string(static_cast<int>(record.type)) + "/" + std::to_string(record.request) + "(" +
             std::string(record.content) + ")";
    }
    EXPECT_TRUE(part.empty());
  }
  return out;
}

TEST(FastCgi, RecordsAreTheSameHoweverTheyAreCut) {
  std::string bytes;
  put_record(bytes, Type::standard_output, "hello");
  bytes += std::string("\1\7\1\2\0\3\5\0err.....", 16);  // with padding, for request 258
  put_record(bytes, Type::standard_output, "");
  put_record(bytes, Type::end_request, "12345678");
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    EXPECT_EQ(understood(bytes, piece), "6/1(hello)7/258(err)6/1()3/1(12345678)") << piece;
  }
}

TEST(FastCgi, TheLargestRecordWithTheLargestPaddingIsTaken) {
  std::string bytes("\1\6\0\1\xff\xff\xff\0", 8);
  bytes += std::string(65535, 'x') + std::string(255, '.');
  put_record(bytes, Type::standard_output, "y");
  for (const std::size_t piece : {bytes.size(), std::size_t{1000}, std::size_t{65536}}) {
    EXPECT_EQ(understood(bytes, piece), "6/1(" + std::string(65535, 'x') + ")6/1(y)");
  }
}

TEST(FastCgi, WhatIsNoRecordIsRefusedAtItsHead) {
  EXPECT_EQ(understood(std::string("\2\6\0\1\0\0\0\0", 8), 8), "refused") << "another version";
  EXPECT_EQ(understood(std::string("\1\0\0\1\0\0\0\0", 8), 8), "refused") << "no such type";
  EXPECT_EQ(understood(std::string("\1\14\0\1\0\0\0\0", 8), 3), "refused") << "no such type";
  EXPECT_EQ(understood("HTTP/1.1 200 OK\r\n", 4), "refused");
}

TEST(FastCgi, RandomBytesAreReadTheSameHoweverTheyAreCut) {
  std::mt19937 random(3);
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  for (int round = 0; round < 2000; ++round) {
    std::string bytes;
    for (std::size_t records = below(5); records > 0; --records) {
      bytes += std::string("\1", 1) + static_cast<char>(1 + below(11)) + std::string("\0\1\0", 3) +
               static_cast<char>(below(20)) + static_cast<char>(below(9)) + std::string("\0", 1);
      bytes += std::string(below(30), 'z');
    }
    EXPECT_EQ(understood(bytes, 1 + below(9)), understood(bytes, bytes.size() + 1));
  }
}

}  // namespace
}  // namespace assay::audit::front::fastcgi
