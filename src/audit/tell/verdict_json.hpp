// A verdict told to a machine: one JSON object, described in docs/json-schema.json under "audit".
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "audit/verdict.hpp"

namespace assay::audit {

nlohmann::ordered_json verdict_json(const Verdict& verdict);

}  // namespace assay::audit
