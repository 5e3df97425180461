#include "collect/recorded_file.hpp"

#include <fmt/format.h>

#include <cassert>
#include <fstream>
#include <functional>
#include <utility>
#include <vector>

#include "collect/delivery.hpp"
#include "collect/fragment.hpp"
#include "format/assay/packed_stream.hpp"
#include "system/input_error.hpp"

namespace assay::collect {

namespace {

using format::PackedStream;

// Each whole block of the file, in order. True if the file has its end.
bool each_block(const std::string& path, const std::function<void(PackedStream::Block&)>& use) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(path, "", "cannot be read");
  PackedStream stream(path);
  std::vector<char> piece(std::size_t{1} << 20);
  while (file.read(piece.data(), static_cast<std::streamsize>(piece.size())) || file.gcount() > 0) {
    stream.push({piece.data(), static_cast<std::size_t>(file.gcount())});
    while (auto block = stream.next()) use(*block);
  }
  return stream.ended();
}

}  // namespace

RecordedFile::RecordedFile(std::string path) : path_(std::move(path)) {
  ended_ = each_block(path_, [&](PackedStream::Block& block) {
    if (collector_.empty()) collector_ = recording_name(block.body);
  });
}

void RecordedFile::connect(const system::Address& watcher, const SenderOptions& options) {
  if (collector_.empty()) throw InputError(path_, "", "there is nothing in it");
  sender_.emplace(watcher, collector_, options);
}

void RecordedFile::require_same(const std::string& chain, const std::string& held, std::uint64_t fragments) {
  if (may_be_same(chain, held, fragments)) return;
  sender_->dispute("what was acknowledged before is not of this recording");
  throw InputError(
      path_, "",
      "what the watcher holds under the name of this recording is not of it: somebody else has sent in "
      "its place");
}

RecordedFile::Sent RecordedFile::send() {
  assert(sender_);
  const std::uint64_t already = sender_->next();
  const std::string held = sender_->chain();  // of what the watcher has of it
  std::string chain = kNoChain;
  std::uint64_t fragments = 0;
  Sent sent;
  each_block(path_, [&](PackedStream::Block& block) {
    const std::uint64_t transactions = block.history.transactions();
    for (const std::string& one : sendable(std::move(block.body), block.history)) {
      if (fragments == already) require_same(chain, held, already);
      if (fragments < already) chain = chain_after(chain, content_digest(false, one));
      if (fragments++ >= already) sender_->send_block(one);
    }
    (fragments <= already ? sent.already : sent.transactions) += transactions;
  });
  // The end takes a number too.
  if (already == fragments + 1) chain = chain_after(chain, content_digest(true, {}));
  if (already >= fragments && already <= fragments + 1) require_same(chain, held, already);
  if (already == fragments + 1) return sent;
  if (already > fragments) {
    throw InputError(path_, "",
                     fmt::format("it has {} fragments, and the watcher has {} of this recording: this is not "
                                 "all of it",
                                 fragments, already));
  }
  sender_->finish();
  return sent;
}

}  // namespace assay::collect
