// A private server and what --nemesis does to it: proxies before its nodes, and the thread that lets trouble
// strike while the sessions run. What happened becomes notes of the history.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "record/fault/nemesis.hpp"
#include "record/fault/proxy.hpp"
#include "record/recorder.hpp"
#include "record/server/server.hpp"

namespace assay::cli {

enum class Fault : std::uint8_t { kill, reset, slow, stall, clock };

// Throws UsageError.
std::vector<Fault> faults_named(const std::vector<std::string>& words);
// "kill|reset|…", for help texts.
std::string fault_words();

class Battlefield {
 public:
  // Starts the server, if one is named; behind a question mark may follow options for its URL. Throws
  // UsageError: also for faults that need a server where there is none.
  Battlefield(const std::optional<std::string>& server, std::vector<Fault> faults);

  // Of the server, by way of the proxies; none without a server.
  std::optional<std::string> url() const;
  // Between these two, trouble. `recorder` may be null.
  void start(record::Recorder* recorder, std::uint64_t seed);
  void stop();

 private:
  bool has(Fault fault) const;

  std::vector<Fault> faults_;
  std::unique_ptr<record::Server> server_;
  std::string url_options_;
  std::vector<std::unique_ptr<record::Proxy>> proxies_;
  std::unique_ptr<record::Trouble> trouble_;  // last: it works on all the others
};

}  // namespace assay::cli
