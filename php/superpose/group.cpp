#include "superpose/group.hpp"

#include <array>
#include <memory>

#include "common/intercept.hpp"
#include "rerun/sapi.hpp"
#include "superpose/group_world.hpp"
#include "superpose/lane_state.hpp"
#include "superpose/laned.hpp"
#include "superpose/multivalue.hpp"
#include "superpose/output.hpp"
#include "superpose/sessions.hpp"
#include "superpose/step.hpp"
#include "superpose/tokens.hpp"

extern "C" {
#include <php_main.h>
#include <php_output.h>
#include <php_variables.h>
}

namespace assay::php {

namespace {

struct Group {
  const std::vector<wire::RunOrder>* orders = nullptr;
  std::vector<std::unique_ptr<LaneWorld>> told;
  Pipe* pipe = nullptr;
} group;

void enter_lane(unsigned lane) {
  group.pipe->speak_of(lane);
  world = group.told[lane].get();
  speak_for((*group.orders)[lane]);
  put_lane_state(lane);
}
void leave_lane() {
  take_lane_state();
  world = &group_world;
}

// argv and argc are made of the query, if PHP is asked to.
constexpr std::array<const char*, 9> kSuperglobals = {"_GET",   "_POST",    "_COOKIE", "_SERVER", "_ENV",
                                                      "_FILES", "_REQUEST", "argv",    "argc"};

// The body of a form, once more for each lane.
void read_form() {
  sapi_request_info& info = SG(request_info);
  if (info.post_entry == nullptr) return;
  if (info.request_body != nullptr) php_stream_close(info.request_body);
  info.request_body = nullptr;
  if (info.content_type_dup != nullptr) efree(info.content_type_dup);
  info.content_type_dup = nullptr;
  SG(read_post_bytes) = 0;
  SG(post_read) = 0;
  sapi_read_post_data();
}

// What PHP makes of each request, and of all of them together.
void set_superglobals(std::vector<RequestStrings>& strings) {
  lanes.count = static_cast<unsigned>(group.orders->size());
  std::vector<LaneValues> values;
  values.reserve(kSuperglobals.size());
  for (std::size_t i = 0; i < kSuperglobals.size(); ++i) values.emplace_back();
  for (unsigned lane = 0; lane < lanes.count; ++lane) {
    lanes.current = lane;
    take_order((*group.orders)[lane], *group.told[lane]);
    fill_request_info(strings[lane]);
    SG(request_info).cookie_data = sapi_module.read_cookies();
    SG(global_request_time) = 0;
    read_form();
    php_hash_environment();
    for (std::size_t i = 0; i < kSuperglobals.size(); ++i) {
      zval* found = zend_hash_str_find(&EG(symbol_table), kSuperglobals[i], std::strlen(kSuperglobals[i]));
      if (found != nullptr) {
        ZVAL_COPY(&values[i][lane], behind(found));
      } else {
        ZVAL_NULL(&values[i][lane]);
      }
    }
  }
  lanes.current = kNoLane;
  for (std::size_t i = 0; i < kSuperglobals.size(); ++i) {
    zval merged;
    values[i].merge(&merged);
    if (Z_TYPE(merged) == IS_NULL) continue;
    zend_hash_str_update(&EG(symbol_table), kSuperglobals[i], std::strlen(kSuperglobals[i]), &merged);
  }
  // C code that looks for them finds nothing.
  for (zval& each : PG(http_globals)) array_init(&each);
}

// To its end, as PHP runs any request: what the program asked to be called, its destructors, its buffers. PHP would empty these
// without knowing of what differs.
void run_program() {
  zend_try {
    execute_script();
  }
  zend_end_try();
  if (lanes.denied) return;
  zend_try {
    php_call_shutdown_functions();
    php_free_shutdown_functions();
  }
  zend_end_try();
  if (lanes.denied) return;
  zend_try {
    zend_call_destructors();
  }
  zend_end_try();
  if (lanes.denied) return;
  zend_try {
    end_buffers();
    // A program that prints nothing sends its headers all the same.
    if (!SG(headers_sent)) sapi_send_headers();
    end_sessions();
  }
  zend_end_try();
}

// A group that was denied must not run any further: its destructors and callbacks would.
void abandon_program() {
  take_lane_state();
  lanes.count = 0;
  lanes.current = kNoLane;
  world = nullptr;
  php_free_shutdown_functions();
  zend_objects_store_mark_destructed(&EG(objects_store));
  php_output_discard_all();
  SG(headers_sent) = 1;
}

bool comparable(const std::vector<wire::RunOrder>& orders) {
  constexpr std::string_view kForm = "application/x-www-form-urlencoded";
  const auto value = [](const wire::RunOrder& order, std::string_view name) {
    for (const wire::Pair& pair : order.params) {
      if (pair.name == name) return pair.value;
    }
    return std::string_view();
  };
  for (const wire::RunOrder& order : orders) {
    const std::string_view method = value(order, "REQUEST_METHOD");
    const std::string_view type = value(order, "CONTENT_TYPE");
    const bool get = method == "GET" && order.stdin_bytes.empty() && type.empty();
    const bool form = method == "POST" && type == kForm;
    if ((!get && !form) || method != value(orders.front(), "REQUEST_METHOD") ||
        !value(order, "HTTP_AUTHORIZATION").empty() ||
        value(order, "SCRIPT_FILENAME") != value(orders.front(), "SCRIPT_FILENAME"))
      return false;
  }
  return orders.size() > 1;
}

void tell_auditor() {
  for (unsigned lane = 0; lane < group.told.size(); ++lane) {
    group.pipe->speak_of(lane);
    if (!headers_of(lane).empty()) group.pipe->send(wire::FromWorker::headers, headers_of(lane));
    constexpr std::size_t kPiece = std::size_t{1} << 24;
    const std::string body = output_of(lane);
    for (std::size_t at = 0; at < body.size(); at += kPiece)
      group.pipe->send(wire::FromWorker::output, std::string_view(body).substr(at, kPiece));
    group.pipe->send(
        wire::FromWorker::finished,
        wire::encode(wire::Finished{group.told[lane]->take_asked(), wire::Ending::complete, {}}));
  }
}

// PHP has left the program because of one lane, or because of all.
bool all_complete() {
  for (const auto& told : group.told) {
    if (told->ending() != wire::Ending::complete) return false;
  }
  return true;
}

void deny_if_stopped() {
  if (lanes.denied || all_complete()) return;
  lanes.denied = true;
  lanes.why = "a lane was stopped";
}

void run_all(const std::vector<wire::RunOrder>& orders) {
  std::vector<RequestStrings> strings(orders.size());
  std::vector<std::uint64_t> seeds;
  for (std::size_t i = 0; i < orders.size(); ++i) {
    group.told[i]->begin(orders[i]);
    seeds.push_back(group.told[i]->seed());
  }
  take_order(orders.front(), *group.told.front());
  SG(server_context) = &group;
  fill_request_info(strings.front());
  if (!all_complete() || php_request_startup() == FAILURE) {
    lanes.denied = true;
    lanes.why = "PHP does not start the request";
    return;
  }
  begin_intercepted_request(seeds.front());
  zend_try {
    set_superglobals(strings);
    begin_lane_state(seeds);
  }
  zend_end_try();
  lanes.current = kNoLane;
  world = &group_world;
  if (!lanes.denied) run_program();
  deny_if_stopped();
  if (lanes.denied) abandon_program();
  php_request_shutdown(nullptr);  // connections are closed
  deny_if_stopped();
  take_lane_state();
  world = nullptr;
}

void forget_everything() {
  forget_multivalues();
  forget_merges();
  forget_ropes();
  forget_laned();
  forget_loops();
  forget_output();
  forget_tokens();
  forget_sessions();
  forget_lane_state();
  forget_headers();
  group_world.forget();
}

}  // namespace

void run_group(const std::vector<wire::RunOrder>& orders, Pipe& pipe) {
  pipe.begin_group();
  lanes = Lanes();
  group.orders = &orders;
  group.pipe = &pipe;
  group.told.clear();
  for (std::size_t i = 0; i < orders.size(); ++i)
    group.told.push_back(std::make_unique<LaneWorld>(pipe, static_cast<unsigned>(i)));
  group_world.begin(group.told);
  lane_switch = {enter_lane, leave_lane};
  if (comparable(orders)) {
    run_all(orders);
  } else {
    lanes.denied = true;
    lanes.why = "requests of different kinds";
  }
  const bool denied = lanes.denied;
  lanes.count = 0;
  lanes.current = kNoLane;
  if (denied) {
    pipe.send(wire::FromWorker::denied, wire::encode(wire::Denied{lanes.why, lanes.ways}));
  } else {
    tell_auditor();
  }
  forget_everything();
  group.told.clear();
}

}  // namespace assay::php
