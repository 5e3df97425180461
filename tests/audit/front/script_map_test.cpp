// Which script a URL means, and what PHP is told about a request.
#include "audit/front/script_map.hpp"

#include <gtest/gtest.h>

#include "audit/front/params.hpp"
#include "support/program.hpp"

namespace assay::audit::front {
namespace {

class ScriptMapping : public ::testing::Test {
 protected:
  ScriptMapping() {
    std::filesystem::create_directories(folder_ / "sub");
    std::filesystem::create_directories(folder_ / "bare");
    std::filesystem::create_directories(folder_ / "dir.php");
    for (const char* const name : {"tool.php", "sub/index.php", "style.css", "dir.php/inner.php"})
      folder_.file(name, "");
  }
  std::string found(std::string_view target) {
    const auto answer = ScriptMap(folder_.string(), "/srv/").find(target);
    if (const auto* const refusal = std::get_if<Refusal>(&answer)) return std::to_string(refusal->status);
    const auto& script = std::get<Script>(answer);
    return script.name + (script.path_info.empty() ? "" : " + " + script.path_info);
  }
  testing::TemporaryFolder folder_;
};

TEST_F(ScriptMapping, AFileThatEndsInPhpIsTheScriptAndTheRestIsPathInfo) {
  EXPECT_EQ(found("/tool.php"), "/tool.php");
  EXPECT_EQ(found("/tool.php?/sub/index.php"), "/tool.php");
  EXPECT_EQ(found("/tool.php/a/b.php"), "/tool.php + /a/b.php");
  EXPECT_EQ(found("/tool.php/"), "/tool.php + /");
  EXPECT_EQ(found("/dir.php/inner.php/x"), "/dir.php/inner.php + /x") << "a folder is no script";
}

TEST_F(ScriptMapping, AFolderMeansItsIndex) {
  EXPECT_EQ(found("/sub/"), "/sub/index.php");
  EXPECT_EQ(found("/sub//"), "/sub/index.php");
  EXPECT_EQ(found("/sub/."), "/sub/index.php");
  EXPECT_EQ(found("/sub/x/.."), "/sub/index.php");
  EXPECT_EQ(found("/sub"), "404") << "without the slash, links of the page would go wrong";
}

TEST_F(ScriptMapping, WithoutAFrontControllerTheRestIsNotThere) {
  for (const char* const target : {"/", "/nothing", "/nothing.php", "/bare/", "/style.css", "/Tool.php"}) {
    EXPECT_EQ(found(target), "404") << target;
  }
}

TEST_F(ScriptMapping, AFrontControllerTakesAllThatIsNoFile) {
  folder_.file("index.php", "");
  EXPECT_EQ(found("/"), "/index.php");
  EXPECT_EQ(found("/index.php/Main_Page"), "/index.php + /Main_Page");
  for (const char* const target : {"/wiki/Main", "/nothing.php", "/bare/", "/sub", "/bare"}) {
    EXPECT_EQ(found(target), "/index.php") << target;
  }
  EXPECT_EQ(found("/style.css"), "404") << "files are not the application's";
}

TEST_F(ScriptMapping, PathsAreDecodedOnceAndStayBelowTheRoot) {
  EXPECT_EQ(found("/%74ool%2Ephp/%41%20b"), "/tool.php + /A b");
  EXPECT_EQ(found("/tool.php/%2541"), "/tool.php + /%41");
  for (const char* const target : {"/../tool.php", "/sub/../../tool.php", "/%2e%2E/tool.php",
                                   "/tool.php%00.css", "/%", "/%4", "/%zz", "/a%0ab", "tool.php", ""}) {
    EXPECT_EQ(found(target), "400") << target;
  }
  EXPECT_EQ(found("/sub/../tool.php"), "/tool.php");
  EXPECT_EQ(found("/./sub/%2e%2e//tool.php"), "/tool.php");
}

TEST(ResolvedPaths, AreThoseOfASimpleReader) {
  EXPECT_EQ(resolved_path("/"), "/");
  EXPECT_EQ(resolved_path("//"), "/");
  EXPECT_EQ(resolved_path("/a/"), "/a/");
  EXPECT_EQ(resolved_path("/a/./b/../c"), "/a/c");
  EXPECT_EQ(resolved_path("/a/.."), "/");
  EXPECT_EQ(resolved_path("/.../..a"), "/.../..a");
}

class FastCgiParameters : public ::testing::Test {
 protected:
  fastcgi::Params params() const { return params_of(request_, script_, "/srv", peer_, secure_); }
  std::string value(const std::string& name) const {
    std::string all;
    for (const auto& [key, text] : params()) {
      if (key == name) all += (all.empty() ? "" : " and ") + text;
    }
    return all;
  }
  HttpRequest request_{"POST", "/w/i.php/p?q=1?2", HttpVersion::http_1_1, {}, "body", true, true};
  Script script_{"/w/i.php", "/p"};
  Peer peer_{"192.0.2.1", "5000", "192.0.2.2", "80"};
  bool secure_ = false;
};

TEST_F(FastCgiParameters, SayWhatAWebServerWouldSay) {
  request_.fields = {{"Host", "example.org:8080"}, {"Content-Type", "text/x"}, {"Content-Length", "4"}};
  const fastcgi::Params expected = {{"GATEWAY_INTERFACE", "CGI/1.1"},
                                    {"SERVER_SOFTWARE", "assay"},
                                    {"SERVER_PROTOCOL", "HTTP/1.1"},
                                    {"REQUEST_METHOD", "POST"},
                                    {"REQUEST_SCHEME", "http"},
                                    {"REQUEST_URI", "/w/i.php/p?q=1?2"},
                                    {"DOCUMENT_URI", "/w/i.php/p"},
                                    {"DOCUMENT_ROOT", "/srv"},
                                    {"SCRIPT_NAME", "/w/i.php"},
                                    {"SCRIPT_FILENAME", "/srv/w/i.php"},
                                    {"QUERY_STRING", "q=1?2"},
                                    {"REMOTE_ADDR", "192.0.2.1"},
                                    {"REMOTE_PORT", "5000"},
                                    {"SERVER_ADDR", "192.0.2.2"},
                                    {"SERVER_PORT", "80"},
                                    {"SERVER_NAME", "example.org"},
                                    {"REDIRECT_STATUS", "200"},
                                    {"PATH_INFO", "/p"},
                                    {"CONTENT_TYPE", "text/x"},
                                    {"CONTENT_LENGTH", "4"},
                                    {"HTTP_HOST", "example.org:8080"}};
  EXPECT_EQ(params(), expected);
}

TEST_F(FastCgiParameters, FieldsOfOneNameAreJoined) {
  request_.fields = {{"Cookie", "a=1"}, {"X-A", "1"}, {"cookie", "b=2"}, {"x-a", "2"}};
  EXPECT_EQ(value("HTTP_COOKIE"), "a=1; b=2");
  EXPECT_EQ(value("HTTP_X_A"), "1, 2");
}

TEST_F(FastCgiParameters, WhatCouldPassForSomethingElseIsLeftOut) {
  request_.fields = {{"Proxy", "evil"}, {"X_A", "1"},       {"X.A", "1"}, {"Transfer-Encoding", "chunked"},
                     {"X-A", "2"},      {"Assay-Rid", "77"}};
  EXPECT_EQ(value("HTTP_PROXY"), "");
  EXPECT_EQ(value("HTTP_X_A"), "2");
  EXPECT_EQ(value("HTTP_TRANSFER_ENCODING"), "");
  EXPECT_EQ(value("ASSAY_RID"), "");
  EXPECT_EQ(value("CONTENT_LENGTH"), "4");
}

TEST_F(FastCgiParameters, TheHostNameIsWithoutItsPort) {
  for (const auto& [host, name] :
       {std::pair{"[::1]:80", "[::1]"}, {"[::1]", "[::1]"}, {"a", "a"}, {"", "192.0.2.2"}}) {
    request_.fields = {{"Host", host}};
    EXPECT_EQ(value("SERVER_NAME"), name);
  }
}

TEST_F(FastCgiParameters, BehindTlsTheApplicationIsToldSo) {
  secure_ = true;
  EXPECT_EQ(value("HTTPS") + " " + value("REQUEST_SCHEME"), "on https");
}

}  // namespace
}  // namespace assay::audit::front
