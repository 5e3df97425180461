// What is not here is denied.
#include <sstream>
#include <unordered_map>

#include "superpose/builtins.hpp"

namespace assay::php {

namespace {

using Table = std::unordered_map<std::string, Builtin>;

// The result depends on the arguments, and on settings that only `shared` functions change. Their errors are warnings or
// exceptions, or the last error of their kind, which is looked at.
constexpr const char* kPure = R"(
  preg_match preg_match_all preg_replace preg_split preg_quote preg_grep json_encode json_decode serialize unserialize
  sprintf vsprintf number_format htmlspecialchars htmlspecialchars_decode html_entity_decode htmlentities nl2br strip_tags
  wordwrap ucwords lcfirst ucfirst strtolower strtoupper trim ltrim rtrim chop substr substr_count substr_replace substr_compare
  strpos stripos strrpos strripos strstr stristr strrchr strcmp strcasecmp strncmp strncasecmp strnatcmp strnatcasecmp strlen
  str_replace str_ireplace str_pad str_repeat str_split str_contains str_starts_with str_ends_with strrev strtr strspn strcspn
  str_word_count similar_text levenshtein soundex metaphone chunk_split addslashes stripslashes addcslashes stripcslashes
  quotemeta ord chr bin2hex hex2bin dechex hexdec decbin bindec octdec decoct base_convert md5 sha1 crc32 hash hash_hmac
  base64_encode base64_decode urlencode urldecode rawurlencode rawurldecode parse_url parse_str http_build_query
  implode join explode intval floatval doubleval strval boolval is_numeric is_int is_integer is_long is_string is_bool is_array
  is_null is_float is_double is_scalar is_iterable gettype get_debug_type settype abs ceil floor round sqrt pow exp log log10 sin
  cos tan intdiv fmod max min pi fdiv array_sum array_product in_array array_search array_unique array_flip array_combine
  array_column array_count_values array_fill_keys array_pad array_diff array_intersect array_diff_assoc array_intersect_assoc
  range sort rsort asort arsort ksort krsort natsort natcasesort array_change_key_case
  mb_strlen mb_substr mb_strpos mb_stripos mb_strrpos mb_strtolower mb_strtoupper mb_substr_count mb_convert_case mb_check_encoding
  mb_convert_encoding mb_strwidth mb_detect_encoding mb_str_split iconv iconv_strlen utf8_encode utf8_decode
  ctype_alnum ctype_alpha ctype_digit ctype_lower ctype_upper ctype_space ctype_punct ctype_xdigit ctype_print
  checkdate ip2long long2ip inet_pton inet_ntop filter_var pathinfo basename dirname version_compare password_verify crypt
  is_countable
)";

constexpr const char* kMovers = R"(
  array_merge:0 array_values:0 array_pop:0 array_shift:0 array_slice:0 array_reverse:0 array_chunk:0 array_replace:0
  array_key_first:0 array_key_last:0 array_is_list:0 array_diff_key:0 array_intersect_key:0 array_keys:0
  array_push:254 array_unshift:254 array_fill:4 array_map:0 array_filter:0 array_walk:0 array_reduce:4 usort:0 uasort:0 uksort:0
  call_user_func:254 call_user_func_array:0 func_get_args:0 func_get_arg:0 count:0 sizeof:0 array_key_exists:0 key_exists:0
  reset:0 end:0 next:0 prev:0 current:0 pos:0 key:0 iterator_to_array:0 get_object_vars:0 register_shutdown_function:254
  closure::bind:0 closure::bindto:0 closure::call:254 closure::fromcallable:0 closure::__invoke:255
  generator::current:0 generator::key:0 generator::next:0 generator::valid:0 generator::rewind:0 generator::send:1
  generator::getreturn:0 arrayiterator::__construct:0 arrayiterator::current:0 arrayiterator::key:0 arrayiterator::next:0
  arrayiterator::valid:0 arrayiterator::rewind:0 arrayiterator::count:0
  exception::getcode:0 exception::getprevious:0 exception::getfile:0 exception::getline:0
  exception::gettrace:0 error::getcode:0 error::getprevious:0 error::getfile:0 error::getline:0
)";

// If no argument is a mover's, they may be run per lane: a callback of the program is denied there.
constexpr const char* kMoversOrPure = R"(
  array_merge array_values array_slice array_reverse array_chunk array_key_first array_key_last array_is_list array_diff_key
  array_intersect_key array_keys array_push array_unshift array_pop array_shift array_fill array_replace array_key_exists key_exists
  count sizeof array_map array_filter
)";

