#include "support/fault/shared_plan.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <new>
#include <stdexcept>

#include "system/descriptor.hpp"

namespace assay::testing {

SharedPlan::SharedPlan(std::string path) : path_(std::move(path)) {
  const system::Descriptor file(::open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!file || ::ftruncate(file.get(), sizeof(FaultPlan)) != 0)
    throw std::runtime_error("cannot make " + path_);
  void* const shared = ::mmap(nullptr, sizeof(FaultPlan), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (shared == MAP_FAILED) throw std::runtime_error("cannot map " + path_);
  plan_ = new (shared) FaultPlan;
}

SharedPlan::~SharedPlan() {
  ::munmap(plan_, sizeof(FaultPlan));
}

std::vector<std::string> SharedPlan::environment(const std::string& module) const {
  return {"LD_PRELOAD=" + module, std::string(kFaultPlan) + "=" + path_};
}

}  // namespace assay::testing
