#include "audit/tell/collector_metrics.hpp"

#include <fmt/format.h>

#include <string_view>

namespace assay::audit::front {

namespace {

void put(std::string& out, std::string_view name, std::string_view help, std::uint64_t value) {
  out +=
      fmt::format("# HELP assay_collect_{0} {1}\n# TYPE assay_collect_{0} counter\nassay_collect_{0} {2}\n",
                  name, help, value);
}

}  // namespace

std::string metrics_text(const Counters& counts) {
  std::string out;
  put(out, "connections_total", "Connections of clients that were accepted", counts.connections);
  put(out, "connections_turned_away_total", "Connections above the places of their address",
      counts.connections_turned_away);
  put(out, "refused_total", "Requests that the collector answered itself and did not record", counts.refused);
  put(out, "requests_total", "Requests that were recorded", counts.requests);
  out += "# HELP assay_collect_responses_total Responses, by how they ended\n";
  out += "# TYPE assay_collect_responses_total counter\n";
  for (const auto& [end, count] : {std::pair<std::string_view, std::uint64_t>{"complete", counts.complete},
                                   {"client_gone", counts.client_gone},
                                   {"server_gone", counts.server_gone},
                                   {"refused", counts.php_refused},
                                   {"given_up", counts.given_up}}) {
    out += fmt::format("assay_collect_responses_total{{end=\"{}\"}} {}\n", end, count);
  }
  put(out, "trace_bytes_total", "Bytes of the trace", counts.trace_bytes);
  return out;
}

}  // namespace assay::audit::front
