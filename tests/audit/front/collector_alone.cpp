// The collector as a program, for tests that kill it: LISTEN PHP ROOT TRACE. Ends well when it is told to by
// SIGTERM.
#include <signal.h>

#include <cstdio>
#include <exception>

#include "audit/front/front.hpp"

namespace {

assay::audit::front::Front* running = nullptr;

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) return 2;
  try {
    assay::audit::front::FrontOptions options;
    options.listen = arguments[1];
    options.php = arguments[2];
    options.root = arguments[3];
    options.trace = arguments[4];
    options.note = [](const std::string& text) { std::fprintf(stderr, "%s\n", text.c_str()); };
    assay::audit::front::Front front(options);
    running = &front;
    ::signal(SIGTERM, [](int) { running->stop(); });
    front.run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
