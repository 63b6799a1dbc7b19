// locus serve from its start to its end.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "tests/cli/text_commands.h"
#include "tests/serve/raw_client.h"

namespace locus {
namespace {

// The program while it serves a golden model. Its stderr goes to a file.
class Served {
 public:
  explicit Served(const std::string& options, const std::string& environment = "") {
    const std::string command =
        fmt::format("exec env LOCUS_THREADS=1 {} {} serve {} {} 2>'{}' </dev/null", environment,
                    LOCUS_PROGRAM, model("embed"), options, (folder_ / "err").string());
    process_ = ::fork();
    if (process_ == 0) {
      ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      ::_exit(127);
    }
    wait_for("ready on ");
  }
  ~Served() {
    if (process_ > 0) end_by(SIGKILL);
  }
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;

  std::string err() const {
    std::ifstream file(folder_ / "err");
    return {std::istreambuf_iterator<char>(file), {}};
  }
  bool wait_for(const std::string& text) const {
    for (int i = 0; i < 1000 && !contains(err(), text); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return contains(err(), text);
  }
  std::string address() const {
    const std::string text = err();
    const size_t at = text.find("ready on ") + 9;
    return text.substr(at, text.find('\n', at) - at);
  }
  std::string answer_to(const std::string& request) const {
    return serve::RawClient(address()).send(request).read_answer();
  }
  void signal(int number) const { ::kill(process_, number); }
  // The exit code, or 128 and the signal that ended the process.
  int wait() {
    int status = 0;
    ::waitpid(std::exchange(process_, 0), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  int end_by(int number) {
    signal(number);
    return wait();
  }

 private:
  TemporaryFolder folder_{in_memory()};
  pid_t process_ = 0;
};

const std::string kHealth = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";

std::string embed_request(const std::string& headers = "") {
  const std::string body = R"({"inputs": "the dog"})";
  return fmt::format(
      "POST /embed HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{}Content-Length: "
      "{}\r\n\r\n{}",
      headers, body.size(), body);
}

TEST(ServeCommand, AnswersUntilASignal) {
  Served served("--port 0 --log json");
  EXPECT_EQ(served.address().find("http://127.0.0.1:"), 0);
  EXPECT_EQ(serve::status_of(served.answer_to(kHealth)), 200);
  const std::string answer = served.answer_to(embed_request("X-Request-Id: own\r\n"));
  EXPECT_EQ(serve::status_of(answer), 200) << answer;
  EXPECT_TRUE(serve::body_of(answer).starts_with("[[")) << answer;
  EXPECT_TRUE(served.wait_for(R"("id": "own", "address": "127.0.0.1", "method": "POST", "path": "/embed")"));
  EXPECT_EQ(served.end_by(SIGTERM), 143);
  EXPECT_THROW(serve::RawClient(served.address()), Error);
}

TEST(ServeCommand, EndsByTheInterruptKeyWithAConnectionOpen) {
  Served served("--port 0 --log none");
  serve::RawClient client(served.address());
  client.send(kHealth).read_answer();
  EXPECT_EQ(served.end_by(SIGINT), 130);
  EXPECT_FALSE(contains(served.err(), "/health"));
}

TEST(ServeCommand, RequiresAKey) {
  const TemporaryFolder folder;
  put(folder / "keys", "from-file\n");
  const Served served("--port 0 --api-key first --api-key-file " + (folder / "keys").string(),
                      "LOCUS_API_KEY=from-environment");
  for (const char* const key : {"first", "from-file", "from-environment"}) {
    const std::string answer =
        served.answer_to(embed_request(fmt::format("Authorization: Bearer {}\r\n", key)));
    EXPECT_EQ(serve::status_of(answer), 200) << key;
  }
  EXPECT_EQ(serve::status_of(served.answer_to(embed_request())), 401);
  EXPECT_EQ(serve::status_of(served.answer_to(kHealth)), 200);
}

TEST(ServeCommand, RefusesNamesOfOthersOnALoopbackAddress) {
  const Served served("--port 0");
  EXPECT_EQ(serve::status_of(served.answer_to("GET /health HTTP/1.1\r\nHost: evil.org\r\n\r\n")), 403);
}

TEST(ServeCommand, ListensOnAFile) {
  const TemporaryFolder folder;
  const std::string path = (folder / "locus.sock").string();
  Served served("--unix " + path);
  EXPECT_EQ(served.address(), "unix:" + path);
  EXPECT_EQ(serve::status_of(served.answer_to("GET /health HTTP/1.1\r\nHost: any\r\n\r\n")), 200);
  expect_program_fault(4, "serve " + model("embed") + " --unix " + path, {path, "another server"});
  EXPECT_EQ(served.end_by(SIGTERM), 143);
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(ServeCommand, BadInputIsNamed) {
  const TemporaryFolder folder;
  put(folder / "keys", "# none\n");
  const std::string embed = "serve " + model("embed");
  expect_program_fault(4, "serve missing --port 0", {"missing"});
  expect_program_fault(2, embed + " --port 65536", {"--port", "65536", "65535"});
  expect_program_fault(2, embed + " --host no.such.host.invalid", {"no.such.host.invalid"});
  expect_program_fault(2, embed + " --port 0 --log xml", {"--log", "xml", "json"});
  expect_program_fault(3, embed + " --port 0 --api-key-file " + (folder / "keys").string(),
                       {"keys", "API key"});
  expect_program_fault(2, embed + " --port 0 --api-key ''", {"API key", "empty"});
}

}  // namespace
}  // namespace locus
