// Small programs on several inputs, singly and as a group: what each lane printed must be the same, or the group is denied.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "audit/rerun/php_worker.hpp"
#include "server.hpp"

namespace assay::php::testing {

struct Superposed {
  std::vector<std::string> alone;     // headers and body of each input
  std::vector<std::string> together;  // the same as a group; empty if it was denied
  std::string denied;                 // why
  // A denial is no difference.
  bool differs() const { return denied.empty() && together != alone; }
};

class Superposer {
 public:
  explicit Superposer(const std::string& without = "");

  // A program's source, without <?php; what it is given is in $_GET.
  Superposed run(const std::string& program, const std::vector<std::string>& queries);

 private:
  struct Ended {  // nothing if the worker died
    std::vector<std::string> outputs;
    std::string denied;
  };
  std::optional<Ended> ask(audit::PhpWorker& worker, const std::vector<audit::wire::RunOrder>& orders,
                           bool as_group);
  std::unique_ptr<audit::PhpWorker> start(bool superpose) const;

  PhpFolder php_{Recorder::absent};
  std::string code_;
  std::string without_;
  std::unique_ptr<audit::PhpWorker> single_, group_;
  std::size_t programs_ = 0;
};

}  // namespace assay::php::testing
