#include "watch/keep/checkpoint.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "format/bytes.hpp"
#include "system/input_error.hpp"

namespace assay::watch {

using check::Verdict;
using format::append_little;
using format::ByteCursor;

namespace {

constexpr std::string_view kMagic = "ASSAYCKP";
constexpr std::uint32_t kVersion = 2, kOldest = 1;
constexpr std::string_view kPrefix = "checkpoint-";
constexpr std::size_t kKept = 2;
constexpr std::uint8_t kDone = 1, kAnnounced = 2;  // of a collector

void put(std::string& out, std::string_view text) {
  append_little(out, std::uint64_t{text.size()});
  out += text;
}

std::string_view get(ByteCursor& in, std::string_view what) {
  return in.take(in.count(1, what), what);
}

std::string encoded(const Checkpoint& c) {
  std::string body;
  put(body, info(c.level).name);
  append_little(body, c.clock_drift);
  for (const std::uint64_t n : {c.fragments, c.transactions, c.rounds, c.violations}) append_little(body, n);
  append_little(body, static_cast<std::uint8_t>(c.verdict));
  put(body, c.reason);
  append_little(body, c.committed);
  put(body, c.state);
  append_little(body, std::uint64_t{c.collectors.size()});
  for (const auto& [name, progress] : c.collectors) {
    put(body, name);
    append_little(body, progress.next);
    append_little(
        body, static_cast<std::uint8_t>((progress.done ? kDone : 0) | (progress.announced ? kAnnounced : 0)));
    put(body, progress.cursor);
  }
  append_little(body, std::uint64_t{c.owners.size()});
  for (const auto& [session, collector] : c.owners) {
    put(body, session);
    put(body, collector);
  }
  return body;
}

Checkpoint decoded(const std::string& path, std::string_view bytes) {
  ByteCursor in(path, bytes);
  if (in.take(kMagic.size(), "the header of a checkpoint") != kMagic)
    in.fail_at(0, "this is not a checkpoint");
  const auto version = in.little<std::uint32_t>("the version");
  if (version < kOldest || version > kVersion)
    in.fail_at(8, fmt::format("version {} of checkpoints; this Assay reads versions {} to {}", version,
                              kOldest, kVersion));
  if (in.little<std::uint32_t>("reserved bytes") != 0) in.fail_at(12, "reserved bytes are not zero");
  const auto checksum = in.little<std::uint64_t>("the checksum");
  const std::string_view body = in.take(in.remaining(), "the rest");
  if (XXH3_64bits(body.data(), body.size()) != checksum)
    in.fail_at(16, "the checkpoint does not have the checksum that it names: it is damaged");
  ByteCursor from(path, body, 24);
  Checkpoint c;
  const std::string_view level = get(from, "the level");
  const auto found = find_level(level);
  if (!found) from.fail(fmt::format("unknown level {}", level));
  c.level = *found;
  c.clock_drift = from.little<std::int64_t>("the clock drift");
  c.fragments = from.little<std::uint64_t>("a count of fragments");
  c.transactions = from.little<std::uint64_t>("a count of transactions");
  c.rounds = from.little<std::uint64_t>("a count of rounds");
  c.violations = from.little<std::uint64_t>("a count of violations");
  const auto verdict = from.little<std::uint8_t>("a verdict");
  if (verdict > static_cast<std::uint8_t>(Verdict::undecided)) from.fail("this is no verdict");
  c.verdict = static_cast<Verdict>(verdict);
  c.reason = get(from, "a reason");
  // Before it was counted, that some had committed was taken for granted.
  c.committed = version > kOldest ? from.little<std::uint64_t>("a count of transactions") : c.transactions;
  c.state = get(from, "the state of the watcher");
  constexpr std::size_t kLeastCollector = 8 + 8 + 1 + 8, kLeastOwner = 16;
  for (std::uint64_t n = from.count(kLeastCollector, "a count of collectors"); n > 0; --n) {
    collect::Progress& progress = c.collectors[std::string(get(from, "the name of a collector"))];
    progress.next = from.little<std::uint64_t>("a sequence number");
    const auto flags = from.little<std::uint8_t>("flags");
    progress.done = (flags & kDone) != 0;
    progress.announced = (flags & kAnnounced) != 0;
    progress.cursor = get(from, "a position");
  }
  for (std::uint64_t n = from.count(kLeastOwner, "a count of sessions"); n > 0; --n) {
    std::string session(get(from, "the name of a session"));
    c.owners[std::move(session)] = get(from, "the name of a collector");
  }
  if (from.remaining() != 0) from.fail("bytes follow the end of the checkpoint");
  return c;
}

struct Saved {
  std::uint64_t fragments;
  std::string name;
};

// Newest first.
std::vector<Saved> saved_in(const system::Disk& disk) {
  std::vector<Saved> found;
  for (const std::string& name : disk.names()) {
    if (!name.starts_with(kPrefix)) continue;
    const char* const end = name.data() + name.size();
    std::uint64_t fragments = 0;
    const auto [at, error] = std::from_chars(name.data() + kPrefix.size(), end, fragments, 16);
    if (error == std::errc() && at == end) found.push_back({fragments, name});
  }
  std::sort(found.begin(), found.end(),
            [](const Saved& a, const Saved& b) { return a.fragments > b.fragments; });
  return found;
}

}  // namespace

std::uint64_t save_checkpoint(system::Disk& disk, const Checkpoint& checkpoint) {
  const std::string body = encoded(checkpoint);
  std::string bytes(kMagic);
  append_little(bytes, kVersion);
  append_little(bytes, std::uint32_t{0});
  append_little(bytes, static_cast<std::uint64_t>(XXH3_64bits(body.data(), body.size())));
  bytes += body;
  disk.replace(fmt::format("{}{:016x}", kPrefix, checkpoint.fragments), bytes);
  const std::vector<Saved> saved = saved_in(disk);
  for (std::size_t i = kKept; i < saved.size(); ++i) disk.remove(saved[i].name);
  return saved[std::min(kKept, saved.size()) - 1].fragments;
}

std::optional<Checkpoint> load_checkpoint(const system::Disk& disk, const collect::Note& note) {
  for (const Saved& saved : saved_in(disk)) {
    try {
      return decoded(disk.shown(saved.name), disk.read(saved.name));
    } catch (const InputError& error) {
      note(fmt::format("{}; going back to what was before it", error.what()));
    }
  }
  return std::nullopt;
}

}  // namespace assay::watch
