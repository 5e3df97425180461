#include "support/judge/told.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>

#include "report/page/data.hpp"
#include "report/page/page_limits.hpp"
#include "report/printable.hpp"
#include "report/report.hpp"

namespace assay {

namespace {

using Json = nlohmann::json;

std::string full_name(const History& h, Txn t) {
  return "transaction " + report::printable(h.name(t)) + " of session " +
         report::printable(h.name(h.session_of(t)));
}

// A short name says which of the transactions it means, or nothing.
std::map<std::string, Txn> short_names(const History& h, const std::vector<Txn>& transactions) {
  std::map<std::string, Txn> found;
  std::set<std::string> twice;
  const auto add = [&](const std::string& name, Txn t) {
    const auto [at, fresh] = found.emplace(name, t);
    if (!fresh && at->second != t) twice.insert(name);
  };
  for (const Txn t : transactions) {
    const std::string id = report::printable(h.name(t));
    add("T" + id, t);
    add("T" + report::printable(h.name(h.session_of(t))) + "." + id, t);
  }
  for (const std::string& name : twice) found.erase(name);
  return found;
}

std::vector<std::size_t> numbers_in(std::string_view text) {
  std::vector<std::size_t> found;
  std::string digits;
  for (const char c : std::string(text) + " ") {
    if (c >= '0' && c <= '9') {
      digits += c;
    } else if (!digits.empty()) {
      found.push_back(std::stoul(digits) - 1);
      digits.clear();
    }
  }
  return found;
}

ToldEvent event_in(std::string name) {
  for (const auto& [ending, begin] :
       {std::pair<std::string_view, bool>{"'s begin", true}, {"'s commit", false}}) {
    if (name.ends_with(ending)) return {name.substr(0, name.size() - ending.size()), begin};
  }
  return {std::move(name), false};
}

class TextReader {
 public:
  TextReader(const evidence::Examination& examination)
      : h_(*examination.history), examination_(examination) {}

  std::vector<Told> read() {
    std::istringstream lines(report::text(examination_, {}));
    std::string line;
    std::string before;
    for (; std::getline(lines, line); before = line) take(line, before);
    return std::move(all_);
  }

 private:
  void take(const std::string& line, const std::string& before) {
    if (line.starts_with("What it means: ")) return begin(before);
    if (all_.empty()) return;
    Told& told = all_.back();
    if (line.starts_with("Case ") && line.ends_with(".")) {
      const std::size_t at = line.find(": ");
      assumptions_ = {line.substr(at + 2, line.size() - at - 3)};
    } else if (line == "What follows:") {
      told.scenes.push_back({assumptions_, {}, {}, true});
    } else if (line.starts_with("  … resting on")) {
      told.scenes.back().complete = false;
    } else if (line.starts_with("The contradiction: ")) {
      told.scenes.back().cycle = numbers_in(line.substr(line.rfind("(by ")));
    } else if (line.starts_with("  ") && line.find(" = transaction ") != std::string::npos &&
               told.scenes.empty()) {
      deeds(told, line);
    } else if (line.starts_with("  ") && line[2] >= '0' && line[2] <= '9' && !told.scenes.empty()) {
      step(told.scenes.back(), line);
    } else if (line.starts_with("  ") && told.scenes.empty() && line.find("-") != std::string::npos &&
               reads_) {
      told.bad_reads.push_back(line.substr(line.find(": ") + 2));
    }
    reads_ = reads_ || line.starts_with("No level allows");
  }

  void begin(const std::string& head) {
    Told& told = all_.emplace_back();
    told.where = "text";
    assumptions_.clear();
    reads_ = false;
    for (const AnomalyInfo& row : anomalies()) {
      if (head.size() < row.title.size() || head.substr(1, row.title.size() - 1) != row.title.substr(1))
        continue;
      std::size_t end = row.title.size();
      if (head.substr(end).starts_with(" (")) end = head.find(')') + 1;
      if (head[end] != ':' && head[end] != '.') continue;
      told.anomaly = row.name;
      if (head[end] == ':') told.sentences.push_back(head.substr(end + 2));
    }
  }

  void deeds(Told& told, const std::string& line) const {
    const std::size_t is = line.find(" = ");
    const std::string name = line.substr(2, is - 2);
    for (const Txn t : h_.all_transactions()) {
      const std::string full = full_name(h_, t);
      if (line.compare(is + 3, full.size() + 2, full + ": ") != 0) continue;
      told.names.emplace(name, t);
      told.deeds.push_back({name, full, line.substr(is + 5 + full.size())});
      return;
    }
    told.deeds.push_back({name, "", line});
  }

  static void step(ToldScene& scene, const std::string& line) {
    const std::size_t dot = line.find(". ");
    const std::size_t before = line.find(" before ", dot);
    const std::size_t colon = line.find(": ", before);
    ToldStep& step = scene.steps.emplace_back();
    step.from = event_in(line.substr(dot + 2, before - dot - 2));
    step.to = event_in(line.substr(before + 8, colon - before - 8));
    std::string rest = line.substr(colon + 2);
    if (const std::size_t by = rest.rfind(" [by "); by != std::string::npos) {
      step.premises = numbers_in(rest.substr(by));
      rest.resize(by);
    }
    rest.pop_back();
    step.reason = rest;
  }

