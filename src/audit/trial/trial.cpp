#include "audit/trial/trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <fstream>
#include <mutex>
#include <thread>

#include "audit/front/front.hpp"
#include "audit/period/state_folder.hpp"
#include "audit/trial/visitor.hpp"
#include "audit/trial/web_client.hpp"
#include "system/input_error.hpp"
#include "system/process.hpp"

namespace assay::audit {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMostWorkers = 8;

struct Places {
  fs::path data, log;
  Trial trial;
};

Places make_places(const TrialOptions& options, const Application& application) {
  const fs::path folder = fs::canonical(options.folder);
  Places places;
  places.data = folder / "data";
  places.log = folder / "php.log";
  places.trial.trace = folder / "trace";
  places.trial.reports = folder / "reports";
  places.trial.code = application.folder;
  places.trial.ini = folder / "php.ini";
  places.trial.state = folder / "state";
  for (const fs::path& each : {places.data, places.trial.reports, places.trial.state})
    fs::create_directory(each);
  return places;
}

// Puts an application that is not here as it is into the folder of the trial.
void install(Application& application, Places& places) {
  const fs::path folder = places.data.parent_path();
  const fs::path program = application.folder / application.install;
  try {
    system::run_to_end({{program.string(), folder.string()}, folder / "install.log", {}, 9},
                       std::chrono::minutes(10));
  } catch (const std::runtime_error& error) {
    throw InputError(program.string(), "", error.what());
  }
  application.folder = places.trial.code = folder / "w";
}

void write_ini(const TrialOptions& options, const Application& application, const Places& places) {
  std::string ini =
      "zend_extension = opcache\nopcache.enable = 1\nopcache.file_update_protection = 0\n"
      "file_uploads = 0\ndisplay_errors = 0\nlog_errors = 1\ndate.timezone = UTC\nsession.gc_probability = "
      "0\n";
  ini += fmt::format("error_log = {}\n", places.log.string());
  for (const std::string& extension : application.extensions)
    ini += fmt::format("extension = {}\n", extension);
  ini += recorder_ini({options.recorder, places.trial.reports, application.folder});
  for (const auto& [name, value] : application.settings) ini += fmt::format("{} = {}\n", name, value);
  std::ofstream(places.trial.ini) << ini;
}

// The collector on a thread of its own, until it is told to stop.
class RunningFront {
 public:
  explicit RunningFront(front::FrontOptions options)
      : front_(std::move(options)), thread_([this] { run(); }) {}
  ~RunningFront() { end(); }
  RunningFront(const RunningFront&) = delete;
  RunningFront& operator=(const RunningFront&) = delete;

  const std::string& address() const { return front_.address(); }
  // Throws what ended it.
  void stop() {
    end();
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void run() {
    try {
      front_.run();
    } catch (...) {
      error_ = std::current_exception();
    }
  }
  void end() {
    front_.stop();
    if (thread_.joinable()) thread_.join();
  }

  front::Front front_;
  std::exception_ptr error_;
  std::thread thread_;
};

front::FrontOptions front_options(const TrialOptions& options, const Application& application,
                                  const Places& places, const PrivatePhp& php, std::uint64_t workers) {
  front::FrontOptions made;
  made.listen = "127.0.0.1:0";
  made.php = php.address();
  made.root = application.folder;
  made.trace = places.trial.trace;
  made.limits.at_php = static_cast<std::size_t>(workers);
  made.limits.connections_per_address = static_cast<std::size_t>(options.clients) + 8;
  made.note = options.note;
  for (auto [name, value] : application.parameters) {
    const std::size_t at = value.find("{data}");
    if (at != std::string::npos) value.replace(at, 6, places.data.string());
    made.parameters.emplace_back(name, value);
  }
  return made;
}

// All visitors share what is left to ask for.
class Visits {
 public:
  Visits(const TrialOptions& options, const Application& application, Trial& trial)
      : options_(options), application_(application), trial_(trial) {}

  void run(const std::string& address) {
    std::vector<std::thread> threads;
    for (std::uint64_t v = 0; v < options_.clients; ++v) {
      threads.emplace_back([this, &address, v] {
        try {
          visit(address, v);
        } catch (...) {
          const std::lock_guard lock(mutex_);
          error_ = std::current_exception();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    if (error_) std::rethrow_exception(error_);
  }

 private:
  bool ended() const { return options_.stop != nullptr && *options_.stop; }

  void visit(const std::string& address, std::uint64_t number) {
    WebClient client(system::address_of(address));
    Visitor visitor(application_, options_.seed, number);
    while (!ended() && next_++ < options_.requests) {
      const WebResponse response = client.ask(visitor.next());
      visitor.keep_cookies(response);
      const std::lock_guard lock(mutex_);
      ++trial_.statuses[response.status];
      options_.progress(++trial_.requests);
    }
  }

  const TrialOptions& options_;
  const Application& application_;
  Trial& trial_;
  std::atomic<std::uint64_t> next_ = 0;
  std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace

Trial run_trial(const TrialOptions& options) {
  Application application = read_application(options.application);
  Places places = make_places(options, application);
  if (!application.install.empty()) install(application, places);
  write_ini(options, application, places);
  if (!application.setup.empty())
    run_php_script(application.folder / application.setup, {places.data.string()}, application.extensions,
                   places.log);
  add_to_state_folder(places.trial.state, places.data);

  const std::uint64_t workers = std::clamp<std::uint64_t>(options.clients, 1, kMostWorkers);
  PrivatePhp php({options.php, static_cast<unsigned>(workers), places.trial.ini, places.log});
  RunningFront collector(front_options(options, application, places, php, workers));
  const auto began = std::chrono::steady_clock::now();
  Visits(options, application, places.trial).run(collector.address());
  places.trial.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  collector.stop();
  php.stop();
  return places.trial;
}

}  // namespace assay::audit
