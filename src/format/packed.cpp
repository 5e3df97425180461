#include "format/packed.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include "format/bytes.hpp"
#include "format/initial.hpp"
#include "format/packed_block.hpp"
#include "history/builder.hpp"
#include "history/rebuild.hpp"

namespace assay::format {

namespace {

using namespace std::string_view_literals;

// As in PNG: a byte above ASCII and both kinds of line end show a file that was mangled as text.
constexpr std::string_view kMagic =
    "\x8A"
    "ASSAY\r\n"sv;
constexpr std::uint32_t kVersion = 1;
constexpr std::string_view kBlock = "BLCK"sv, kEnd = "END."sv;
constexpr std::size_t kFrameSize = 24;  // tag, four zero bytes, u64 length, u64 checksum

// Of everything in the block's frame but the checksum itself.
std::uint64_t checksum(std::string_view frame_start, std::string_view body) {
  return XXH3_64bits_withSeed(body.data(), body.size(), XXH3_64bits(frame_start.data(), frame_start.size()));
}

void put_block(OutputFile& out, std::string_view tag, std::string_view body) {
  std::string frame(tag);
  append_little(frame, std::uint32_t{0});
  append_little(frame, std::uint64_t{body.size()});
  append_little(frame, checksum(frame, body));
  out.put(frame);
  out.put(body);
}

struct Block {
  bool end;
  std::size_t start;  // of the body, in the file
  std::string_view body;
};

// What is wrong with the file at the place where a block should be.
struct Damage {
  std::size_t position;
  std::string what;
};

class Reader {
 public:
  Reader(const Input& input, const ReadOptions& options)
      : input_(input), options_(options), file_(input.files.front()), in_(file_.path, file_.bytes) {}

  History read() {
    get_header();
    std::optional<Damage> damage;
    std::optional<History> only;  // the first block, until a second one comes
    HistoryBuilder merged;
    for (;;) {
      Block block{};
      damage = get_block(block);
      if (damage && !options_.accept_truncated) in_.fail_at(damage->position, damage->what);
      if (damage || block.end) {
        if (!damage) check_totals(block);
        break;
      }
      ByteCursor body(file_.path, block.body, block.start);
      History history = PackedCodec::decode(body);
      ++blocks_;
      transactions_ += history.transactions();
      operations_ += history.operations();
      if (blocks_ == 1) {
        only = std::move(history);
        continue;
      }
      if (blocks_ == 2) {
        merge(*only, merged);
        only.reset();
      }
      merge(history, merged);
    }
    History history = only ? std::move(*only) : merged.finish();
    PackedCodec::source(history, input_.path, "packed");
    if (damage) {
      history = HistoryBuilder::noted(
          std::move(history),
          fmt::format("the recording is cut off at byte {} of {} ({}): what follows is missing here",
                      damage->position, file_.bytes.size(), damage->what));
    }
    return history;
  }

 private:
  void get_header() {
    if (in_.take(kMagic.size(), "the header of a packed history") != kMagic)
      in_.fail_at(0, "this is not a packed history");
    const auto version = in_.little<std::uint32_t>("the version");
    if (version != kVersion) {
      in_.fail_at(kMagic.size(),
                  fmt::format("version {} of the format; this Assay reads version {}", version, kVersion));
    }
    if (in_.little<std::uint32_t>("reserved bytes") != 0)
      in_.fail_at(kMagic.size() + 4, "reserved bytes are not zero");
  }

  std::optional<Damage> get_block(Block& block) {
    const std::size_t start = in_.position();
    if (in_.remaining() < kFrameSize) {
      return Damage{start,
                    fmt::format("the file is cut off: expected a block, {} bytes are left", in_.remaining())};
    }
    const std::string_view frame = in_.take(kFrameSize, "a block");
    const std::string_view tag = frame.substr(0, 4);
    if (tag != kBlock && tag != kEnd) return Damage{start, "expected a block, found other bytes"};
    if (load_little<std::uint32_t>(frame.data() + 4) != 0)
      return Damage{start + 4, "reserved bytes are not zero"};
    const auto length = load_little<std::uint64_t>(frame.data() + 8);
    if (length > in_.remaining()) {
      return Damage{start, fmt::format("the file is cut off: a block of {} bytes, {} are left", length,
                                       in_.remaining())};
    }
    block.end = tag == kEnd;
    block.start = in_.position();
    block.body = in_.take(length, "a block");
    if (load_little<std::uint64_t>(frame.data() + 16) != checksum(frame.substr(0, 16), block.body)) {
      return Damage{start, "the block does not have the checksum that it names: the file is damaged"};
    }
    return std::nullopt;
  }

  void check_totals(const Block& block) {
    ByteCursor totals(file_.path, block.body, block.start);
    const auto check = [&](std::uint64_t found, std::string_view what) {
      const auto expected = totals.little<std::uint64_t>(what);
      if (expected != found)
        totals.fail(fmt::format("the file names {} {}, but holds {}", expected, what, found));
    };
    check(blocks_, "blocks");
    check(transactions_, "transactions");
    check(operations_, "operations");
    if (totals.remaining() != 0) totals.fail("the end block is too long");
    if (in_.remaining() != 0) in_.fail(fmt::format("{} bytes follow the end block", in_.remaining()));
  }

  static void merge(const History& history, HistoryBuilder& into) {
    Rebuild rebuild(history, into);
    for (std::uint32_t s = 0; s < history.sessions(); ++s) into.session(history.name(Session{s}));
    for (const Txn t : history.all_transactions()) rebuild.transaction(t);
    for (const std::string& note : history.notes()) into.note(note);
    if (history.clocks() == Clocks::several) into.clocks(Clocks::several);
  }

  const Input& input_;
  const ReadOptions& options_;
  const InputFile& file_;
  ByteCursor in_;
  std::uint64_t blocks_ = 0, transactions_ = 0, operations_ = 0;
};

}  // namespace

bool sniff_packed(const Input& input) {
  // The rest of the magic is for the reader to judge: a mangled file should be called that, not unknown.
  return !input.directory && input.files.front().bytes.substr(0, 6) == kMagic.substr(0, 6);
}

History read_packed(const Input& input, const ReadOptions& options) {
  if (options.initial == Initial::zero || options.initial == Initial::none) {
    throw InputError(
        input.path, "",
        "a packed history says itself which reads are of the initial state: --initial does not apply");
  }
  History history = Reader(input, options).read();
  if (options.initial == Initial::first_transaction && history.transactions() > 0) {
    return fold_initial_transaction(history, Txn{0});
  }
  return history;
}

void write_packed(const History& history, const std::filesystem::path& path) {
  PackedWriter out(path);
  out.append(history);
  out.finish();
}

PackedWriter::PackedWriter(const std::filesystem::path& path) : out_(path, OutputFile::Unfinished::keep) {
  std::string header(kMagic);
  append_little(header, kVersion);
  append_little(header, std::uint32_t{0});
  out_.put(header);
}

void PackedWriter::append(const History& history) {
  put_block(out_, kBlock, PackedCodec::encode(history));
  ++blocks_;
  transactions_ += history.transactions();
  operations_ += history.operations();
}

void PackedWriter::finish() {
  std::string totals;
  for (const std::uint64_t total : {blocks_, transactions_, operations_}) append_little(totals, total);
  put_block(out_, kEnd, totals);
  out_.close();
}

}  // namespace assay::format
