#include "locus/serve/listener.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>

#include "tests/expect_error.h"
#include "tests/serve/echo_server.h"
#include "tests/temporary_folder.h"

namespace locus::serve {
namespace {

namespace fs = std::filesystem;
const std::string kGetClose = "GET /g HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

std::vector<Listener> listeners_of(Listener listener) {
  std::vector<Listener> list;
  list.push_back(std::move(listener));
  return list;
}

EchoServer* server_on(std::vector<Listener> listeners) {
  return new EchoServer(quick_limits(), EchoServer::echo, std::move(listeners));
}

TEST(Listener, ListensOnTcp) {
  std::vector<Listener> listeners = listen_tcp("127.0.0.1", 0);
  ASSERT_EQ(listeners.size(), 1);
  EXPECT_TRUE(listeners[0].local);
  EXPECT_TRUE(listeners[0].address.starts_with("http://127.0.0.1:"));
  EXPECT_FALSE(listeners[0].address.ends_with(":0"));
  EXPECT_FALSE(listen_tcp("0.0.0.0", 0)[0].local);
}

TEST(Listener, ListensOnIpv6) {
  std::vector<Listener> listeners;
  try {
    listeners = listen_tcp("::1", 0);
  } catch (const Error&) {
    GTEST_SKIP() << "this machine has no IPv6";
  }
  EXPECT_TRUE(listeners[0].local);
  EXPECT_TRUE(listeners[0].address.starts_with("http://[::1]:"));
  const std::unique_ptr<EchoServer> echo(server_on(std::move(listeners)));
  EXPECT_EQ(body_of(echo->answer_to(kGetClose)), "GET /g? ");
}

TEST(Listener, RefusesAPortInUseAndAnUnknownHost) {
  const std::vector<Listener> listeners = listen_tcp("127.0.0.1", 0);
  const std::string port = listeners[0].address.substr(std::string("http://127.0.0.1:").size());
  expect_error(Fault::io, {"127.0.0.1", port.c_str(), "another process"},
               [&] { listen_tcp("127.0.0.1", std::stoi(port)); });
  expect_error(Fault::usage, {"no.such.host.invalid"}, [] { listen_tcp("no.such.host.invalid", 0); });
  expect_error(Fault::io, {"192.0.2.1"}, [] { listen_tcp("192.0.2.1", 0); });  // not of this machine
}

TEST(Listener, ListensOnAFileAndRemovesIt) {
  const TemporaryFolder folder;
  const fs::path path = folder / "locus.sock";
  std::unique_ptr<EchoServer> echo(server_on(listeners_of(listen_unix(path))));
  EXPECT_EQ(echo->address(), "unix:" + path.string());
  EXPECT_EQ(body_of(echo->answer_to(kGetClose)), "GET /g? ");
  EXPECT_EQ(echo->record(0).address, "unix");
  echo.reset();
  EXPECT_FALSE(fs::exists(path));
}

TEST(Listener, ReplacesOnlyASocketThatNobodyServes) {
  const TemporaryFolder folder;
  const fs::path path = folder / "locus.sock";
  const Listener live = listen_unix(path);
  expect_error(Fault::io, Code::output_exists, {path.c_str(), "another server"}, [&] { listen_unix(path); });
  {
    const Listener killed = listen_unix(folder / "stale.sock");
    fs::create_hard_link(folder / "stale.sock", folder / "kept.sock");
  }
  const std::unique_ptr<EchoServer> echo(server_on(listeners_of(listen_unix(folder / "kept.sock"))));
  EXPECT_EQ(body_of(echo->answer_to(kGetClose)), "GET /g? ");
  put(folder / "file", "text");
  expect_error(Fault::io, Code::output_exists, {"file", "not a socket"},
               [&] { listen_unix(folder / "file"); });
  expect_error(Fault::usage, {"200", "107"}, [&] { listen_unix(std::string(200, 'a')); });
  expect_error(Fault::io, {"missing"}, [&] { listen_unix(folder / "missing" / "s"); });
}

TEST(Listener, LeavesASocketThatTookItsPlace) {
  const TemporaryFolder folder;
  const fs::path path = folder / "locus.sock";
  {
    const Listener first = listen_unix(path);
    fs::remove(path);
    put(path, "another");
  }
  EXPECT_TRUE(fs::exists(path));
}

TEST(Listener, TakesTheSocketsOfSystemd) {
  EXPECT_TRUE(systemd_listeners().empty());
  const std::vector<Listener> listeners = listen_tcp("127.0.0.1", 0);
  const pid_t child = ::fork();
  if (child == 0) {  // as systemd starts a service
    ::dup2(listeners[0].socket.get(), 3);
    ::setenv("LISTEN_PID", std::to_string(::getpid()).c_str(), 1);
    ::setenv("LISTEN_FDS", "1", 1);
    const std::vector<Listener> taken = systemd_listeners();
    const bool right = taken.size() == 1 && taken[0].address == listeners[0].address &&
                       (::fcntl(taken[0].socket.get(), F_GETFL) & O_NONBLOCK) != 0;
    ::_exit(right ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  const std::string self = std::to_string(::getpid());
  ::setenv("LISTEN_PID", self.c_str(), 1);
  ::setenv("LISTEN_FDS", "many", 1);
  expect_error(Fault::usage, {"LISTEN_FDS"}, [] { systemd_listeners(); });
  ::unsetenv("LISTEN_PID");
  ::unsetenv("LISTEN_FDS");
}

}  // namespace
}  // namespace locus::serve
