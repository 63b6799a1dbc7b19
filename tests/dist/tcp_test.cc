#include "locus/dist/tcp.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>

#include "tests/dist/ranks.h"
#include "tests/expect_error.h"

namespace locus::dist {
namespace {

const std::array kSizes{1, 2, 3, 4, 8};

void expect_no_errors(const std::vector<std::optional<Error>>& errors) {
  for (const auto& error : errors) EXPECT_FALSE(error) << error->what();
}

// Every rank but `culprit` fails with Fault::peer, names it and all the values.
void expect_peer_failed(const std::vector<std::optional<Error>>& errors, int culprit,
                        std::initializer_list<const char*> values) {
  for (int rank = 0; rank < std::ssize(errors); ++rank) {
    if (rank == culprit) continue;
    ASSERT_TRUE(errors[rank]) << "rank " << rank << " did not fail";
    EXPECT_EQ(errors[rank]->fault(), Fault::peer);
    expect_named(*errors[rank], {fmt::format("rank {}", culprit).c_str()});
    expect_named(*errors[rank], values);
  }
}

TEST(Tcp, ExchangesWithAllRanks) {
  for (const int size : kSizes) {
    std::atomic<int> right = 0;
    expect_no_errors(run_ranks(size, [&](Transport& transport) {
      EXPECT_EQ(transport.size(), size);
      int round = 0;
      for (const size_t bytes : {0, 1, 1000, 100'003}) right += exchange_all(transport, ++round, bytes);
      transport.barrier();
    }));
    EXPECT_EQ(right, 4 * size);
  }
}

// More than the buffers of all connections together, in both directions at once.
TEST(Tcp, ExchangesLargeMessages) {
  for (const int size : {2, 3}) {
    std::atomic<int> right = 0;
    expect_no_errors(run_ranks(
        size, [&](Transport& transport) { right += exchange_all(transport, 1, (128 << 20) / size); }));
    EXPECT_EQ(right, size);
  }
}

TEST(Tcp, GathersMessagesOfDifferentSizes) {
  for (const int size : kSizes) {
    const auto size_of = [](int rank) { return static_cast<size_t>(rank * 1000); };
    expect_no_errors(run_ranks(size, [&](Transport& transport) {
      std::vector<std::vector<std::byte>> in;
      for (int r = 0; r < size; ++r) in.emplace_back(size_of(r));
      transport.all_gather(message(transport.rank(), 0, 0, size_of(transport.rank())),
                           std::vector<Bytes>(in.begin(), in.end()));
      for (int r = 0; r < size; ++r) EXPECT_EQ(in[r], message(r, 0, 0, size_of(r)));
    }));
  }
}

TEST(Tcp, SendsAroundARing) {
  for (const int size : kSizes) {
    if (size == 1) continue;  // a rank does not send to itself
    expect_no_errors(run_ranks(size, [&](Transport& transport) {
      const int rank = transport.rank(), next = (rank + 1) % size, last = (rank + size - 1) % size;
      std::vector<std::byte> token(3);
      if (rank == 0) transport.send(next, message(0, 0, 0, 3));
      transport.receive(last, token);
      if (rank != 0) transport.send(next, token);
      EXPECT_EQ(token, message(0, 0, 0, 3));
    }));
  }
}

// No rank leaves the barrier before the last one has come to it.
TEST(Tcp, BarrierWaitsForAllRanks) {
  std::atomic<int> arrived = 0;
  expect_no_errors(run_ranks(4, [&](Transport& transport) {
    for (int round = 1; round <= 20; ++round) {
      ++arrived;
      transport.barrier();
      EXPECT_GE(arrived, 4 * round);
      transport.barrier();
    }
  }));
}

TEST(Tcp, RefusesAMessageOfAnotherSizeOrCall) {
  std::vector<std::byte> room(8);
  const auto size = run_ranks(2, [&](Transport& transport) {
    if (transport.rank() == 1) transport.send(0, message(0, 0, 0, 9));
    if (transport.rank() == 0) transport.receive(1, room);
    transport.barrier();
  });
  expect_peer_failed(size, 1, {"send", "9", "8"});
  const auto call = run_ranks(2, [&](Transport& transport) {
    transport.rank() == 1 ? transport.send(0, {}) : transport.barrier();
    transport.barrier();
  });
  expect_peer_failed(call, 1, {"send", "barrier"});
}

TEST(Tcp, TellsAllRanksWhyOneGaveUp) {
  const auto errors = run_ranks(4, [](Transport& transport) {
    if (transport.rank() == 2) return transport.abort("the disk is full");
    transport.barrier();
  });
  EXPECT_FALSE(errors[2]);
  expect_peer_failed(errors, 2, {"the disk is full"});
}

TEST(Tcp, NoticesARankThatLeavesTooEarly) {
  const auto errors = run_ranks(3, [](Transport& transport) {
    if (transport.rank() != 1) transport.barrier();
  });
  EXPECT_FALSE(errors[1]);
  ASSERT_TRUE(errors[0] && errors[2]);
  EXPECT_EQ(errors[0]->fault(), Fault::peer);
  expect_named(*errors[0], {"rank 1", "barrier"});
}

// A rank that is done leaves while others still receive what it sent.
TEST(Tcp, KeepsTheMessagesOfARankThatIsDone) {
  expect_no_errors(run_ranks(2, [](Transport& transport) {
    std::vector<std::byte> in(8 << 20);
    if (transport.rank() == 0) return transport.send(1, message(0, 1, 0, in.size()));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    transport.receive(0, in);
    EXPECT_EQ(in, message(0, 1, 0, in.size()));
  }));
}

// One rank fails before its n-th message, for every n: the others end and name it.
TEST(Tcp, FailsAtAnyMessage) {
  constexpr int kRounds = 3, kSize = 3;
  for (int64_t n = 1; n <= kRounds * (kSize - 1); ++n) {
    const auto options = [n](int rank) {
      TcpOptions result = quick_options();
      if (rank == 1) {
        result.before_message = [n](int64_t message) {
          if (message == n) fail(Fault::io, "the test fails at message {}", n);
        };
      }
      return result;
    };
    const auto errors = run_ranks(
        kSize,
        [](Transport& transport) {
          try {
            for (int round = 0; round < kRounds; ++round) exchange_all(transport, round, 1000);
          } catch (const Error& error) {
            transport.abort(error.message());
            throw;
          }
        },
        options);
    ASSERT_TRUE(errors[1]);
    EXPECT_EQ(errors[1]->fault(), Fault::io);
    expect_peer_failed(errors, 1, {"fails at message", fmt::format("{}", n).c_str()});
  }
}

}  // namespace
}  // namespace locus::dist
