#include "collect/frame.hpp"

#include <gtest/gtest.h>

#include "support/inputs.hpp"

namespace assay::collect {
namespace {

using testing::complaint;

TEST(Frame, ComesOutHoweverItsBytesArrive) {
  const std::string bytes =
      frame(Tag::fragment, "first") + frame(Tag::done, "") + frame(Tag::fail, "why not");
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    FrameReader reader("peer");
    std::string seen;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      reader.push(std::string_view(bytes).substr(at, piece));
      while (const auto next = reader.next())
        seen += letters(next->tag) + "(" + std::string(next->body) + ")";
    }
    EXPECT_EQ(seen, "'FRAG'(first)'DONE'()'FAIL'(why not)");
    EXPECT_EQ(reader.unfinished(), 0U);
    EXPECT_EQ(reader.position(), bytes.size());
  }
}

TEST(Frame, AnUnfinishedOneIsWaitedFor) {
  const std::string bytes = frame(Tag::hello, "somebody");
  FrameReader reader("peer");
  reader.push(std::string_view(bytes).substr(0, bytes.size() - 1));
  EXPECT_FALSE(reader.next());
  EXPECT_EQ(reader.unfinished(), bytes.size() - 1);
  EXPECT_EQ(reader.position(), 0U);
}

TEST(Frame, EveryChangedBitIsNoticedWithItsPlace) {
  const std::string first = frame(Tag::hello, "x"), bytes = frame(Tag::fragment, "body");
  std::size_t noticed = 0;
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string broken = bytes;
    broken[bit / 8] = static_cast<char>(broken[bit / 8] ^ (1 << bit % 8));
    FrameReader reader("peer", 64);
    reader.push(first + broken);
    ASSERT_TRUE(reader.next());
    bool passed = false;
    const std::string why = complaint([&] { passed = reader.next().has_value(); });
    EXPECT_FALSE(passed) << "bit " << bit;
    // The frame begins at byte 17, its length stands four bytes on. One that became longer is waited for.
    if (why.find(": byte 17: ") != std::string::npos || why.find(": byte 21: ") != std::string::npos)
      ++noticed;
  }
  EXPECT_GE(noticed, bytes.size() * 8 - 8);
}

TEST(Frame, OneThatIsTooLargeIsRefusedBeforeItsBodyComes) {
  FrameReader reader("peer", 10);
  reader.push(std::string_view(frame(Tag::fragment, std::string(11, 'x'))).substr(0, kFrameHead));
  EXPECT_NE(complaint([&] { reader.next(); }), "");
}

}  // namespace
}  // namespace assay::collect
