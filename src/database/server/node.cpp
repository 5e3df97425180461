#include "database/server/node.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <stdexcept>
#include <thread>

#include "database/store.hpp"
#include "system/socket.hpp"

namespace assay::database {

namespace {

// Long, since a loaded machine is slow and the time-out only guards against a server that never comes.
constexpr std::chrono::seconds kStartLimit{60};
constexpr std::chrono::seconds kStopLimit{10};
constexpr std::chrono::milliseconds kPause{20};

bool takes_commands(const std::string& url) {
  try {
    open_store(url);
    return true;
  } catch (const StoreError&) {
    return false;
  }
}

}  // namespace

ServerNode::~ServerNode() {
  if (process_) {
    process_->signal(plan_.stop_signal);
    const bool ended = process_->wait(kStopLimit);
    process_.reset();
    if (ended && plan_.stop_signal != SIGKILL) return;
  }
  if (plan_.after_kill) plan_.after_kill();
}

void ServerNode::start() {
  const auto deadline = std::chrono::steady_clock::now() + kStartLimit;
  process_ = std::make_unique<system::Process>(plan_.launch);
  while (!takes_commands(plan_.url)) {
    const bool ended = !process_->running();
    if (ended || std::chrono::steady_clock::now() >= deadline) {
      process_.reset();
      throw std::runtime_error(fmt::format("{} {}; the end of its log:\n{}", plan_.launch.command.front(),
                                           ended ? "ended at once" : "did not answer in time",
                                           system::end_of_file(plan_.launch.log)));
    }
    std::this_thread::sleep_for(kPause);
  }
}

void ServerNode::kill() {
  if (!process_) return;
  process_->signal(SIGKILL);
  process_->wait(kStopLimit);
  process_.reset();
}

void ServerNode::restart() {
  const auto deadline = std::chrono::steady_clock::now() + kStartLimit;
  while (true) {
    try {
      start();
      return;
    } catch (const std::runtime_error&) {
      if (std::chrono::steady_clock::now() >= deadline) throw;
    }
    std::this_thread::sleep_for(kPause);
  }
}

// The first process first, so that it starts no others meanwhile.
void ServerNode::pause() {
  if (!process_) return;
  process_->signal(SIGSTOP);
  process_->signal_children(SIGSTOP);
}

void ServerNode::resume() {
  if (!process_) return;
  process_->signal_children(SIGCONT);
  process_->signal(SIGCONT);
}

void ServerNode::signal_part(int signal, std::string_view called) {
  if (process_) process_->signal_children(signal, called);
}

void with_free_ports(std::size_t count, const std::function<void(const std::vector<std::uint16_t>&)>& start) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    try {
      start(system::free_ports(count));
      return;
    } catch (const std::runtime_error& error) {
      if (std::string_view(error.what()).find("in use") == std::string_view::npos) throw;
    }
  }
  start(system::free_ports(count));
}

}  // namespace assay::database
