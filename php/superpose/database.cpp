#include "superpose/database.hpp"

#include "common/sql_driver.hpp"
#include "superpose/group_world.hpp"
#include "superpose/tokens.hpp"

namespace assay::php {

namespace {

// An argument that stands in for another while a call runs.
class Instead {
 public:
  Instead(zval* place, zval* value) : place_(place) {
    ZVAL_COPY_VALUE(&kept_, place);
    ZVAL_COPY_VALUE(place, value);
  }
  ~Instead() {
    zval_ptr_dtor(place_);
    ZVAL_COPY_VALUE(place_, &kept_);
  }
  Instead(const Instead&) = delete;
  Instead& operator=(const Instead&) = delete;

 private:
  zval* place_;
  zval kept_;
};

// What PDO and our driver make of a parameter's value before the database gets it.
void bind_value(zval* out, zval* value, zend_long type) {
  if (Z_TYPE_P(value) == IS_NULL || type == PDO_PARAM_NULL) {
    ZVAL_NULL(out);
  } else if (type == PDO_PARAM_INT) {
    ZVAL_LONG(out, zval_get_long(value));
  } else if (type == PDO_PARAM_BOOL) {
    ZVAL_LONG(out, Z_TYPE_P(value) == IS_LONG ? (Z_LVAL_P(value) != 0 ? 1 : 0) : zval_get_long(value));
  } else if (type == PDO_PARAM_STR && Z_TYPE_P(value) != IS_ARRAY) {
    ZVAL_STR(out, zval_get_string(value));
  } else {
    deny("a parameter of a statement");
  }
}

// Text for PDO to hand on.
void make_bound(zval* out, zval* value, zend_long type) {
  LaneValues values =
      per_lane([&](unsigned lane, zval* each) { bind_value(each, in_lane(value, lane), type); });
  zval multi;
  values.keep_apart(&multi);
  ZVAL_STR(out, make_token(&multi));
  zval_ptr_dtor(&multi);
}

void require_common(const Call& call, std::uint32_t first) {
  for (std::uint32_t i = first; i < call.count; ++i) {
    if (holds_multi(call.argument(i))) deny(name_of(call.function) + " with a multivalue");
  }
}

// The statement shows its text.
void show_text(zval* statement, zval* text) {
  if (Z_TYPE_P(statement) != IS_OBJECT) return;
  const auto* info = static_cast<const zend_property_info*>(
      zend_hash_str_find_ptr(&Z_OBJCE_P(statement)->properties_info, "queryString", 11));
  if (info == nullptr) deny("a statement of another shape");
  zval copy;
  ZVAL_COPY(&copy, text);
  replace(behind(OBJ_PROP(Z_OBJ_P(statement), info->offset)), &copy);
}

// PDO::query, prepare and exec: the first argument may differ.
void call_with_text(const Call& call, zval* result) {
  require_common(call, 1);
  zval* text = call.count > 0 ? behind(call.argument(0)) : nullptr;
  if (text == nullptr || !is_multi(text)) return plain_call(call.frame, result);
  for (unsigned i = 0; i < lanes.count; ++i) {
    if (Z_TYPE_P(in_lane(text, i)) != IS_STRING || Z_STRLEN_P(in_lane(text, i)) == 0)
      deny("a statement that is no text");
  }
  zval kept;
  ZVAL_COPY(&kept, text);
  {
    zval token;
    ZVAL_STR(&token, make_token(&kept));
    const Instead now(call.argument(0), &token);
    plain_call(call.frame, result);
  }
  if (EG(exception) == nullptr) show_text(result, &kept);
  zval_ptr_dtor(&kept);
}

void call_execute(const Call& call, zval* result) {
  zval* parameters = call.count > 0 ? behind(call.argument(0)) : nullptr;
  if (parameters == nullptr || !holds_multi(parameters)) return plain_call(call.frame, result);
  if (Z_TYPE_P(parameters) != IS_ARRAY) deny("parameters of a statement differ as a whole");
  zval bound;
  ZVAL_ARR(&bound, zend_array_dup(Z_ARR_P(parameters)));
  zval* element = nullptr;
  ZEND_HASH_FOREACH_VAL(Z_ARRVAL(bound), element) {
    if (!holds_multi(element)) continue;
    zval token;
    if (!is_multi(behind(element))) deny("a parameter of a statement");
    make_bound(&token, behind(element), PDO_PARAM_STR);
    zval_ptr_dtor(element);
    ZVAL_COPY_VALUE(element, &token);
  }
  ZEND_HASH_FOREACH_END();
  const Instead now(call.argument(0), &bound);
  plain_call(call.frame, result);
}

void call_bind(const Call& call, zval* result) {
  if (call.count < 2 || !is_multi(behind(call.argument(1)))) {
    require_common(call, 0);
    return plain_call(call.frame, result);
  }
  if (holds_multi(call.argument(0)) || (call.count > 2 && holds_multi(call.argument(2))))
    deny("pdostatement::bindvalue with a multivalue");
  zend_long type = PDO_PARAM_STR;
  if (call.count > 2) {
    if (Z_TYPE_P(call.argument(2)) != IS_LONG) deny("a type of a parameter");
    type = Z_LVAL_P(call.argument(2));
  }
  zval token;
  make_bound(&token, behind(call.argument(1)), type);
  const Instead now(call.argument(1), &token);
  if (call.count == 2) return plain_call(call.frame, result);
  zval as_text;
  ZVAL_LONG(&as_text, PDO_PARAM_STR);
  const Instead type_now(call.argument(2), &as_text);
  plain_call(call.frame, result);
}

pdo_stmt_t* statement_of(const Call& call) {
  return php_pdo_stmt_fetch_object(Z_OBJ(call.frame->This));
}

constexpr zend_long kFlags = static_cast<zend_long>(PDO_FETCH_FLAGS);

// Ways to fetch that only move cells about.
bool only_moves(zend_long mode) {
  return mode == PDO_FETCH_ASSOC || mode == PDO_FETCH_NUM || mode == PDO_FETCH_BOTH ||
         mode == PDO_FETCH_OBJ || mode == PDO_FETCH_COLUMN;
}
// Ways that look at cells, and may do so in one lane.
bool known_mode(zend_long mode) {
  return only_moves(mode & ~kFlags) || (mode & ~kFlags) == PDO_FETCH_CLASS ||
         (mode & ~kFlags) == PDO_FETCH_KEY_PAIR;
}

bool differs(const SqlResult& result) {
  return std::any_of(result.cells.begin(), result.cells.end(),
                     [](const zval& cell) { return is_multi(&cell); });
}

void require_usual(const pdo_dbh_t* dbh) {
  if (dbh->oracle_nulls != PDO_NULL_NATURAL || dbh->stringify) deny("a connection that converts cells");
}

// A loop over the statement fetches, too, and only its own mode says how.
void check_statement(pdo_stmt_t* stmt) {
  if (stmt->dbh == nullptr || stmt->driver_data == nullptr) return;
  require_usual(stmt->dbh);
  const auto mode = static_cast<zend_long>(stmt->default_fetch_type);
  const SqlCursor cursor = sql_cursor(stmt);
  if (cursor.result == nullptr) deny("another driver");
  if (mode != PDO_FETCH_USE_DEFAULT && !known_mode(mode)) deny("a way to fetch");
  if (stmt->bound_columns != nullptr) deny("bound columns");
}

void call_fetch(const Call& call, const std::string& name, zval* result) {
  require_common(call, 0);
  pdo_stmt_t* stmt = statement_of(call);
  check_statement(stmt);
  const SqlCursor cursor = sql_cursor(stmt);
  if (cursor.result == nullptr || !differs(*cursor.result)) return plain_call(call.frame, result);
  zend_long mode = stmt->default_fetch_type;
  if (name == "pdostatement::fetchcolumn") mode = PDO_FETCH_COLUMN;
  if (name == "pdostatement::fetchobject") mode = PDO_FETCH_CLASS;
  const bool takes_mode = name == "pdostatement::fetch" || name == "pdostatement::fetchall";
  if (takes_mode && call.count > 0) {
    if (Z_TYPE_P(call.argument(0)) != IS_LONG) deny("a way to fetch");
    if (Z_LVAL_P(call.argument(0)) != PDO_FETCH_USE_DEFAULT) mode = Z_LVAL_P(call.argument(0));
  }
  if (!known_mode(mode)) deny("a way to fetch");
  if (only_moves(mode)) return plain_call(call.frame, result);
  const std::size_t at = *cursor.next_row;
  run_per_lane(call, result, [&](const std::string& own, zval* out) {
    *cursor.next_row = at;
    run_handler(call, own, out);
  });
}

void call_last_id(const Call& call, zval* result) {
  require_common(call, 0);
  const std::uint64_t connection = sql_connection(Z_PDO_DBH_P(&call.frame->This));
  const std::vector<std::int64_t>* ids = group_world.last_rowids(connection);
  if (ids == nullptr || call.count != 0) deny("pdo::lastinsertid");
  LaneValues values = per_lane([&](unsigned lane, zval* out) {
    ZVAL_STR(out, zend_long_to_str(static_cast<zend_long>((*ids)[lane])));
  });
  values.merge(result);
}

}  // namespace

void call_database(const Call& call, zval* result) {
  const std::string name = name_of(call.function);
  if (Z_TYPE(call.frame->This) != IS_OBJECT) deny(name);
  if (name == "pdo::query" || name == "pdo::prepare" || name == "pdo::exec") {
    call_with_text(call, result);
    if (EG(exception) == nullptr && Z_TYPE_P(result) == IS_OBJECT)
      check_statement(php_pdo_stmt_fetch_object(Z_OBJ_P(result)));
  } else if (name == "pdostatement::execute") {
    check_statement(statement_of(call));
    call_execute(call, result);
  } else if (name == "pdostatement::bindvalue") {
    call_bind(call, result);
  } else if (name.compare(0, 19, "pdostatement::fetch") == 0) {
    call_fetch(call, name, result);
  } else if (name == "pdo::lastinsertid") {
    call_last_id(call, result);
  } else if (name == "pdo::quote") {
    call_per_lane(call, result);
  } else {
    require_common(call, 0);
    group_world.let_paths_read_clock(name == "pdo::__construct");
    plain_call(call.frame, result);
    group_world.let_paths_read_clock(false);
    if (name == "pdostatement::setfetchmode") check_statement(statement_of(call));
  }
}

}  // namespace assay::php
