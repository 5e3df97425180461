// Compressed files: the history is the one that was compressed, or there is an error; and never more memory than allowed.
#include "format/compressed.hpp"

#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <fstream>

#include "format/format.hpp"
#include "support/increments.hpp"
#include "support/memory_input.hpp"
#include "support/program.hpp"

namespace assay::format {
namespace {

using namespace assay::testing;

std::string gzip(std::string_view text) {
  z_stream state{};
  deflateInit2(&state, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&state, text.size()) + 32, '\0');
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  state.avail_in = static_cast<uInt>(text.size());
  state.next_out = reinterpret_cast<Bytef*>(out.data());
  state.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&state, Z_FINISH), Z_STREAM_END);
  out.resize(state.total_out);
  deflateEnd(&state);
  return out;
}

// With a checksum, as the program zstd writes it.
std::string zstd(std::string_view text) {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress2(context, out.data(), out.size(), text.data(), text.size()));
  ZSTD_freeCCtx(context);
  return out;
}

constexpr std::size_t kMost = std::size_t{1} << 26;

std::string unpacked(std::string_view bytes, std::size_t most = kMost) {
  return std::string(unpack({"packed", bytes}, most).bytes());
}

// Sizes at which the memory is just full, and others.
const std::size_t kSizes[] = {0, 1, 1000, (1U << 16U) - 1, 1U << 16U, (1U << 16U) + 1, 1U << 18U, 3000000};

std::string some_text(std::size_t size) {
  std::string text;
  for (std::size_t i = 0; text.size() < size; ++i) text += std::to_string(i * i) + ",";
  text.resize(size);
  return text;
}

TEST(Compressed, WhatIsUnpackedIsWhatWasPacked) {
  for (const std::size_t size : kSizes) {
    const std::string text = some_text(size);
    EXPECT_EQ(unpacked(gzip(text)), text) << size;
    EXPECT_EQ(unpacked(zstd(text)), text) << size;
  }
}

TEST(Compressed, SeveralPartsAreOneFile) {
  EXPECT_EQ(unpacked(gzip("one,") + gzip("two")), "one,two");
  EXPECT_EQ(unpacked(gzip("one") + std::string(512, '\0')), "one") << "zeros pad the last block of a tape";
  EXPECT_EQ(unpacked(zstd("one,") + zstd("two")), "one,two");
}

TEST(Compressed, AHistoryIsReadLikeAnyOther) {
  const std::string text = kLostUpdate;
  for (const std::string& packed : {gzip(text), zstd(text)}) {
    EXPECT_EQ(read_history(one_file(packed)).operations(), 4U);
    EXPECT_EQ(read_history(one_file(packed)).format(), "jsonl");
    EXPECT_EQ(read_history(one_file(packed), {}, "jsonl").operations(), 4U);
    EXPECT_EQ(read_history(directory_of({{"history.gz", packed}})).operations(), 4U);
    EXPECT_EQ(read_history(directory_of({{"history.gz", packed}}), {}, "jsonl").operations(), 4U);
  }
  EXPECT_EQ(error_of([] { read_history(one_file(gzip(""))); }), "test: byte 0: the file is empty");
  const std::string twice = error_of([] { read_history(one_file(gzip(zstd("x")))); });
  EXPECT_NE(twice.find("this is a zstd file in a compressed one"), std::string::npos) << twice;
}

TEST(Compressed, WhatIsCutOffIsRefused) {
  const std::string text = some_text(500);
  for (const std::string& packed : {gzip(text), zstd(text)}) {
    for (std::size_t size = 4; size < packed.size(); ++size) {
      const std::string why = error_of([&] { unpacked(packed.substr(0, size)); });
      EXPECT_NE(why.find("ends too early"), std::string::npos)
          << size << " of " << packed.size() << ": " << why;
    }
  }
}

TEST(Compressed, NoFlippedBitChangesTheContent) {
  const std::string text = some_text(300);
  for (const std::string& packed : {gzip(text), zstd(text)}) {
    for (std::size_t bit = 0; bit < packed.size() * 8; ++bit) {
      std::string flipped = packed;
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
      if (!is_compressed(flipped)) continue;
      try {
        EXPECT_EQ(unpacked(flipped), text)
            << "bit " << bit << ", of a header that says nothing about the content";
      } catch (const InputError&) {
      }
    }
  }
}

TEST(Compressed, WhatFollowsTheEndIsRefused) {
  EXPECT_NE(error_of([] { unpacked(gzip("x") + "rest"); }).find("something else follows"), std::string::npos);
  EXPECT_NE(error_of([] { unpacked(zstd("x") + "rest"); }), "");
}

TEST(Compressed, NoMoreIsUnpackedThanIsAllowed) {
  const std::string text = some_text(200000);
  for (const std::string& packed : {gzip(text), zstd(text)}) {
    EXPECT_EQ(unpacked(packed, text.size()), text);
    EXPECT_NE(error_of([&] { unpacked(packed, text.size() - 1); }).find("this unpacks to more than"),
              std::string::npos);
  }
}

TEST(Compressed, ABombMeetsTheLimitOnMemory) {
  const TemporaryFolder folder;
  const std::string bomb = zstd(std::string(std::size_t{200} << 20U, ' '));
  EXPECT_LT(bomb.size(), 1000000U);
  const std::string path = folder.file("bomb.zst", bomb);
  const Ran ran = run_assay({"check", path, "--memory", "100"});
  EXPECT_EQ(ran.exit_code, 2) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("undecided: "), std::string::npos) << ran.out;
}

TEST(Compressed, TheProgramTakesThem) {
  const TemporaryFolder folder;
  const std::string gz = folder.file("run.jsonl.gz", gzip(kLostUpdate)),
                    zst = folder.file("run.jsonl.zst", zstd(kSerial));
  const Ran ran = run_assay({"check", gz, zst});
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_NE(ran.out.find("2 histories: 1 holds, 1 violated\n"), std::string::npos) << ran.out;
  EXPECT_EQ(run_shell("$ASSAY check - <" + gz).exit_code, 1);
}

}  // namespace
}  // namespace assay::format
