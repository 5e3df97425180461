// The part of the executor that tries groups of requests as one.
#include <algorithm>
#include <stdexcept>

#include "audit/rerun/php_executor.hpp"

namespace assay::audit {

namespace {

wire::Bytes parameter(const wire::Request& request, wire::Bytes name) {
  for (const wire::Pair& pair : request.params) {
    if (pair.name == name) return pair.value;
  }
  return {};
}

// Which requests may be tried as one with others, and with which; nothing: with none. The worker refuses others.
std::string kind_of(const wire::Request& request) {
  const wire::Bytes method = parameter(request, "REQUEST_METHOD");
  const wire::Bytes type = parameter(request, "CONTENT_TYPE");
  const bool get = method == "GET" && request.stdin_bytes.empty() && type.empty();
  const bool form = method == "POST" && type == "application/x-www-form-urlencoded";
  if ((!get && !form) || !parameter(request, "HTTP_AUTHORIZATION").empty()) return {};
  std::string kind(parameter(request, "SCRIPT_FILENAME"));
  kind += '\0';
  kind += method;
  // The same superglobals, and so no array that differs as a whole.
  for (const wire::Pair& pair : request.params) {
    kind += '\0';
    kind += pair.name;
  }
  return kind;
}

// A request of a group: what it has asked and produced so far.
struct Lane {
  RequestIndex request;
  Run run;
  std::uint32_t status = 200;
  std::string headers;
  std::string body;
  std::string finished;
};

}  // namespace

void PhpExecutor::forget_group_worker() {
  if (group_worker_) seconds_before_ += group_worker_->seconds();
  group_worker_.reset();
}

bool PhpExecutor::start_group_worker() {
  if (group_worker_) return true;
  PhpWorkerOptions options = options_;
  options.superpose = true;
  try {
    group_worker_ = std::make_unique<PhpWorker>(options);
  } catch (const std::runtime_error&) {
    ++tally_.denials["no worker starts"];
    most_lanes_ = 0;
  }
  return group_worker_ != nullptr;
}

std::vector<RequestIndex> PhpExecutor::run_together(std::span<const RequestIndex> group, Answers& answers) {
  std::vector<RequestIndex> alone;
  std::map<std::string, std::vector<RequestIndex>> kinds;
  for (const RequestIndex request : group) {
    std::string kind;
    if (answers.trace()[request].fate == Fate::whole) kind = kind_of(answers.trace().request(request).record);
    if (kind.empty()) {
      alone.push_back(request);
    } else {
      kinds[kind].push_back(request);
    }
  }
  const std::size_t lanes_at_once = most_lanes_;
  for (const auto& [kind, requests] : kinds) {
    for (std::size_t at = 0; at < requests.size() && !answers.stopped(); at += lanes_at_once) {
      const auto lanes = std::span(requests).subspan(at, std::min(lanes_at_once, requests.size() - at));
      const std::vector<RequestIndex> left = try_lanes(lanes, answers);
      alone.insert(alone.end(), left.begin(), left.end());
    }
  }
  return alone;
}

// Those that went the same way are tried again as a group of their own. Every group is smaller than the one that it was part of, and after a few
// the rest is run alone: a group that parts again and again costs more than it saves.
std::vector<RequestIndex> PhpExecutor::try_parts(std::span<const RequestIndex> group,
                                                 const std::vector<unsigned>& ways, Answers& answers,
                                                 unsigned parted) {
  constexpr unsigned kMostPartings = 4;
  std::map<unsigned, std::vector<RequestIndex>> parts;
  for (std::size_t i = 0; i < group.size(); ++i) parts[ways[i]].push_back(group[i]);
  std::vector<RequestIndex> alone;
  for (const auto& [way, part] : parts) {
    const bool hopeless = parts.size() == 1 || parted >= kMostPartings || answers.stopped();
    const std::vector<RequestIndex> left = hopeless ? part : try_lanes(part, answers, parted + 1);
    alone.insert(alone.end(), left.begin(), left.end());
  }
  return alone;
}

std::vector<RequestIndex> PhpExecutor::try_lanes(std::span<const RequestIndex> group, Answers& answers,
                                                 unsigned parted) {
  std::vector<RequestIndex> all(group.begin(), group.end());
  if (all.size() < 2) return all;
  std::vector<Loaded<wire::Request>> loaded;
  std::vector<wire::RunOrder> orders;
  orders.reserve(all.size());
  std::vector<Lane> lanes;
  lanes.reserve(all.size());
  for (const RequestIndex request : all) {
    loaded.push_back(answers.trace().request(request));
    lanes.push_back({request, Run(answers, request, Run::Weight::trial), 200, {}, {}, {}});
  }
  for (const Loaded<wire::Request>& each : loaded) orders.push_back(order_of(each.record));
  const std::string message = wire::encode(orders);
  if (message.size() > wire::kLargestFrame) return all;
  if (!start_group_worker()) return all;
  ++tally_.groups;
  if (parted == 0) tally_.requests += all.size();
  const auto denied = [&](const std::string& why) {
    ++tally_.denials[why];
    return all;
  };
  const auto broken = [&](const std::string& why) {
    forget_group_worker();
    return denied(why);
  };
  if (!group_worker_->send(wire::ToWorker::group, message)) return broken("the worker ended");
  std::size_t lane = 0, finished = 0;
  while (finished < lanes.size()) {
    const auto said = group_worker_->receive();
    if (!said) return broken("the worker ended");
    Lane& now = lanes[lane];
    switch (said->kind) {
      case wire::FromWorker::lane: {
        wire::Cursor in(said->body);
        lane = static_cast<std::size_t>(in.natural());
        if (!in.finished() || lane >= lanes.size()) return broken("the worker talks nonsense");
        break;
      }
      case wire::FromWorker::operation:
        if (!answer(*group_worker_, said->body, now.run)) return broken("the worker talks nonsense");
        break;
      case wire::FromWorker::headers: {
        wire::Cursor in(said->body);
        now.status = static_cast<std::uint32_t>(in.natural());
        now.headers = said->body.substr(in.position());
        break;
      }
      case wire::FromWorker::output:
        now.body += said->body;
        break;
      case wire::FromWorker::finished:
        if (!now.finished.empty()) return broken("the worker talks nonsense");
        now.finished = said->body;
        ++finished;
        break;
      case wire::FromWorker::denied: {
        wire::Cursor in(said->body);
        const wire::Denied told = wire::decode_denied(in);
        if (!in.finished()) return broken("the worker talks nonsense");
        denied(told.why);
        lanes.clear();
        return told.ways.size() == all.size() ? try_parts(all, told.ways, answers, parted) : all;
      }
      default:
        return broken("the worker talks nonsense");
    }
  }
  // Only now is it known that nothing was denied.
  std::vector<RequestIndex> alone;
  for (Lane& each : lanes) {
    finish(each.finished, {each.status, each.headers, each.body}, each.run);
    if (!each.run.agreed()) alone.push_back(each.request);
  }
  if (!alone.empty()) ++tally_.denials["a request gave something else than was recorded"];
  tally_.agreed += all.size() - alone.size();
  return alone;
}

}  // namespace assay::audit
