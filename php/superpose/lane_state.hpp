// What PHP's C code keeps for a request beside the program's own values, one of each per lane: headers and status, the state of mt_rand and its kin,
// the session. It is in its place while its lane is worked on; while none is, what is there is nobody's.
#pragma once

#include <cstdint>
#include <vector>

#include "superpose/lanes.hpp"

namespace assay::php {

// When a request has begun, as a single one does. One seed per lane.
void begin_lane_state(const std::vector<std::uint64_t>& seeds);
void put_lane_state(unsigned lane);
void take_lane_state();  // that which is in its place, if any is
void forget_lane_state();

// SAPI tells of each header: one of all lanes at once is denied.
int on_header(sapi_header_struct* header, sapi_header_op_enum operation, sapi_headers_struct* headers);
// The first output leaves PHP, and with it the headers of each lane.
void send_headers_of_lanes();

}  // namespace assay::php
