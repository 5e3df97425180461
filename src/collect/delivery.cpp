#include "collect/delivery.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <utility>

#include "collect/fragment.hpp"
#include "format/assay/packed_block.hpp"
#include "system/input_error.hpp"
#include "system/socket.hpp"

namespace assay::collect {

std::string recording_name(std::string_view first_block) {
  return fmt::format("recording-{:016x}", XXH3_64bits(first_block.data(), first_block.size()));
}

Delivery::Delivery(system::Address watcher, const DeliveryOptions& options)
    : watcher_(std::move(watcher)), options_(options) {
  try {
    system::connect_to(watcher_);
  } catch (const InputError& error) {
    throw InputError(shown(watcher_), "", fmt::format("the watcher cannot be reached: {}", error.message()));
  }
}

Delivery::~Delivery() {
  finish();
}

void Delivery::begin(const History& first) {
  const std::string name = recording_name(PackedCodec::encode(first));
  SenderOptions options;
  options.patience = options_.patience;
  options.silence = options_.silence;
  options.patience_at_start = std::chrono::milliseconds(0);
  options.note = options_.note;
  options.secret = options_.secret;
  sender_.emplace(watcher_, name, options);
  if (sender_->next() != 0)
    throw InputError(shown(watcher_), "", fmt::format("the watcher knows {} already", name));
  try {
    send(first);
    sender_->flush();
    settle();
  } catch (const InputError&) {
    sender_.reset();
    throw;
  }
  thread_ = std::thread([this] { run(); });
}

void Delivery::add(History block) {
  if (!sender_) {
    {
      const system::MutexLock lock(mutex_);
      added_ += block.transactions();
    }
    return begin(block);
  }
  const std::size_t bytes = block.resident_bytes();
  system::MutexLock lock(mutex_);
  while (!failure_ && !queue_.empty() && queued_bytes_ + bytes > options_.waiting_bytes) changed_.wait(lock);
  added_ += block.transactions();
  if (failure_) return;
  queued_bytes_ += bytes;
  queue_.push_back(std::move(block));
  changed_.notify_all();
}

std::optional<std::string> Delivery::failure() const {
  const system::MutexLock lock(mutex_);
  return failure_;
}

void Delivery::send(const History& block) {
  for (const std::string& one : sendable(PackedCodec::encode(block), block)) sender_->send_block(one);
  sent_.push_back({sender_->next(), block.transactions()});
}

// Counts what was acknowledged meanwhile.
void Delivery::settle() {
  const system::MutexLock lock(mutex_);
  for (; !sent_.empty() && sent_.front().end <= sender_->acknowledged(); sent_.pop_front())
    acknowledged_ += sent_.front().transactions;
}

void Delivery::run() {
  try {
    for (;;) {
      system::MutexLock lock(mutex_);
      while (!finishing_ && queue_.empty()) changed_.wait(lock);
      if (queue_.empty()) break;
      const History block = std::move(queue_.front());
      queue_.pop_front();
      queued_bytes_ -= block.resident_bytes();
      const bool last = queue_.empty();
      changed_.notify_all();
      lock.unlock();
      send(block);
      // With nothing else to do: so that a watcher that is gone is noticed.
      if (last) sender_->flush();
      settle();
    }
    sender_->finish();
    settle();
  } catch (const std::exception& error) {
    settle();
    {
      const system::MutexLock lock(mutex_);
      failure_ = error.what();
      queue_.clear();
      queued_bytes_ = 0;
    }
    changed_.notify_all();
    options_.note(fmt::format("{}; nothing more is sent", error.what()));
  }
}

Delivery::Result Delivery::finish() {
  {
    const system::MutexLock lock(mutex_);
    finishing_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  const system::MutexLock lock(mutex_);
  return {acknowledged_, added_ - acknowledged_, failure_};
}

}  // namespace assay::collect
