#include "format/assay/packed.hpp"

#include <fmt/format.h>

#include "format/assay/packed_block.hpp"
#include "format/assay/packed_frame.hpp"
#include "format/bytes.hpp"
#include "format/cut_off.hpp"
#include "format/initial.hpp"
#include "history/builder.hpp"
#include "history/rebuild.hpp"

namespace assay::format {

namespace {

using packed::Damage;
using packed::kFrameSize;

struct Block {
  bool end;
  std::size_t start;  // of the body, in the file
  std::string_view body;
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
      if (damage && !options_.accept_truncated)
        throw CutOff(file_.path, fmt::format("byte {}", damage->position), damage->what);
      if (damage || block.end) {
        if (!damage) check_totals(block);
        break;
      }
      ByteCursor body(file_.path, block.body, block.start);
      History history = PackedCodec::decode(body);
      ++totals_.blocks;
      totals_.transactions += history.transactions();
      totals_.operations += history.operations();
      if (totals_.blocks == 1) {
        only = std::move(history);
        continue;
      }
      if (totals_.blocks == 2) {
        merge(*only, merged);
        only.reset();
      }
      merge(history, merged);
    }
    History history = only ? std::move(*only) : merged.finish();
    PackedCodec::source(history, input_.path, "packed");
    if (damage) {
      history = without_what_is_missing(
          history, fmt::format("byte {} of {} ({})", damage->position, file_.bytes.size(), damage->what));
    }
    return history;
  }

 private:
  void get_header() {
    if (in_.remaining() < packed::kHeaderSize && !packed::begins_packed(file_.bytes))
      in_.fail_at(0, "this is not a packed history");
    packed::check_header(file_.path, in_.take(packed::kHeaderSize, "the header of a packed history"));
  }

  std::optional<Damage> get_block(Block& block) {
    const std::size_t start = in_.position();
    if (in_.remaining() < kFrameSize) {
      return Damage{start,
                    fmt::format("the file is cut off: expected a block, {} bytes are left", in_.remaining())};
    }
    const std::string_view bytes = in_.take(kFrameSize, "a block");
    packed::Frame frame;
    Damage damage;
    if (!packed::get_frame(bytes, frame, damage)) return Damage{start + damage.position, damage.what};
    if (frame.length > in_.remaining()) {
      return Damage{start, fmt::format("the file is cut off: a block of {} bytes, {} are left", frame.length,
                                       in_.remaining())};
    }
    block.end = frame.end;
    block.start = in_.position();
    block.body = in_.take(frame.length, "a block");
    if (!packed::is_whole(bytes, block.body)) {
      return Damage{start, "the block does not have the checksum that it names: the file is damaged"};
    }
    return std::nullopt;
  }

  void check_totals(const Block& block) {
    packed::check_totals(file_.path, block.body, block.start, totals_);
    if (in_.remaining() != 0) in_.fail(fmt::format("{} bytes follow the end block", in_.remaining()));
  }

  static void merge(const History& history, HistoryBuilder& into) {
    Rebuild rebuild(history, into);
    rebuild.all_keys();
    for (std::uint32_t s = 0; s < history.sessions(); ++s) into.session(history.name(Session{s}));
    for (const Txn t : history.all_transactions()) rebuild.transaction(t);
    for (const std::string& note : history.notes()) into.note(note);
    if (history.clocks() == Clocks::several) into.clocks(Clocks::several);
  }

  const Input& input_;
  const ReadOptions& options_;
  const InputFile& file_;
  ByteCursor in_;
  packed::Totals totals_;
};

}  // namespace

bool sniff_packed(const Input& input) {
  // The rest of the magic is for the reader to judge: a mangled file should be called that, not unknown.
  return !input.directory && packed::begins_packed(input.files.front().bytes);
}

History read_packed(const Input& input, const ReadOptions& options) {
  if (options.initial == Initial::zero || options.initial == Initial::none) {
    throw InputError(input.path, "",
                     "a packed history says itself which reads are of the initial state: it cannot be read "
                     "in another way");
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

PackedWriter::PackedWriter(const std::filesystem::path& path)
    : out_(path, system::OutputFile::Unfinished::keep) {
  out_.put(packed::header());
}

void PackedWriter::append(const History& history) {
  out_.put(packed::frame_of(false, PackedCodec::encode(history)));
  ++totals_.blocks;
  totals_.transactions += history.transactions();
  totals_.operations += history.operations();
}

void PackedWriter::finish() {
  out_.put(packed::frame_of(true, packed::totals_body(totals_)));
  out_.close();
}

}  // namespace assay::format
