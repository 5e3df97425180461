// assay_record: the extension that makes an unmodified PHP write reports for an audit. Without assay.reports
// it does nothing at all: no function is replaced, no code is patched.
#include <sys/random.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>

#include "common/code_tree.hpp"
#include "common/collector.hpp"
#include "common/intercept.hpp"
#include "common/php.hpp"
#include "common/system_calls.hpp"
#include "record/digest.hpp"
#include "record/live_world.hpp"

namespace assay::php {

namespace {

Shared shared;
Journal journal;
Log request_log(shared, journal);
std::unique_ptr<LiveWorld> live_world;
pid_t owner = 0;  // of the journal
bool recording = false;

zend_result (*next_post_startup)() = nullptr;

void complain(const std::string& what) {
  zend_error(E_CORE_ERROR, "assay: %s", what.c_str());
}

// All extensions have started, and opcache has not compiled anything.
zend_result after_startup() {
  install_interceptions();
  if (!find_collector())
    zend_error(E_CORE_WARNING,
               "assay: when this PHP looks for garbage cannot be repeated; a program that shows it will not "
               "pass an audit");
  return next_post_startup != nullptr ? next_post_startup() : SUCCESS;
}

DigestWay wanted_digest() {
  const std::string_view wanted = INI_STR("assay.digest");
  if (wanted == "0") return DigestWay::operations;
  if (wanted == "alternate") return DigestWay::alternate;
  return wanted == "handlers" ? DigestWay::handlers : DigestWay::detours;
}

bool start() {
  const std::string reports = INI_STR("assay.reports");
  std::string trouble =
      shared.open(reports + "/shared", static_cast<std::size_t>(INI_INT("assay.memory")) << 20);
  if (trouble.empty() && !redirect_system_calls()) trouble = "the clock of this PHP cannot be redirected";
  if (!trouble.empty()) {
    complain(trouble);
    return false;
  }
  const std::string no_detours = start_digest(wanted_digest());
  if (!no_detours.empty())
    zend_error(E_CORE_WARNING, "assay: %s; branches are recorded in a slower way", no_detours.c_str());
  set_code_tree(INI_STR("assay.code"));
  next_post_startup = zend_post_startup_cb;
  zend_post_startup_cb = after_startup;
  return true;
}

// Each process writes a report of its own.
bool own_journal() {
  if (owner == getpid() && !request_log.full()) return journal.is_open();
  if (owner == getpid()) {
    journal.close();
  } else {
    journal.forget();  // it is the parent's
  }
  owner = getpid();
  const std::uint64_t number = shared.head().workers.fetch_add(1) + 1;
  const std::string trouble = journal.open(INI_STR("assay.reports"), number);
  if (!trouble.empty()) {
    zend_error(E_WARNING, "assay: %s; this server will not pass an audit", trouble.c_str());
    return false;
  }
  request_log.begin_report();
  live_world = std::make_unique<LiveWorld>(shared, request_log, number);
  return true;
}

// The number that the collector gave it. Who came past the collector gets one from the other end, and the
// audit will say so.
std::uint64_t request_number() {
  std::uint64_t number = 0;
  if (char* text = sapi_getenv("ASSAY_RID", 9)) {
    number = std::strtoull(text, nullptr, 10);
    efree(text);
  }
  return number != 0 ? number : wire::kLargestRid - shared.head().strangers.fetch_add(1);
}

// PHP may have looked at the clock for this request already; then that is when it began.
std::uint64_t beginning() {
  std::uint64_t clock = true_clock();
  if (SG(global_request_time) > 0) {
    clock = static_cast<std::uint64_t>(SG(global_request_time) * 1e6 + 0.5) * 1000;
  } else {
    const std::uint64_t microseconds = clock / 1000;
    SG(global_request_time) = static_cast<double>(microseconds) / 1e6;
  }
  return clock;
}

zend_result request_startup(int, int) {
  if (!recording || !own_journal()) return SUCCESS;
  watch_branches();
  const std::uint64_t number = request_number();
  begin_digest(number);
  request_log.begin(number);
  live_world->begin(beginning());
  std::uint64_t seed = 0;
  if (getrandom(&seed, sizeof seed, 0) != sizeof seed) seed = true_clock();
  std::string value;
  wire::put_u64(value, seed);
  request_log.told(wire::NdKind::random_seed, value);
  begin_intercepted_request(seed);
  world = live_world.get();
  return SUCCESS;
}

zend_result request_shutdown(int, int) {
  release_locks();
  return SUCCESS;
}

// After everything that belongs to the request is gone, its database connections too, and before the end of
// its response is sent.
zend_result request_is_over() {
  if (world == nullptr) return SUCCESS;
  live_world->end();
  request_log.end(digest());
  world = nullptr;
  return SUCCESS;
}

PHP_INI_BEGIN()
PHP_INI_ENTRY("assay.reports", "", PHP_INI_SYSTEM, nullptr)
PHP_INI_ENTRY("assay.code", "", PHP_INI_SYSTEM, nullptr)
PHP_INI_ENTRY("assay.digest", "1", PHP_INI_SYSTEM, nullptr)
PHP_INI_ENTRY("assay.memory", "64", PHP_INI_SYSTEM, nullptr)
PHP_INI_END()

zend_result module_startup(int, int module_number) {
  zend_register_ini_entries(ini_entries, module_number);
  const char* reports = INI_STR("assay.reports");
  recording = reports != nullptr && *reports != 0 && start();
  return SUCCESS;
}

zend_result module_shutdown(int, int module_number) {
  if (owner == getpid()) journal.close();
  zend_unregister_ini_entries(module_number);
  return SUCCESS;
}

}  // namespace

}  // namespace assay::php

extern "C" {

zend_module_entry assay_record_module_entry = {STANDARD_MODULE_HEADER,
                                               "assay_record",
                                               nullptr,
                                               assay::php::module_startup,
                                               assay::php::module_shutdown,
                                               assay::php::request_startup,
                                               assay::php::request_shutdown,
                                               nullptr,
                                               "1",
                                               0,
                                               nullptr,
                                               nullptr,
                                               nullptr,
                                               assay::php::request_is_over,
                                               STANDARD_MODULE_PROPERTIES_EX};

ZEND_GET_MODULE(assay_record)
}
