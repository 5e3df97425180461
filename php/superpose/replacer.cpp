#include "superpose/replacer.hpp"

#include <cstring>

namespace assay::php {

namespace {

constexpr zend_long kSetOrder = 2;         // PREG_SET_ORDER
constexpr zend_long kOffsetCapture = 256;  // PREG_OFFSET_CAPTURE

// The list of all matches, each a list of its groups, each a text and its place.
void find_matches(zval* out, zval* pattern, zval* subject) {
  auto* function =
      static_cast<zend_function*>(zend_hash_str_find_ptr(CG(function_table), ZEND_STRL("preg_match_all")));
  if (function == nullptr) deny("no preg_match_all");
  zval arguments[4], found;
  ZVAL_COPY_VALUE(&arguments[0], pattern);
  ZVAL_COPY_VALUE(&arguments[1], subject);
  ZVAL_NEW_EMPTY_REF(&arguments[2]);
  ZVAL_NULL(Z_REFVAL(arguments[2]));
  ZVAL_LONG(&arguments[3], kSetOrder | kOffsetCapture);
  zend_call_known_function(function, nullptr, nullptr, &found, 4, arguments, nullptr);
  if (Z_TYPE(found) != IS_LONG || Z_TYPE_P(Z_REFVAL(arguments[2])) != IS_ARRAY) deny("a pattern fails");
  ZVAL_COPY(out, Z_REFVAL(arguments[2]));
  zval_ptr_dtor(&arguments[2]);
}

zval* element(zval* list, zend_ulong n) {
  zval* found = Z_TYPE_P(list) == IS_ARRAY ? zend_hash_index_find(Z_ARRVAL_P(list), n) : nullptr;
  if (found == nullptr) deny("a match of another shape");
  return found;
}

// What the callback is given: the groups without their places.
void groups_of(zval* out, zval* match) {
  ZVAL_ARR(out, zend_array_dup(Z_ARRVAL_P(match)));
  zval* group = nullptr;
  ZEND_HASH_FOREACH_VAL(Z_ARRVAL_P(out), group) {
    if (Z_TYPE_P(group) != IS_ARRAY) continue;  // a mark
    zval text;
    ZVAL_COPY(&text, element(group, 0));
    zval_ptr_dtor(group);
    ZVAL_COPY_VALUE(group, &text);
  }
  ZEND_HASH_FOREACH_END();
}

// A callback that does nothing but compute its result of its argument, on one path: whether it is called cannot be seen otherwise.
bool only_computes(const zend_fcall_info_cache& cache) {
  const zend_function* function = cache.function_handler;
  if (function == nullptr || function->type != ZEND_USER_FUNCTION) return false;
  const zend_op_array& code = function->op_array;
  if (code.static_variables != nullptr ||
      (code.fn_flags & (ZEND_ACC_GENERATOR | ZEND_ACC_RETURN_REFERENCE)) != 0)
    return false;
  return std::all_of(code.opcodes, code.opcodes + code.last, [](const zend_op& op) {
    switch (op.opcode) {
      case ZEND_RECV:
      case ZEND_FETCH_DIM_R:
      case ZEND_CONCAT:
      case ZEND_FAST_CONCAT:
      case ZEND_ROPE_INIT:
      case ZEND_ROPE_ADD:
      case ZEND_ROPE_END:
      case ZEND_VERIFY_RETURN_TYPE:
      case ZEND_RETURN:
        return true;
      default:
        return false;
    }
  });
}

// False if it has thrown something.
bool ask_callback(zend_fcall_info& call, zend_fcall_info_cache& cache, zval* groups, zval* out) {
  call.params = groups;
  call.param_count = 1;
  call.retval = out;
  ZVAL_UNDEF(out);
  if (zend_call_function(&call, &cache) != SUCCESS) deny("a callback fails");
  if (EG(exception) != nullptr) return false;
  for (unsigned i = 0; i < lanes.count; ++i) {
    if (Z_TYPE_P(in_lane(out, i)) != IS_STRING) deny("a callback gives no text");
  }
  return true;
}

void assemble(zval* out, zval* subject, zval* matches, std::vector<zval>& texts, unsigned lane) {
  const std::size_t count = zend_hash_num_elements(Z_ARRVAL_P(matches));
  smart_str all = {};
  const std::string_view text = view(Z_STR_P(subject));
  std::size_t done = 0;
  for (std::size_t n = 0; n < count; ++n) {
    zval* whole = element(element(matches, n), 0);
    const auto at = static_cast<std::size_t>(Z_LVAL_P(element(whole, 1)));
    if (at < done || at > text.size()) deny("a match of another shape");
    smart_str_appendl(&all, text.data() + done, at - done);
    smart_str_append(&all, Z_STR_P(in_lane(&texts[n], lane)));
    done = at + Z_STRLEN_P(element(whole, 0));
  }
  smart_str_appendl(&all, text.data() + done, text.size() - done);
  smart_str_0(&all);
  ZVAL_STR(out, smart_str_extract(&all));
}

}  // namespace

void call_replacer(const Call& call, zval* result) {
  zval* pattern = behind(call.argument(0));
  zval* subject = call.count == 3 ? behind(call.argument(2)) : nullptr;
  if (subject == nullptr || !is_multi(subject) || Z_TYPE_P(pattern) != IS_STRING ||
      holds_multi(call.argument(1)))
    deny("preg_replace_callback with a multivalue");
  for (unsigned i = 0; i < lanes.count; ++i) {
    if (Z_TYPE_P(in_lane(subject, i)) != IS_STRING) deny("preg_replace_callback of something else");
  }
  zend_fcall_info callback;
  zend_fcall_info_cache cache;
  if (zend_fcall_info_init(call.argument(1), 0, &callback, &cache, nullptr, nullptr) != SUCCESS)
    deny("preg_replace_callback with something else");
  LaneValues matches =
      per_lane([&](unsigned lane, zval* out) { find_matches(out, pattern, in_lane(subject, lane)); });
  std::vector<std::uint32_t> counts;
  for (unsigned i = 0; i < lanes.count; ++i) counts.push_back(zend_hash_num_elements(Z_ARRVAL(matches[i])));
  if (!only_computes(cache)) require_same_way(counts, "the lanes match differently");
  const std::uint32_t most = *std::max_element(counts.begin(), counts.end());
  std::vector<zval> texts;
  for (std::uint32_t n = 0; n < most && EG(exception) == nullptr; ++n) {
    // A lane that has fewer matches than others computes with one of theirs, and forgets what came of it.
    const auto with = static_cast<unsigned>(
        std::find_if(counts.begin(), counts.end(), [&](std::uint32_t count) { return count > n; }) -
        counts.begin());
    LaneValues groups = per_lane([&](unsigned lane, zval* out) {
      groups_of(out, element(&matches[counts[lane] > n ? lane : with], n));
    });
    zval argument, text;
    groups.merge(&argument);
    if (ask_callback(callback, cache, &argument, &text)) texts.push_back(text);
    zval_ptr_dtor(&argument);
  }
  if (EG(exception) == nullptr) {
    LaneValues replaced = per_lane([&](unsigned lane, zval* out) {
      assemble(out, in_lane(subject, lane), &matches[lane], texts, lane);
    });
    replaced.merge(result);
  }
  for (zval& text : texts) zval_ptr_dtor(&text);
}

}  // namespace assay::php
