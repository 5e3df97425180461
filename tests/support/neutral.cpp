#include "support/neutral.hpp"

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "history/builder.hpp"

namespace assay {

namespace {

using Json = nlohmann::json;

// An atom that borrows from `json` (strings only; the files hold strings and numbers).
Atom atom(const Json& json) {
  if (json.is_string()) return Atom::string(json.get_ref<const std::string&>());
  if (json.is_number_unsigned()) return Atom::natural(json.get<std::uint64_t>());
  if (json.is_number_integer()) return Atom::integer(json.get<std::int64_t>());
  throw std::invalid_argument("neutral: unexpected atom " + json.dump());
}

std::optional<std::int64_t> time(const Json& transaction, const char* name) {
  const auto found = transaction.find(name);
  if (found == transaction.end() || found->is_null()) return std::nullopt;
  return found->get<std::int64_t>();
}

void add(HistoryBuilder& build, const Json& op) {
  const auto& kind = op[0].get_ref<const std::string&>();
  const Atom key = atom(op[1]);
  if (kind == "w") {
    build.write(key, atom(op[2]));
  } else if (kind == "append") {
    build.append(key, atom(op[2]));
  } else if (kind != "r") {
    throw std::invalid_argument("neutral: unexpected operation " + op.dump());
  } else if (op[2].is_null()) {
    build.read_initial(key);
  } else if (op[2].is_array()) {
    std::vector<Atom> elements;
    for (const Json& e : op[2]) elements.push_back(atom(e));
    build.list_read(key, elements);
  } else {
    build.read(key, atom(op[2]));
  }
}

}  // namespace

History read_neutral(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw std::invalid_argument("cannot open " + path);
  HistoryBuilder build;
  for (std::string line; std::getline(in, line);) {
    if (line.empty()) continue;
    const Json t = Json::parse(line);
    build.begin(build.session(atom(t.at("s"))), atom(t.at("t")));
    const auto& status = t.at("status").get_ref<const std::string&>();
    for (const Json& op : t.at("ops")) {
      // A failed transaction's reads carry nothing, in whatever form they are.
      if (status == "ok" || op[0] != "r") add(build, op);
    }
    build.end(status == "ok"     ? Status::committed
              : status == "fail" ? Status::aborted
                                 : Status::unknown,
              time(t, "start"), time(t, "end"));
  }
  return build.finish();
}

std::string shared_histories() {
  return ASSAY_SOURCE_DIR "/../shared/histories";
}

std::vector<Label> labels_of(const std::string& folder) {
  std::vector<Label> labels = labels_in("labels.csv");
  std::erase_if(labels, [&](const Label& label) { return !label.path.starts_with(folder + "/"); });
  return labels;
}

std::vector<Label> labels_in(const std::string& file) {
  std::vector<Label> labels;
  std::ifstream in(shared_histories() + "/" + file);
  for (std::string line; std::getline(in, line);) {
    if (line.find(",source: ") != std::string::npos) continue;  // a publisher's claim, not checked by anybody
    std::istringstream row(line);
    Label label{};
    std::string level, verdict;
    std::getline(row, label.path, ',');
    std::getline(row, level, ',');
    std::getline(row, verdict, ',');
    if (verdict != "satisfies" && verdict != "violates") continue;
    static const std::map<std::string, Level> kNames{
        {"RC", Level::read_committed}, {"RA", Level::read_atomic},        {"CC", Level::causal},
        {"PC", Level::prefix},         {"SI", Level::snapshot_isolation}, {"SER", Level::serializable}};
    const auto found = kNames.find(level);
    if (found == kNames.end()) continue;  // a publisher's claim about another level
    label.level = found->second;
    label.satisfies = verdict == "satisfies";
    labels.push_back(std::move(label));
  }
  return labels;
}

}  // namespace assay
