// The collector in front of a real PHP: what the application sees, what the client gets, and that the trace
// has both.
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "audit/front/front.hpp"
#include "audit/front/http_client.hpp"
#include "audit/front/php_server.hpp"
#include "audit/front/trace_file.hpp"

namespace assay::audit::front {
namespace {

using testing::http_get;
using testing::HttpAnswer;
using testing::HttpClient;
using testing::PhpKind;
using testing::PhpServer;
using testing::read_trace;
using testing::TraceEvent;
using testing::TraceFile;
using wire::EndReason;

// What the application sees, as JSON.
constexpr const char* kEcho = R"(<?php
header('Content-Type: application/json');
$files = [];
foreach ($_FILES as $name => $file) $files[$name] = [$file['name'], $file['error'], md5_file($file['tmp_name'])];
ksort($_SERVER);
echo json_encode(['server' => $_SERVER, 'get' => $_GET, 'post' => $_POST, 'cookie' => $_COOKIE, 'files' => $files,
                  'input' => md5(file_get_contents('php://input'))]);
)";

class BeforeRealPhp : public ::testing::TestWithParam<PhpKind> {
 protected:
  void SetUp() override {
    if (!testing::php_program(GetParam())) GTEST_SKIP() << "this machine has no such PHP";
    folder_.file("echo.php", kEcho);
    php_.emplace(GetParam(), folder_.string(), 3);
    FrontOptions options;
    options.listen = "127.0.0.1:0";
    options.php = php_->address();
    options.root = folder_.string();
    options.trace = traces_.file("trace");
    front_.emplace(std::move(options));
    thread_ = std::thread([this] { front_->run(); });
  }
  void TearDown() override {
    if (!thread_.joinable()) return;
    front_->stop();
    thread_.join();
  }
  // The answers are recorded before they are given, so the trace can be read while the collector runs.
  TraceFile trace() {
    TraceFile read = read_trace(traces_.file("trace"));
    EXPECT_EQ(read.trouble, "");
    return read;
  }
  HttpAnswer get(const std::string& path, const std::string& fields = "") {
    return http_get(front_->address(), path, fields);
  }
  // What the client was given is what PHP sent but for the connection's own fields, and that is in the trace.
  void expect_recorded(const HttpAnswer& answer, std::uint64_t rid) {
    const TraceFile all = trace();
    const TraceEvent* const recorded = all.response(rid);
    ASSERT_NE(recorded, nullptr);
    EXPECT_EQ(recorded->end, EndReason::complete);
    EXPECT_EQ(recorded->status, static_cast<std::uint32_t>(answer.status));
    EXPECT_TRUE(recorded->body == answer.body);
    testing::TracePairs given;
    for (const auto& field : answer.fields) {
      if (field.first != "Connection" && field.first != "Date" && field.first != "Content-Length")
        given.push_back(field);
    }
    EXPECT_EQ(recorded->pairs, given);
  }

