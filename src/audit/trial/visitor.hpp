// A visitor of an application: draws requests by a seed and keeps its cookies, as a browser does.
#pragma once

#include <map>
#include <random>
#include <string>

#include "audit/trial/application.hpp"
#include "audit/trial/web_client.hpp"

namespace assay::audit {

class Visitor {
 public:
  // `application` must outlive it; `number` is from 0.
  Visitor(const Application& application, std::uint64_t seed, std::uint64_t number);

  WebRequest next();
  void keep_cookies(const WebResponse& response);

 private:
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  const RequestPattern& draw();
  std::string fill(const std::string& text);

  const Application& application_;
  std::mt19937_64 random_;
  std::uint64_t session_;
  std::uint64_t asked_ = 0, all_weights_ = 0;
  std::map<std::string, std::string> cookies_;
};

}  // namespace assay::audit
