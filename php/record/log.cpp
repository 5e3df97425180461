#include "record/log.hpp"

#include "common/sql_text.hpp"
#include "record/digest.hpp"

namespace assay::php {

void Log::begin(std::uint64_t rid) {
  rid_ = rid;
  operations_ = 0;
  told_ = {};
}

void Log::begin_report() {
  objects_.clear();
  buffer_.clear();
  wire::put_property(buffer_, "php", PHP_VERSION);
  wire::put_property(buffer_, "sapi", sapi_module.name);
  wire::put_property(buffer_, "sqlite", sqlite_version());
  if (!journal_->append(buffer_)) complain();
}

void Log::complain() {
  if (complained_) return;
  complained_ = true;  // once per process: the disk is full, and so would the log of errors be
  zend_error(E_WARNING, "assay: the report cannot be written; this server will not pass an audit");
}

void Log::stage(wire::ObjectKind kind, std::string_view object, std::uint64_t sequence,
                wire::OperationType type, std::string_view contents, std::uint64_t outcome) {
  buffer_.clear();
  staged_type_ = type;
  staged_object_ = {kind, std::string(object)};
  const auto [entry, fresh] = objects_.try_emplace(staged_object_, objects_.size() + 1);
  staged_new_object_ = fresh;
  if (fresh) wire::put_object(buffer_, entry->second, kind, object);
  wire::Operation operation;
  operation.object = entry->second;
  operation.seq = sequence;
  operation.rid = rid_;
  operation.opnum = operations_ + 1;
  operation.type = type;
  operation.outcome = outcome;
  operation.contents = contents;
  wire::put_operation(buffer_, operation);
  if (!journal_->stage(buffer_)) complain();
}

void Log::note_step(SharedHead::Step& step) const {
  step.used = journal_->used_when_confirmed();
  step.worker.store(journal_->number());
}

void Log::confirm() {
  journal_->confirm();
  ++operations_;
  digest_operation(static_cast<std::uint64_t>(staged_type_));
}

void Log::discard() {
  if (staged_new_object_) objects_.erase(staged_object_);
}

void Log::operation(wire::ObjectKind kind, std::string_view object, std::uint64_t sequence,
                    wire::OperationType type, std::string_view contents, std::uint64_t outcome) {
  stage(kind, object, sequence, type, contents, outcome);
  confirm();
}

void Log::told(wire::NdKind kind, std::string_view value) {
  constexpr std::uint64_t kMostInAByte = 127;
  Told& last = told_.at(static_cast<std::size_t>(kind));
  // Random bytes that happen to be equal are still two answers.
  const bool counts = kind != wire::NdKind::random_bytes && kind != wire::NdKind::file_fact;
  if (counts && last.repeat > 0 && last.repeat < kMostInAByte && last.value == value &&
      journal_->overwrite(last.place, static_cast<char>(last.repeat + 1))) {
    ++last.repeat;
    return;
  }
  buffer_.clear();
  wire::put_nondeterminism(buffer_, {rid_, operations_, kind, 1, value});
  if (!journal_->append(buffer_)) complain();
  std::string rest;
  wire::put_bytes(rest, value);
  last = {std::string(value), 1, journal_->end() - rest.size() - 1};
}

void Log::end(std::uint64_t tag) {
  buffer_.clear();
  wire::put_group(buffer_, rid_, tag);
  wire::put_count(buffer_, rid_, operations_);
  if (!journal_->append(buffer_)) complain();
  journal_->end_of_request();
}

}  // namespace assay::php
