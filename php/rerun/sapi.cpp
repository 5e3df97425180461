#include "rerun/sapi.hpp"

#include <cstdlib>
#include <cstring>

#include "common/collector.hpp"
#include "common/intercept.hpp"
#include "common/php.hpp"
#include "common/system_calls.hpp"
#include "rerun/outer_files.hpp"
#include "superpose/builtins.hpp"
#include "superpose/errors.hpp"
#include "superpose/guard.hpp"
#include "superpose/lane_state.hpp"
#include "superpose/lanes.hpp"
#include "superpose/multivalue.hpp"
#include "superpose/output.hpp"

extern "C" {
#include <php_main.h>
#include <php_variables.h>
}

namespace assay::php {

namespace {

SapiOptions settings;
Pipe* to_auditor = nullptr;
ToldWorld* told_world = nullptr;

// The request that runs now.
struct Current {
  const wire::RunOrder* order = nullptr;
  std::size_t read = 0;  // of its input
  std::size_t output = 0;
  std::string pending;  // output that was not sent yet
} current;

std::vector<std::string> lane_headers;  // of a group

constexpr std::size_t kPiece = std::size_t{1} << 16;

std::string parameter(std::string_view name) {
  for (const wire::Pair& pair : current.order->params) {
    if (pair.name == name) return std::string(pair.value);
  }
  return {};
}

void send_pending() {
  if (!current.pending.empty()) to_auditor->send(wire::FromWorker::output, current.pending);
  current.pending.clear();
}

size_t write_output(const char* text, size_t size) {
  if (superposed()) {
    receive_output({text, size});
    if (output_size() > settings.most_output) deny("too much output");
    return size;
  }
  if (told_world->ending() != wire::Ending::complete) return size;
  current.output += size;
  if (current.output > settings.most_output) told_world->stop(wire::Ending::limit);
  current.pending.append(text, size);
  if (current.pending.size() >= kPiece) send_pending();
  return size;
}

void flush_nothing(void*) {}

// As a FastCGI server's front would read them: the status is not a header.
int send_headers(sapi_headers_struct* headers) {
  if (superposed() && lanes.current == kNoLane) {
    send_headers_of_lanes();
    return SAPI_HEADER_SENT_SUCCESSFULLY;
  }
  auto status = static_cast<std::uint64_t>(headers->http_response_code);
  wire::Pairs pairs;
  for (zend_llist_element* each = headers->headers.head; each != nullptr; each = each->next) {
    const auto* header = reinterpret_cast<const sapi_header_struct*>(each->data);
    const std::string_view line(header->header, header->header_len);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view name = line.substr(0, colon);
    std::string_view value = line.substr(colon + 1);
    while (!value.empty() && (value.front() == ' ' || value.front() == '\t')) value.remove_prefix(1);
    while (!value.empty() && (value.back() == ' ' || value.back() == '\t')) value.remove_suffix(1);
    if (name.size() == 6 && strncasecmp(name.data(), "status", 6) == 0) {
      status = std::strtoull(std::string(value).c_str(), nullptr, 10);
    } else {
      pairs.push_back({name, value});
    }
  }
  std::string body;
  wire::put_natural(body, status);
  wire::put_pairs(body, pairs);
  if (superposed()) {
    lane_headers.resize(lanes.count);
    lane_headers[lanes.current] = body;
    return SAPI_HEADER_SENT_SUCCESSFULLY;
  }
  if (told_world->ending() == wire::Ending::complete) to_auditor->send(wire::FromWorker::headers, body);
  return SAPI_HEADER_SENT_SUCCESSFULLY;
}

size_t read_input(char* out, size_t size) {
  const std::string_view rest = current.order->stdin_bytes.substr(current.read);
  const std::size_t taken = std::min(size, rest.size());
  std::memcpy(out, rest.data(), taken);
  current.read += taken;
  return taken;
}

char* read_cookies() {
  static std::string cookies;
  cookies = parameter("HTTP_COOKIE");
  return cookies.empty() ? nullptr : cookies.data();
}

void set_variable(const std::string& name, const std::string& value, zval* into) {
  char* text = estrndup(value.data(), value.size());
  size_t size = value.size();
  if (sapi_module.input_filter(PARSE_SERVER, name.c_str(), &text, value.size(), &size) != 0) {
    php_register_variable_safe(name.c_str(), text, size, into);
  }
  efree(text);
}

// PHP's FastCGI library keeps parameters in a list whose newest is first, below which it has put its own.
void register_variables(zval* into) {
  const wire::Pairs& params = current.order->params;
  for (std::size_t i = params.size(); i-- > 0;)
    set_variable(std::string(params[i].name), std::string(params[i].value), into);
  set_variable("FCGI_ROLE", "RESPONDER", into);
  set_variable("PHP_SELF", parameter("SCRIPT_NAME") + parameter("PATH_INFO"), into);
}

char* get_environment(const char* name, size_t size) {
  if (superposed() && lanes.current == kNoLane) deny("the environment");
  static std::string value;
  value = parameter({name, size});
  return value.empty() ? nullptr : value.data();
}

void log_message(const char*, int) {}

zend_result request_time(double* out) {
  const std::uint64_t microseconds = told_world->clock_standing() / 1000;
  *out = static_cast<double>(microseconds) / 1e6;
  return SUCCESS;
}

void set_ini_defaults(HashTable* configuration) {
  zval value;
  ZVAL_NEW_STR(&value, zend_string_init("1", 1, 1));
  zend_hash_str_update(configuration, "display_errors", std::strlen("display_errors"), &value);
}

int start_module(sapi_module_struct* module) {
  return php_module_startup(module, nullptr);
}

// What php-fpm adds to PHP; the interception table says what they do.
PHP_FUNCTION(fastcgi_finish_request) {
  (void)execute_data;
  RETURN_TRUE;
}
ZEND_BEGIN_ARG_INFO_EX(no_arguments, 0, 0, 0)
ZEND_END_ARG_INFO()
const zend_function_entry fpm_functions[] = {PHP_FE(fastcgi_finish_request, no_arguments) PHP_FE_END};

// The server's ini file holds; this is what must differ. The recorder has nothing to record, and limits on
// time are the auditor's.
char ini_entries[] =
    "assay.reports=\"\"\nlog_errors=0\nmax_execution_time=0\nopcache.file_update_protection=0\n"
    "opcache.validate_timestamps=0\nopcache.jit=disable\n";

// The guard is on the plain instructions, and all superglobals are there before the program runs.
char group_ini_entries[] =
    "assay.reports=\"\"\nlog_errors=0\nmax_execution_time=0\nopcache.file_update_protection=0\n"
    "opcache.validate_timestamps=0\nopcache.jit=disable\nopcache.optimization_level=0\nauto_globals_jit=0\n";

sapi_module_struct make_module() {
  sapi_module_struct module{};
  module.name = settings.name.data();
  module.pretty_name = settings.name.data();
  module.startup = start_module;
  module.shutdown = php_module_shutdown_wrapper;
  module.ub_write = write_output;
  module.flush = flush_nothing;
  module.getenv = get_environment;
  module.sapi_error = php_error;
  module.header_handler = settings.superpose ? on_header : nullptr;
  module.send_headers = send_headers;
  module.read_post = read_input;
  module.read_cookies = read_cookies;
  module.register_server_variables = register_variables;
  module.log_message = log_message;
  module.get_request_time = request_time;
  module.php_ini_path_override = settings.ini.data();
  module.php_ini_ignore_cwd = 1;
  module.ini_defaults = set_ini_defaults;
  if (settings.name == "fpm-fcgi") module.additional_functions = fpm_functions;
  return module;
}

sapi_module_struct module;

}  // namespace

void fill_request_info(RequestStrings& strings) {
  strings.method = parameter("REQUEST_METHOD");
  strings.query = parameter("QUERY_STRING");
  strings.script = parameter("SCRIPT_FILENAME");
  strings.uri = parameter("SCRIPT_NAME");
  strings.content_type = parameter("CONTENT_TYPE");
  strings.authorization = parameter("HTTP_AUTHORIZATION");
  sapi_request_info& info = SG(request_info);
  info.request_method = strings.method.c_str();
  info.query_string = strings.query.data();
  info.path_translated = estrdup(strings.script.c_str());
  info.request_uri = strings.uri.data();
  info.content_type = strings.content_type.c_str();
  info.content_length = std::atol(parameter("CONTENT_LENGTH").c_str());
  php_handle_auth_data(strings.authorization.empty() ? nullptr : strings.authorization.c_str());
  SG(sapi_headers).http_response_code = 200;
}

void execute_script() {
  zend_file_handle script;
  zend_stream_init_filename(&script, SG(request_info).path_translated);
  script.primary_script = true;
  if (php_fopen_primary_script(&script) == FAILURE) {
    zend_try {
      SG(sapi_headers).http_response_code = 404;
      const char* sorry = settings.name == "fpm-fcgi" ? "File not found.\n" : "No input file specified.\n";
      php_output_write(sorry, std::strlen(sorry));
    }
    zend_end_try();
  } else {
    php_execute_script(&script);
  }
  zend_destroy_file_handle(&script);
}

std::string start_php(const SapiOptions& options, Pipe& pipe) {
  settings = options;
  to_auditor = &pipe;
  module = make_module();
  zend_signal_startup();
  sapi_startup(&module);  // forgets ini entries
  module.ini_entries = options.superpose ? group_ini_entries : ini_entries;
  if (module.startup(&module) == FAILURE) return "PHP does not start";
  if (options.superpose) {
    register_multivalue();
    raise_guard();
    watch_builtins();
    watch_errors();
  }
  install_interceptions();
  find_collector();
  shut_outer_files();
  if (!redirect_system_calls()) return "the clock of this PHP cannot be redirected";
  return {};
}

void end_php() {
  php_module_shutdown();
  sapi_shutdown();
}

void take_order(const wire::RunOrder& order, ToldWorld& told) {
  current = Current();
  current.order = &order;
  told_world = &told;
}

void speak_for(const wire::RunOrder& order) {
  current.order = &order;
}

const std::string& headers_of(unsigned lane) {
  static const std::string none;
  return lane < lane_headers.size() ? lane_headers[lane] : none;
}

void forget_headers() {
  lane_headers.clear();
}

void run_request(const wire::RunOrder& order, ToldWorld& told) {
  take_order(order, told);
  told_world->begin(order);
  RequestStrings strings;
  SG(server_context) = &current;
  fill_request_info(strings);
  if (php_request_startup() == FAILURE) {
    const wire::Finished failed{{}, wire::Ending::trouble, "PHP does not start the request"};
    to_auditor->send(wire::FromWorker::finished, wire::encode(failed));
    return;
  }
  begin_intercepted_request(told_world->seed());
  world = told_world;
  if (told_world->ending() == wire::Ending::complete) execute_script();
  php_request_shutdown(nullptr);
  world = nullptr;
  send_pending();
  to_auditor->send(
      wire::FromWorker::finished,
      wire::encode(wire::Finished{told_world->take_asked(), told_world->ending(), told_world->why()}));
}

}  // namespace assay::php
