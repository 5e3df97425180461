// A visitor of the forum: draws requests from its workload.json by a seed and keeps its cookies.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "fastcgi.hpp"

namespace assay::php::testing {

struct Click {
  std::string method;
  std::string query;
  std::string form;
};

class Visitor {
 public:
  Visitor(std::uint64_t seed, int session);

  Click next();  // first a login as user{session}, then whatever is drawn
  Parameters parameters(const Click& click, const std::string& data, std::uint64_t rid) const;
  std::string cookie() const;
  void keep_cookies(const Response& response);

 private:
  std::string fill(std::string text);

  nlohmann::json workload_;
  std::mt19937_64 random_;
  int session_;
  bool logged_in_ = false;
  std::map<std::string, std::string> cookies_;
};

}  // namespace assay::php::testing
