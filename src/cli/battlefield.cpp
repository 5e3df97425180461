#include "cli/battlefield.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "cli/choice.hpp"
#include "cli/command.hpp"

namespace assay::cli {

namespace {

using record::Nemesis;
using record::Random;
using record::Recorder;

constexpr Choice<Fault> kFaults[] = {{"kill", Fault::kill},
                                     {"reset", Fault::reset},
                                     {"slow", Fault::slow},
                                     {"stall", Fault::stall},
                                     {"clock", Fault::clock}};
constexpr std::chrono::milliseconds kMostDelay{50};
// The drift that a check allows where several clocks took the times.
constexpr std::uint64_t kMostSkewMilliseconds = 100;

// The clients' clock steps forward and back.
class ClockStepper final : public Nemesis {
 public:
  explicit ClockStepper(Recorder& recorder) : recorder_(recorder) {}
  std::string strike(Random& random) override {
    const std::uint64_t ms = 1 + random.below(kMostSkewMilliseconds);
    recorder_.step_clock(std::chrono::milliseconds(ms));
    return fmt::format("the clients' clock was {} ms ahead", ms);
  }
  void heal() override { recorder_.step_clock(std::chrono::nanoseconds(0)); }

 private:
  Recorder& recorder_;
};

}  // namespace

std::vector<Fault> faults_named(const std::vector<std::string>& names) {
  std::vector<Fault> faults;
  faults.reserve(names.size());
  for (const std::string& name : names) faults.push_back(chosen(kFaults, "--nemesis", name));
  return faults;
}

std::string fault_words() {
  return words(kFaults);
}

Battlefield::Battlefield(const std::optional<std::string>& server, std::vector<Fault> faults)
    : faults_(std::move(faults)) {
  if (!server) {
    if (std::any_of(faults_.begin(), faults_.end(), [](Fault fault) { return fault != Fault::clock; }))
      throw UsageError("--nemesis strikes a private server only: give --server too");
    return;
  }
  const std::size_t mark = server->find('?');
  const std::string kind = server->substr(0, mark);
  if (mark != std::string::npos) url_options_ = server->substr(mark + 1);
  try {
    if (const auto missing = record::missing_for_server(kind)) throw UsageError(*missing);
    server_ = record::start_server(kind);
    if (has(Fault::reset) || has(Fault::slow) || has(Fault::stall)) {
      for (const record::Endpoint& endpoint : server_->endpoints())
        proxies_.push_back(std::make_unique<record::Proxy>(endpoint));
    }
  } catch (const UsageError&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw UsageError(error.what());
  }
}

bool Battlefield::has(Fault fault) const {
  return std::find(faults_.begin(), faults_.end(), fault) != faults_.end();
}

std::optional<std::string> Battlefield::url() const {
  if (!server_) return std::nullopt;
  std::vector<record::Endpoint> endpoints;
  for (const auto& proxy : proxies_) endpoints.push_back(proxy->endpoint());
  std::string url = endpoints.empty() ? server_->url() : server_->url(endpoints);
  if (!url_options_.empty()) url += (url.find('?') == std::string::npos ? '?' : '&') + url_options_;
  return url;
}

void Battlefield::start(Recorder* recorder, std::uint64_t seed) {
  std::vector<record::Proxy*> proxies;
  for (const auto& proxy : proxies_) proxies.push_back(proxy.get());
  std::vector<std::unique_ptr<Nemesis>> nemeses;
  if (has(Fault::kill)) nemeses.push_back(record::make_server_killer(*server_));
  if (has(Fault::reset)) nemeses.push_back(record::make_connection_resetter(proxies));
  if (has(Fault::slow)) nemeses.push_back(record::make_network_slower(proxies, kMostDelay));
  if (has(Fault::stall)) nemeses.push_back(record::make_network_staller(proxies));
  if (has(Fault::clock) && recorder != nullptr) nemeses.push_back(std::make_unique<ClockStepper>(*recorder));
  if (nemeses.empty()) return;
  const auto begin = std::chrono::steady_clock::now();
  const auto since_begin = [begin] {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin)
        .count();
  };
  const auto note = [recorder](const record::Disturbance& happened) {
    if (recorder == nullptr) return;
    recorder->note(fmt::format("fault, {:.2f} s to {:.2f} s after the start: {}",
                               static_cast<double>(happened.from_ns) * 1e-9,
                               static_cast<double>(happened.to_ns) * 1e-9, happened.what));
  };
  trouble_ = std::make_unique<record::Trouble>(std::move(nemeses), record::TroubleSchedule{.seed = seed},
                                               since_begin, note);
}

void Battlefield::stop() {
  if (!trouble_) return;
  trouble_->stop();
  trouble_.reset();
}

}  // namespace assay::cli
