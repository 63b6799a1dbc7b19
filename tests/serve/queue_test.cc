// The queue: mates in a batch never change an answer, and overload, deadlines and clients that leave are
// answered as documented.
#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "tests/apply/expected.h"
#include "tests/serve/collected_reply.h"

namespace locus::serve {
namespace {

// Sentences of 1 to `most` words.
std::string random_text(std::mt19937& random, int most) {
  constexpr const char* kWords[] = {"the", "dog", "chased", "a", "ball", "it", "ran", "sat", "London", "!"};
  std::string text;
  for (int i = static_cast<int>(random() % static_cast<unsigned>(most)); i >= 0; --i) {
    text += kWords[random() % std::size(kWords)];
    text += ' ';
  }
  return text;
}

std::string random_request(std::mt19937& random) {
  std::vector<std::string> texts;
  const size_t count = 1 + random() % (random() % 4 == 0 ? 40 : 3);
  while (texts.size() < count) texts.push_back(random_text(random, 8));
  return "{\"inputs\": " + json::texts(texts) + "}";
}

TEST(ServeQueue, BatchMatesNeverChangeAnAnswer) {
  Service service({.folder = golden_model("embed"), .queue = {.batch_tokens = 64}});
  service.wait_until_ready();
  std::mt19937 random(7);
  std::vector<std::string> requests, alone;
  for (int i = 0; i < 120; ++i) requests.push_back(random_request(random));
  for (const std::string& request : requests) alone.push_back(ask(service, "/embed", request).body);
  std::vector<std::shared_ptr<CollectedReply>> replies;
  for (const std::string& request : requests) replies.push_back(start(service, "/embed", request));
  for (size_t i = 0; i < requests.size(); ++i) {
    const HttpAnswer answer = replies[i]->wait();
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, alone[i]) << requests[i];
  }
}

// A thread of the queue that stays busy until it is released.
class Blocked {
 public:
  explicit Blocked(Queue& queue)
      : thread_([this, &queue] {
          Ticket ticket(queue, [] { return false; });
          ticket.run([this] {
            started_.set_value();
            released_.get_future().wait();
          });
        }) {
    started_.get_future().wait();
  }
  ~Blocked() { release(); }
  void release() {
    if (!thread_.joinable()) return;
    released_.set_value();
    thread_.join();
  }

