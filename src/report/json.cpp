#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "history/query_counts.hpp"
#include "report/report.hpp"
#include "report/sentence.hpp"
#include "report/version.hpp"

namespace assay::report {

using check::BadRead;
using check::Derivation;
using check::Event;
using check::Outcome;
using check::Step;
using check::Verdict;
using evidence::Examination;
using Json = nlohmann::ordered_json;

namespace {

// Texts may hold any bytes; what is not UTF-8 is replaced when the object is written.
std::string written(const Json& object) {
  return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json atom(const Atom& a) {
  switch (a.kind) {
    case AtomKind::integer:
      return static_cast<std::int64_t>(a.bits);
    case AtomKind::natural:
      return a.bits;
    case AtomKind::text:
      return std::string(a.text);
    case AtomKind::json:
      break;
  }
  // A long one may be nested deeper than writing it out can follow.
  constexpr std::size_t kLongest = 1024;
  if (a.text.size() > kLongest) return std::string(a.text);
  Json parsed = Json::parse(a.text, nullptr, false);
  return parsed.is_discarded() ? Json(std::string(a.text)) : parsed;
}

// null is the initial version: nothing was written yet.
Json value(const History& history, Version version) {
  return history.is_initial(version) ? Json(nullptr) : atom(history.value(version));
}

Json transaction(const History& history, Txn txn) {
  if (txn == kInitialTxn) return nullptr;
  return {{"session", atom(history.name(history.session_of(txn)))}, {"transaction", atom(history.name(txn))}};
}

// Where an operation stands and what it did.
Json place(const History& history, Op op) {
  const Txn txn = history.transaction_of(op);
  Json out = transaction(history, txn);
  out["operation"] = index(op) - index(history.operations_of(txn)[0]);
  out["did"] = operation(history, op);
  return out;
}

Json bad_read(const History& history, const BadRead& bad) {
  Json out = {{"anomaly", anomaly(history, bad)}, {"read", place(history, bad.read)}};
  if (const auto key = key_of(history, bad)) out["key"] = atom(history.name(*key));
  if (history.kind(bad.read) == OpKind::read) out["value"] = value(history, history.version(bad.read));
  if (bad.write != bad.read) out["write"] = place(history, bad.write);
  out["reason"] = sentence(history, bad);
  return out;
}

Json event(const History& history, const Event& e) {
  Json out = transaction(history, e.txn);
  if (!out.is_null()) out["event"] = e.side == Event::Side::begin ? "begin" : "commit";
  return out;
}

Json step(const History& history, const Step& s) {
  Json out = {{"from", event(history, s.from)}, {"to", event(history, s.to)}, {"rule", check::name(s.rule)}};
  if (has_key(s)) out["key"] = atom(history.name(s.key));
  if (has_witness(s)) out["witness"] = transaction(history, s.witness);
  out["premises"] = s.premises;
  out["reason"] = reason(history, s, [&](Txn txn) { return full_name(history, txn); });
  return out;
}

Json derivation(const History& history, const Derivation& d) {
  Json steps = Json::array();
  for (const Step& s : d.steps) steps.push_back(step(history, s));
  if (!d.cycle.empty()) return {{"kind", "cycle"}, {"steps", std::move(steps)}, {"cycle", d.cycle}};
  Json cases = Json::array();
  for (const Derivation::Case& one : d.cases) {
    cases.push_back(
        {{"assumption", step(history, one.assumption)}, {"leads_to", derivation(history, one.derivation)}});
  }
  return {{"kind", "cases"}, {"cases", std::move(cases)}};
}

Json counterexample(const History& history, const Outcome& outcome, const std::optional<Story>& story) {
  Json out;
  if (!outcome.bad_reads.empty()) {
    Json reads = Json::array();
    const std::size_t shown = std::min(outcome.bad_reads.size(), kMostReadsInJson);
    for (std::size_t i = 0; i < shown; ++i) reads.push_back(bad_read(history, outcome.bad_reads[i]));
    out = {{"kind", "reads"}, {"reads", std::move(reads)}, {"total", outcome.bad_reads.size()}};
  } else if (story && !story->counterexample.derivation.empty()) {
    out = derivation(history, story->counterexample.derivation);
  } else if (!outcome.derivation.empty()) {
    out = derivation(history, outcome.derivation);
  } else {
    return nullptr;
  }
  if (story) {
    Json transactions = Json::array();
    for (const Txn t : story->counterexample.transactions) transactions.push_back(transaction(history, t));
    out["transactions"] = std::move(transactions);
    out["minimal"] = story->counterexample.minimal;
  }
  return out;
}

Json named(const evidence::Counterexample& found) {
  const Anomaly anomaly = found.anomaly;
  const AnomalyInfo& row = info(anomaly);
  const std::string code = code_of(found);
  Json forbidden = Json::array();
  for (const Level level : levels_that_forbid(anomaly)) forbidden.push_back(info(level).name);
  return {{"name", row.name},
          {"title", row.title},
          {"code", code.empty() ? Json(nullptr) : Json(code)},
          {"forbidden_by", std::move(forbidden)},
          {"consequence", row.consequence}};
}

Json result(const History& history, const Outcome& outcome, const std::optional<Story>& story) {
  Json out = {{"level", info(outcome.level).name}, {"verdict", name(outcome.verdict)}};
  if (outcome.verdict == Verdict::undecided) out["reason"] = outcome.reason;
  if (!outcome.method.empty()) out["method"] = outcome.method;
  if (outcome.verdict == Verdict::violated) {
    if (story) {
      out["anomaly"] = named(story->counterexample);
      out["sentences"] = story->sentences;
    }
    out["explanation"] = explanation(history, outcome, story);
    Json evidence = counterexample(history, outcome, story);
    if (!evidence.is_null()) out["counterexample"] = std::move(evidence);
  }
  double seconds = 0;
  for (const check::Phase& phase : outcome.phases) seconds += phase.seconds;
  out["seconds"] = seconds;
  return out;
}

Json work(const Outcome& outcome) {
  Json phases = Json::array();
  for (const check::Phase& phase : outcome.phases) {
    phases.push_back({{"name", phase.name}, {"seconds", phase.seconds}, {"peak_bytes", phase.peak_bytes}});
  }
  Json counts = Json::object();
  for (const check::Count& count : outcome.counts) counts[std::string(count.name)] = count.value;
  return {{"level", info(outcome.level).name}, {"phases", std::move(phases)}, {"counts", std::move(counts)}};
}

Json head(const History& history) {
  Json out = {{"path", history.path()},
              {"format", history.format()},
              {"sessions", history.sessions()},
              {"transactions", history.transactions()},
              {"operations", history.operations()},
              {"keys", history.keys()},
              {"has_times", history.has_times()},
              {"notes", std::vector<std::string>(history.notes().begin(), history.notes().end())}};
  if (history.has_queries()) {
    const QueryCounts queries = count_queries(history);
    out["queries"] = {{"all", queries.all},
                      {"understood", queries.evaluated},
                      {"by_identity", queries.learned},
                      {"rows", queries.rows},
                      {"not_understood", queries.not_understood}};
  }
  return out;
}

}  // namespace

std::string json(const Examination& examination) {
  Json results = Json::array();
  Json levels = Json::array();
  for (const Outcome& outcome : examination.outcomes) {
    results.push_back(result(*examination.history, outcome, story_of(examination, outcome.level)));
    levels.push_back(work(outcome));
  }
  const auto strongest = examination.strongest();
  return written({{"assay", version()},
                  {"history", head(*examination.history)},
                  {"session_order", examination.sessions == check::SessionOrder::keep ? "keep" : "ignore"},
                  {"results", std::move(results)},
                  {"strongest", strongest ? Json(info(*strongest).name) : Json(nullptr)},
                  {"stats",
                   {{"read_seconds", examination.read_seconds},
                    {"check_seconds", examination.check_seconds},
                    {"history_bytes", examination.history->resident_bytes()},
                    {"levels", std::move(levels)}}}});
}

std::string json(const History& history, const Statistics& s) {
  Json kinds = Json::object();
  for (std::size_t kind = 0; kind < kOpKinds; ++kind) {
    kinds[std::string(name(static_cast<OpKind>(kind)))] = s.by_kind[kind];
  }
  Json hot = Json::array();
  for (const HotKey& key : s.hot_keys) {
    hot.push_back(
        {{"key", atom(history.name(key.key))}, {"operations", key.operations}, {"share", key.share}});
  }
  Json concurrency = nullptr;
  if (s.concurrency) {
    concurrency = {{"transactions", s.concurrency->transactions},
                   {"span_nanoseconds", s.concurrency->span_nanoseconds},
                   {"mean", s.concurrency->mean},
                   {"most", s.concurrency->most}};
  }
  return written({{"assay", version()},
                  {"history", head(history)},
                  {"statistics",
                   {{"longest_session", s.longest_session},
                    {"committed", s.committed},
                    {"aborted", s.aborted},
                    {"unknown", s.unknown},
                    {"operations_by_kind", std::move(kinds)},
                    {"most_operations", s.most_operations},
                    {"hot_keys", std::move(hot)},
                    {"distinct_values", s.versions},
                    {"repeated_values", s.repeated_values},
                    {"ambiguous_reads", s.ambiguous_reads},
                    {"reads_of_initial", s.reads_of_initial},
                    {"concurrency", std::move(concurrency)},
                    {"resident_bytes", s.resident_bytes},
                    {"bytes_per_operation", s.bytes_per_operation()}}}});
}

}  // namespace assay::report
