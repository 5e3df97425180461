#include "record/recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "history/builder.hpp"
#include "record/transaction_bytes.hpp"

namespace assay::record {

namespace {

// Rings are emptied this often, so that a ring of one megabyte does not fill; blocks are written less often,
// because larger ones compress better.
constexpr std::chrono::milliseconds kEmptyRings{20};
constexpr std::chrono::milliseconds kWriteBlock{500};
constexpr std::size_t kLargestBlock = std::size_t{16} << 20;  // bytes of waiting transactions

constexpr std::uint64_t kToldRemarks = 3;

}  // namespace

Recorder::Recorder(const Output& output, std::uint32_t sessions, const std::string& about)
    : also_(output.also), taken_(sessions), cut_(sessions) {
  for (std::uint32_t s = 0; s < sessions; ++s) rings_.push_back(std::make_unique<Ring>());
  if (output.file) {
    out_.emplace(*output.file);
    out_->flush();
  }
  if (!about.empty()) {
    note(about);
    append_block(false);
  }
  writer_ = std::thread([this] { write_until_finished(); });
}

Recorder::~Recorder() {
  try {
    finish();
  } catch (...) {  // a destructor cannot tell; who wants to know calls finish()
  }
}

void Recorder::annotate(const std::string& text) {
  note(fmt::format("at {:.2f} s: {}", clock_.seconds(), text));
}

void Recorder::remark(const std::string& text) {
  {
    const system::MutexLock lock(mutex_);
    if (++remarks_ > kToldRemarks) return;
  }
  annotate(text);
}

void Recorder::note(std::string text) {
  const system::MutexLock lock(mutex_);
  notes_.push_back(std::move(text));
}

void Recorder::finish() {
  if (!writer_.joinable()) return;
  {
    const system::MutexLock lock(mutex_);
    finishing_ = true;
  }
  wake_.notify_one();
  writer_.join();
  if (failure_) std::rethrow_exception(failure_);
  std::uint64_t remarks = 0;
  {
    const system::MutexLock lock(mutex_);
    remarks = remarks_;
  }
  if (remarks > kToldRemarks) note(fmt::format("{} more such sightings", remarks - kToldRemarks));
  append_block(true);
  if (out_) out_->finish();
}

bool Recorder::finishing_within(std::chrono::milliseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  system::MutexLock lock(mutex_);
  while (!finishing_ && wake_.wait_until(lock, until)) {
  }
  return finishing_;
}

void Recorder::write_until_finished() {
  auto last_block = std::chrono::steady_clock::now();
  while (!finishing_within(kEmptyRings)) {
    std::size_t waiting = 0;
    for (std::size_t s = 0; s < rings_.size(); ++s) {
      rings_[s]->take(taken_[s]);
      waiting += taken_[s].size();
      // Nothing can be written any more; but nobody shall wait for room in a ring either.
      if (failure_) taken_[s].clear();
    }
    if (!failure_ &&
        (waiting >= kLargestBlock || std::chrono::steady_clock::now() - last_block >= kWriteBlock)) {
      try {
        append_block(false);
      } catch (...) {
        failure_ = std::current_exception();
      }
      last_block = std::chrono::steady_clock::now();
    }
  }
}

// The clock is read before the rings are looked at, and a session marks its ring before it reads the clock: one
// that is seen idle here will begin after this time.
std::vector<std::size_t> Recorder::take_consistently() {
  const std::int64_t now = clock_.nanoseconds();
  std::vector<std::int64_t> open_since;
  for (const auto& ring : rings_) open_since.push_back(std::min(now, ring->open_since()));
  for (std::size_t s = 0; s < rings_.size(); ++s) rings_[s]->take(taken_[s]);
  return cut_.of(taken_, open_since);
}

void Recorder::append_block(bool all) {
  HistoryBuilder build;
  {
    const system::MutexLock lock(mutex_);
    for (std::string& note : notes_) build.note(std::move(note));
    notes_.clear();
  }
  bool any = false;
  const std::vector<std::size_t> consistent = all ? std::vector<std::size_t>{} : take_consistently();
  for (std::size_t s = 0; s < rings_.size(); ++s) {
    if (all) rings_[s]->take(taken_[s]);
    const Session session = build.session(Atom::integer(static_cast<std::int64_t>(s + 1)));
    replay(taken_[s], all ? taken_[s].size() : consistent[s], build, session, next_name_);
    any = any || build.transactions() != 0;
  }
  if (stepped_) build.clocks(Clocks::several);
  History block = build.finish();
  if (!any && block.notes().empty()) return;
  if (out_) {
    out_->append(block);
    out_->flush();
  }
  if (also_) also_(std::move(block));
}

}  // namespace assay::record