  const History& h_;
  const evidence::Examination& examination_;
  std::vector<Told> all_;
  std::vector<std::string> assumptions_;
  bool reads_ = false;
};

class JsonReader {
 public:
  JsonReader(const evidence::Examination& examination)
      : h_(*examination.history), examination_(examination) {}

  std::vector<Told> read() {
    std::vector<Told> all;
    const Json whole = Json::parse(report::json(examination_));
    for (const Json& result : whole.at("results")) {
      if (result.at("verdict") != "violated") continue;
      Told& told = all.emplace_back();
      told.where = "JSON";
      if (result.contains("anomaly")) told.anomaly = result["anomaly"].at("name");
      if (result.contains("sentences")) told.sentences = result["sentences"].get<std::vector<std::string>>();
      if (!result.contains("counterexample")) continue;
      const Json& found = result["counterexample"];
      std::vector<Txn> members;
      if (found.contains("transactions")) {
        for (const Json& t : found["transactions"]) {
          for (const Txn same : called(t)) members.push_back(same);
        }
      }
      told.names = short_names(h_, members);
      if (found.at("kind") == "reads") {
        for (const Json& one : found.at("reads")) told.bad_reads.push_back(one.at("reason"));
      } else {
        derivation(found, {}, told);
      }
    }
    return all;
  }

 private:
  static std::string atom(const Json& value) {
    if (value.is_string()) return report::printable(Atom::string(value.get_ref<const std::string&>()));
    return value.dump();
  }
  static std::string name(const Json& t) {
    return t.is_null() ? "the initial state"
                       : "transaction " + atom(t.at("transaction")) + " of session " + atom(t.at("session"));
  }
  std::vector<Txn> called(const Json& t) const {
    std::vector<Txn> found;
    for (const Txn each : h_.all_transactions()) {
      if (full_name(h_, each) == name(t)) found.push_back(each);
    }
    return found;
  }

  static ToldEvent event(const Json& e) { return {name(e), !e.is_null() && e.at("event") == "begin"}; }
  static ToldStep step(const Json& s) {
    return {event(s.at("from")), event(s.at("to")), s.at("reason"),
            s.at("premises").get<std::vector<std::size_t>>()};
  }

  void derivation(const Json& d, std::vector<std::string> assumptions, Told& told) const {
    if (d.at("kind") == "cases") {
      for (const Json& one : d.at("cases")) {
        std::vector<std::string> inner = assumptions;
        inner.push_back(one.at("assumption").at("reason"));
        derivation(one.at("leads_to"), inner, told);
      }
      return;
    }
    ToldScene& scene = told.scenes.emplace_back();
    scene.assumptions = std::move(assumptions);
    for (const Json& s : d.at("steps")) scene.steps.push_back(step(s));
    scene.cycle = d.at("cycle").get<std::vector<std::size_t>>();
  }

  const History& h_;
  const evidence::Examination& examination_;
};

}  // namespace

std::vector<Told> told_by_text(const evidence::Examination& examination) {
  return TextReader(examination).read();
}

std::vector<Told> told_by_json(const evidence::Examination& examination) {
  return JsonReader(examination).read();
}

std::vector<Told> told_by_page(const evidence::Examination& examination) {
  std::vector<Told> all;
  const Json data = Json::parse(report::page_data(examination, report::PageLimits{}));
  for (const Json& story : data.at("stories")) {
    Told& told = all.emplace_back();
    told.where = "page";
    told.anomaly = story.at("anomaly");
    told.sentences = story.at("sentences").get<std::vector<std::string>>();
    std::map<std::int64_t, std::string> labels{{-1, "the initial state"}};
    for (const Json& one : story.at("cast")) {
      labels[one.at("transaction")] = one.at("label");
      told.names.emplace(one.at("label"), Txn{one.at("transaction").get<std::uint32_t>()});
    }
    for (const Json& read : story.at("reads")) told.bad_reads.push_back(read.at("sentence"));
    for (const Json& shown : story.at("scenes")) {
      ToldScene& scene = told.scenes.emplace_back();
      scene.assumptions = shown.at("assumptions").get<std::vector<std::string>>();
      scene.complete = shown.at("leftOut") == 0;
      for (const Json& s : shown.at("steps")) {
        ToldStep& step = scene.steps.emplace_back();
        step.from = {labels[s.at("from")], s.at("fromSide") == "begin"};
        step.to = {labels[s.at("to")], s.at("toSide") == "begin"};
        step.reason = s.at("reason");
        for (const std::size_t n : s.at("premises")) step.premises.push_back(n - 1);
      }
      for (const std::size_t n : shown.at("cycle")) scene.cycle.push_back(n - 1);
    }
  }
  return all;
}

}  // namespace assay
