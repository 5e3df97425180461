#include "report/printable.hpp"

#include <gtest/gtest.h>

namespace assay::report {
namespace {

std::string shown(std::string_view text) {
  return printable(Atom::string(text));
}

TEST(Printable, LeavesOrdinaryTextAlone) {
  EXPECT_EQ(printable("Straße 5, 東京 🎲"), "Straße 5, 東京 🎲");
  EXPECT_EQ(shown("x"), "x");
  EXPECT_EQ(shown("two words"), "\"two words\"");
  EXPECT_EQ(printable(Atom::integer(-7)), "-7");
}

TEST(Printable, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(printable("\x1b[2Jgone\n"), "\\x1b[2Jgone\\n");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            "\\x9b31m")
      << "the C1 form of the same";
}

TEST(Printable, EscapesMarksOfDirection) {
  EXPECT_EQ(printable("a\u202Eb"), "a\\u202eb");
  EXPECT_EQ(printable("\u061C\u200E\u200F"), "\\u061c\\u200e\\u200f");
  EXPECT_EQ(printable("\u202A\u202B\u202C\u202D"), "\\u202a\\u202b\\u202c\\u202d");
  EXPECT_EQ(printable("\u2066\u2067\u2068\u2069"), "\\u2066\\u2067\\u2068\\u2069");
  EXPECT_EQ(printable("\u2029\u202F\u2065\u206A\u200D"), "\u2029\u202F\u2065\u206A\u200D")
      << "their neighbours";
}

TEST(Printable, ReplacesBrokenUtf8) {
  EXPECT_EQ(printable("a\xFF"
                      "b\xE2\x80"),
            "a\uFFFDb\uFFFD\uFFFD");
}

TEST(Printable, ShortensLongTextsSoThatDifferentOnesLookDifferent) {
  const std::string start(50, 'a'), end(50, 'z');
  const std::string one = shown(start + "1" + end), two = shown(start + "2" + end);
  EXPECT_NE(one, two);
  EXPECT_TRUE(one.starts_with(std::string(32, 'a') + "…" + std::string(12, 'z') + "#")) << one;
  EXPECT_EQ(one, shown(start + "1" + end));
  EXPECT_LE(one.size(), 64U);
  EXPECT_EQ(shown(std::string(60, 'a')), std::string(60, 'a')) << "short enough";
}

TEST(Printable, ShortensBetweenCharacters) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += "ä";
  for (std::size_t shift = 0; shift < 2; ++shift) {
    EXPECT_EQ(shown(std::string(shift, 'x') + text).find("\uFFFD"), std::string::npos);
  }
  EXPECT_FALSE(shown(std::string(100, '\x80')).empty()) << "no character begins anywhere";
}

}  // namespace
}  // namespace assay::report
