// One connection as a whole, without sockets: who is told what, and what the trace says in the end.
#include <gtest/gtest.h>

#include "audit/front/client_session.hpp"
#include "audit/front/trace_file.hpp"
#include "support/program.hpp"

namespace assay::audit::front {
namespace {

using testing::read_trace;
using testing::TraceFile;
using wire::EndReason;

const std::string kGet = "GET /a.php HTTP/1.1\r\nHost: h\r\n\r\n";
const std::string kGone = "GET /gone HTTP/1.1\r\nHost: h\r\n\r\n";

std::string php_says(std::string_view page) {
  std::string bytes;
  fastcgi::put_record(bytes, fastcgi::Type::standard_output, "A: 1\r\n\r\n" + std::string(page));
  fastcgi::put_record(bytes, fastcgi::Type::end_request, std::string(8, '\0'));
  return bytes;
}

class ASession : public ::testing::Test {
 protected:
  ASession() { folder_.file("a.php", ""); }

  // Takes all there is for the client.
  std::string client_reads() {
    const std::string out(session_.output());
    if (!out.empty()) session_.sent(out.size());
    return out;
  }
  // Only the status line.
  std::string status_read() {
    const std::string all = client_reads();
    return all.substr(0, all.find("\r\n"));
  }
  std::string php_reads() {
    std::string out;
    for (std::string_view bytes = session_.php_output(); !bytes.empty(); bytes = session_.php_output()) {
      out += bytes;
      session_.php_sent(bytes.size());
    }
    return out;
  }
  TraceFile trace() { return read_trace(folder_.file("trace")); }

