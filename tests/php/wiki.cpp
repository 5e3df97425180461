#include "wiki.hpp"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "audited.hpp"

namespace assay::php::testing {

namespace {

constexpr const char* kExtensions =
    "extension=mbstring\nextension=xml\nextension=intl\nextension=gmp\nextension=dom\nextension=xmlreader\n"
    "extension=iconv\nextension=tokenizer\nextension=fileinfo\nextension=calendar\n"
    // An edit conflict would run diff3, which nobody could repeat.
    "disable_functions=exec,shell_exec,system,passthru,proc_open,popen,mail,fsockopen,stream_socket_client\n";

std::string form_encoded(const std::string& text) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) {
      out += c;
    } else {
      out += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return out;
}

}  // namespace

Wiki::Wiki(Recorder recorder) : php_(recorder, kExtensions) {
  if (recorder == Recorder::on)
    write_file(php_.ini(), read_file(php_.ini()) + "assay.code=" + home_ + "/w\n");
}

bool Wiki::make() {
  std::filesystem::create_directory(home_);
  const std::string command =
      ASSAY_SOURCE_DIR "/tests/apps/mediawiki/setup '" + home_ + "' " + std::to_string(kPages);
  if (std::system(command.c_str()) != 0) return false;
  keep_first_state();
  return true;
}

void Wiki::copy_of(const Wiki& other) {
  std::filesystem::copy(other.home_, home_, std::filesystem::copy_options::recursive);
  for (const auto& [database, copy] : other.initial_.databases) {
    const std::string name = std::filesystem::path(database).filename();
    std::filesystem::copy_file(copy, home_ + "/data/" + name,
                               std::filesystem::copy_options::overwrite_existing);
    std::filesystem::remove(home_ + "/data/" + name + "-wal");
    std::filesystem::remove(home_ + "/data/" + name + "-shm");
  }
  std::string settings = read_file(home_ + "/w/LocalSettings.php");
  for (std::size_t at = settings.find(other.home_); at != std::string::npos; at = settings.find(other.home_))
    settings.replace(at, other.home_.size(), home_);
  write_file(home_ + "/w/LocalSettings.php", settings);
  keep_first_state();
}

void Wiki::keep_first_state() {
  for (const auto& entry : std::filesystem::directory_iterator(home_ + "/data")) {
    if (entry.path().extension() != ".sqlite") continue;
    const std::string copy = php_.folder() / entry.path().filename().string();
    std::filesystem::copy_file(entry.path(), copy);
    initial_.databases[entry.path().string()] = copy;
  }
}

Response Wiki::click(const std::string& socket, const WikiClick& click) {
  const auto parameters = [&](std::uint64_t rid) {
    Parameters list = parameters_for(home_ + "/w" + click.script, click.method, click.query, click.cookie,
                                     click.form.size(), rid);
    list.insert(list.end(), {{"SCRIPT_NAME", click.script},
                             {"DOCUMENT_ROOT", home_ + "/w"},
                             {"HTTP_HOST", "127.0.0.1"},
                             {"SERVER_NAME", "127.0.0.1"},
                             {"SERVER_PORT", "80"},
                             {"HTTP_USER_AGENT", "test"}});
    return list;
  };
  const std::uint64_t rid = trace_.arrive(parameters, click.form);
  {
    const std::lock_guard hold(clicks_mutex_);
    clicks_.push_back(click);
  }
  Response response = ask(socket, parameters(rid), click.form);
  trace_.response(rid, response);
  return response;
}

audit::Verdict Wiki::check(const audit::Trace& trace, const audit::Reports& reports) const {
  return audited(php_, home_ + "/w", trace, reports, initial_);
}

std::string WikiUser::page() {
  const std::uint64_t one = random_() % Wiki::kPages;
  const std::uint64_t other = random_() % Wiki::kPages;
  return "Page_" + std::to_string(std::min(one, other) + 1);
}

Response WikiUser::click(const std::string& method, const std::string& script, const std::string& query,
                         const std::string& form) {
  std::string cookie;
  for (const auto& [name, value] : cookies_) cookie += (cookie.empty() ? "" : "; ") + name + "=" + value;
  Response response = wiki_->click(socket_, {method, script, query, form, cookie});
  for (const auto& [name, value] : response.headers) {
    if (name != "Set-Cookie") continue;
    const std::size_t equals = value.find('=');
    cookies_[value.substr(0, equals)] = value.substr(equals + 1, value.find(';') - equals - 1);
  }
  return response;
}

void WikiUser::log_in() {
  cookies_.clear();
  const Response answer = click("GET", "/api.php", "action=query&meta=tokens&type=login&format=json");
  const nlohmann::json body = nlohmann::json::parse(answer.body, nullptr, false);
  if (body.is_discarded()) return;
  const std::string token = body["query"]["tokens"]["logintoken"];
  click("POST", "/api.php", "",
        "action=login&format=json&lgname=Admin&lgpassword=a%20long%20enough%20one&lgtoken=" +
            form_encoded(token));
}

void WikiUser::act() {
  const std::uint64_t ticket = random_() % 100;
  if (ticket < 5) {
    cookies_.clear();  // whoever has no account edits with the same token always
    const std::string text =
        "Text " + std::to_string(random_() % 1000) + " with [[" + page() + "]]\n== One ==\n* item";
    // One in five begins from an old revision: an edit conflict, for which MediaWiki writes temporary files.
    const std::string where =
        ticket == 0 ? "Page_1&baserevid=" + std::to_string(Wiki::kFirstRevision) : page();
    click("POST", "/api.php", "",
          "action=edit&format=json&title=" + where + "&text=" + form_encoded(text) + "&token=%2B%5C");
  } else if (ticket < 7) {
    log_in();
  } else if (ticket < 10) {
    click("GET", "/index.php", "title=Special:Search&search=page+" + std::to_string(random_() % 30));
  } else if (ticket < 13) {
    click("GET", "/index.php", "title=" + page() + "&action=history");
  } else if (ticket < 15) {
    click("GET", "/index.php", "title=Special:RecentChanges");
  } else if (ticket < 17) {
    click("GET", "/index.php", "title=" + page() + "&diff=cur&oldid=prev");
  } else if (ticket < 19) {
    click("GET", "/load.php", "modules=startup&only=scripts&lang=en&skin=vector");
  } else if (ticket < 22) {
    click("GET", "/api.php", "action=query&prop=info&format=json&titles=" + page());
  } else {
    if (ticket < 24) cookies_.clear();
    click("GET", "/index.php", "title=" + page());
  }
}

}  // namespace assay::php::testing
