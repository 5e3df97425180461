// assay-php: runs the requests of a trace again, told by the auditor over pipes 3 and 4 what the world
// answered. It is started by `assay audit check`, not by people.
//
//   assay-php --sapi NAME --ini FILE --code FOLDER [--seconds N] [--megabytes N] [--output BYTES]
//             [--superpose yes] [--without GUARD]
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "common/code_tree.hpp"
#include "rerun/fence.hpp"
#include "rerun/pipe.hpp"
#include "rerun/sapi.hpp"
#include "rerun/told_world.hpp"
#include "superpose/group.hpp"
#include "superpose/lanes.hpp"

namespace {

struct Options {
  assay::php::SapiOptions sapi;
  assay::php::FenceLimits fence;
  std::string code;
  unsigned seconds = 60;  // for one request; then the worker dies
};

bool read_options(int count, char** words, Options& options) {
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string name = words[i];
    const std::string value = words[i + 1];
    if (name == "--sapi") {
      options.sapi.name = value;
    } else if (name == "--ini") {
      options.sapi.ini = value;
    } else if (name == "--code") {
      options.code = value;
    } else if (name == "--seconds") {
      options.seconds = static_cast<unsigned>(std::strtoul(value.c_str(), nullptr, 10));
    } else if (name == "--megabytes") {
      options.fence.memory = std::strtoull(value.c_str(), nullptr, 10) << 20;
    } else if (name == "--output") {
      options.sapi.most_output = std::strtoull(value.c_str(), nullptr, 10);
    } else if (name == "--superpose") {
      options.sapi.superpose = value == "yes";
    } else if (name == "--without") {
      assay::php::take_guard_away(value);
    } else {
      return false;
    }
  }
  return count % 2 == 1 && !options.code.empty();
}

int complain(const std::string& what) {
  const std::string line = "assay-php: " + what + "\n";
  const ssize_t ignored = write(STDERR_FILENO, line.data(), line.size());
  return ignored < 0 ? 3 : 2;
}

}  // namespace

int main(int count, char** words) {
  using namespace assay::php;
  Options options;
  if (!read_options(count, words, options))
    return complain("usage: assay-php --sapi NAME --ini FILE --code FOLDER ...");
  Pipe pipe(3, 4);
  ToldWorld told(pipe);
  set_code_tree(options.code);
  std::string trouble = start_php(options.sapi, pipe);
  if (!trouble.empty()) return complain(trouble);
  std::vector<std::string> readable = {options.code};
  if (access("/usr/share/zoneinfo", R_OK) == 0) readable.emplace_back("/usr/share/zoneinfo");
  trouble = raise_fence(readable, options.fence);
  if (!trouble.empty()) return complain("will not run without a fence: " + trouble);
  pipe.send(wire::FromWorker::ready, PHP_VERSION);
  while (const auto message = pipe.receive()) {
    const std::string kept(message->body);  // the pipe's memory is used again for answers
    wire::Cursor in(kept);
    const bool is_group = message->kind == wire::ToWorker::group && options.sapi.superpose;
    if (!is_group && message->kind != wire::ToWorker::run) return complain("an order that is none");
    const std::vector<wire::RunOrder> orders =
        is_group ? wire::decode_group(in) : std::vector{wire::decode_run_order(in)};
    if (!in.finished() || orders.empty()) return complain("the order to run a request is damaged");
    alarm(options.seconds);
    if (is_group) {
      run_group(orders, pipe);
    } else {
      run_request(orders.front(), told);
    }
    alarm(0);
  }
  end_php();
  return 0;
}
