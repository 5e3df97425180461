#include "support/plain_history.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <unordered_map>

namespace assay::testing {

PlainHistory read_plain(const std::filesystem::path& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot open " + path.string());
  std::map<std::string, PlainSession> sessions;
  for (std::string line; std::getline(in, line);) {
    const auto json = nlohmann::json::parse(line);
    PlainTxn txn;
    const std::string status = json.at("status");
    txn.status = status == "ok" ? Status::committed : status == "fail" ? Status::aborted : Status::unknown;
    for (const auto& op : json.at("ops")) {
      PlainOp plain_op{op.at(0) != "r", op.at(1).dump(), {}};
      if (op.at(2).is_array()) {
        plain_op.list = true;
        for (const auto& element : op.at(2)) plain_op.values.push_back(element.dump());
      } else if (!op.at(2).is_null()) {
        plain_op.values.push_back(op.at(2).dump());
      }
      txn.ops.push_back(std::move(plain_op));
    }
    sessions[json.at("s").dump()].push_back(std::move(txn));
  }
  PlainHistory history;
  for (auto& [name, session] : sessions) history.sessions.push_back(std::move(session));
  return history;
}

PlainHistory plain(const History& h) {
  PlainHistory history;
  for (std::uint32_t s = 0; s < h.sessions(); ++s) {
    PlainSession session;
    for (const Txn t : h.transactions_of(Session{s})) {
      PlainTxn txn{h.status(t), {}};
      for (const Op op : h.operations_of(t)) {
        if (h.kind(op) == OpKind::list_read) {
          PlainOp list{false, to_json(h.name(h.list(op).key)), {}, true};
          for (const Version v : h.list(op).elements) list.values.push_back(to_json(h.value(v)));
          txn.ops.push_back(std::move(list));
          continue;
        }
        PlainOp single{writes(h.kind(op)), to_json(h.name(h.key(op))), {}};
        if (!h.is_initial(h.version(op))) single.values.push_back(to_json(h.value(h.version(op))));
        txn.ops.push_back(std::move(single));
      }
      session.push_back(std::move(txn));
    }
    history.sessions.push_back(std::move(session));
  }
  return history;
}

namespace {

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t h = (a ^ (b + 0x9E3779B97F4A7C15ULL + (a << 6) + (a >> 2))) * 0xD6E8FEB86659FD93ULL;
  return h ^ (h >> 29);
}

struct Place {
  std::size_t session;
  std::uint64_t local;  // transaction, operation, element and kind
};

}  // namespace

// Colour refinement: a session's colour comes from the colours of the keys and versions at its places, theirs
// from the colours of the sessions and the places at which they occur.
std::vector<std::uint64_t> fingerprint(const PlainHistory& history) {
  std::unordered_map<std::string, std::size_t> ids;
  std::vector<std::vector<Place>> places;  // by key or version
  std::vector<std::vector<std::pair<std::uint64_t, std::size_t>>>
      inside;  // by session: place, key or version
  const auto occurs = [&](const std::string& what, std::uint64_t local) {
    const auto [it, fresh] = ids.emplace(what, places.size());
    if (fresh) places.emplace_back();
    places[it->second].push_back({inside.size() - 1, local});
    inside.back().emplace_back(local, it->second);
  };
  for (const PlainSession& session : history.sessions) {
    inside.emplace_back();
    std::uint64_t t = 0;
    for (const PlainTxn& txn : session) {
      std::uint64_t o = 0;
      for (const PlainOp& op : txn.ops) {
        if (!op.write && txn.status != Status::committed) continue;
        std::uint64_t local =
            mix(mix(t, o), static_cast<std::uint64_t>(txn.status) * 8 + op.write * 4 + op.list * 2);
        local = mix(local, op.values.size());
        occurs("key " + op.key, local);
        for (std::size_t i = 0; i < op.values.size(); ++i)
          occurs("version " + op.key + " " + op.values[i], mix(local, i));
        ++o;
      }
      t += o > 0;
    }
    if (inside.back().empty()) inside.pop_back();
  }
  std::vector<std::uint64_t> session_colour(inside.size(), 1), colour(places.size(), 1);
  for (int round = 0; round < 4; ++round) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      std::uint64_t sum = 0;  // a sum, so that the order of sessions does not matter
      for (const Place& place : places[i]) sum += mix(session_colour[place.session], place.local);
      colour[i] = mix(colour[i], sum);
    }
    for (std::size_t s = 0; s < inside.size(); ++s) {
      std::uint64_t hash = session_colour[s];
      for (const auto& [local, id] : inside[s]) hash = mix(hash, mix(local, colour[id]));
      session_colour[s] = hash;
    }
  }
  std::sort(session_colour.begin(), session_colour.end());
  return session_colour;
}

}  // namespace assay::testing
