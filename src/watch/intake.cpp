#include "watch/intake.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "system/durable_file.hpp"
#include "system/input_error.hpp"

namespace assay::watch {

namespace {

constexpr std::size_t kBatch = std::size_t{1} << 24;  // what is made safe at a time

}  // namespace

Intake::Intake(std::vector<std::unique_ptr<collect::Source>> sources, collect::OwnerOf owners, Log* log,
               std::uint64_t first, bool until_end, collect::Note note)
    : sources_(std::move(sources)),
      owners_(std::move(owners)),
      log_(log),
      next_(first),
      until_end_(until_end),
      note_(std::move(note)) {}

Intake::Taken Intake::step(std::size_t room) {
  if (unsafe_.empty()) {
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    if (at_the_end_) return {Step::ended, next_, {}};
    collect(room);
  }
  if (!make_safe()) return {Step::stuck, next_, {}};
  Taken taken;
  taken.first = next_ - unsafe_.size();
  taken.fragments = std::exchange(unsafe_, {});
  for (const auto& source : sources_) source->acknowledge();
  const bool goes_on = !taken.fragments.empty() || failure_ || at_the_end_;
  taken.step = goes_on ? Step::took : Step::idle;
  return taken;
}

void Intake::collect(std::size_t room) {
  collect::Batch batch(owners_, std::min(room, kBatch));
  bool all_ended = true, all_at_rest = true;
  if (batch.has_room()) {
    batch.share(sources_.size(), [&](std::size_t i) {
      collect::Source& source = *sources_[i];
      if (failure_) return;
      // What came before the mistake still counts.
      try {
        if (!source.ended()) source.collect(batch);
      } catch (const InputError&) {
        failure_ = std::current_exception();
      }
      all_ended = all_ended && source.ended();
      all_at_rest = all_at_rest && (source.ended() || source.at_rest());
    });
  } else {
    all_ended = all_at_rest = false;
  }
  at_the_end_ = !failure_ && (all_ended || (until_end_ && all_at_rest && batch.empty()));
  if (at_the_end_ && !all_ended) {
    for (const auto& source : sources_) {
      if (!source->ended()) source->finish(batch);
    }
  }
  unsafe_ = batch.take();
  next_ += unsafe_.size();
  if (log_ == nullptr) return;
  for (const collect::Fragment& fragment : unsafe_) log_->append(fragment);
}

bool Intake::make_safe() {
  if (log_ == nullptr || unsafe_.empty()) return true;
  try {
    log_->sync();
    if (stuck_.exchange(false)) note_("the log can be written again: going on");
    return true;
  } catch (const system::StorageError& error) {
    if (!stuck_.exchange(true)) {
      note_(fmt::format(
          "{}; nothing is taken in or acknowledged until that works again, nothing acknowledged is lost",
          error.what()));
    }
    return false;
  }
}

std::vector<collect::Doubt> Intake::doubts() const {
  std::vector<collect::Doubt> all;
  for (const auto& source : sources_) {
    for (collect::Doubt& doubt : source->doubts()) all.push_back(std::move(doubt));
  }
  return all;
}

void Intake::wake(std::vector<pollfd>& into) const {
  for (const auto& source : sources_) source->wake(into);
}

}  // namespace assay::watch
