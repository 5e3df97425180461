#include "collect/fragment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "format/assay/packed_block.hpp"
#include "history/builder.hpp"
#include "history/rebuild.hpp"
#include "system/input_error.hpp"

namespace assay::collect {

void Batch::add(Fragment fragment) {
  const History& history = fragment.history;
  for (std::uint32_t s = 0; s < history.sessions(); ++s) {
    const auto owner = owners_.find(to_string(history.name(Session{s})));
    if (owner != owners_.end() && owner->second != fragment.collector) {
      throw InputError(
          fragment.collector, fmt::format("fragment {}", fragment.sequence),
          fmt::format("session {} comes from {} already: who sends a session is the only one, and "
                      "another recording needs a watch of its own",
                      owner->first, owner->second));
    }
  }
  for (std::uint32_t s = 0; s < history.sessions(); ++s)
    owners_.try_emplace(to_string(history.name(Session{s})), fragment.collector);
  const std::size_t size = history.resident_bytes() + fragment.block.size() + 1;
  room_ -= std::min(room_, size);
  fragments_.push_back(std::move(fragment));
}

namespace {

// About half of it, and the other half: of each session, so that they stay abreast; or of the sessions, where
// none has more than one transaction.
std::array<History, 2> halves(const History& whole) {
  std::uint32_t longest = 0;
  for (std::uint32_t s = 0; s < whole.sessions(); ++s)
    longest = std::max(longest, whole.transactions_of(Session{s}).size());
  std::array<HistoryBuilder, 2> build;
  std::array<Rebuild, 2> rebuild{Rebuild(whole, build[0]), Rebuild(whole, build[1])};
  std::uint32_t seen = 0;
  for (std::uint32_t s = 0; s < whole.sessions(); ++s) {
    for (HistoryBuilder& half : build) half.session(whole.name(Session{s}));
    const IdRange<Txn> all = whole.transactions_of(Session{s});
    std::uint32_t of_session = 0;
    for (const Txn t : all) {
      const bool first =
          longest > 1 ? of_session++ < (all.size() + 1) / 2 : seen++ < (whole.transactions() + 1) / 2;
      rebuild[first ? 0 : 1].transaction(t);
    }
  }
  for (const std::string& note : whole.notes()) build[0].note(note);
  for (HistoryBuilder& half : build) half.clocks(whole.clocks());
  return {build[0].finish(), build[1].finish()};
}

}  // namespace

std::vector<std::string> sendable(std::string block, const History& history, std::size_t largest,
                                  std::uint64_t unpacked) {
  const bool fits = block.size() <= largest && PackedCodec::unpacked_bytes(block) <= unpacked;
  if (fits || history.transactions() <= 1) return {std::move(block)};
  std::vector<std::string> out;
  for (const History& half : halves(history)) {
    for (std::string& one : sendable(PackedCodec::encode(half), half, largest, unpacked))
      out.push_back(std::move(one));
  }
  return out;
}

}  // namespace assay::collect
