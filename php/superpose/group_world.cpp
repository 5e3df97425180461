#include "superpose/group_world.hpp"

#include <tuple>

#include "common/sql_text.hpp"
#include "superpose/multivalue.hpp"
#include "superpose/tokens.hpp"

namespace assay::php {

GroupWorld group_world;

namespace {

constexpr int kSqliteBusy = 5;
constexpr int kSqliteLocked = 6;

// The text of each lane.
std::vector<std::string_view> texts_of(std::string_view sql) {
  zval* multi = behind_token(sql);
  std::vector<std::string_view> texts(lanes.count, sql);
  for (unsigned i = 0; multi != nullptr && i < lanes.count; ++i) texts[i] = view(Z_STR_P(in_lane(multi, i)));
  return texts;
}

wire::SqlParameter parameter_of(const wire::SqlParameter& parameter, unsigned lane) {
  zval* multi = parameter.value.type == wire::SqlType::text ? behind_token(parameter.value.bytes) : nullptr;
  if (multi == nullptr) return parameter;
  wire::SqlParameter own = parameter;
  const zval* value = in_lane(multi, lane);
  own.value.bytes = {};
  switch (Z_TYPE_P(value)) {
    case IS_NULL:
      own.value.type = wire::SqlType::null;
      break;
    case IS_LONG:
      own.value.type = wire::SqlType::integer;
      own.value.integer = Z_LVAL_P(value);
      break;
    case IS_STRING:
      own.value.bytes = view(Z_STR_P(value));
      break;
    default:
      deny("a parameter of a statement");
  }
  return own;
}

// What all lanes were told in the same words, or they part here: later their rows would not lie side by side.
void require_same_outcome(const std::vector<SqlResult>& results) {
  std::vector<std::tuple<int, std::string, std::vector<std::string>, std::size_t>> outcomes;
  outcomes.reserve(results.size());
  for (const SqlResult& each : results)
    outcomes.emplace_back(each.code, each.message, each.columns, each.cells.size());
  require_same_way(outcomes, "the answers of a database have different shapes");
}

SqlResult put_together(std::vector<SqlResult>& results) {
  require_same_outcome(results);
  SqlResult all;
  const SqlResult& first = results.front();
  all.code = first.code;
  all.message = first.message;
  all.columns = first.columns;
  all.last_rowid = first.last_rowid;
  all.changes = first.changes;
  all.tail = first.tail;
  all.cells.resize(first.cells.size());
  for (zval& cell : all.cells) ZVAL_UNDEF(&cell);
  for (std::size_t n = 0; n < all.cells.size(); ++n) {
    LaneValues values;
    for (unsigned i = 0; i < lanes.count; ++i) {
      ZVAL_COPY_VALUE(&values[i], &results[i].cells[n]);
      ZVAL_UNDEF(&results[i].cells[n]);
    }
    values.merge(&all.cells[n]);
  }
  return all;
}

bool counts(std::string_view sql, const SqlResult& result) {
  return changes_rows(sql, result.columns.empty());
}

}  // namespace

void LaneWorld::copy_cell(zval* out, zval* cell) const {
  project(out, cell, lane_);
}

// The machine itself reads the clock when it opens files, to see whether it may still trust what it knows of them. That shows
// nowhere; what a function reads does.
std::uint64_t GroupWorld::clock_standing() const {
  const std::uint64_t first = told_->front()->clock_standing();
  const zend_execute_data* frame = EG(current_execute_data);
  if (paths_read_clock_ || frame == nullptr || frame->func == nullptr || ZEND_USER_CODE(frame->func->type))
    return first;
  for (const auto& told : *told_) {
    if (told->clock_standing() != first) deny("C code reads the clock");
  }
  return first;
}

const std::vector<std::int64_t>* GroupWorld::last_rowids(std::uint64_t connection) const {
  const auto found = last_rowids_.find(connection);
  return found != last_rowids_.end() ? &found->second : nullptr;
}

SqlResult GroupWorld::sql_open(std::uint64_t connection, const std::string& path, wire::OpenMode mode) {
  last_rowids_[connection].assign(lanes.count, 0);
  std::vector<SqlResult> results;
  for (unsigned i = 0; i < lanes.count; ++i) {
    const InLane now(i);
    results.push_back((*told_)[i]->sql_open(connection, path, mode));
  }
  return put_together(results);
}

SqlResult GroupWorld::sql_prepare(std::uint64_t connection, std::string_view sql) {
  const std::vector<std::string_view> texts = texts_of(sql);
  std::vector<SqlResult> results;
  for (unsigned i = 0; i < lanes.count; ++i) {
    const InLane now(i);
    results.push_back((*told_)[i]->sql_prepare(connection, texts[i]));
  }
  return put_together(results);
}

SqlResult GroupWorld::sql_statement(std::uint64_t connection, std::string_view sql,
                                    const std::vector<wire::SqlParameter>& parameters) {
  const std::vector<std::string_view> texts = texts_of(sql);
  std::vector<SqlResult> results;
  for (unsigned i = 0; i < lanes.count; ++i) {
    std::vector<wire::SqlParameter> own;
    own.reserve(parameters.size());
    for (const wire::SqlParameter& each : parameters) own.push_back(parameter_of(each, i));
    const InLane now(i);
    results.push_back((*told_)[i]->sql_statement(connection, texts[i], own));
  }
  SqlResult all = put_together(results);
  std::vector<std::int64_t> changed;
  for (unsigned i = 0; i < lanes.count; ++i)
    changed.push_back(counts(texts[i], all) ? results[i].changes : -1);
  require_same_way(changed, "statements change different numbers of rows");
  const int code = all.code & 0xff;
  if (code != kSqliteBusy && code != kSqliteLocked) {
    std::vector<std::int64_t>& last = last_rowids_[connection];
    last.resize(lanes.count);
    for (unsigned i = 0; i < lanes.count; ++i) last[i] = results[i].last_rowid;
  }
  if (texts.front().data() != sql.data()) {  // a token
    for (unsigned i = 0; i < lanes.count; ++i) {
      if (results[i].tail != 0 && results[i].tail < texts[i].size() &&
          !skip_blank(texts[i].substr(results[i].tail)).empty())
        deny("a text that differs has several statements");
    }
    all.statement = texts.front();
    all.tail = sql.size();
  }
  return all;
}

void GroupWorld::sql_close(std::uint64_t connection) {
  for (unsigned i = 0; i < lanes.count; ++i) {
    const InLane now(i);
    (*told_)[i]->sql_close(connection);
  }
}

}  // namespace assay::php
