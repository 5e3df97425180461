// The public C++ interface: translates between its types, which promise to stay, and the library's own.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "assay/assay.hpp"
#include "evidence/examine.hpp"
#include "format/format.hpp"
#include "history/builder.hpp"
#include "report/report.hpp"
#include "report/story.hpp"
#include "system/input_error.hpp"

namespace assay::api {

class History::Data {
 public:
  explicit Data(assay::History held) : history(std::make_shared<const assay::History>(std::move(held))) {}
  std::shared_ptr<const assay::History> history;
};

namespace {

Atom atom(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::integer:
      return Atom::integer(static_cast<std::int64_t>(value.number()));
    case Value::Kind::natural:
      return Atom::natural(value.number());
    case Value::Kind::text:
      break;
  }
  return Atom::string(value.text());
}

format::Initial initial_named(const std::string& name) {
  if (name == "auto") return format::Initial::automatic;
  if (name == "zero") return format::Initial::zero;
  if (name == "first-transaction") return format::Initial::first_transaction;
  if (name == "none") return format::Initial::none;
  throw Error(fmt::format("initial cannot be '{}'; it is one of auto, zero, first-transaction, none", name));
}

format::FailedStatements failed_statements_named(const std::string& name) {
  if (name == "drop") return format::FailedStatements::drop;
  if (name == "unknown") return format::FailedStatements::unknown;
  throw Error(fmt::format("failed_statements cannot be '{}'; it is one of drop, unknown", name));
}

Level level_named(const std::string& name) {
  if (const auto level = find_level(name)) return *level;
  throw Error(fmt::format("unknown level '{}'", name));
}

Verdict public_verdict(check::Verdict verdict) {
  switch (verdict) {
    case check::Verdict::holds:
      return Verdict::holds;
    case check::Verdict::violated:
      return Verdict::violated;
    case check::Verdict::undecided:
      break;
  }
  return Verdict::undecided;
}

}  // namespace

class Builder::State {
 public:
  // What the caller has to respect and the inner builder only asserts.
  void require(bool wanted, const char* call) const {
    if (open != wanted) throw Error(fmt::format("{}: {} transaction is open", call, open ? "a" : "no"));
  }
  void end(Status status, const Times& times, const char* call) {
    require(true, call);
    build.end(status, times.start, times.end);
    open = false;
  }

  HistoryBuilder build;
  bool open = false;
};

std::string_view version() {
  return ASSAY_VERSION;
}

History::History(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

std::size_t History::sessions() const {
  return data_->history->sessions();
}
std::size_t History::transactions() const {
  return data_->history->transactions();
}
std::size_t History::operations() const {
  return data_->history->operations();
}
std::size_t History::keys() const {
  return data_->history->keys();
}

void History::write(const std::string& path, std::string_view format) const {
  try {
    format::write_history(*data_->history, path, format);
  } catch (const InputError& error) {
    throw Error(error.what());
  }
}

History read(const std::string& path, const ReadOptions& options) {
  const format::ReadOptions how{initial_named(options.initial),
                                failed_statements_named(options.failed_statements)};
  std::optional<std::string_view> format;
  if (options.format) format = *options.format;
  try {
    return History(std::make_shared<History::Data>(format::read_history(path, how, format)));
  } catch (const InputError& error) {
    throw Error(error.what());
  }
}

Builder::Builder() : state_(std::make_unique<State>()) {}
Builder::~Builder() = default;
Builder::Builder(Builder&&) noexcept = default;
Builder& Builder::operator=(Builder&&) noexcept = default;

Builder& Builder::begin(const Value& session, const Value& transaction) {
  state_->require(false, "begin");
  state_->build.begin(state_->build.session(atom(session)), atom(transaction));
  state_->open = true;
  return *this;
}

Builder& Builder::read(const Value& key, const Value& value) {
  state_->require(true, "read");
  state_->build.read(atom(key), atom(value));
  return *this;
}

Builder& Builder::read_initial(const Value& key) {
  state_->require(true, "read_initial");
  state_->build.read_initial(atom(key));
  return *this;
}

Builder& Builder::write(const Value& key, const Value& value) {
  state_->require(true, "write");
  state_->build.write(atom(key), atom(value));
  return *this;
}

Builder& Builder::insert(const Value& key, const Value& value) {
  state_->require(true, "insert");
  state_->build.insert(atom(key), atom(value));
  return *this;
}

Builder& Builder::erase(const Value& key) {
  state_->require(true, "erase");
  state_->build.erase(atom(key));
  return *this;
}

Builder& Builder::append(const Value& key, const Value& element) {
  state_->require(true, "append");
  state_->build.append(atom(key), atom(element));
  return *this;
}

Builder& Builder::list_read(const Value& key, std::span<const Value> elements) {
  state_->require(true, "list_read");
  std::vector<Atom> atoms;
  atoms.reserve(elements.size());
  for (const Value& element : elements) atoms.push_back(atom(element));
  state_->build.list_read(atom(key), atoms);
  return *this;
}

Builder& Builder::commit(const Times& times) {
  state_->end(Status::committed, times, "commit");
  return *this;
}

Builder& Builder::abort(const Times& times) {
  state_->end(Status::aborted, times, "abort");
  return *this;
}

Builder& Builder::unknown(const Times& times) {
  state_->end(Status::unknown, times, "unknown");
  return *this;
}

History Builder::finish() {
  state_->require(false, "finish");
  state_->build.source("built in memory", "api");
  History history(std::make_shared<History::Data>(state_->build.finish()));
  state_ = std::make_unique<State>();
  return history;
}

Report check(const History& history, const std::vector<std::string>& levels, const Options& options) {
  std::vector<Level> asked;
  asked.reserve(levels.size());
  for (const std::string& name : levels) asked.push_back(level_named(name));
  check::Options settings;
  settings.sessions = options.session_order ? check::SessionOrder::keep : check::SessionOrder::ignore;
  settings.clock_drift = options.clock_drift;
  settings.timeout_seconds = options.timeout_seconds;
  settings.memory_bytes = options.memory_bytes;
  settings.threads = std::max(1U, options.threads);

  const evidence::Examination found = evidence::examine(
      history.data().history, asked, {.check = settings, .explain = evidence::Explain::all});
  Report out;
  for (const check::Outcome& outcome : found.outcomes) {
    out.results.push_back(
        {std::string(info(outcome.level).name), public_verdict(outcome.verdict),
         outcome.verdict == check::Verdict::undecided
             ? outcome.reason
             : report::explanation(*found.history, outcome, report::story_of(found, outcome.level))});
  }
  if (const auto level = found.strongest()) out.strongest = std::string(info(*level).name);
  out.text = report::text(found, {});
  out.json = report::json(found);
  return out;
}

}  // namespace assay::api
