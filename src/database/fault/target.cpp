#include "database/fault/target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <chrono>
#include <stdexcept>
#include <utility>

namespace assay::database {

namespace {

constexpr std::chrono::milliseconds kMostDelay{50};

}  // namespace

Target::Target(const TargetOptions& options) : faults_(options.faults) {
  assert(!options.url || !options.server);
  assert(options.url || !options.password);
  assert(options.server ||
         std::all_of(faults_.begin(), faults_.end(), [](Fault fault) { return fault == Fault::clock; }));
  std::string url;
  if (options.server) {
    const std::size_t mark = options.server->find('?');
    if (mark != std::string::npos) url_options_ = options.server->substr(mark + 1);
    start_server_of_kind(options.server->substr(0, mark));
    url = server_url();
  } else if (options.url) {
    url = *options.url;
  } else {
    folder_.emplace("assay-run");
    url = "sqlite:" + folder_->folder().file("database");
  }
  store_ = open_store(url, options.password);
}

void Target::start_server_of_kind(const std::string& kind) {
  try {
    server_ = start_server(kind);
    if (has(Fault::partition) && !server_->has_others())
      throw StoreError(Failure::fatal,
                       fmt::format("nobody can be cut off in '{}': that needs a cluster, galera:3 or "
                                   "postgres:3",
                                   kind));
    if (has(Fault::reset) || has(Fault::slow) || has(Fault::stall)) {
      for (const Endpoint& endpoint : server_->endpoints())
        proxies_.push_back(std::make_unique<Proxy>(endpoint));
    }
  } catch (const StoreError&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw StoreError(Failure::fatal, error.what());
  }
}

bool Target::has(Fault fault) const {
  return std::find(faults_.begin(), faults_.end(), fault) != faults_.end();
}

// By way of the proxies, where there are any.
std::string Target::server_url() const {
  std::vector<Endpoint> endpoints;
  for (const auto& proxy : proxies_) endpoints.push_back(proxy->endpoint());
  std::string url = endpoints.empty() ? server_->url() : server_->url(endpoints);
  if (!url_options_.empty()) url += (url.find('?') == std::string::npos ? '?' : '&') + url_options_;
  return url;
}

void Target::start_trouble(std::uint64_t seed, std::vector<std::unique_ptr<Nemesis>> more,
                           std::function<void(const Disturbance&)> tell) {
  std::vector<Proxy*> proxies;
  for (const auto& proxy : proxies_) proxies.push_back(proxy.get());
  std::vector<std::unique_ptr<Nemesis>> nemeses;
  if (has(Fault::kill)) nemeses.push_back(make_server_killer(*server_));
  if (has(Fault::pause)) nemeses.push_back(make_server_pauser(*server_));
  if (has(Fault::partition)) nemeses.push_back(make_partitioner(*server_));
  if (has(Fault::reset)) nemeses.push_back(make_connection_resetter(proxies));
  if (has(Fault::slow)) nemeses.push_back(make_network_slower(proxies, kMostDelay));
  if (has(Fault::stall)) nemeses.push_back(make_network_staller(proxies));
  std::move(more.begin(), more.end(), std::back_inserter(nemeses));
  if (nemeses.empty()) return;
  const auto begin = std::chrono::steady_clock::now();
  const auto since_begin = [begin] {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin)
        .count();
  };
  trouble_ = std::make_unique<Trouble>(std::move(nemeses), TroubleSchedule{.seed = seed}, since_begin,
                                       std::move(tell));
}

void Target::stop_trouble() {
  if (!trouble_) return;
  trouble_->stop();
  trouble_.reset();
}

}  // namespace assay::database
