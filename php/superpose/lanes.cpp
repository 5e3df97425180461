#include "superpose/lanes.hpp"

#include <set>

namespace assay::php {

Lanes lanes;
LaneSwitch lane_switch;

namespace {

std::set<std::string> guards_away;

// Where the program is, for whoever wants to have less denied.
std::string place() {
  const zend_execute_data* frame = EG(current_execute_data);
  while (frame != nullptr && (frame->func == nullptr || !ZEND_USER_CODE(frame->func->type)))
    frame = frame->prev_execute_data;
  if (frame == nullptr || frame->func->op_array.filename == nullptr) return {};
  return " at " + std::string(view(frame->func->op_array.filename)) + ":" +
         std::to_string(frame->opline != nullptr ? frame->opline->lineno : 0);
}

}  // namespace

void deny(const std::string& why) {
  if (!lanes.denied) lanes.why = why + place();
  lanes.denied = true;
  zend_bailout();
}

void diverge(std::vector<unsigned> ways, const std::string& why) {
  if (!lanes.denied) lanes.ways = std::move(ways);
  deny(why);
}

void take_guard_away(const std::string& name) {
  guards_away.insert(name);
}

bool stands(const char* guard) {
  return guards_away.empty() || guards_away.count(guard) == 0;
}

}  // namespace assay::php
