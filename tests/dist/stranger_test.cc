// What else connects to the ports of a job: other programs, other jobs, and ranks that do not keep to the
// protocol.
#include <gtest/gtest.h>
#include <poll.h>

#include <array>
#include <future>

#include "locus/dist/acceptor.h"
#include "tests/dist/ranks.h"
#include "tests/expect_error.h"

namespace locus::dist {
namespace {

using std::chrono::seconds;

Clock::time_point soon() { return Clock::now() + seconds(20); }

// The error of a rank of a job with these options, or nothing.
std::future<std::optional<Error>> start_rank(const Identity& identity, const TcpOptions& options,
                                             const RankFunction& f = {}) {
  return std::async(std::launch::async, [=]() -> std::optional<Error> {
    try {
      const auto transport = open_tcp(identity, options);
      if (f) f(*transport);
    } catch (const Error& error) {
      return error;
    }
    return std::nullopt;
  });
}

Descriptor connected_to(int port) {
  std::string problem;
  while (true) {
    Descriptor socket = connect_to(Endpoint::of("127.0.0.1", port), soon(), problem);
    if (socket.get() >= 0) return socket;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

void send_text(const Descriptor& socket, const std::string& text) {
  EXPECT_EQ(write_all(socket.get(), std::as_bytes(std::span(text)), soon()), "");
}

// Whether the other end closes the connection without a word.
bool is_dropped(const Descriptor& socket) {
  std::byte byte{};
  return read_all(socket.get(), std::span(&byte, 1), soon()) == "it closed the connection";
}

void expect_peer_error(const std::optional<Error>& error, std::initializer_list<const char*> values) {
  ASSERT_TRUE(error);
  EXPECT_EQ(error->fault(), Fault::peer);
  expect_named(*error, values);
}

TEST(Stranger, DoesNotDisturbTheStart) {
  const int port = free_port();
  const RankFunction meet = [](Transport& transport) { EXPECT_TRUE(exchange_all(transport, 0, 10)); };
  auto first = start_rank(local_rank_of(0, 3, port), quick_options(), meet);
  const Descriptor silent = connected_to(port), short_one = connected_to(port), web = connected_to(port);
  const Descriptor closed_at_once = connected_to(port), garbage = connected_to(port);
  send_text(short_one, "LOCUSJOB");
  send_text(web, "GET / HTTP/1.1\r\nHost: a\r\n\r\n" + std::string(100, ' '));
  send_text(garbage, std::string(100'000, '\xff'));
  EXPECT_TRUE(is_dropped(web));
  auto second = start_rank(local_rank_of(1, 3, port), quick_options(), meet);
  auto third = start_rank(local_rank_of(2, 3, port), quick_options(), meet);
  for (auto* rank : {&first, &second, &third}) {
    const auto error = rank->get();
    EXPECT_FALSE(error) << error->what();
  }
}

// Connects as rank 1 of 2 does, so that rank 0 need not wait any longer.
void let_rank_zero_start(int port) {
  Greeting greeting{.rank = 1, .size = 2, .job = "test"};
  const Endpoint place = Endpoint::of("127.0.0.1", port);
  const Descriptor messages = connect_as(greeting, 0, place, soon());
  greeting.purpose = Purpose::watch;
  const Descriptor watch = connect_as(greeting, 0, place, soon());
}

TEST(Stranger, FromAnotherJobIsRefused) {
  const int port = free_port();
  const auto first = start_rank(local_rank_of(0, 2, port), quick_options());
  expect_peer_error(start_rank(local_rank_of(1, 2, port, "theirs"), quick_options()).get(),
                    {"rank 0", "another job"});
  expect_peer_error(start_rank(local_rank_of(1, 3, port), quick_options()).get(),
                    {"rank 0", "another number"});
  let_rank_zero_start(port);
}

TEST(Stranger, WithTheSameRankIsRefused) {
  const int port = free_port();
  const Greeting greeting{.rank = 1, .size = 2, .purpose = Purpose::watch, .job = "test"};
  const Endpoint place = Endpoint::of("127.0.0.1", port);
  const auto first = start_rank(local_rank_of(0, 2, port), quick_options());
  const Descriptor one = connect_as(greeting, 0, place, soon());
  expect_error(Fault::peer, {"rank 0", "rank 1"}, [&] { connect_as(greeting, 0, place, soon()); });
  const Descriptor messages = connect_as({.rank = 1, .size = 2, .job = "test"}, 0, place, soon());
}

TEST(Stranger, OfAnotherVersionIsAnswered) {
  const int port = free_port();
  const auto first = start_rank(local_rank_of(0, 2, port), quick_options());
  const Descriptor later = connected_to(port);
  std::array<std::byte, kGreetingBytes> answer{};
  EXPECT_EQ(write_all(later.get(), encode({.version = 9, .rank = 1, .size = 2, .job = "test"}), soon()), "");
  EXPECT_EQ(read_all(later.get(), answer, soon()), "");
  EXPECT_EQ(decode(answer).value().answer, Answer::other_version);
  let_rank_zero_start(port);
}

TEST(Stranger, IsNotWaitedForWithoutEnd) {
  const TcpOptions options{.start_timeout = std::chrono::milliseconds(200)};
  expect_peer_error(start_rank(local_rank_of(0, 3, free_port()), options).get(),
                    {"2", "3", "1, 2", "127.0.0.1"});
  expect_peer_error(start_rank(local_rank_of(1, 3, free_port()), options).get(),
                    {"rank 1", "rank 0", "127.0.0.1"});
}

TEST(StrangerSlow, ThatSaysNothingIsDropped) {
  const int port = free_port();
  const auto first = start_rank(local_rank_of(0, 2, port), quick_options());
  EXPECT_TRUE(is_dropped(connected_to(port)));
  let_rank_zero_start(port);
}

TEST(Stranger, OnThePortOfRankZeroIsNotARank) {
  const int port = free_port();
  const Descriptor listener = listen_on(Endpoint::of("127.0.0.1", port));
  auto second = start_rank(local_rank_of(1, 2, port), quick_options());
  ASSERT_TRUE(wait_for(listener.get(), POLLIN, soon()));
  const Descriptor socket = accept_from(listener.get());
  send_text(socket, std::string(kGreetingBytes, 'x'));
  expect_peer_error(second.get(), {"127.0.0.1", "rank 0"});
}

TEST(Stranger, TwoJobsOnOnePort) {
  const int port = free_port();
  const Descriptor other_job = listen_on(Endpoint::of("127.0.0.1", port));
  const auto error = start_rank(local_rank_of(0, 2, port), quick_options()).get();
  ASSERT_TRUE(error);
  EXPECT_EQ(error->fault(), Fault::io);
  expect_named(*error, {"127.0.0.1", fmt::format("{}", port).c_str(), "another job"});
}

// A rank that greets as it should, and then sends these bytes on one of its connections.
std::optional<Error> meet_hostile(Purpose purpose, const std::string& bytes) {
  const int port = free_port();
  auto first = start_rank(local_rank_of(0, 2, port), quick_options(), [](Transport& transport) {
    std::vector<std::byte> room(8);
    transport.receive(1, room);
  });
  const Endpoint place = Endpoint::of("127.0.0.1", port);
  Greeting greeting{.rank = 1, .size = 2, .job = "test"};
  const Descriptor messages = connect_as(greeting, 0, place, soon());
  greeting.purpose = Purpose::watch;
  const Descriptor watch = connect_as(greeting, 0, place, soon());
  send_text(purpose == Purpose::watch ? watch : messages, bytes);
  return first.get();
}

TEST(Stranger, ThatSendsNoMessageIsRefused) {
  expect_peer_error(meet_hostile(Purpose::messages, std::string(24, 'x')), {"rank 1", "not a message"});
  std::string huge = "GSMJ" + std::string(20, '\0');
  huge[4] = 1;        // a send
  huge[23] = '\x80';  // of 2^63 bytes
  const auto error = meet_hostile(Purpose::messages, huge);
  expect_peer_error(error, {"rank 1", "9223372036854775808", "8"});
}

TEST(Stranger, ThatSendsNoSignOfLifeIsRefused) {
  expect_peer_error(meet_hostile(Purpose::watch, std::string(8, '\x09')), {"rank 1", "cannot be read"});
  expect_peer_error(meet_hostile(Purpose::watch, std::string("\x01\0\xff\xff\0\0\0\0", 8)),
                    {"rank 1"});  // long
  expect_peer_error(meet_hostile(Purpose::watch, std::string("\x03\0\0\0\x02\0\0\0", 8)),
                    {"rank 1"});  // rank 2
}

TEST(Stranger, NeedsAnAddressToMeet) {
  expect_error(Fault::usage, {"1", "2"}, [] { open_tcp({.rank = 1, .size = 2}); });
  expect_error(Fault::usage, {"no.such.host.invalid"},
               [] { open_tcp({.rank = 1, .size = 2, .address = "no.such.host.invalid", .port = 1}); });
  expect_error(Fault::io, {"192.0.2.1"},
               [] { open_tcp({.rank = 0, .size = 2, .address = "192.0.2.1", .port = 20'000}); });
}

}  // namespace
}  // namespace locus::dist
