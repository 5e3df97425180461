#include "superpose/output.hpp"

#include <algorithm>

extern "C" {
#include <php_output.h>
}

namespace assay::php {

namespace {

using Texts = std::vector<std::string>;  // one per lane

struct Piece {
  std::string common;
  Texts differing;  // behind it
};
std::vector<Piece> printed;
std::size_t printed_size = 0;

// Something that differs, and where in one of PHP's buffers it belongs.
struct Hole {
  const php_output_handler* buffer;
  std::size_t at;
  Texts texts;
};
std::vector<Hole> holes;
std::vector<Hole> leaving;  // of the buffer that PHP is just emptying to the outside
bool swallowing = false;

php_output_handler* innermost() {
  return output_globals.active;
}
bool has_callback(const php_output_handler* buffer) {
  return (buffer->flags & PHP_OUTPUT_HANDLER_USER) != 0;
}

bool has_holes(const php_output_handler* buffer) {
  return std::any_of(holes.begin(), holes.end(), [&](const Hole& hole) { return hole.buffer == buffer; });
}
std::vector<Hole> take_holes(const php_output_handler* buffer) {
  std::vector<Hole> taken, rest;
  for (Hole& hole : holes) (hole.buffer == buffer ? taken : rest).push_back(std::move(hole));
  holes.swap(rest);
  return taken;
}

void add_common(std::string_view text) {
  if (text.empty()) return;
  if (printed.empty() || !printed.back().differing.empty()) printed.emplace_back();
  printed.back().common += text;
  printed_size += text.size();
}
void add_differing(const Texts& texts) {
  if (printed.empty() || !printed.back().differing.empty()) printed.emplace_back();
  printed.back().differing = texts;
  std::size_t largest = 0;
  for (const std::string& text : texts) largest = std::max(largest, text.size());
  printed_size += largest;
}

void add_with_holes(std::string_view text, const std::vector<Hole>& inside) {
  std::size_t done = 0;
  for (const Hole& hole : inside) {
    if (hole.at < done || hole.at > text.size()) deny("a buffer is not what it was");
    add_common(text.substr(done, hole.at - done));
    add_differing(hole.texts);
    done = hole.at;
  }
  add_common(text.substr(done));
}

// The first byte that leaves PHP sends the headers; it must be there in every lane, or in none.
void begin_output(const Texts& texts) {
  if (SG(headers_sent)) return;
  const auto empty = static_cast<std::size_t>(
      std::count_if(texts.begin(), texts.end(), [](const std::string& text) { return text.empty(); }));
  if (empty == texts.size()) return;
  if (empty != 0) deny("the first output is there in some lanes only");
  swallowing = true;
  php_output_write("x", 1);
  swallowing = false;
}

void print_texts(Texts texts) {
  php_output_handler* buffer = innermost();
  if (output_globals.running != nullptr) deny("output while a buffer is emptied");
  if (buffer != nullptr) {
    holes.push_back({buffer, buffer->buffer.used, std::move(texts)});
    return;
  }
  begin_output(texts);
  add_differing(texts);
}

// What the buffer holds, holes filled in.
void contents(const php_output_handler* buffer, zval* out) {
  const std::string_view text(buffer->buffer.data != nullptr ? buffer->buffer.data : "", buffer->buffer.used);
  LaneValues values;
  for (unsigned i = 0; i < lanes.count; ++i) {
    std::string all;
    std::size_t done = 0;
    for (const Hole& hole : holes) {
      if (hole.buffer != buffer) continue;
      if (hole.at < done || hole.at > text.size()) deny("a buffer is not what it was");
      all += text.substr(done, hole.at - done);
      all += hole.texts[i];
      done = hole.at;
    }
    all += text.substr(done);
    ZVAL_STR(&values[i], new_string(all));
  }
  values.merge(out);
}

// Empties the innermost buffer into the one around it, or to the outside.
void move_outwards() {
  php_output_handler* buffer = innermost();
  std::vector<Hole> moved = take_holes(buffer);
  if ((buffer->flags & PHP_OUTPUT_HANDLER_DISABLED) != 0) deny("a buffer that is disabled");
  // The level below.
  auto** around = static_cast<php_output_handler**>(
      zend_stack_count(&output_globals.handlers) > 1
          ? static_cast<void*>(static_cast<php_output_handler**>(zend_stack_base(&output_globals.handlers)) +
                               zend_stack_count(&output_globals.handlers) - 2)
          : nullptr);
  const bool content = buffer->buffer.used != 0;
  if (around != nullptr) {
    if ((*around)->size != 0) deny("a buffer of limited size around another");
    const std::size_t before = (*around)->buffer.used;
    for (Hole& hole : moved) holes.push_back({*around, before + hole.at, std::move(hole.texts)});
    php_output_end();
    return;
  }
  if (content) {
    leaving = std::move(moved);
    php_output_end();
    if (!leaving.empty()) deny("a buffer was not emptied");
    return;
  }
  php_output_end();
  for (Hole& hole : moved) print_texts(std::move(hole.texts));
}

void end_with_callback() {
  php_output_handler* buffer = innermost();
  zval arguments[2], result;
  contents(buffer, &arguments[0]);
  take_holes(buffer);
  const bool started = (buffer->flags & PHP_OUTPUT_HANDLER_STARTED) != 0;
  ZVAL_LONG(&arguments[1], PHP_OUTPUT_HANDLER_FINAL | (started ? 0 : PHP_OUTPUT_HANDLER_START));
  ZVAL_UNDEF(&result);
  zend_fcall_info call = buffer->func.user->fci;
  zend_fcall_info_cache cache = buffer->func.user->fcc;
  call.params = arguments;
  call.param_count = 2;
  call.retval = &result;
  if (zend_call_function(&call, &cache) != SUCCESS || EG(exception) != nullptr)
    deny("the callback of a buffer fails");
  if (Z_TYPE(result) != IS_STRING && !is_multi(&result)) deny("the callback of a buffer gives no text");
  buffer->flags |= PHP_OUTPUT_HANDLER_DISABLED;
  php_output_discard();
  print(&result);
  zval_ptr_dtor(&result);
  zval_ptr_dtor(&arguments[0]);
}

}  // namespace

void print(zval* text) {
  if (Z_TYPE_P(text) == IS_STRING) {
    php_output_write(Z_STRVAL_P(text), Z_STRLEN_P(text));
    return;
  }
  Texts texts;
  texts.reserve(lanes.count);
  for (unsigned i = 0; i < lanes.count; ++i) {
    const zval* each = in_lane(text, i);
    if (Z_TYPE_P(each) != IS_STRING) deny("what is printed is no text");
    texts.emplace_back(view(Z_STR_P(each)));
  }
  print_texts(std::move(texts));
}

void receive_output(std::string_view text) {
  if (swallowing) return;
  if (!leaving.empty()) {
    add_with_holes(text, leaving);
    leaving.clear();
    return;
  }
  if (holes.empty()) {
    add_common(text);
    return;
  }
  // A buffer of limited size is full: all that it holds comes out.
  const php_output_handler* buffer = innermost();
  const bool alone =
      zend_stack_count(&output_globals.handlers) == 1 && buffer != nullptr && !has_callback(buffer);
  if (!alone || holes.size() !=
                    static_cast<std::size_t>(std::count_if(
                        holes.begin(), holes.end(), [&](const Hole& hole) { return hole.buffer == buffer; })))
    deny("output leaves from among several buffers");
  add_with_holes(text, take_holes(buffer));
}

std::string output_of(unsigned lane) {
  std::string all;
  for (const Piece& piece : printed) {
    all += piece.common;
    if (!piece.differing.empty()) all += piece.differing[lane];
  }
  return all;
}

std::size_t output_size() {
  return printed_size;
}

bool work_on_buffer(std::string_view function, zend_execute_data* call, zval* result) {
  php_output_handler* buffer = innermost();
  if (buffer == nullptr || !has_holes(buffer)) return false;
  if (ZEND_CALL_NUM_ARGS(call) != 0) deny("a buffer's function with arguments");
  const bool keeps = function == "ob_get_contents" || function == "ob_get_length";
  if (!keeps && has_callback(buffer)) deny("a buffer with a callback holds something that differs");
  if (function == "ob_get_contents") {
    contents(buffer, result);
  } else if (function == "ob_get_length") {
    zval all;
    contents(buffer, &all);
    LaneValues sizes;
    for (unsigned i = 0; i < lanes.count; ++i)
      ZVAL_LONG(&sizes[i], static_cast<zend_long>(Z_STRLEN_P(in_lane(&all, i))));
    zval_ptr_dtor(&all);
    sizes.merge(result);
  } else if (function == "ob_get_clean") {
    contents(buffer, result);
    take_holes(buffer);
    php_output_discard();
  } else if (function == "ob_end_clean") {
    take_holes(buffer);
    php_output_discard();
    ZVAL_TRUE(result);
  } else if (function == "ob_end_flush") {
    move_outwards();
    ZVAL_TRUE(result);
  } else {
    deny(std::string(function) + " of a buffer that differs");
  }
  return true;
}

void end_buffers() {
  while (php_output_handler* buffer = innermost()) {
    if (!has_holes(buffer)) {
      php_output_end();
    } else if (has_callback(buffer)) {
      end_with_callback();
    } else {
      move_outwards();
    }
  }
  if (!holes.empty()) deny("something that differs was not printed");
}

void forget_output() {
  printed.clear();
  printed_size = 0;
  holes.clear();
  leaving.clear();
  swallowing = false;
}

}  // namespace assay::php