  testing::TemporaryFolder folder_;
  RequestLimits request_;
  ResponseLimits response_;
  ScriptMap scripts_{folder_.string(), folder_.string()};
  TraceWriter trace_{folder_.file("trace"), Durability::process};
  fastcgi::Params parameters_;
  Session session_{{request_, response_, scripts_, trace_, parameters_, false},
                   {"192.0.2.1", "5", "192.0.2.2", "80"}};
};

TEST_F(ASession, ARequestIsRecordedBeforePhpGetsItAndAResponseBeforeTheClientGetsIt) {
  session_.received(kGet);
  EXPECT_EQ(session_.phase(), Phase::queued);
  EXPECT_EQ(trace().events.size(), 0U) << "it waits, and is not at PHP yet";
  session_.send_to_php();
  ASSERT_EQ(trace().events.size(), 1U);
  EXPECT_EQ(trace().request(1)->value("REQUEST_URI"), "/a.php");
  EXPECT_NE(php_reads().find("ASSAY_RID1"), std::string::npos);
  const std::string page = php_says("hello");
  session_.php_received(page.substr(0, page.size() - 1));
  EXPECT_TRUE(session_.output().empty()) << "nothing leaves before it is recorded whole";
  EXPECT_EQ(trace().events.size(), 1U);
  session_.php_received(page.substr(page.size() - 1));
  EXPECT_EQ(session_.phase(), Phase::answering);
  ASSERT_EQ(trace().events.size(), 2U);
  EXPECT_EQ(trace().response(1)->body, "hello");
  EXPECT_EQ(trace().response(1)->end, EndReason::complete);
  const std::string read = client_reads();
  EXPECT_EQ(read.substr(0, 23), "HTTP/1.1 200 OK\r\nA: 1\r\n");
  EXPECT_EQ(read.substr(read.size() - 9), "\r\n\r\nhello");
  EXPECT_EQ(session_.phase(), Phase::idle);
  EXPECT_EQ(trace().trouble, "");
}

TEST_F(ASession, PipelinedRequestsAreServedInTheirOrderOneAtATime) {
  session_.received(kGet + kGone + kGet);
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(session_.wants_input()) << "what comes next waits in the socket";
    session_.send_to_php();
    session_.php_received(php_says("page"));
    EXPECT_EQ(status_read(), "HTTP/1.1 200 OK");
    if (i == 0) {
      EXPECT_EQ(status_read(), "HTTP/1.1 404 Not Found");
    }
  }
  EXPECT_EQ(session_.phase(), Phase::idle);
  EXPECT_EQ(trace().events.size(), 4U) << "what is not for PHP is not recorded";
  EXPECT_EQ(trace().trouble, "");
}

TEST_F(ASession, ABodyIsAskedForOnceItsHeadIsGood) {
  session_.received("POST /a.php HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(session_.phase(), Phase::body);
  EXPECT_EQ(client_reads(), "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_EQ(session_.phase(), Phase::body);
  session_.received("hi");
  session_.send_to_php();
  EXPECT_EQ(trace().request(1)->body, "hi");
}

TEST_F(ASession, AMalformedRequestIsToldSoAndTheConnectionEnds) {
  session_.received("GET /a.php HTTP/1.1\r\n\r\n" + kGet);
  EXPECT_EQ(status_read(), "HTTP/1.1 400 Bad Request");
  EXPECT_EQ(session_.phase(), Phase::closing);
  session_.received(kGet);
  EXPECT_EQ(session_.phase(), Phase::closing) << "nothing behind it is believed";
  session_.client_ended();
  EXPECT_EQ(session_.phase(), Phase::over);
  EXPECT_EQ(trace().events.size(), 0U);
}

TEST_F(ASession, AClientThatLeavesWhilePhpWorksIsExplainedByTheTrace) {
  session_.received(kGet);
  session_.send_to_php();
  session_.client_reset();
  EXPECT_EQ(session_.phase(), Phase::at_php) << "PHP does not notice";
  session_.php_received(php_says("hello"));
  EXPECT_EQ(session_.phase(), Phase::over);
  EXPECT_EQ(trace().response(1)->end, EndReason::client_gone);
  EXPECT_EQ(trace().response(1)->body, "hello") << "the response is there all the same";
}

TEST_F(ASession, AClientThatLeavesBeforeItsTurnLeavesNoTrace) {
  session_.received(kGet);
  session_.client_reset();
  EXPECT_EQ(session_.phase(), Phase::over);
  EXPECT_EQ(trace().events.size(), 0U);
}

TEST_F(ASession, AClientThatHasSaidAllItWantsStillGetsItsAnswers) {
  session_.received(kGet + kGet);
  session_.client_ended();
  for (int i = 0; i < 2; ++i) {
    session_.send_to_php();
    session_.php_received(php_says("hello"));
    EXPECT_EQ(status_read(), "HTTP/1.1 200 OK");
  }
  EXPECT_EQ(session_.phase(), Phase::over);
}

TEST_F(ASession, AClientThatStopsInTheMiddleOfARequestIsLeft) {
  session_.received(kGet.substr(0, 10));
  EXPECT_EQ(session_.phase(), Phase::head);
  session_.client_ended();
  EXPECT_EQ(session_.phase(), Phase::over);
}

TEST_F(ASession, WhatGoesWrongAtPhpIsToldAndRecordedWithItsReason) {
  struct Case {
    void (*happens)(Session&);
    EndReason end;
    const char* told;
  };
  const Case cases[] = {
      {[](Session& s) { s.php_closed(); }, EndReason::server_gone, "HTTP/1.1 502 Bad Gateway"},
      {[](Session& s) { s.php_not_connected("x"); }, EndReason::refused, "HTTP/1.1 503 Service Unavailable"},
      {[](Session& s) { s.give_up("x"); }, EndReason::given_up, "HTTP/1.1 504 Gateway Timeout"},
  };
  std::uint64_t rid = 0;
  for (const Case& one : cases) {
    session_.received(kGet);
    session_.send_to_php();
    one.happens(session_);
    EXPECT_EQ(trace().response(++rid)->end, one.end);
    EXPECT_EQ(trace().response(rid)->status, 0U);
    EXPECT_EQ(session_.take_ended()->end, one.end);
    EXPECT_EQ(status_read(), one.told);
    EXPECT_EQ(session_.phase(), Phase::idle) << "the client may ask again";
  }
}

TEST_F(ASession, WhatPhpSentOfAResponseThatIsNotWholeIsRecordedAndNotTold) {
  session_.received(kGet);
  session_.send_to_php();
  session_.php_received(php_says("secret").substr(0, 20));
  session_.php_received(php_says("secret").substr(20, 2));
  session_.php_closed();
  const std::string told = client_reads();
  EXPECT_EQ(told.find("sec"), std::string::npos);
  EXPECT_EQ(trace().response(1)->end, EndReason::server_gone);
}

TEST_F(ASession, ARequestToHeadHasNoBody) {
  session_.received("HEAD /a.php HTTP/1.1\r\nHost: h\r\n\r\n");
  session_.send_to_php();
  session_.php_received(php_says("hello"));
  const std::string read = client_reads();
  EXPECT_EQ(read.substr(read.size() - 4), "\r\n\r\n");
  EXPECT_EQ(trace().response(1)->body, "hello") << "the trace has what PHP sent";
}

TEST_F(ASession, EveryCutOfWhatBothSidesSayGivesTheSameTraceAndAnswers) {
  const std::string request =
      "POST /a.php HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n";
  const std::string page = php_says("hello");
  std::uint64_t rid = 0;
  for (std::size_t cut = 0; cut <= std::max(request.size(), page.size()); ++cut) {
    session_.received(request.substr(0, cut));
    if (cut < request.size()) session_.received(request.substr(cut));
    session_.send_to_php();
    const std::size_t page_cut = std::min(cut, page.size());
    session_.php_received(page.substr(0, page_cut));
    if (page_cut < page.size()) session_.php_received(page.substr(page_cut));
    EXPECT_EQ(status_read(), "HTTP/1.1 200 OK");
    ++rid;
  }
  const TraceFile all = trace();
  EXPECT_EQ(all.trouble, "");
  for (std::uint64_t i = 1; i <= rid; ++i) {
    EXPECT_EQ(all.request(i)->body, "hi");
    EXPECT_EQ(all.request(i)->value("CONTENT_LENGTH"), "2");
    EXPECT_EQ(all.response(i)->body, "hello");
  }
}

}  // namespace
}  // namespace assay::audit::front
