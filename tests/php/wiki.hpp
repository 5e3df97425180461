// MediaWiki from Debian's package, unmodified, on a private php-fpm, and people who use it.
#pragma once

#include <map>
#include <random>
#include <string>
#include <vector>

#include "audit/audit.hpp"
#include "server.hpp"
#include "trace_writer.hpp"

namespace assay::php::testing {

struct WikiClick {
  std::string method, script, query, form, cookie;
};

class Wiki {
 public:
  static constexpr int kPages = 20;
  static constexpr int kFirstRevision = 2;  // of Page 1, which is imported first
  static bool is_installed() { return std::filesystem::exists("/usr/share/mediawiki"); }

  explicit Wiki(Recorder recorder);
  // Sets it up, which takes a while. False if that failed: `home() + "/setup.log"` says why.
  bool make();
  // The same wiki as another one, before anybody used it.
  void copy_of(const Wiki& other);

  const PhpFolder& php() const { return php_; }
  const std::string& home() const { return home_; }
  Response click(const std::string& socket, const WikiClick& click);
  std::vector<WikiClick> clicks() const { return clicks_; }  // in the order of their requests
  const TraceWriter& trace() const { return trace_; }
  audit::Verdict check(const audit::Trace& trace, const audit::Reports& reports) const;
  const audit::InitialState& initial() const { return initial_; }

 private:
  void keep_first_state();

  PhpFolder php_;
  std::string home_ = php_.folder() / "wiki";
  TraceWriter trace_;
  std::mutex clicks_mutex_;
  std::vector<WikiClick> clicks_;
  audit::InitialState initial_;
};

// Draws what to do by a seed: 5 % edits, logins, searches, history, differences, recent changes, the interface for
// programs and styles; the rest are views, some pages more often than others.
class WikiUser {
 public:
  WikiUser(Wiki& wiki, std::string socket, std::uint64_t seed)
      : wiki_(&wiki), socket_(std::move(socket)), random_(seed) {}
  void act();

 private:
  Response click(const std::string& method, const std::string& script, const std::string& query,
                 const std::string& form = "");
  void log_in();
  std::string page();

  Wiki* wiki_;
  std::string socket_;
  std::mt19937_64 random_;
  std::map<std::string, std::string> cookies_;
};

}  // namespace assay::php::testing
