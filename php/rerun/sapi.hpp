// PHP as a library that runs one request after the other, and looks to the program like the server it ran on:
// php-fpm or php-cgi. What it prints goes to the auditor as it comes.
#pragma once

#include <string>

#include "rerun/pipe.hpp"
#include "rerun/told_world.hpp"

namespace assay::php {

struct SapiOptions {
  std::string name = "fpm-fcgi";  // or cgi-fcgi: what php_sapi_name() says
  std::string ini;                // the server's php.ini
  std::size_t most_output = std::size_t{64} << 20;
  bool superpose = false;  // for groups of requests (php/superpose); single ones run slower then
};

// What is wrong, or nothing.
std::string start_php(const SapiOptions& options, Pipe& pipe);
void run_request(const wire::RunOrder& order, ToldWorld& told);
void end_php();

// The parts of a request, for whoever runs several as one. An order must live until the next one is taken.
struct RequestStrings {  // what PHP points to, alive until the request is over
  std::string method, query, script, uri, content_type, authorization;
};
void take_order(const wire::RunOrder& order, ToldWorld& told);
// Whose parameters the environment holds from now on; nothing else of it begins anew.
void speak_for(const wire::RunOrder& order);
void fill_request_info(RequestStrings& strings);
void execute_script();
const std::string& headers_of(
    unsigned lane);  // as they are sent to the auditor; none were sent if it is empty
void forget_headers();

}  // namespace assay::php
