#include "locus/serve/http_server.h"

#include <gtest/gtest.h>

#include "tests/program.h"
#include "tests/serve/echo_server.h"

namespace locus::serve {
namespace {

const std::string kClose = "Connection: close\r\n";

std::string get(const std::string& target, const std::string& headers = "") {
  return "GET " + target + " HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n";
}

std::string post(const std::string& target, const std::string& body, const std::string& headers = "") {
  return "POST " + target + " HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n" + headers + "\r\n" + body;
}

std::string chunked(const std::string& chunks, const std::string& headers = "") {
  return "POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n" + headers + "\r\n" + chunks;
}

TEST(HttpServer, AnswersRequestsOfOneConnectionInOrder) {
  const EchoServer echo;
  RawClient client = echo.client();
  for (int i = 0; i < 3; ++i) {
    const std::string answer = client.send(post("/a", std::to_string(i))).read_answer();
    EXPECT_EQ(status_of(answer), 200);
    EXPECT_EQ(body_of(answer), "POST /a? " + std::to_string(i));
    EXPECT_TRUE(contains(answer, "connection: keep-alive"));
  }
}

TEST(HttpServer, AnswersPipelinedRequestsInOrder) {
  // Each answer comes from a thread of its own, the earlier the later.
  std::vector<std::thread> threads;
  EchoServer echo(quick_limits(), [&](HttpRequest request, std::shared_ptr<Reply> reply) {
    threads.emplace_back([request, reply, i = threads.size()] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20 - 5 * i));
      EchoServer::echo(request, reply);
    });
  });
  std::string bytes;
  for (const char c : std::string("abc")) bytes += post("/" + std::string(1, c), "body");
  const std::string all = echo.client().send(bytes + get("/d", kClose)).read_all();
  std::string order;
  for (size_t at = all.find("/"); at != std::string::npos; at = all.find(" /", at + 1)) {
    if (all.compare(at, 2, " /") == 0) order += all[at + 2];
  }
  EXPECT_EQ(order, "abcd");
  echo.stop();
  for (std::thread& thread : threads) thread.join();
}

TEST(HttpServer, ReadsARequestByteByByte) {
  const EchoServer echo;
  RawClient client = echo.client();
  for (const char c : chunked("3\r\nabc\r\n02;x=y\r\nde\r\n0\r\nTrailer: t\r\n\r\n", kClose)) {
    client.send({&c, 1});
  }
  EXPECT_EQ(body_of(client.read_all()), "POST /c? abcde");
}

TEST(HttpServer, ContinuesIfTheClientAsks) {
  const EchoServer echo;
  RawClient client = echo.client();
  client.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n" + kClose +
              "\r\n");
  EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_EQ(body_of(client.send("ab").read_all()), "POST /x? ab");
  // The body is refused before it is sent.
  const std::string large =
      "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\nExpect: 100-continue\r\n\r\n";
  EXPECT_EQ(status_of(echo.client().send(large).read_answer()), 413);
  EXPECT_EQ(status_of(echo.answer_to(get("/", "Expect: 200-ok\r\n"))), 417);
}

TEST(HttpServer, AnswersHeadWithoutABody) {
  const EchoServer echo;
  const std::string answer = echo.answer_to("HEAD /h HTTP/1.1\r\nHost: a\r\n" + kClose + "\r\n");
  EXPECT_EQ(status_of(answer), 200);
  EXPECT_TRUE(contains(answer, "content-length: 8"));
  EXPECT_EQ(body_of(answer), "");
}

TEST(HttpServer, PassesOtherMethodsOn) {
  const EchoServer echo;
  for (const std::string method : {"OPTIONS", "DELETE", "PATCH", "BREW"}) {
    EXPECT_EQ(body_of(echo.answer_to(method + " /m HTTP/1.1\r\nHost: a\r\n" + kClose + "\r\n")),
              method + " /m? ");
  }
  EXPECT_EQ(body_of(echo.answer_to("OPTIONS * HTTP/1.1\r\nHost: a\r\n" + kClose + "\r\n")), "OPTIONS *? ");
}

TEST(HttpServer, SpeaksHttp10) {
  const EchoServer echo;
  const std::string answer = echo.answer_to("GET /old HTTP/1.0\r\n\r\n");
  EXPECT_EQ(body_of(answer), "GET /old? ");
  EXPECT_TRUE(contains(answer, "connection: close"));
  RawClient client = echo.client();
  client.send("GET /1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").read_answer();
  EXPECT_EQ(body_of(client.send("GET /2 HTTP/1.0\r\n\r\n").read_all()), "GET /2? ");
}

