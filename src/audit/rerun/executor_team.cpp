#include "audit/rerun/executor_team.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

namespace assay::audit {

ExecutorTeam::ExecutorTeam(std::vector<std::unique_ptr<Executor>> members, std::size_t at_once)
    : members_(std::move(members)), at_once_(at_once) {}

void ExecutorTeam::run(std::span<const RequestIndex> group, Answers& answers) {
  members_.front()->run(group, answers);
}

void ExecutorTeam::run_all(std::span<const std::vector<RequestIndex>> groups, Answers& answers) {
  std::vector<std::span<const RequestIndex>> pieces;
  for (const std::vector<RequestIndex>& group : groups) {
    for (std::size_t at = 0; at < group.size(); at += at_once_) {
      pieces.push_back(std::span(group).subspan(at, std::min(at_once_, group.size() - at)));
    }
  }
  std::atomic<std::size_t> next = 0;
  std::vector<std::exception_ptr> errors(members_.size());
  std::vector<std::thread> threads;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    threads.emplace_back([&, m] {
      try {
        for (std::size_t i = next++; i < pieces.size() && !answers.stopped(); i = next++) {
          members_[m]->run(pieces[i], answers);
        }
      } catch (...) {
        errors[m] = std::current_exception();
        next = pieces.size();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

double ExecutorTeam::process_seconds() const {
  double seconds = 0;
  for (const auto& member : members_) seconds += member->process_seconds();
  return seconds;
}

}  // namespace assay::audit
