// STAND-IN, deleted when the real pieces arrive: just enough of format/ and check/ to run the
// command line.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "check/check.hpp"
#include "format/format.hpp"
#include "history/builder.hpp"
#include "history/error.hpp"

namespace assay::format {
namespace {
Atom to_atom(const nlohmann::json& j) {
  if (j.is_number_unsigned()) return Atom::natural(j.get<std::uint64_t>());
  if (j.is_number_integer()) return Atom::integer(j.get<std::int64_t>());
  return Atom::string(j.get_ref<const std::string&>());
}
History read_neutral(const std::string& path, std::istream& in) {
  HistoryBuilder build;
  std::string line;
  for (int n = 1; std::getline(in, line); ++n) {
    const auto j = nlohmann::json::parse(line, nullptr, false);
    if (!j.is_object()) throw InputError(path, "line " + std::to_string(n), "expected a JSON object");
    build.begin(build.session(to_atom(j["s"])), to_atom(j["t"]));
    for (const auto& op : j["ops"]) {
      if (op[0] == "w") {
        build.write(to_atom(op[1]), to_atom(op[2]));
      } else if (op[2].is_null()) {
        build.read_initial(to_atom(op[1]));
      } else {
        build.read(to_atom(op[1]), to_atom(op[2]));
      }
    }
    std::optional<std::int64_t> start, end;
    if (j.contains("start")) start = j["start"].get<std::int64_t>();
    if (j.contains("end")) end = j["end"].get<std::int64_t>();
    build.end(j["status"] == "ok"     ? Status::committed
              : j["status"] == "fail" ? Status::aborted
                                      : Status::unknown,
              start, end);
  }
  build.source(path, "jsonl");
  return build.finish();
}
void write_neutral(const History& h, const std::filesystem::path& path) {
  std::ofstream out(path);
  for (const Txn t : h.all_transactions()) {
    out << "{\"s\":" << to_json(h.name(h.session_of(t))) << ",\"t\":" << to_json(h.name(t))
        << ",\"status\":\""
        << (h.status(t) == Status::committed ? "ok"
            : h.status(t) == Status::aborted ? "fail"
                                             : "info")
        << "\",\"ops\":[";
    bool first = true;
    for (const Op op : h.operations_of(t)) {
      out << (first ? "" : ",") << "[\"" << (writes(h.kind(op)) ? "w" : "r") << "\","
          << to_json(h.name(h.key(op))) << ","
          << (h.is_initial(h.version(op)) ? "null" : to_json(h.value(h.version(op)))) << "]";
      first = false;
    }
    out << "]}\n";
  }
}
const Format kFormats[] = {{"jsonl", "Assay's exchange form: one JSON object per line and transaction", false,
                            [](const Input&) { return true; },
                            [](const Input& in, const ReadOptions&) {
                              std::istringstream s{std::string(in.files[0].bytes)};
                              return read_neutral(in.path, s);
                            },
                            write_neutral}};
}  // namespace
std::span<const Format> formats() {
  return kFormats;
}
const Format* find_format(std::string_view name) {
  return name == "jsonl" ? kFormats : nullptr;
}
History read_history(const std::string& path, const ReadOptions&, std::optional<std::string_view>) {
  std::ifstream in(path == "-" ? "/dev/stdin" : path);
  if (!in) throw InputError(path, "", "cannot be opened: no such file or directory");
  return read_neutral(path, in);
}
void write_history(const History& history, const std::filesystem::path& path, std::string_view) {
  write_neutral(history, path == "-" ? "/dev/stdout" : path);
}
}  // namespace assay::format

namespace assay::check {
std::string_view name(Rule rule) {
  constexpr std::string_view kNames[] = {"program",         "session",       "reads-from",  "initial",
                                         "real-time",       "version-order", "overwritten", "anti-dependency",
                                         "first-committer", "axiom",         "decision",    "lemma"};
  return kNames[static_cast<std::size_t>(rule)];
}
std::vector<Outcome> check(const History& h, std::span<const Level> levels, const Options& options) {
  std::vector<Step> steps;
  std::vector<BadRead> bad;
  std::map<Version, Op> writer;
  for (std::uint32_t i = 0; i < h.operations(); ++i) {
    if (writes(h.kind(Op{i}))) writer[h.version(Op{i})] = Op{i};
  }
  if (options.progress) options.progress("stand-in");
  for (const Txn t : h.all_transactions()) {
    if (h.position_in_session(t) > 0 && options.sessions == SessionOrder::keep) {
      steps.push_back({{Txn{index(t) - 1}}, {t}, Rule::session, {}, kInitialTxn, {}});
    }
    if (h.status(t) != Status::committed) continue;
    for (const Op op : h.operations_of(t)) {
      if (h.kind(op) != OpKind::read) continue;
      if (h.is_initial(h.version(op))) {
        for (const auto& [v, w] : writer) {
          if (h.key_of(v) == h.key(op) && h.transaction_of(w) != t &&
              h.status(h.transaction_of(w)) == Status::committed) {
            steps.push_back({{t}, {h.transaction_of(w)}, Rule::initial, h.key(op), kInitialTxn, {}});
          }
        }
      } else if (writer.count(h.version(op)) == 0) {
        bad.push_back({BadRead::Kind::thin_air, t, op, op});
      } else {
        const Op w = writer[h.version(op)];
        const Txn from = h.transaction_of(w);
        if (h.status(from) == Status::aborted) bad.push_back({BadRead::Kind::aborted, t, op, w});
        if (from != t) steps.push_back({{from}, {t}, Rule::reads_from, h.key(op), kInitialTxn, {}});
      }
    }
  }
  std::vector<std::uint32_t> path, cycle;
  std::vector<int> colour(h.transactions());
  const std::function<bool(Txn)> visit = [&](Txn t) {
    colour[index(t)] = 1;
    for (std::uint32_t i = 0; i < steps.size(); ++i) {
      if (steps[i].from.txn != t) continue;
      path.push_back(i);
      const Txn to = steps[i].to.txn;
      if (colour[index(to)] == 1) {
        auto at =
            std::find_if(path.begin(), path.end(), [&](std::uint32_t s) { return steps[s].from.txn == to; });
        cycle.assign(at, path.end());
        return true;
      }
      if (colour[index(to)] == 0 && visit(to)) return true;
      path.pop_back();
    }
    colour[index(t)] = 2;
    return false;
  };
  for (const Txn t : h.all_transactions()) {
    if (colour[index(t)] == 0 && visit(t)) break;
  }
  std::vector<Outcome> out;
  for (const Level level : levels) {
    Outcome o;
    o.level = level;
    o.method = "stand-in";
    o.phases = {{"reads", 0.001, 1000}};
    o.counts = {{"edges", steps.size()}};
    o.verdict = Verdict::holds;
    if (info(level).real_time && !h.has_times()) {
      o.verdict = Verdict::undecided;
      o.reason = "the history has no times";
    } else if (!bad.empty()) {
      o.verdict = Verdict::violated;
      o.bad_reads = bad;
    } else if (!cycle.empty() && implies(level, Level::snapshot_isolation)) {
      o.verdict = Verdict::violated;
      o.derivation = {steps, cycle};
    }
    out.push_back(o);
  }
  return out;
}
std::optional<Level> strongest(std::span<const Outcome> outcomes) {
  std::optional<Level> best;
  for (const Outcome& o : outcomes) {
    if (o.verdict == Verdict::holds && (!best || implies(o.level, *best))) best = o.level;
  }
  return best;
}
}  // namespace assay::check
