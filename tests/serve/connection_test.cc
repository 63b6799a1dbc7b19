// Streams, clients that leave or are slow, limits of connections, and the end of the server.
#include "locus/serve/http_server.h"

#include <gtest/gtest.h>

#include <atomic>

#include "tests/program.h"
#include "tests/serve/echo_server.h"

namespace locus::serve {
namespace {

constexpr Milliseconds kSoon{60};
const std::string kGetRequest = "GET /g HTTP/1.1\r\nHost: a\r\n\r\n";

// A handler that keeps the replies, so that the test answers.
class Kept {
 public:
  HttpHandler handler() {
    return [this](const HttpRequest&, std::shared_ptr<Reply> reply) {
      const std::lock_guard lock(mutex_);
      replies_.push_back(std::move(reply));
      came_.notify_all();
    };
  }
  std::shared_ptr<Reply> next() {
    std::unique_lock lock(mutex_);
    came_.wait_for(lock, std::chrono::seconds(5), [&] { return !replies_.empty(); });
    require(!replies_.empty(), "no request came");
    auto reply = std::move(replies_.front());
    replies_.erase(replies_.begin());
    return reply;
  }

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::vector<std::shared_ptr<Reply>> replies_;
};

// A client, its request, and the reply that the test gives.
struct OpenRequest {
  explicit OpenRequest(const ServerLimits& limits = quick_limits(), const std::string& request = kGetRequest)
      : echo(limits, kept.handler()), client(echo.client()) {
    client.send(request);
    reply = kept.next();
  }
  Kept kept;
  EchoServer echo;
  RawClient client;
  std::shared_ptr<Reply> reply;
};

template <class F>
bool soon(F condition) {
  for (int i = 0; i < 1000 && !condition(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return condition();
}

const HttpAnswer kEvents{.type = "text/event-stream"};

TEST(Connection, StreamsInChunks) {
  OpenRequest open;
  const auto& reply = open.reply;
  reply->begin(kEvents);
  const std::string head = open.client.read_until("\r\n\r\n");
  EXPECT_TRUE(contains(head, "transfer-encoding: chunked"));
  EXPECT_TRUE(contains(head, "content-type: text/event-stream"));
  EXPECT_FALSE(contains(head, "content-length"));
  reply->write("data: 1\n\n");
  EXPECT_EQ(open.client.read_until("\n\n\r\n"), "9\r\ndata: 1\n\n\r\n");
  reply->write("");  // would end the stream
  reply->write(std::string(20, 'a'));
  reply->end();
  reply->write("late");
  reply->end();
  EXPECT_EQ(open.client.read_until("0\r\n\r\n"), "14\r\n" + std::string(20, 'a') + "\r\n0\r\n\r\n");
  open.client.send(kGetRequest);  // the connection goes on
  open.kept.next()->send({.body = "second"});
  EXPECT_EQ(body_of(open.client.read_answer()), "second");
}

TEST(Connection, StreamsToHttp10UntilItCloses) {
  OpenRequest open(quick_limits(), "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  open.reply->begin(kEvents);
  open.reply->write("data: 1\n\n");
  open.reply->end();
  const std::string answer = open.client.read_all();
  EXPECT_TRUE(contains(answer, "connection: close"));
  EXPECT_EQ(body_of(answer), "data: 1\n\n");
}

TEST(Connection, SendsACommentInASilentStream) {
  ServerLimits limits = quick_limits();
  limits.ping_time = kSoon;
  OpenRequest open(limits);
  open.reply->begin(kEvents);
  EXPECT_TRUE(contains(open.client.read_until(": ping\n\n"), "\r\n8\r\n: ping\n\n"));
  EXPECT_TRUE(contains(open.client.read_until(": ping\n\n"), "8\r\n: ping\n\n"));
}

TEST(Connection, NoticesAClientThatLeaves) {
  OpenRequest open;
  const auto& reply = open.reply;
  EXPECT_FALSE(reply->gone());
  open.client.close();
  EXPECT_TRUE(soon([&] { return reply->gone(); }));
  reply->send({.body = "nobody reads it"});
  EXPECT_TRUE(soon([&] { return open.echo.server().connections() == 0; }));
}

TEST(Connection, RecordsAStreamThatNobodyReadsToItsEnd) {
  OpenRequest open;
  const auto& reply = open.reply;
  reply->begin(kEvents);
  reply->write("data: 1\n\n");
  open.client.read_until("\n\n");
  open.client.close();
  EXPECT_TRUE(soon([&] { return reply->gone(); }));
  const std::string large(size_t{1} << 20, 'a');
  for (int i = 0; i < 10; ++i) reply->write(large);
  EXPECT_EQ(open.echo.record(0).status, 499);
}

TEST(Connection, AnswersAClientThatOnlyEndedSending) {
  Kept kept;
  EchoServer echo(quick_limits(), kept.handler());
  RawClient client = echo.client();
  client.send(kGetRequest).end_sending();
  const auto reply = kept.next();
  EXPECT_TRUE(soon([&] { return reply->gone(); }));
  reply->send({.body = "still"});
  EXPECT_EQ(body_of(client.read_all()), "still");
}

TEST(Connection, AnswersOnce) {
  OpenRequest open;
  const auto& reply = open.reply;
  reply->send({.body = "first"});
  reply->send({.body = "second"});
  reply->begin(kEvents);
  EXPECT_EQ(body_of(open.client.read_answer()), "first");
  open.client.send(kGetRequest);
  open.kept.next()->send({.body = "third"});
  EXPECT_EQ(body_of(open.client.read_answer()), "third");
}

TEST(Connection, AnswersFromManyThreads) {
  std::vector<std::thread> threads;
  EchoServer echo(quick_limits(), [&](HttpRequest request, std::shared_ptr<Reply> reply) {
    threads.emplace_back([request, reply] {
      reply->begin({.type = "text/plain"});
      for (int i = 0; i < 100; ++i) reply->write(request.path);
      reply->end();
    });
  });
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 8; ++i) {
    clients.push_back(std::make_unique<RawClient>(echo.address()));
    clients.back()->send("GET /" + std::to_string(i) + " HTTP/1.1\r\nHost: a\r\n\r\n");
  }
  for (int i = 0; i < 8; ++i) {
    const std::string answer = clients[i]->read_until("0\r\n\r\n");
    size_t found = 0;
    const std::string path = "/" + std::to_string(i) + "\r\n";
    for (size_t at = answer.find(path); at != std::string::npos; at = answer.find(path, at + 1)) ++found;
    EXPECT_EQ(found, 100);
  }
  echo.stop();
  for (std::thread& thread : threads) thread.join();
}

TEST(Connection, ClosesAnIdleConnection) {
  ServerLimits limits = quick_limits();
  limits.idle_time = kSoon;
  const EchoServer echo(limits);
  RawClient client = echo.client();
  client.send(kGetRequest).read_answer();
  EXPECT_TRUE(client.is_closed());
}

TEST(Connection, RefusesSlowHeaders) {
  ServerLimits limits = quick_limits();
  limits.head_time = kSoon;
  const EchoServer echo(limits);
  EXPECT_EQ(status_of(echo.answer_to("GET / HTTP/1.1\r\nHost:")), 408);
  EXPECT_EQ(echo.answer_to(""), "");
  EXPECT_EQ(echo.answer_to("\r\n"), "");
  RawClient drip = echo.client();  // the deadline is for all headers
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 30 && std::chrono::steady_clock::now() - start < 3 * kSoon; ++i) {
    drip.send("X");
    std::this_thread::sleep_for(kSoon / 8);
  }
  EXPECT_EQ(status_of(drip.read_all()), 408);
}

TEST(Connection, RefusesASlowBody) {
  ServerLimits limits = quick_limits();
  limits.body_time = kSoon;
  const EchoServer echo(limits);
  EXPECT_EQ(status_of(echo.answer_to("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc")), 408);
}

TEST(Connection, ClosesIfAClientStopsReading) {
  Kept kept;
  ServerLimits limits = quick_limits();
  limits.stall_time = kSoon;
  EchoServer echo(limits, kept.handler());
  RawClient client = echo.client();
  client.send(kGetRequest);
  kept.next()->send({.body = std::string(size_t{32} << 20, 'a')});
  EXPECT_TRUE(soon([&] { return echo.server().connections() == 0; }));
  EXPECT_EQ(echo.record(0).status, 499);
}

TEST(Connection, ReadsOnlyABitAhead) {
  OpenRequest open;
  std::thread sender([&] {  // blocks when the buffers of the system are full
    for (int i = 0; i < 2000; ++i) open.client.send(std::string(size_t{32} << 10, '\n'));
  });
  std::this_thread::sleep_for(kSoon);
  open.reply->send({.body = "a"});  // then the line feeds are refused
  sender.join();
  EXPECT_EQ(status_of(open.client.read_answer()), 200);
}

TEST(Connection, LimitsConnections) {
  ServerLimits limits = quick_limits();
  limits.connections = 2;
  EchoServer echo(limits);
  RawClient first = echo.client(), second = echo.client();
  first.send(kGetRequest).read_answer();
  second.send(kGetRequest).read_answer();
  EXPECT_EQ(status_of(echo.client().read_all()), 503);
  EXPECT_EQ(echo.counted(), 2U);
  first.close();
  EXPECT_TRUE(soon([&] { return echo.server().connections() == 1; }));
  EXPECT_EQ(echo.counted(), 1U);
  RawClient third = echo.client();
  EXPECT_EQ(status_of(third.send(kGetRequest).read_answer()), 200);
}

TEST(Connection, LimitsConnectionsOfAnAddress) {
  ServerLimits limits = quick_limits();
  limits.per_address = 1;
  EchoServer echo(limits);
  RawClient first = echo.client();
  first.send(kGetRequest).read_answer();
  EXPECT_EQ(status_of(echo.client().read_all()), 503);
  EXPECT_EQ(echo.record(1).log, "too many connections");
}

TEST(Connection, LimitsBodiesTogether) {
  ServerLimits limits = quick_limits();
  limits.bodies = 100'001;
  const EchoServer echo(limits);
  RawClient first = echo.client();
  first.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100001\r\n\r\n" + std::string(100'000, 'a'));
  const std::string small = "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 2\r\n\r\nab";
  EXPECT_TRUE(soon([&] { return status_of(echo.answer_to(small)) == 503; }));
  EXPECT_EQ(status_of(first.send("a").read_answer()), 200);
  EXPECT_EQ(status_of(echo.answer_to(small)), 200);
}

TEST(Connection, DrainFinishesAnswersAndClosesTheRest) {
  Kept kept;
  EchoServer echo(quick_limits(), kept.handler());
  RawClient idle = echo.client(), busy = echo.client();
  busy.send(kGetRequest);
  const auto reply = kept.next();
  EXPECT_TRUE(soon([&] { return echo.server().connections() == 2; }));
  echo.server().drain();
  EXPECT_TRUE(idle.is_closed());
  EXPECT_FALSE(echo.server().wait_until_closed(Milliseconds(10)));
  EXPECT_THROW(echo.client(), Error);
  reply->send({.body = "last"});
  const std::string answer = busy.read_all();
  EXPECT_EQ(body_of(answer), "last");
  EXPECT_TRUE(contains(answer, "connection: close"));
  busy.close();
  EXPECT_TRUE(echo.server().wait_until_closed(Milliseconds(5000)));
}

TEST(Connection, RepliesOutliveTheServer) {
  OpenRequest open(quick_limits(), kGetRequest + kGetRequest);
  open.reply->begin(kEvents);
  open.echo.stop();
  EXPECT_TRUE(open.reply->gone());
  open.reply->write("late");
  open.reply->end();
  EXPECT_TRUE(contains(open.client.read_all(), "HTTP/1.1 200"));
}

}  // namespace
}  // namespace locus::serve