TEST(HttpServer, ReadsTargets) {
  const EchoServer echo;
  const std::pair<const char*, const char*> cases[] = {{"/p?q=1?2", "GET /p?q=1?2 "},
                                                       {"http://host:80/p?q", "GET /p?q "},
                                                       {"HTTPS://host?q", "GET /?q "},
                                                       {"http://host", "GET /? "},
                                                       {"/%00/../..//x", "GET /%00/../..//x? "}};
  for (const auto& [target, body] : cases) EXPECT_EQ(body_of(echo.answer_to(get(target, kClose))), body);
  for (const char* const target : {"*", "host:443", "path", "ftp://host/", "/a#b", "/\xc3\xa4", ""}) {
    EXPECT_EQ(status_of(echo.answer_to(get(target))), 400) << target;
  }
}

TEST(HttpServer, EchoesTheIdOfARequest) {
  EchoServer echo;
  const auto id_of = [&](const std::string& header) {
    const std::string answer = echo.answer_to(get("/", header + kClose));
    const size_t at = answer.find("x-request-id: ") + 14;
    return answer.substr(at, answer.find("\r\n", at) - at);
  };
  EXPECT_EQ(id_of("X-Request-Id: abc-1\r\n"), "abc-1");
  EXPECT_EQ(echo.record(0).id, "abc-1");
  EXPECT_EQ(id_of("X-Request-Id: a\tb\"<c>\r\n"), "abc");
  EXPECT_EQ(id_of("X-Request-Id: " + std::string(500, 'a') + "\r\n"), std::string(128, 'a'));
  EXPECT_EQ(id_of("").size(), 16);
  EXPECT_NE(id_of(""), id_of(""));
}

TEST(HttpServer, RecordsRequests) {
  EchoServer echo;
  echo.answer_to(post("/r", "body", kClose));
  const RequestRecord record = echo.record(0);
  EXPECT_EQ(record.method, "POST");
  EXPECT_EQ(record.path, "/r");
  EXPECT_EQ(record.address, "127.0.0.1");
  EXPECT_EQ(record.status, 200);
  EXPECT_EQ(record.body_bytes, 4);
  EXPECT_EQ(record.answer_bytes, 13);
  EXPECT_GE(record.seconds, 0);
}

TEST(HttpServer, AnswersIfItsHandlerThrowsOrForgets) {
  EchoServer echo(quick_limits(), [](const HttpRequest& request, const std::shared_ptr<Reply>&) {
    if (request.path == "/data") fail(Fault::data, "got 3, expected 2");
    if (request.path == "/bug") throw std::logic_error("secret");
  });
  RawClient client = echo.client();
  const std::string refused = client.send(get("/data")).read_answer();
  EXPECT_EQ(status_of(refused), 400);
  EXPECT_TRUE(contains(refused, "got 3, expected 2"));
  const std::string bug = client.send(get("/bug")).read_answer();
  EXPECT_EQ(status_of(bug), 500);
  EXPECT_FALSE(contains(bug, "secret"));
  EXPECT_EQ(echo.record(1).log, "secret");
  EXPECT_EQ(status_of(client.send(get("/forgotten")).read_answer()), 500);
}

TEST(HttpServer, DecidesBeforeItReadsTheBody) {
  const auto admit = [](const HttpRequest& head) {
    Admission admission{.headers = {{"x-of-all", "1\r\nx-injected: 2"}}};
    if (head.path == "/no") admission.answer = HttpAnswer{.status = 401, .body = "no"};
    return admission;
  };
  EchoServer echo(quick_limits(), EchoServer::echo, listen_tcp("127.0.0.1", 0), admit);
  RawClient client = echo.client();
  const std::string allowed = client.send(get("/yes")).read_answer();
  EXPECT_TRUE(contains(allowed, "x-of-all: 1x-injected: 2\r\n"));
  EXPECT_EQ(status_of(client.send(get("/no")).read_answer()), 401);  // without a body it stays open
  EXPECT_EQ(status_of(client.send(get("/yes")).read_answer()), 200);
  const std::string refused =
      client.send("POST /no HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n").read_all();
  EXPECT_EQ(status_of(refused), 401);
  EXPECT_TRUE(contains(refused, "connection: close"));
}

}  // namespace
}  // namespace locus::serve
