#include "format/format.hpp"

#include <gtest/gtest.h>

#include "history/builder.hpp"
#include "support/every_history.hpp"
#include "support/memory_input.hpp"

namespace assay::format {
namespace {

using namespace assay::testing;

std::string error(const Input& input, std::optional<std::string_view> format = std::nullopt) {
  return error_of([&] { read_history(input, {}, format); });
}

TEST(Format, EveryWritableFormatIsRecognisedByItsContent) {
  const History history =
      random_history(4, {.in_turn = true, .initial_reads = false, .large_numbers = false});
  for (const Format& format : formats()) {
    if (format.write == nullptr) continue;
    const TemporaryFolder folder;
    const auto path = folder / "a name that says nothing";
    write_history(history, path, format.name);
    const History again = read_history(path.string());
    EXPECT_EQ(again.format(), format.name);
    EXPECT_EQ(again.path(), path.string());
    EXPECT_EQ(again.operations(), history.operations()) << format.name;
    EXPECT_EQ(read_history(path.string(), {}, format.name).operations(), history.operations());
  }
}

TEST(Format, NamesAreUniqueAndFindable) {
  for (const Format& format : formats()) EXPECT_EQ(find_format(format.name), &format);
  EXPECT_EQ(find_format("nonsense"), nullptr);
  EXPECT_NE(error(one_file("w(1,1,1,1)\n"), "nonsense")
                .find("there is no format 'nonsense'; the formats are packed, "),
            std::string::npos);
}

TEST(Format, SaysWhatWasTriedWhenNothingMatches) {
  EXPECT_EQ(error(one_file("\x01hello")).substr(0, 81),
            "test: byte 0: no format matches, the file starts with \"\\x01hello\"; tried packed, ");
  EXPECT_EQ(error(one_file("")), "test: byte 0: the file is empty");
  EXPECT_EQ(error(directory_of({})), "dir: the directory holds no files");
  EXPECT_EQ(error(directory_of({{"a", "x"}, {"b", "y"}})).substr(0, 63),
            "dir: no format matches the files of this directory (a, b); trie");
}

TEST(Format, NamesWhatIsNotAHistory) {
  EXPECT_NE(error(one_file("n:12\ne:1,2\nc:1,2|3,4\n")).find("Cobra polygraph dump"), std::string::npos);
  EXPECT_NE(error(one_file("e:1,2\n")).find("Cobra polygraph dump"), std::string::npos);
  EXPECT_NE(error(one_file("\x1f\x8b rest")).find("gzip"), std::string::npos);
  EXPECT_NE(error(one_file(std::string_view("SQLite format 3\0", 16))).find("SQLite"), std::string::npos);
}

TEST(Format, OneSessionOfACobraLogAsksForTheDirectory) {
  const std::string log = std::string("S\0\0\0\0\0\0\0\1C\0\0\0\0\0\0\0\1", 18);
  EXPECT_NE(error(one_file(log)).find("give the directory"), std::string::npos);
}

TEST(Format, ADirectoryOfOneFileStandsForIt) {
  const NamedBytes one = {{"history.txt", "w(1,1,1,1)\n"}};
  EXPECT_EQ(read_history(directory_of(one)).format(), "text");
  EXPECT_EQ(read_history(directory_of(one), {}, "text").operations(), 1U);
  const NamedBytes two = {{"a.txt", "w(1,1,1,1)\n"}, {"b.txt", "w(1,1,1,1)\n"}};
  EXPECT_EQ(error(directory_of(two), "text"),
            "dir: format text is one file, and this is a directory with 2 (a.txt, b.txt)");
}

TEST(Format, ReadsFilesDirectoriesAndPipes) {
  const TemporaryFolder folder;
  spit(folder / "small.txt", "w(1,1,1,1)\n");
  EXPECT_EQ(read_history((folder / "small.txt").string()).operations(), 1U);
  std::string large;
  for (int i = 0; i < 100'000; ++i)
    large += "w(1," + std::to_string(i + 1) + ",1," + std::to_string(i) + ")\n";
  spit(folder / "large.txt", large);
  EXPECT_EQ(read_history((folder / "large.txt").string()).operations(), 100'000U);
  EXPECT_EQ(error_of([&] { read_history((folder / "missing").string()); }),
            (folder / "missing").string() + ": there is no such file or directory");

  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "w(1,1,1,1)\n", 11), 11);
  ::close(ends[1]);
  EXPECT_EQ(read_history("/dev/fd/" + std::to_string(ends[0])).operations(), 1U);
  ::close(ends[0]);
}

TEST(Format, SaysWhyAFileCannotBeWritten) {
  const History history = random_history(1, {});
  EXPECT_NE(
      error_of([&] { write_history(history, "/nonexistent/h", "packed"); }).find("cannot create the file"),
      std::string::npos);
  EXPECT_NE(error_of([&] { write_history(history, "/dev/full", "text"); }).find("cannot write"),
            std::string::npos);
}

}  // namespace
}  // namespace assay::format
