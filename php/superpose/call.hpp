// A call of a function written in C, and how it is run for one lane after the other.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "superpose/step.hpp"

namespace assay::php {

// In lower case, with its class and :: in front.
std::string name_of(const zend_function* function);

struct Call {
  zend_execute_data* frame;
  const zend_function* function;
  std::uint32_t count;

  explicit Call(zend_execute_data* call)
      : frame(call), function(call->func), count(ZEND_CALL_NUM_ARGS(call)) {}
  zval* argument(std::uint32_t i) const { return ZEND_CALL_ARG(frame, i + 1); }
  bool by_reference(std::uint32_t i) const {
    return Z_ISREF_P(argument(i)) && ARG_SHOULD_BE_SENT_BY_REF(function, i + 1);
  }
  bool any_holds_multi() const {
    if (Z_TYPE(frame->This) == IS_OBJECT && is_multi(&frame->This)) deny("a method of a multivalue");
    for (std::uint32_t i = 0; i < count; ++i) {
      if (Z_TYPE_P(argument(i)) >= IS_ARRAY && holds_multi(argument(i))) return true;
    }
    return false;
  }
  unsigned differing() const {  // bit by bit
    unsigned bits = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (is_multi(behind(argument(i)))) bits |= 1U << std::min(i, 7U);
    }
    return bits;
  }
};

// Arguments as they are in one lane stand in the place of those of all, and are taken out again.
class PerLane {
 public:
  explicit PerLane(const Call& call) : call_(call) {
    kept_ = static_cast<zval*>(safe_emalloc(call.count + 1, sizeof(zval), 0));
    for (std::uint32_t i = 0; i < call.count; ++i) ZVAL_COPY_VALUE(&kept_[i], call.argument(i));
  }

  void put(unsigned lane) {
    for (std::uint32_t i = 0; i < call_.count; ++i) {
      zval* place = call_.argument(i);
      if (Z_TYPE(kept_[i]) == IS_UNDEF) {
        ZVAL_UNDEF(place);
        continue;
      }
      const bool reference = Z_ISREF(kept_[i]) && ARG_SHOULD_BE_SENT_BY_REF(call_.function, i + 1);
      zval projected;
      project(&projected, &kept_[i], lane);
      if (reference) {
        SEPARATE_ZVAL_NOREF(&projected);
        ZVAL_NEW_REF(place, &projected);
      } else {
        ZVAL_COPY_VALUE(place, &projected);
      }
    }
  }
  // What the call has left in its parameter by reference.
  void take(std::uint32_t i, zval* out) { ZVAL_COPY(out, Z_REFVAL_P(call_.argument(i))); }
  void clear() {
    for (std::uint32_t i = 0; i < call_.count; ++i) zval_ptr_dtor(call_.argument(i));
  }
  void restore() {
    for (std::uint32_t i = 0; i < call_.count; ++i) ZVAL_COPY_VALUE(call_.argument(i), &kept_[i]);
    efree(kept_);
  }

 private:
  const Call& call_;
  zval* kept_;
};

// In the lane that is worked on. Exceptions are denied.
void run_handler(const Call& call, const std::string& name, zval* out);

// How a function is called by PHP itself, hooks of others included.
extern void (*plain_call)(zend_execute_data*, zval*);
// Per lane; denied if it prints.
void call_per_lane(const Call& call, zval* result);

// Runs the function for each lane, and puts together what it returned and what it left in its parameters by reference.
template <class RunOne>
void run_per_lane(const Call& call, zval* result, RunOne run_one) {
  if ((ZEND_CALL_INFO(call.frame) & ZEND_CALL_HAS_EXTRA_NAMED_PARAMS) != 0) deny("further arguments by name");
  const std::string name = name_of(call.function);
  LaneValues results;
  std::vector<std::unique_ptr<LaneValues>> left(call.count);  // in parameters by reference
  for (std::uint32_t i = 0; i < call.count; ++i) {
    if (!call.by_reference(i)) continue;
    refuse_typed_reference(call.argument(i));
    left[i] = std::make_unique<LaneValues>();
  }
  PerLane arguments(call);
  for (unsigned lane = 0; lane < lanes.count; ++lane) {
    arguments.put(lane);
    {
      const InLane now(lane);
      run_one(name, &results[lane]);
    }
    if (lane == 0 && holds_object(&results[0])) note_free_numbers();
    for (std::uint32_t i = 0; i < call.count; ++i) {
      if (left[i] != nullptr) arguments.take(i, &(*left[i])[lane]);
    }
    arguments.clear();
  }
  arguments.restore();
  for (std::uint32_t i = 0; i < call.count; ++i) {
    if (left[i] == nullptr) continue;
    zval merged;
    left[i]->merge(&merged);
    replace(Z_REFVAL_P(call.argument(i)), &merged);
  }
  results.merge(result);
}

}  // namespace assay::php
