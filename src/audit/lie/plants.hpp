// Each plants one lie in a draft, at a place drawn from a seed: false, and no change, if there is none. What they are
// called and what they are stands in the table of tamper.cpp.
#pragma once

#include "audit/draft.hpp"

namespace assay::audit::lie {

// trace_lies.cpp
bool flip_body(Draft& draft, std::uint64_t seed);
bool truncate_body(Draft& draft, std::uint64_t seed);
bool change_header(Draft& draft, std::uint64_t seed);
bool change_status(Draft& draft, std::uint64_t seed);
bool duplicate_response(Draft& draft, std::uint64_t seed);
bool swap_responses(Draft& draft, std::uint64_t seed);
bool drop_request(Draft& draft, std::uint64_t seed);
bool answer_stale(Draft& draft, std::uint64_t seed);
bool answer_as_somebody_else(Draft& draft, std::uint64_t seed);

// log_lies.cpp
bool drop_operation(Draft& draft, std::uint64_t seed);
bool hide_operation(Draft& draft, std::uint64_t seed);
bool duplicate_operation(Draft& draft, std::uint64_t seed);
bool forge_operation(Draft& draft, std::uint64_t seed);
bool reorder_requests(Draft& draft, std::uint64_t seed);
bool reorder_program(Draft& draft, std::uint64_t seed);
bool retarget_operation(Draft& draft, std::uint64_t seed);
bool exchange_owners(Draft& draft, std::uint64_t seed);
bool change_key_value(Draft& draft, std::uint64_t seed);
bool change_session(Draft& draft, std::uint64_t seed);
bool change_statement(Draft& draft, std::uint64_t seed);
bool claim_busy(Draft& draft, std::uint64_t seed);
bool deny_busy(Draft& draft, std::uint64_t seed);
bool swap_changes(Draft& draft, std::uint64_t seed);
bool move_read(Draft& draft, std::uint64_t seed);
bool lose_update(Draft& draft, std::uint64_t seed);

// value_lies.cpp
bool count_more(Draft& draft, std::uint64_t seed);
bool count_less(Draft& draft, std::uint64_t seed);
bool drop_count(Draft& draft, std::uint64_t seed);
bool drop_group(Draft& draft, std::uint64_t seed);
bool merge_groups(Draft& draft, std::uint64_t seed);
bool clock_outside(Draft& draft, std::uint64_t seed);
bool clock_backwards(Draft& draft, std::uint64_t seed);
bool wrong_random(Draft& draft, std::uint64_t seed);
bool drop_value(Draft& draft, std::uint64_t seed);

}  // namespace assay::audit::lie
