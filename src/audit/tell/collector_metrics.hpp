// The collector's counters in the text format of Prometheus.
#pragma once

#include <string>

#include "audit/front/front.hpp"

namespace assay::audit::front {

std::string metrics_text(const Counters& counts);

}  // namespace assay::audit::front
