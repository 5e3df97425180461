#include "record/client.hpp"

#include <fmt/format.h>

#include <utility>

namespace assay::record {

Client::Client(std::unique_ptr<database::StoreSession> session, const Options& options, Recorder* recorder)
    : session_(std::move(session)), options_(options), recorder_(recorder) {}

void Client::end(Status status) {
  if (recorder_ != nullptr) {
    if (!record_.empty()) {
      record_.end(status, recorder_->clock().nanoseconds(), recorder_->nanoseconds_ahead());
      recorder_->ring(options_.number).push(record_.bytes());
    }
    recorder_->ring(options_.number).closed();
    if (status == Status::committed) {
      for (const std::string& text : remarks_) recorder_->remark(text);
    }
  }
  remarks_.clear();
}

// The call, and if it fails the end of the transaction. Before commit no failure leaves a doubt.
template <class Call>
auto Client::guarded(Call call) {
  try {
    return call();
  } catch (const database::StoreError&) {
    end(Status::aborted);
    throw;
  }
}

void Client::begin() {
  if (recorder_ != nullptr) {
    Ring& ring = recorder_->ring(options_.number);
    ring.opening();
    const std::int64_t start = recorder_->clock().nanoseconds();
    ring.opened(start);
    record_.begin(start, recorder_->nanoseconds_ahead());
  }
  guarded([&] { session_->begin(options_.level); });
}

ShownVersion Client::shown(const database::StoredValue& stored) const {
  return {stored.version,
          options_.show_values ? std::optional<std::string_view>(stored.value) : std::nullopt};
}

database::StoredValue Client::versioned(std::string_view value) {
  return {std::string(value), next_version()};
}

std::optional<std::string> Client::read(std::string_view key) {
  std::optional<database::StoredValue> stored = guarded([&] { return session_->read(key); });
  if (recorder_ != nullptr) record_.read(key, stored ? shown(*stored) : ShownVersion{});
  if (!stored) return std::nullopt;
  return std::move(stored->value);
}

void Client::write(std::string_view key, std::string_view value) {
  const database::StoredValue stored = versioned(value);
  guarded([&] { session_->write(key, stored); });
  if (recorder_ != nullptr) record_.write(OpKind::write, key, shown(stored));
}

bool Client::insert(std::string_view key, std::string_view value) {
  const database::StoredValue stored = versioned(value);
  const bool inserted = guarded([&] { return session_->insert(key, stored); });
  if (inserted && recorder_ != nullptr) record_.write(OpKind::insert, key, shown(stored));
  return inserted;
}

bool Client::erase(std::string_view key) {
  const bool erased = guarded([&] { return session_->erase(key); });
  if (recorder_ != nullptr) {
    if (erased) {
      record_.erase(key);
    } else {
      record_.read(key, {});
    }
  }
  return erased;
}

void Client::append(std::string_view key) {
  const std::uint64_t version = next_version();
  guarded([&] { session_->append(key, version); });
  if (recorder_ != nullptr) record_.write(OpKind::append, key, {version, std::nullopt});
}

std::size_t Client::read_list(std::string_view key) {
  guarded([&] { session_->read_list(key, elements_); });
  if (recorder_ != nullptr) record_.list_read(key, elements_);
  return elements_.size();
}

const std::vector<database::StoredRow>& Client::range_read(std::string_view low, std::string_view high) {
  guarded([&] { session_->range_read(low, high, rows_); });
  if (recorder_ != nullptr) record_.range_read(low, high, rows_, options_.show_values);
  return rows_;
}

const std::vector<database::StoredRow>& Client::filter_read(const database::NumberFilter& filter) {
  guarded([&] { session_->filter_read(filter, rows_); });
  if (recorder_ != nullptr) {
    record_.predicate_read(fmt::format("{}* between {} and {}", filter.prefix, filter.low, filter.high),
                           rows_, options_.show_values);
  }
  return rows_;
}

void Client::settle() {
  guarded([&] { session_->settle(); });
}

void Client::commit() {
  try {
    session_->commit();
  } catch (const database::StoreError& error) {
    end(error.failure() == database::Failure::aborted ? Status::aborted : Status::unknown);
    throw;
  }
  end(Status::committed);
}

void Client::abort() {
  guarded([&] { session_->abort(); });
  end(Status::aborted);
}

}  // namespace assay::record
