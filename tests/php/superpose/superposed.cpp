#include "superpose/superposed.hpp"

#include <filesystem>

#include "audit/wire/results.hpp"

namespace assay::php::testing {

namespace wire = audit::wire;

namespace {

// Opcache keeps every program; a worker is replaced before it is full.
constexpr std::size_t kProgramsOfWorker = 2000;

std::string number(std::uint64_t value) {
  std::string bytes;
  wire::put_u64(bytes, value);
  return bytes;
}

// The world answers by what it is asked: a statement gives two rows that depend on its text and parameters, a session what its name says.
std::string answer_to(const wire::WorkerOperation& operation) {
  std::uint32_t sum = 0;
  for (const char c : operation.contents) sum = (sum * 31 + static_cast<unsigned char>(c)) % 997;
  std::string out;
  if (operation.type == wire::OperationType::register_read) {
    wire::put_byte(out, 1);
    wire::put_bytes(out, "old|i:" + std::to_string(operation.name.size()) + ";");
  }
  if (operation.type != wire::OperationType::sql_statement) return out;
  wire::SqlResult result;
  result.changes = 1;
  result.last_rowid = sum;
  result.columns = {{"id", {}}, {"name", {}}, {"same", {}}};
  const std::string name = "name" + std::to_string(sum);
  for (const std::uint32_t row : {0U, 1U}) {
    result.cells.push_back({wire::SqlType::integer, sum + row, 0, {}});
    result.cells.push_back({wire::SqlType::text, 0, 0, name});
    result.cells.push_back({wire::SqlType::text, 0, 0, "all"});
  }
  return wire::encode(result);
}

}  // namespace

Superposer::Superposer(const std::string& without) : code_(php_.folder() / "code"), without_(without) {
  std::filesystem::create_directory(code_);
}

std::unique_ptr<audit::PhpWorker> Superposer::start(bool superpose) const {
  audit::PhpWorkerOptions options;
  options.program = ASSAY_PHP_WORKER;
  options.ini = php_.ini();
  options.code = code_;
  options.seconds_per_request = 10;
  options.superpose = superpose;
  if (superpose) options.without = without_;
  return std::make_unique<audit::PhpWorker>(options);
}

std::optional<Superposer::Ended> Superposer::ask(audit::PhpWorker& worker,
                                                 const std::vector<wire::RunOrder>& orders, bool as_group) {
  Ended ended;
  ended.outputs.resize(orders.size());
  std::vector<std::string> operations(orders.size());
  const bool sent = as_group ? worker.send(wire::ToWorker::group, wire::encode(orders))
                             : worker.send(wire::ToWorker::run, wire::encode(orders.front()));
  if (!sent) return std::nullopt;
  std::size_t lane = 0;
  for (std::size_t finished = 0; finished < orders.size();) {
    const auto message = worker.receive();
    if (!message) return std::nullopt;
    switch (message->kind) {
      case wire::FromWorker::lane: {
        wire::Cursor in(message->body);
        lane = in.natural();
        if (lane >= orders.size()) return std::nullopt;
        break;
      }
      case wire::FromWorker::headers:
      case wire::FromWorker::output:
        ended.outputs[lane] += message->body;
        break;
      case wire::FromWorker::operation: {
        wire::Cursor in(message->body);
        const wire::WorkerOperation operation = wire::decode_worker_operation(in);
        operations[lane] += std::to_string(static_cast<int>(operation.type)) + " " +
                            std::string(operation.name) + " " + std::string(operation.contents) + "\n";
        const std::string answer = answer_to(operation);
        worker.send(wire::ToWorker::answer, wire::encode(wire::WorkerAnswer{false, 0, answer}));
        break;
      }
      case wire::FromWorker::finished: {
        wire::Cursor in(message->body);
        const wire::Finished end = wire::decode_finished(in);
        ended.outputs[lane] += "\n" + operations[lane];
        ended.outputs[lane] +=
            "\n[" + std::to_string(static_cast<int>(end.how)) + " " + std::string(end.text);
        for (const wire::Asked& asked : end.asked)
          ended.outputs[lane] +=
              " " + std::to_string(static_cast<int>(asked.kind)) + "x" + std::to_string(asked.times);
        ended.outputs[lane] += "]";
        ++finished;
        break;
      }
      case wire::FromWorker::denied: {
        wire::Cursor in(message->body);
        ended.denied = wire::decode_denied(in).why;
      }
        return ended;
      default:
        return std::nullopt;
    }
  }
  return ended;
}

Superposed Superposer::run(const std::string& program, const std::vector<std::string>& queries) {
  if (programs_++ % kProgramsOfWorker == 0) {
    single_ = start(false);
    group_ = start(true);
  }
  const std::string script = code_ + "/p" + std::to_string(programs_) + ".php";
  write_file(script, "<?php " + program);
  std::vector<Parameters> parameters;
  std::vector<std::vector<std::string>> values;
  std::vector<wire::RunOrder> orders(queries.size());
  for (std::size_t i = 0; i < queries.size(); ++i) {
    parameters.push_back(parameters_for(script, "GET", queries[i], "", 0, i + 1));
    values.push_back({number((1700000000 + i) * 1000000000), number(i + 1)});
  }
  for (std::size_t i = 0; i < queries.size(); ++i) {
    orders[i].rid = i + 1;
    for (const auto& [name, value] : parameters[i]) orders[i].params.push_back({name, value});
    orders[i].told = {{wire::NdKind::clock, 1000, values[i][0]},
                      {wire::NdKind::random_seed, 1, values[i][1]}};
  }
  Superposed result;
  for (const wire::RunOrder& order : orders) {
    const auto ended = ask(*single_, {order}, false);
    if (!ended) single_ = start(false);
    result.alone.push_back(ended ? ended->outputs.front() : "[dead]");
  }
  const auto ended = ask(*group_, orders, true);
  if (!ended) {
    group_ = start(true);
    result.denied = "[dead]";
  } else if (!ended->denied.empty()) {
    result.denied = ended->denied;
  } else {
    result.together = ended->outputs;
  }
  std::filesystem::remove(script);
  return result;
}

}  // namespace assay::php::testing
