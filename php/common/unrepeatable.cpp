// What a program does to the world beyond files, databases and caches: it runs other programs, speaks to other
// machines, looks into the server's own memory. It happens on the server, and nobody could repeat it.
#include <array>

#include "common/intercept.hpp"
#include "common/world.hpp"

namespace assay::php {

namespace {

void unrepeatable(INTERNAL_FUNCTION_PARAMETERS) {
  if (world != nullptr)
    world->cannot_repeat("calls " + std::string(view(EX(func)->common.function_name)) +
                         "(), whose effect and answer nobody can repeat");
  call_original(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

std::array table = {
    Interception{nullptr, "exec", unrepeatable},
    Interception{nullptr, "shell_exec", unrepeatable},
    Interception{nullptr, "system", unrepeatable},
    Interception{nullptr, "passthru", unrepeatable},
    Interception{nullptr, "proc_open", unrepeatable},
    Interception{nullptr, "popen", unrepeatable},
    Interception{nullptr, "mail", unrepeatable},
    Interception{nullptr, "curl_exec", unrepeatable},
    Interception{nullptr, "curl_multi_exec", unrepeatable},
    Interception{nullptr, "socket_create", unrepeatable},
    Interception{nullptr, "gethostbyname", unrepeatable},
    Interception{nullptr, "gethostbynamel", unrepeatable},
    Interception{nullptr, "gethostbyaddr", unrepeatable},
    Interception{nullptr, "dns_get_record", unrepeatable},
    Interception{nullptr, "dns_get_mx", unrepeatable},
    Interception{nullptr, "getmxrr", unrepeatable},
    Interception{nullptr, "dns_check_record", unrepeatable},
    Interception{nullptr, "checkdnsrr", unrepeatable},
    Interception{nullptr, "apcu_cache_info", unrepeatable},
    Interception{nullptr, "apcu_sma_info", unrepeatable},
    Interception{nullptr, "apcu_key_info", unrepeatable},
    Interception{nullptr, "opcache_get_status", unrepeatable},
    Interception{nullptr, "realpath_cache_get", unrepeatable},
    Interception{nullptr, "realpath_cache_size", unrepeatable},
    Interception{"sqlite3", "open", unrepeatable},
    Interception{"sqlite3", "__construct", unrepeatable},
};

}  // namespace

Rows unrepeatable_rows() {
  return {table.data(), table.data() + table.size()};
}

}  // namespace assay::php
