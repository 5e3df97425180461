// A plan in a file, for a program that is started with it.
#pragma once

#include <string>
#include <vector>

#include "support/fault/plan.hpp"

namespace assay::testing {

class SharedPlan {
 public:
  // Makes the file; a plan under which nothing fails.
  explicit SharedPlan(std::string path);
  ~SharedPlan();
  SharedPlan(const SharedPlan&) = delete;
  SharedPlan& operator=(const SharedPlan&) = delete;

  FaultPlan& operator*() const { return *plan_; }
  FaultPlan* operator->() const { return plan_; }
  // The settings with which a program meets it; `module` is what interposed.cpp was built to.
  std::vector<std::string> environment(const std::string& module) const;

 private:
  std::string path_;
  FaultPlan* plan_;
};

}  // namespace assay::testing
