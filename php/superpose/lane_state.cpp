#include "superpose/lane_state.hpp"

#include <utility>

#include "common/intercept.hpp"

namespace assay::php {

namespace {

struct Chance {
  php_random_status* combined_lcg = nullptr;
  php_random_status* mt19937 = nullptr;
  bool lcg_seeded = false, mt_seeded = false;

  void swap() {
    std::swap(combined_lcg, RANDOM_G(combined_lcg));
    std::swap(mt19937, RANDOM_G(mt19937));
    std::swap(lcg_seeded, RANDOM_G(combined_lcg_seeded));
    std::swap(mt_seeded, RANDOM_G(mt19937_seeded));
  }
};

// What is not a setting.
struct Session {
  zend_string* id = nullptr;
  void* mod_data = nullptr;
  php_session_status status = php_session_none;
  zval variables;  // a reference
  bool send_cookie = true, define_sid = true, user_is_open = false, in_save_handler = false;
  zend_string* read = nullptr;  // as it was read

  void swap() {
    std::swap(id, PS(id));
    std::swap(mod_data, PS(mod_data));
    std::swap(status, PS(session_status));
    std::swap(variables, PS(http_session_vars));
    std::swap(send_cookie, PS(send_cookie));
    std::swap(define_sid, PS(define_sid));
    std::swap(user_is_open, PS(mod_user_is_open));
    std::swap(in_save_handler, PS(in_save_handler));
    std::swap(read, PS(session_vars));
  }
};

struct State {
  sapi_headers_struct headers;
  Chance chance;
  Session session;

  void swap() {
    std::swap(headers, SG(sapi_headers));
    chance.swap();
    session.swap();
  }
};
std::vector<State> states;
unsigned in_place = kNoLane;

// PHP itself may have set some.
sapi_headers_struct copy_headers(const sapi_headers_struct& from) {
  if (from.mimetype != nullptr || from.http_status_line != nullptr) deny("a status before the program");
  sapi_headers_struct copy = from;
  zend_llist_init(&copy.headers, from.headers.size, from.headers.dtor, from.headers.persistent);
  for (const zend_llist_element* each = from.headers.head; each != nullptr; each = each->next) {
    sapi_header_struct header = *reinterpret_cast<const sapi_header_struct*>(each->data);
    header.header = estrndup(header.header, header.header_len);
    zend_llist_add_element(&copy.headers, &header);
  }
  return copy;
}

}  // namespace

void begin_lane_state(const std::vector<std::uint64_t>& seeds) {
  if (PS(session_status) != php_session_none) deny("a session before the program");
  states.resize(seeds.size());
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    State& state = states[i];
    state.headers = copy_headers(SG(sapi_headers));
    state.chance.combined_lcg = php_random_status_alloc(&php_random_algo_combinedlcg, false);
    state.chance.mt19937 = php_random_status_alloc(&php_random_algo_mt19937, false);
    ZVAL_UNDEF(&state.session.variables);
    state.session.send_cookie = PS(send_cookie);
    state.session.define_sid = PS(define_sid);
    put_lane_state(static_cast<unsigned>(i));
    begin_chance(seeds[i]);
    take_lane_state();
  }
  SG(sapi_headers).send_default_content_type = 0;
}

void put_lane_state(unsigned lane) {
  if (lane >= states.size()) return;
  states[lane].swap();
  in_place = lane;
}
void take_lane_state() {
  if (in_place < states.size()) states[in_place].swap();
  in_place = kNoLane;
}

// Its memory was PHP's.
void forget_lane_state() {
  states.clear();
}

int on_header(sapi_header_struct*, sapi_header_op_enum, sapi_headers_struct*) {
  if (superposed() && lanes.current == kNoLane) deny("a header of all lanes at once");
  return SAPI_HEADER_ADD;
}

void send_headers_of_lanes() {
  for (unsigned i = 0; i < lanes.count; ++i) {
    const InLane now(i);
    SG(headers_sent) = 0;
    sapi_send_headers();
  }
  SG(headers_sent) = 1;
}

}  // namespace assay::php
