#include "superpose/laned.hpp"

#include <map>
#include <unordered_map>

extern "C" {
#include <ext/date/php_date.h>
}

namespace assay::php {

namespace {

struct Laned {
  const zend_object_handlers* plain = nullptr;
  std::vector<zend_object*> others;  // of the lanes behind the first
};
std::unordered_map<const zend_object*, Laned> laned;
std::map<const zend_object_handlers*, zend_object_handlers> traps;
bool making_dates = false;

// Objects of other lanes take numbers at the end and keep them, so that those of the program have the numbers they would have without.
class HiddenNumbers {
 public:
  HiddenNumbers() : free_(EG(objects_store).free_list_head) { EG(objects_store).free_list_head = -1; }
  ~HiddenNumbers() { EG(objects_store).free_list_head = free_; }
  HiddenNumbers(const HiddenNumbers&) = delete;
  HiddenNumbers& operator=(const HiddenNumbers&) = delete;

 private:
  int free_;
};

// The object of the first lane as it is, while that lane is worked on.
class Bare {
 public:
  explicit Bare(zend_object* object) : object_(object), trapped_(object->handlers) {
    object->handlers = laned.at(object).plain;
  }
  ~Bare() { object_->handlers = trapped_; }
  Bare(const Bare&) = delete;
  Bare& operator=(const Bare&) = delete;

