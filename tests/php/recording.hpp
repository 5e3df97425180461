// The forum on php-fpm with the recorder, visited, and what an audit needs of it.
#pragma once

#include <string>
#include <thread>
#include <vector>

#include "audited.hpp"
#include "server.hpp"
#include "trace_writer.hpp"
#include "visitor.hpp"

namespace assay::php::testing {

struct Recording {
  PhpFolder php{Recorder::on};
  std::string first_state;
  TraceWriter trace;

  Recording() {
    php.make_forum();
    first_state = php.folder() / "first.sqlite";
    std::filesystem::copy_file(php.data() + "/forum.sqlite", first_state);
  }

  void visit(int workers, int visitors, int clicks) {
    const Fpm fpm(php, workers);
    std::vector<std::thread> threads;
    for (int v = 0; v < visitors; ++v) {
      threads.emplace_back([&, v] {
        Visitor visitor(static_cast<std::uint64_t>(v) + 1, v % 20 + 1);
        for (int i = 0; i < clicks; ++i) {
          const Click click = visitor.next();
          const auto parameters = [&](std::uint64_t rid) {
            return visitor.parameters(click, php.data(), rid);
          };
          const std::uint64_t rid = trace.arrive(parameters, click.form);
          const Response response = ask(fpm.socket(), parameters(rid), click.form);
          trace.response(rid, response);
          visitor.keep_cookies(response);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  audit::InitialState initial() const { return {{{php.data() + "/forum.sqlite", first_state}}, {}}; }

  audit::Verdict check(const audit::Trace& trace_to_check, const audit::Reports& reports, unsigned lanes = 0,
                       audit::BatchTally* tally = nullptr) const {
    return audited(php, ASSAY_SOURCE_DIR "/tests/apps/forum", trace_to_check, reports, initial(), {}, {},
                   lanes, tally);
  }
};

}  // namespace assay::php::testing
