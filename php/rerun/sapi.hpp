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
};

// What is wrong, or nothing.
std::string start_php(const SapiOptions& options, Pipe& pipe, ToldWorld& told);
void run_request(const wire::RunOrder& order);
void end_php();

}  // namespace assay::php