 private:
  zend_object* object_;
  const zend_object_handlers* trapped_;
};

bool is_date_class(const zend_class_entry* ce) {
  return ce == php_date_get_date_ce() || ce == php_date_get_immutable_ce() ||
         ce == php_date_get_timezone_ce() || ce == php_date_get_interval_ce();
}

void free_laned(zend_object* object) {
  const auto found = laned.find(object);
  const Laned own = found->second;
  laned.erase(found);
  object->handlers = own.plain;
  {
    const HiddenNumbers hidden;
    for (zend_object* other : own.others) OBJ_RELEASE(other);
  }
  own.plain->free_obj(object);
}

zval* read_property(zend_object* object, zend_string* name, int type, void**, zval* out) {
  if (type != BP_VAR_R && type != BP_VAR_IS) deny("a property of a date that differs is written");
  const Laned& own = laned.at(object);
  const zend_object_handlers* plain = own.plain;
  LaneValues values = per_lane([&](unsigned lane, zval* each) {
    zval hold;
    ZVAL_UNDEF(&hold);
    zend_object* at = lane == 0 ? object : own.others[lane - 1];
    const zval* found = plain->read_property(at, name, type, nullptr, &hold);
    ZVAL_COPY(each, behind(const_cast<zval*>(found)));
    if (found == &hold) zval_ptr_dtor(&hold);
  });
  values.merge(out);
  return out;
}

[[noreturn]] void refuse() {
  deny("a date that differs is used in another way");
}

const zend_object_handlers* trapped(const zend_object_handlers* plain) {
  const auto known = traps.find(plain);
  if (known != traps.end()) return &known->second;
  zend_object_handlers& handlers = traps[plain];
  handlers = *plain;
  handlers.free_obj = free_laned;
  handlers.clone_obj = [](zend_object*) -> zend_object* { refuse(); };
  handlers.read_property = read_property;
  handlers.write_property = [](zend_object*, zend_string*, zval*, void**) -> zval* { refuse(); };
  handlers.read_dimension = [](zend_object*, zval*, int, zval*) -> zval* { refuse(); };
  handlers.write_dimension = [](zend_object*, zval*, zval*) { refuse(); };
  handlers.get_property_ptr_ptr = [](zend_object*, zend_string*, int, void**) -> zval* { refuse(); };
  handlers.has_property = [](zend_object*, zend_string*, int, void**) -> int { refuse(); };
  handlers.unset_property = [](zend_object*, zend_string*, void**) { refuse(); };
  handlers.has_dimension = [](zend_object*, zval*, int) -> int { refuse(); };
  handlers.unset_dimension = [](zend_object*, zval*) { refuse(); };
  handlers.get_properties = [](zend_object*) -> HashTable* { refuse(); };
  handlers.cast_object = [](zend_object*, zval*, int) -> zend_result { refuse(); };
  handlers.count_elements = [](zend_object*, zend_long*) -> zend_result { refuse(); };
  handlers.get_debug_info = [](zend_object*, int*) -> HashTable* { refuse(); };
  handlers.do_operation = [](zend_uchar, zval*, zval*, zval*) -> zend_result { refuse(); };
  handlers.compare = [](zval*, zval*) -> int { refuse(); };
  handlers.get_properties_for = [](zend_object*, zend_prop_purpose) -> HashTable* { refuse(); };
  handlers.get_gc = [](zend_object*, zval** table, int* size) -> HashTable* {
    *table = nullptr;
    *size = 0;
    return nullptr;
  };
  return &handlers;
}

// The others are its own.
void make_laned(zend_object* object, std::vector<zend_object*> others) {
  if (object->properties != nullptr) deny("a date with properties of its own");
  const zend_object_handlers* plain = object->handlers;
  laned[object] = {plain, std::move(others)};
  object->handlers = trapped(plain);
}

// An object that was the same in all lanes, and will not be.
void part(zend_object* object, bool unmade) {
  std::vector<zend_object*> others;
  const HiddenNumbers hidden;
  for (unsigned i = 1; i < lanes.count; ++i) {
    if (unmade) {
      zval made;
      object_init_ex(&made, object->ce);
      others.push_back(Z_OBJ(made));
    } else {
      others.push_back(object->handlers->clone_obj(object));
    }
  }
  make_laned(object, std::move(others));
}

// In its place as `this` of the call.
void run_on(const Call& call, zend_object* object, const std::string& name, zval* out) {
  zval* place = &call.frame->This;
  zend_object* kept = Z_OBJ_P(place);
  Z_OBJ_P(place) = object;
  run_handler(call, name, out);
  Z_OBJ_P(place) = kept;
}

void run_one(const Call& call, zend_object* object, const std::string& name, zval* out) {
  const unsigned lane = lanes.current;
  if (lane != 0) {
    const HiddenNumbers hidden;
    return object != nullptr ? run_on(call, laned.at(object).others[lane - 1], name, out)
                             : run_handler(call, name, out);
  }
  std::vector<std::unique_ptr<Bare>> bare;
  if (object != nullptr) bare.push_back(std::make_unique<Bare>(object));
  for (std::uint32_t i = 0; i < call.count; ++i) {
    zval* argument = behind(call.argument(i));
    if (Z_TYPE_P(argument) == IS_OBJECT && is_laned(argument))
      bare.push_back(std::make_unique<Bare>(Z_OBJ_P(argument)));
  }
  run_handler(call, name, out);
}

}  // namespace

bool is_laned(const zval* value) {
  return !laned.empty() && laned.count(Z_OBJ_P(value)) != 0;
}

zend_object* laned_object(const zval* value, unsigned lane) {
  return lane == 0 ? Z_OBJ_P(value) : laned.at(Z_OBJ_P(value)).others[lane - 1];
}

// That of the first lane with those that belong to it; or dates that were just made.
bool merge_laned(zval* out, zval* values) {
  for (unsigned i = 0; i < lanes.count; ++i) {
    if (Z_TYPE(values[i]) != IS_OBJECT || Z_OBJCE(values[i]) != Z_OBJCE(values[0])) return false;
  }
  if (!is_date_class(Z_OBJCE(values[0]))) return false;
  if (is_laned(&values[0])) {
    for (unsigned i = 1; i < lanes.count; ++i) {
      if (Z_OBJ(values[i]) != laned_object(&values[0], i)) return false;
    }
    for (unsigned i = 1; i < lanes.count; ++i) OBJ_RELEASE(Z_OBJ(values[i]));
    ZVAL_COPY_VALUE(out, &values[0]);
    return true;
  }
  if (!making_dates) return false;
  std::vector<zend_object*> others;
  for (unsigned i = 0; i < lanes.count; ++i) {
    if (GC_REFCOUNT(Z_OBJ(values[i])) != 1) return false;
    if (i > 0) others.push_back(Z_OBJ(values[i]));
  }
  make_laned(Z_OBJ(values[0]), std::move(others));
  ZVAL_COPY_VALUE(out, &values[0]);
  return true;
}

void call_date(const Call& call, zval* result) {
  const std::string name = name_of(call.function);
  const bool constructs = name.size() > 13 && name.compare(name.size() - 13, 13, "::__construct") == 0;
  const bool asks_clock = (constructs && name.compare(0, 8, "datetime") == 0 && name[8] != 'z') ||
                          name.find("::createfromformat") != std::string::npos;
  const bool has_object = Z_TYPE(call.frame->This) == IS_OBJECT;
  bool differs = asks_clock || (has_object && is_laned(&call.frame->This));
  for (std::uint32_t i = 0; i < call.count; ++i) {
    if (Z_TYPE_P(behind(call.argument(i))) == IS_ARRAY) deny("an array for a date");
    differs = differs || holds_multi(call.argument(i));
  }
  if (!differs) return plain_call(call.frame, result);
  zend_object* object = has_object ? Z_OBJ(call.frame->This) : nullptr;
  if (object != nullptr && !is_date_class(object->ce)) deny("a class of dates of the program's own");
  if (object == nullptr && !is_date_class(Z_CE(call.frame->This)))
    deny("a class of dates of the program's own");
  if (object != nullptr && !is_laned(&call.frame->This)) part(object, constructs);
  making_dates = true;
  run_per_lane(call, result, [&](const std::string& own, zval* out) { run_one(call, object, own, out); });
  making_dates = false;
}

void forget_laned() {
  laned.clear();
  making_dates = false;
}

}  // namespace assay::php