  testing::TemporaryFolder folder_, traces_;
  std::optional<PhpServer> php_;
  std::optional<Front> front_;
  std::thread thread_;
};

TEST_P(BeforeRealPhp, TheApplicationSeesTheRequestAndNothingOfTheCollectorButTheRequestId) {
  const HttpAnswer answer =
      get("/echo.php/in/fo?a=1&b[]=2", "X-Mine: yes\r\nCookie: c=3; d=4\r\nUser-Agent: test\r\n");
  ASSERT_EQ(answer.status, 200);
  expect_recorded(answer, 1);
  const auto seen = nlohmann::json::parse(answer.body);
  EXPECT_EQ(seen["get"].dump(), R"({"a":"1","b":["2"]})");
  EXPECT_EQ(seen["cookie"].dump(), R"({"c":"3","d":"4"})");
  EXPECT_EQ(seen["server"]["PATH_INFO"], "/in/fo");
  EXPECT_EQ(seen["server"]["SCRIPT_NAME"], "/echo.php");
  EXPECT_EQ(seen["server"]["PHP_SELF"], "/echo.php/in/fo");
  EXPECT_EQ(seen["server"]["SCRIPT_FILENAME"], folder_.file("echo.php"));
  // Every parameter of the trace is what PHP saw, and it saw no other.
  const TraceFile all = trace();
  std::size_t from_the_collector = 0;
  for (const auto& [name, value] : all.request(1)->pairs) {
    EXPECT_EQ(seen["server"].value(name, "(none)"), value) << name;
    ++from_the_collector;
  }
  for (const auto& [name, value] : seen["server"].items()) {
    const bool phps_own = name == "PHP_SELF" || name == "REQUEST_TIME" || name == "REQUEST_TIME_FLOAT" ||
                          name == "argv" || name == "argc" || name == "FCGI_ROLE" ||
                          name == "ORIG_SCRIPT_NAME" || name == "PATH_TRANSLATED" ||
                          name == "ORIG_PATH_TRANSLATED" || name == "ORIG_PATH_INFO" ||
                          name == "ORIG_SCRIPT_FILENAME" || name.rfind("PHP_FCGI_", 0) == 0;
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nobody changes it
    const bool inherited = name.find("ASSAY") == std::string::npos || std::getenv(name.c_str()) != nullptr;
    const bool environment = inherited && all.request(1)->value(name) == "(none)";
    EXPECT_TRUE(phps_own || environment || all.request(1)->value(name) == value) << name;
  }
  EXPECT_EQ(seen["server"]["ASSAY_RID"], "1");
  EXPECT_GE(from_the_collector, 20U);
}

TEST_P(BeforeRealPhp, FormsAndChunkedBodiesAndUploadsArrive) {
  HttpClient client(front_->address());
  client.post("/echo.php", "name=J%C3%BCrgen&x=1", "Content-Type: application/x-www-form-urlencoded\r\n");
  EXPECT_EQ(nlohmann::json::parse(client.answer().body)["post"].dump(), R"({"name":"Jürgen","x":"1"})");
  client.say(
      "POST /echo.php HTTP/1.1\r\nHost: h\r\nContent-Type: application/x-www-form-urlencoded\r\n"
      "Transfer-Encoding: chunked\r\n\r\n4\r\nx=1&\r\n3\r\ny=2\r\n0\r\n\r\n");
  const auto chunked = nlohmann::json::parse(client.answer().body);
  EXPECT_EQ(chunked["post"].dump(), R"({"x":"1","y":"2"})");
  EXPECT_EQ(chunked["server"]["CONTENT_LENGTH"], "7");
  const std::string file(3'000'000, 'z');
  const std::string form =
      "--XX\r\nContent-Disposition: form-data; name=\"up\"; filename=\"z.bin\"\r\n"
      "Content-Type: application/octet-stream\r\n\r\n" +
      file + "\r\n--XX--\r\n";
  client.post("/echo.php", form, "Content-Type: multipart/form-data; boundary=XX\r\n");
  const HttpAnswer answer = client.answer();
  EXPECT_EQ(nlohmann::json::parse(answer.body)["files"]["up"].dump(),
            R"(["z.bin",0,"1cb4e3f7cb2055723116b7a6072fafeb"])")
      << "md5 of three million z";
  expect_recorded(answer, 3);
  EXPECT_TRUE(trace().request(3)->body == form);
}

TEST_P(BeforeRealPhp, ABodyMayWaitToBeAskedFor) {
  HttpClient client(front_->address());
  client.say("POST /echo.php HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
  EXPECT_EQ(client.answer().status, 100);
  client.say("hello");
  EXPECT_EQ(nlohmann::json::parse(client.answer().body)["input"], "5d41402abc4b2a76b9719d911017c592");
}

TEST_P(BeforeRealPhp, StatusesRedirectsCookiesAndHeadersPassUnchanged) {
  folder_.file("fields.php", R"(<?php
    http_response_code(418);
    setcookie('a', '1'); setcookie('b', '2', ['path' => '/x']); header('Set-Cookie: c=3', false);
    header('X-Odd-CASE:   spaced  '); header('content-type: text/weird'); header('Content-Length: 3');
    echo 'tea';)");
  folder_.file("move.php", "<?php header('Location: /elsewhere?x=1'); header('X-Accel: y'); exit;");
  folder_.file("empty.php", "<?php http_response_code(204);");
  folder_.file("fatal.php", "<?php ini_set('display_errors', '0'); nothing();");
  const HttpAnswer fields = get("/fields.php");
  EXPECT_EQ(fields.status, 418);
  EXPECT_EQ(fields.field("X-Odd-CASE"), "spaced");
  EXPECT_EQ(fields.body, "tea");
  {
    // PHP's own Content-Length is in the trace, and the client's is the true one.
    const TraceFile all = trace();
    EXPECT_EQ(all.response(1)->value("Content-Length"), "3");
    std::string cookies;
    for (const auto& [name, value] : all.response(1)->pairs) {
      if (name == "Set-Cookie") cookies += value + "|";
    }
    EXPECT_EQ(cookies, "a=1|b=2; path=/x|c=3|");
  }
  const HttpAnswer moved = get("/move.php");
  EXPECT_EQ(moved.status, 302);
  EXPECT_EQ(moved.field("Location"), "/elsewhere?x=1");
  expect_recorded(moved, 2);
  const HttpAnswer empty = get("/empty.php");
  EXPECT_EQ(empty.status, 204);
  EXPECT_EQ(empty.field("Content-Length"), "(none)");
  expect_recorded(empty, 3);
  const HttpAnswer fatal = get("/fatal.php");
  EXPECT_EQ(fatal.status, 500);
  expect_recorded(fatal, 4);
}

// What php-cgi writes for a script when it is run by hand, without any of this.
TEST_P(BeforeRealPhp, TheTraceHasByteForByteWhatPhpWritesByItself) {
  if (!testing::php_program(PhpKind::cgi)) GTEST_SKIP() << "this machine has no php-cgi";
  folder_.file("page.php", R"(<?php
    header('X-A: 1'); header('X-B:  two '); setcookie('k', "v v"); http_response_code(404);
    for ($i = 0; $i < 3000; $i++) echo "line $i \0\xff\r\n";)");
  const HttpAnswer answer = get("/page.php");
  const auto by_hand = testing::run_shell(
      "env -i REDIRECT_STATUS=200 REQUEST_METHOD=GET SCRIPT_FILENAME=" + folder_.file("page.php") + " " +
      *testing::php_program(PhpKind::cgi) + " -n -d expose_php=1");
  const TraceFile all = trace();
  const TraceEvent& recorded = *all.response(1);
  std::string head = "Status: 404 Not Found\r\n";
  for (const auto& [name, value] : recorded.pairs) head += name + ": " + value + "\r\n";
  // Where the status stands among the fields is PHP's choice and not kept.
  std::string expected = by_hand.out;
  const std::size_t status = expected.find("Status: 404 Not Found\r\n");
  ASSERT_NE(status, std::string::npos) << by_hand.out.substr(0, 300) << by_hand.err;
  expected = "Status: 404 Not Found\r\n" + expected.erase(status, 23);
  // Nor is a blank before or behind a value, which HTTP does not count to it.
  const std::size_t blank = expected.find("X-B:  two");
  if (blank != std::string::npos) expected.replace(blank, 9, "X-B: two");
  EXPECT_TRUE(head + "\r\n" + recorded.body == expected) << head << "\nbut by itself:\n"
                                                         << expected.substr(0, expected.find("\r\n\r\n"));
  EXPECT_TRUE(answer.body == recorded.body);
}

TEST_P(BeforeRealPhp, AnswersToHeadHaveNoBody) {
  HttpClient client(front_->address());
  client.say("HEAD /echo.php HTTP/1.1\r\nHost: h\r\n\r\n");
  const HttpAnswer head = client.answer(true);
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.field("Content-Type"), "application/json");
  client.get("/echo.php");
  EXPECT_EQ(client.answer().status, 200) << "the connection goes on at the right byte";
  EXPECT_EQ(trace().request(1)->value("REQUEST_METHOD"), "HEAD");
}

TEST_P(BeforeRealPhp, LargeBodiesThatAreWrittenPieceByPieceArriveWhole) {
  folder_.file("large.php", R"(<?php while (ob_get_level()) ob_end_flush();
    for ($i = 0; $i < 300; $i++) { echo str_repeat(chr(65 + $i % 26), 65536); flush(); })");
  const HttpAnswer answer = get("/large.php");
  ASSERT_EQ(answer.body.size(), 300U * 65536U);
  for (std::size_t i = 0; i < 300; ++i) EXPECT_EQ(answer.body[i * 65536], static_cast<char>('A' + i % 26));
  expect_recorded(answer, 1);
}

TEST_P(BeforeRealPhp, ABodyThatTheScriptDoesNotReadDoesNotBlock) {
  folder_.file("deaf.php", "<?php echo 'done';");
  HttpClient client(front_->address());
  client.post("/deaf.php", std::string(20'000'000, 'x'), "Content-Type: application/octet-stream\r\n");
  EXPECT_EQ(client.answer().body, "done");
}

TEST_P(BeforeRealPhp, AScriptThatIsNotThereNeverReachesPhp) {
  EXPECT_EQ(get("/none.php").status, 404);
  EXPECT_EQ(get("/echo.php%00.css").status, 400);
  EXPECT_EQ(trace().events.size(), 0U);
}

TEST_P(BeforeRealPhp, ManyClientsAtOnceEachGetTheirOwn) {
  std::vector<std::thread> clients;
  for (int c = 0; c < 8; ++c) {
    clients.emplace_back([this, c] {
      HttpClient client(front_->address());
      for (int i = 0; i < 25; ++i) {
        const std::string mine = std::to_string(c * 1000 + i);
        client.get("/echo.php?mine=" + mine);
        const HttpAnswer answer = client.answer();
        ASSERT_EQ(answer.status, 200);
        const auto seen = nlohmann::json::parse(answer.body);
        EXPECT_EQ(seen["get"]["mine"], mine);
      }
    });
  }
  for (std::thread& client : clients) client.join();
  const TraceFile all = trace();
  ASSERT_EQ(all.events.size(), 400U);
  for (std::uint64_t rid = 1; rid <= 200; ++rid) {
    const auto seen = nlohmann::json::parse(all.response(rid)->body);
    EXPECT_EQ(seen["server"]["ASSAY_RID"], std::to_string(rid));
    EXPECT_EQ(seen["server"]["QUERY_STRING"], all.request(rid)->value("QUERY_STRING"));
  }
}

INSTANTIATE_TEST_SUITE_P(Php, BeforeRealPhp, ::testing::Values(PhpKind::cgi, PhpKind::fpm),
                         [](const auto& kind) { return kind.param == PhpKind::cgi ? "Cgi" : "Fpm"; });

}  // namespace
}  // namespace assay::audit::front
