#include "audit/rerun/php_executor.hpp"

namespace assay::audit {

namespace {

// The worker was given the values with the order; here they are asked for as it says it did. False if the run
// is over.
bool repeat_questions(const std::vector<wire::Asked>& asked, Run& run) {
  for (const wire::Asked& each : asked) {
    for (std::uint64_t i = 0; i < each.times; ++i) {
      if (run.oracle(each.kind).stop) return false;
    }
  }
  return true;
}

}  // namespace

wire::RunOrder PhpExecutor::order_of(const wire::Request& request) const {
  wire::RunOrder order;
  order.rid = request.rid;
  order.params = request.params;
  order.stdin_bytes = request.stdin_bytes;
  for (const OracleValue& value : reports_.oracle(order.rid))
    order.told.push_back({value.kind, value.repeat, value.value});
  return order;
}

PhpExecutor::PhpExecutor(PhpWorkerOptions options, const Reports& reports, unsigned most_lanes)
    : options_(std::move(options)),
      reports_(reports),
      worker_(std::make_unique<PhpWorker>(options_)),
      most_lanes_(most_lanes) {}

void PhpExecutor::run(std::span<const RequestIndex> group, Answers& answers) {
  if (most_lanes_ < 2 || group.size() < 2) {
    for (const RequestIndex request : group) run_alone(request, answers);
  } else {
    for (const RequestIndex request : run_together(group, answers)) run_alone(request, answers);
  }
}

void PhpExecutor::run_alone(RequestIndex request, Answers& answers) {
  if (answers.stopped() || run_once(request, answers, false) == Attempt::finished) return;
  replace_worker();
  if (run_once(request, answers, true) == Attempt::worker_died) replace_worker();
}

void PhpExecutor::replace_worker() {
  seconds_before_ += worker_->seconds();
  worker_ = std::make_unique<PhpWorker>(options_);
}

double PhpExecutor::process_seconds() const {
  return seconds_before_ + worker_->seconds() + (group_worker_ ? group_worker_->seconds() : 0);
}

bool PhpExecutor::answer(PhpWorker& worker, wire::Bytes body, Run& run) {
  wire::Cursor in(body);
  const wire::WorkerOperation operation = wire::decode_worker_operation(in);
  if (!in.finished()) return false;
  wire::WorkerAnswer reply;
  reply.stop = !repeat_questions(operation.asked, run);
  if (!reply.stop) {
    const Answer found =
        run.operation({operation.object, operation.name, operation.type, operation.contents});
    reply = {found.stop, found.outcome, found.result};
  }
  return worker.send(wire::ToWorker::answer, wire::encode(reply));
}

bool PhpExecutor::finish(wire::Bytes body, const Produced& produced, Run& run) {
  wire::Cursor in(body);
  const wire::Finished finished = wire::decode_finished(in);
  if (!in.finished()) return false;
  // Of values that are used up the run knows by itself. It cannot know of one that does not fit.
  if (repeat_questions(finished.asked, run) && finished.how == wire::Ending::nothing_to_tell)
    run.value_refused();
  if (finished.how == wire::Ending::limit) {
    run.fail("was ended: it prints more than the limit on output allows");
    return true;
  }
  if (finished.how == wire::Ending::trouble) {
    run.fail("was ended: " + std::string(finished.text));
    return true;
  }
  wire::Cursor headers(produced.headers);
  Output output;
  output.status = produced.status;
  if (!produced.headers.empty()) output.headers = wire::take_pairs(headers);
  output.body = produced.body;
  run.finish(output);
  return true;
}

PhpExecutor::Attempt PhpExecutor::run_once(RequestIndex request, Answers& answers, bool last_try) {
  const Loaded<wire::Request> loaded = answers.trace().request(request);
  const wire::RunOrder order = order_of(loaded.record);
  Run run(answers, request);
  const auto died = [&] {
    if (last_try) run.fail("ended its worker process, twice");
    return Attempt::worker_died;
  };
  Produced produced;
  if (!worker_->send(wire::ToWorker::run, wire::encode(order))) return died();
  for (;;) {
    const auto message = worker_->receive();
    if (!message) return died();
    switch (message->kind) {
      case wire::FromWorker::operation:
        if (!answer(*worker_, message->body, run)) return died();
        break;
      case wire::FromWorker::headers: {
        wire::Cursor in(message->body);
        produced.status = static_cast<std::uint32_t>(in.natural());
        produced.headers = message->body.substr(in.position());
        break;
      }
      case wire::FromWorker::output:
        produced.body += message->body;
        break;
      case wire::FromWorker::finished:
        return finish(message->body, produced, run) ? Attempt::finished : died();
      default:
        return died();
    }
  }
}

}  // namespace assay::audit