 private:
  std::promise<void> started_, released_;
  std::thread thread_;
};

struct Asked {
  const Embedder& embedder;
  std::vector<std::string> texts;
  std::string failure(
      Queue& queue, const std::function<bool()>& gone = [] { return false; }) const {
    Ticket ticket(queue, gone);
    try {
      embedder.embed(texts, {.compute = &ticket});
    } catch (const Refused& refused) {
      return refused.refusal().code;
    }
    return "";
  }
};

TEST(ServeQueue, RefusesWhatDoesNotFit) {
  const Embedder embedder(golden_model("embed"));
  Metrics metrics;
  Queue queue({.batch_tokens = 8, .waiting_tokens = 20, .request_tokens = 30}, metrics);
  const Asked small{embedder, {"The dog ran."}};
  const Asked large{embedder, std::vector<std::string>(20, "The dog ran.")};
  EXPECT_EQ(large.failure(queue), "request_too_large");
  Blocked blocked(queue);
  std::vector<std::future<std::string>> waiting;
  int full = 0;
  for (int i = 0; i < 12; ++i) {
    waiting.push_back(std::async(std::launch::async, [&] { return small.failure(queue); }));
  }
  while (queue.waiting_tokens() == 0) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_LE(queue.waiting_tokens(), 20);
  blocked.release();
  for (auto& one : waiting) {
    const std::string code = one.get();
    EXPECT_TRUE(code.empty() || code == "queue_full") << code;
    full += code.empty() ? 0 : 1;
  }
  EXPECT_GT(full, 0);
  EXPECT_LT(full, 12);
  EXPECT_EQ(queue.waiting_tokens(), 0);
}

TEST(ServeQueue, EndsWhatWaitsTooLong) {
  const Embedder embedder(golden_model("embed"));
  Metrics metrics;
  constexpr std::chrono::seconds kWait{1};  // a thread that is blocked must start within it on a busy machine
  Queue queue({.wait = kWait}, metrics);
  const Asked asked{embedder, {"The dog ran."}};
  Blocked blocked(queue);
  auto waiting = std::async(std::launch::async, [&] { return asked.failure(queue); });
  while (queue.waiting_tokens() == 0) std::this_thread::yield();
  std::this_thread::sleep_for(kWait + std::chrono::milliseconds(20));
  EXPECT_GT(queue.watchdog().busy_for(), 1);
  blocked.release();
  EXPECT_EQ(waiting.get(), "deadline");
  EXPECT_EQ(asked.failure(queue), "");
  EXPECT_EQ(queue.waiting_tokens(), 0);
}

TEST(ServeQueue, DropsWhatNobodyWaitsFor) {
  const Embedder embedder(golden_model("embed"));
  Metrics metrics;
  Queue queue({}, metrics);
  const Asked asked{embedder, {"The dog ran."}};
  std::atomic<bool> gone = false;
  Blocked blocked(queue);
  auto waiting =
      std::async(std::launch::async, [&] { return asked.failure(queue, [&] { return gone.load(); }); });
  while (queue.waiting_tokens() == 0) std::this_thread::yield();
  gone = true;
  blocked.release();
  EXPECT_EQ(waiting.get(), "client_closed_request");
  EXPECT_EQ(queue.waiting_tokens(), 0);
}

// A single text is computed in the next batch, although a long list came first.
TEST(ServeQueue, AListDoesNotStandBeforeASingleText) {
  const Embedder embedder(golden_model("embed"));
  Metrics metrics;
  Queue queue({.batch_tokens = 32}, metrics);
  std::vector<std::string> order;
  std::mutex mutex;
  const auto ask = [&](const std::string& name, size_t count) {
    Ticket ticket(queue, [] { return false; });
    embedder.embed(std::vector<std::string>(count, "The dog ran."), {.compute = &ticket});
    const std::lock_guard lock(mutex);
    order.push_back(name);
  };
  Blocked blocked(queue);
  std::thread list([&] { ask("list", 500); });
  while (queue.waiting_tokens() == 0) std::this_thread::yield();
  const int64_t before = queue.waiting_tokens();
  std::thread single([&] { ask("single", 1); });
  while (queue.waiting_tokens() == before) std::this_thread::yield();
  blocked.release();
  list.join();
  single.join();
  EXPECT_EQ(order, (std::vector<std::string>{"single", "list"}));
}

// A sequence joins between two tokens of a longer one, also if the cache has room for only a few at a time.
TEST(ServeQueue, AShortAnswerDoesNotWaitForALongOne) {
  const Writer writer(golden_model("write"));
  Metrics metrics;
  Queue queue({.batch_tokens = 8, .cache_tokens = 24}, metrics);
  std::vector<std::string> order;
  std::mutex mutex;
  const auto write = [&](const std::string& name, int64_t most) {
    Ticket ticket(queue, [] { return false; });
    WriteOptions options = writer.defaults();
    options.max_tokens = most;
    const std::vector<std::string> prompts = {"it"}, expected = writer.write(prompts, options);
    options.on_finish = [&](size_t, const AnswerEnd&) {  // on the thread of the queue
      const std::lock_guard lock(mutex);
      order.push_back(name);
    };
    EXPECT_EQ(writer.write(prompts, options, {.compute = &ticket}), expected);
  };
  Blocked blocked(queue);
  std::thread longer([&] { write("long", 40); });
  while (queue.waiting_tokens() == 0) std::this_thread::yield();
  const int64_t before = queue.waiting_tokens();
  std::thread shorter([&] { write("short", 2); });
  while (queue.waiting_tokens() == before) std::this_thread::yield();
  blocked.release();
  longer.join();
  shorter.join();
  EXPECT_EQ(order, (std::vector<std::string>{"short", "long"}));
  EXPECT_EQ(queue.waiting_tokens(), 0);
}

// Drained requests end: a stream with an event, other answers with 503.
TEST(ServeQueue, DrainingEndsWhatRunsAfterTheGrace) {
  Service service({.folder = golden_model("write")});
  service.wait_until_ready();
  std::vector<std::shared_ptr<CollectedReply>> replies;
  for (int i = 0; i < 200; ++i) {
    replies.push_back(start(
        service, "/v1/completions",
        R"({"prompt": "it", "max_tokens": 46, "stream": )" + std::string(i % 2 == 0 ? "true}" : "false}")));
  }
  service.drain(std::chrono::milliseconds(1));
  int drained = 0;
  for (const auto& reply : replies) {
    EXPECT_TRUE(reply->ended());
    const HttpAnswer answer = reply->wait();
    const bool whole = answer.body.find("finish_reason\": \"length") != std::string::npos;
    const bool refused = answer.body.find("\"draining\"") != std::string::npos;
    EXPECT_TRUE(whole || refused) << answer.body;
    drained += refused ? 1 : 0;
  }
  EXPECT_GT(drained, 0);
}

TEST(ServeQueue, LoadsThenServesThenDrains) {
  Service service({.folder = golden_model("embed")});
  const int early = get(service, "/health").status;
  EXPECT_TRUE(early == 200 || early == 503);
  service.wait_until_ready();
  EXPECT_EQ(get(service, "/health").status, 200);
  service.drain(std::chrono::milliseconds(1000));
  EXPECT_EQ(get(service, "/health").status, 503);
  EXPECT_NE(ask(service, "/embed", R"({"inputs": "a"})").body.find("shutting down"), std::string::npos);
}

// The first batch counts as hanging here, and takes long enough to be seen.
TEST(ServeQueue, HealthFailsWhileABatchHangs) {
  Service service({.folder = golden_model("embed"), .queue = {.batch_tokens = 1 << 20, .hang = 0}});
  service.wait_until_ready();
  EXPECT_EQ(get(service, "/health").status, 200);
  std::string texts = "\"the dog chased a ball\"";
  for (int i = 0; i < 2000; ++i) texts += ", \"the dog chased a ball and it ran\"";
  const auto reply = start(service, "/embed", "{\"inputs\": [" + texts + "]}");
  HttpAnswer answer;
  while (!reply->ended() && answer.status == 200) answer = get(service, "/health");
  EXPECT_EQ(answer.status, 503);
  EXPECT_NE(answer.body.find("a batch has been running"), std::string::npos) << answer.body;
  reply->wait();
  EXPECT_EQ(get(service, "/health").status, 200);
}

TEST(ServeQueue, ABatchThatHangsIsNoticed) {
  Metrics metrics;
  Queue queue({.hang = 0.002}, metrics);
  EXPECT_FALSE(queue.watchdog().hangs());
  {
    const Blocked blocked(queue);
    std::this_thread::sleep_for(std::chrono::milliseconds(40));
    EXPECT_TRUE(queue.watchdog().hangs());
  }
  EXPECT_FALSE(queue.watchdog().hangs());
}

TEST(ServeQueue, AFolderThatCannotBeOpenedIsAnError) {
  Service service({.folder = "/nowhere"});
  EXPECT_THROW(service.wait_until_ready(), Error);
  EXPECT_EQ(ask(service, "/embed", "{}").status, 503);
}

TEST(ServeQueue, RefusesTooManyRequests) {
  Service service({.folder = golden_model("embed"), .max_requests = 0});
  service.wait_until_ready();
  const HttpAnswer answer = ask(service, "/embed", R"({"inputs": "a"})");
  EXPECT_EQ(answer.status, 429);
  EXPECT_NE(std::ranges::count(answer.headers, "retry-after", &std::pair<std::string, std::string>::first),
            0);
}

}  // namespace
}  // namespace locus::serve
