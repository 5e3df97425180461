#include "superpose/sessions.hpp"

#include <cstring>

namespace assay::php {

namespace {

constexpr const char* kSession = "_SESSION";
constexpr const char* kCookie = "_COOKIE";

zval* global(const char* name) {
  zval* found = zend_hash_str_find(&EG(symbol_table), name, std::strlen(name));
  if (found != nullptr && Z_TYPE_P(found) == IS_INDIRECT) found = Z_INDIRECT_P(found);
  return found != nullptr && Z_TYPE_P(found) != IS_UNDEF ? found : nullptr;
}

void set_global(const char* name, zval* value) {
  zend_hash_str_update_ind(&EG(symbol_table), name, std::strlen(name), value);
}

// The reference that $_SESSION is while a session is open. PHP's own name for it is the lane's.
zend_reference* common = nullptr;

// $_SESSION, $_COOKIE and the constant SID as they are in one lane, while that one is worked on, and of all of them before and after.
class Variables {
 public:
  Variables() {
    ZVAL_UNDEF(&session_);
    ZVAL_UNDEF(&cookie_);
    if (zval* found = global(kSession)) ZVAL_COPY(&session_, found);
    if (zval* found = global(kCookie)) ZVAL_COPY(&cookie_, found);
    const bool is_common = Z_TYPE(session_) == IS_REFERENCE && Z_REF(session_) == common;
    if (common != nullptr && !is_common) deny("$_SESSION is another variable than that of the session");
    if (!PS(use_only_cookies) || PS(use_trans_sid) || PS(auto_start) || PS(mod_user_implemented))
      deny("sessions of another kind");
  }

  void put(unsigned lane) {
    if (Z_TYPE(session_) != IS_UNDEF) {
      zval own;
      project(&own, &session_, lane);
      SEPARATE_ZVAL_NOREF(&own);
      ZVAL_NEW_REF(&own, &own);
      put_ = Z_REF(own);
      if (common != nullptr) ZVAL_COPY(&PS(http_session_vars), &own);
      set_global(kSession, &own);
    }
    if (Z_TYPE(cookie_) != IS_UNDEF) {
      zval own;
      project(&own, &cookie_, lane);
      set_global(kCookie, &own);
    }
  }

  void take(unsigned lane) {
    zval* now = global(kSession);
    if (now != nullptr) ZVAL_COPY(&sessions_[lane], behind(now));
    const zval& own = PS(http_session_vars);
    Left left;
    left.there = now != nullptr;
    left.other = now != nullptr && (Z_TYPE_P(now) != IS_REFERENCE || Z_REF_P(now) != put_);
    left.open = Z_TYPE(own) != IS_UNDEF;
    if (left.open && (now == nullptr || Z_TYPE_P(now) != IS_REFERENCE || Z_TYPE(own) != IS_REFERENCE ||
                      Z_REF_P(now) != Z_REF(own)))
      deny("$_SESSION is another variable than that of the session");
    if (lane == 0) left_ = left;
    if (left.there != left_.there || left.other != left_.other || left.open != left_.open)
      deny("the sessions of lanes are in different states");
    if (left.open) {
      zval_ptr_dtor(&PS(http_session_vars));
      ZVAL_UNDEF(&PS(http_session_vars));
    }
    if (const zval* sid = zend_get_constant_str("SID", 3)) {
      ZVAL_COPY(&sids_[lane], sid);
      any_sid_ = true;
    }
  }

  void finish() {
    if (Z_TYPE(cookie_) != IS_UNDEF) set_global(kCookie, &cookie_);
    if (left_.there) {
      zval merged;
      sessions_.merge(&merged);
      if (left_.other || Z_TYPE(session_) != IS_REFERENCE) {
        ZVAL_NEW_REF(&merged, &merged);
        zval_ptr_dtor(&session_);
        ZVAL_COPY_VALUE(&session_, &merged);
      } else {
        replace(Z_REFVAL(session_), &merged);
      }
      if (common != nullptr) GC_DELREF(common);  // the name in the table of variables holds it, too
      common = nullptr;
      if (left_.open) {
        common = Z_REF(session_);
        GC_ADDREF(common);
      }
      set_global(kSession, &session_);
    } else {
      zend_hash_str_del(&EG(symbol_table), kSession, std::strlen(kSession));
      zval_ptr_dtor(&session_);
    }
    if (any_sid_) {
      zval merged;
      sids_.merge(&merged);
      replace(zend_get_constant_str("SID", 3), &merged);
    }
  }

 private:
  struct Left {
    bool there = false, other = false, open = false;
  };
  zval session_, cookie_;
  zend_reference* put_ = nullptr;
  LaneValues sessions_, sids_;
  Left left_;
  bool any_sid_ = false;
};

}  // namespace

void call_session(const Call& call, zval* result) {
  Variables variables;
  run_per_lane(call, result, [&](const std::string& name, zval* out) {
    variables.put(lanes.current);
    run_handler(call, name, out);
    variables.take(lanes.current);
  });
  variables.finish();
}

void end_sessions() {
  if (common == nullptr) return;
  Variables variables;
  for (unsigned i = 0; i < lanes.count; ++i) {
    const InLane now(i);
    variables.put(i);
    php_session_flush(1);
    variables.take(i);
  }
  variables.finish();
}

void forget_sessions() {
  common = nullptr;
}

}  // namespace assay::php
