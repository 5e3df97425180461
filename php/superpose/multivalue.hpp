// A value that differs between lanes: an object of a class that no program can name, with one plain value per lane (null,
// a boolean, a number, a string, an array of such). Whatever C code does to it but move it is denied.
#pragma once

#include "superpose/lanes.hpp"

namespace assay::php {

// Before PHP runs a request, once.
void register_multivalue();
// Multivalues are used again within a request and forgotten with it.
void forget_multivalues();

extern zend_class_entry* multivalue_class;

struct Multivalue {
  zval* values;  // one per lane
  zend_object object;
};

inline Multivalue* multivalue_of(zend_object* object) {
  return reinterpret_cast<Multivalue*>(reinterpret_cast<char*>(object) - XtOffsetOf(Multivalue, object));
}

// References are not looked through.
inline bool is_multi(const zval* value) {
  return Z_TYPE_P(value) == IS_OBJECT && Z_OBJCE_P(value) == multivalue_class;
}

// An object whose state differs (laned.cpp): is it one, and which is that of a lane? REQUIRES: an object.
bool is_laned(const zval* value);
zend_object* laned_object(const zval* value, unsigned lane);
// If that is what the values of the lanes are: puts it into `out`.
bool merge_laned(zval* out, zval* values);

inline zval* behind(zval* value) {
  if (Z_TYPE_P(value) == IS_INDIRECT) value = Z_INDIRECT_P(value);
  ZVAL_DEREF(value);
  return value;
}

// What a value is in one lane, if it is not an array that has multivalues inside.
inline zval* in_lane(zval* value, unsigned lane) {
  ZVAL_DEREF(value);
  return is_multi(value) ? &multivalue_of(Z_OBJ_P(value))->values[lane] : value;
}

// Is it a multivalue or an object whose state differs, or an array with one in it at any depth? Objects are not looked into.
bool holds_multi(zval* value);

// Is it an object of the program or of PHP, or an array with one in it?
bool holds_object(zval* value);

// A copy of what a value is in one lane.
void project(zval* out, zval* value, unsigned lane);

// The values, one per lane and all of them plain, become the multivalue's own.
void make_multi(zval* out, zval* values);

// One value per lane, while it is being made. Memory is PHP's, so that a denial in between leaves nothing behind.
class LaneValues {
 public:
  LaneValues() : values_(static_cast<zval*>(safe_emalloc(lanes.count, sizeof(zval), 0))) {
    for (unsigned i = 0; i < lanes.count; ++i) ZVAL_UNDEF(&values_[i]);
  }
  ~LaneValues() {
    if (values_ == nullptr) return;
    for (unsigned i = 0; i < lanes.count; ++i) zval_ptr_dtor(&values_[i]);
    efree(values_);
  }
  LaneValues(LaneValues&& other) noexcept : values_(other.values_) { other.values_ = nullptr; }
  LaneValues(const LaneValues&) = delete;
  LaneValues& operator=(const LaneValues&) = delete;

  zval& operator[](unsigned lane) { return values_[lane]; }
  // Puts what they are together into `out`, which is taken for uninitialised. They are empty then.
  void merge(zval* out);
  // The same of plain values, as a multivalue even if they are the same.
  void keep_apart(zval* out);

 private:
  zval* values_;
};

// Objects that lanes make one after the other are merged, too. When the first lane has made its own: which numbers of objects are free.
void note_free_numbers();
void forget_merges();

// Of a value, in each lane. An array with multivalues in it is projected once per lane.
class Operand {
 public:
  explicit Operand(zval* value) : value_(behind(value)) {
    ZVAL_UNDEF(&copy_);
    if (is_multi(value_)) {
      kind_ = Kind::multi;
    } else if (Z_TYPE_P(value_) == IS_ARRAY && holds_multi(value_)) {
      kind_ = Kind::holder;
    }
  }
  ~Operand() { zval_ptr_dtor(&copy_); }
  Operand(const Operand&) = delete;
  Operand& operator=(const Operand&) = delete;

  bool differs() const { return kind_ != Kind::common; }
  zval* at(unsigned lane) {
    if (kind_ == Kind::common) return value_;
    if (kind_ == Kind::multi) return &multivalue_of(Z_OBJ_P(value_))->values[lane];
    zval_ptr_dtor(&copy_);
    project(&copy_, value_, lane);
    return &copy_;
  }

 private:
  enum class Kind : unsigned char { common, multi, holder };
  zval* value_;
  Kind kind_ = Kind::common;
  zval copy_;
};

}  // namespace assay::php