constexpr const char* kShared = R"(
  is_object is_callable is_a is_subclass_of method_exists property_exists get_class get_parent_class class_exists interface_exists
  trait_exists enum_exists function_exists defined constant define class_implements class_parents get_class_methods get_called_class
  spl_autoload_register spl_object_id spl_object_hash set_error_handler restore_error_handler set_exception_handler
  restore_exception_handler error_reporting trigger_error user_error ini_get ini_set set_time_limit extension_loaded phpversion
  php_sapi_name zend_version date_default_timezone_get mb_internal_encoding preg_last_error preg_last_error_msg json_last_error
  json_last_error_msg func_num_args assert gc_enable gc_enabled memory_get_usage memory_get_peak_usage
  headers_sent session_name session_get_cookie_params session_set_cookie_params session_cache_limiter session_module_name
  ob_get_level ob_start flush ignore_user_abort connection_status connection_aborted getrusage
  stdclass::__construct
)";

constexpr const char* kTold = R"(
  time microtime gettimeofday hrtime date gmdate idate getdate localtime mktime gmmktime strtotime
  random_bytes random_int mt_rand rand mt_srand srand mt_getrandmax getrandmax lcg_value shuffle array_rand str_shuffle password_hash
  getenv sleep usleep getmypid posix_getpid gethostname php_uname
  apcu_fetch apcu_exists apcu_store apcu_add apcu_delete apcu_inc apcu_dec apcu_cas
  is_file is_dir is_readable is_writable is_writeable file_exists filemtime filesize
)";

constexpr const char* kDatabase = R"(
  pdo::__construct pdo::setattribute pdo::getattribute pdo::query pdo::prepare pdo::exec pdo::quote pdo::begintransaction pdo::commit
  pdo::rollback pdo::intransaction pdo::lastinsertid pdo::errorinfo pdo::errorcode pdostatement::execute pdostatement::bindvalue
  pdostatement::fetch pdostatement::fetchall pdostatement::fetchcolumn pdostatement::fetchobject pdostatement::rowcount
  pdostatement::columncount pdostatement::closecursor pdostatement::setfetchmode pdostatement::errorinfo pdostatement::errorcode
)";

constexpr const char* kSessions = R"(
  session_start session_write_close session_commit session_destroy session_regenerate_id session_unset session_abort session_reset
  session_id session_status session_encode
)";

// Of both classes of dates.
constexpr const char* kDates = R"(
  __construct format modify settimezone gettimezone getoffset gettimestamp settimestamp setdate settime diff add sub createfromformat
)";
constexpr const char* kDateKin =
    "datetimezone::__construct datetimezone::getname datetimezone::getoffset dateinterval::__construct "
    "dateinterval::format";

constexpr const char* kHeaders =
    "header header_remove headers_list http_response_code setcookie setrawcookie";
constexpr const char* kPrinters = "printf vprintf print_r var_dump var_export";
constexpr const char* kBuffers = "ob_get_contents ob_get_clean ob_end_clean ob_end_flush ob_get_length";
constexpr const char* kMessages = "exception::getmessage error::getmessage";
constexpr const char* kExceptions = "exception::__construct error::__construct errorexception::__construct";

void add(Table& table, const char* names, Treatment treatment) {
  std::istringstream in(names);
  for (std::string name; in >> name;) {
    const std::size_t colon = name.rfind(':');
    Builtin builtin{treatment, 0, false};
    if (treatment == Treatment::mover && colon != std::string::npos) {
      builtin.may_differ = static_cast<unsigned>(std::stoul(name.substr(colon + 1)));
      name.resize(colon);
    }
    table[name] = builtin;
  }
}

Table make_table() {
  Table table;
  add(table, kPure, Treatment::pure);
  add(table, kMovers, Treatment::mover);
  add(table, kShared, Treatment::shared);
  add(table, kTold, Treatment::told);
  add(table, kDatabase, Treatment::database);
  add(table, kSessions, Treatment::session);
  add(table, kHeaders, Treatment::told);
  add(table, kDateKin, Treatment::date);
  std::istringstream dates(kDates);
  for (std::string name; dates >> name;) {
    table["datetime::" + name] = {Treatment::date, 0, false};
    table["datetimeimmutable::" + name] = {Treatment::date, 0, false};
  }
  table["preg_replace_callback"] = {Treatment::replacer, 0, false};
  add(table, kPrinters, Treatment::printer);
  add(table, kBuffers, Treatment::buffer);
  add(table, kExceptions, Treatment::exception);
  add(table, kMessages, Treatment::message);
  std::istringstream in(kMoversOrPure);
  for (std::string name; in >> name;) table[name].or_pure = true;
  return table;
}

}  // namespace

Builtin find_builtin(const std::string& name, bool evaluable) {
  static const Table table = make_table();
  const auto found = table.find(name);
  if (found != table.end()) return found->second;
  return {evaluable ? Treatment::pure : Treatment::denied, 0, false};
}

}  // namespace assay::php
