#include "locus/dist/crew.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <map>

#include "locus/dist/parts.h"
#include "tests/dist/ranks.h"
#include "tests/expect_error.h"

namespace locus::dist {
namespace {

using std::chrono::milliseconds;

void expect_fine(const std::vector<std::optional<Error>>& errors) {
  for (const auto& error : errors) EXPECT_FALSE(error) << error->what();
}

std::vector<std::byte> twice(ConstBytes job) {
  std::vector<std::byte> answer(job.begin(), job.end());
  answer.insert(answer.end(), job.begin(), job.end());
  return answer;
}

TEST(Parts, ReadBack) {
  const std::string empty, text = "two words";
  const std::vector<std::byte> bytes = pack({text, empty, "x"});
  EXPECT_EQ(unpack(bytes, "parts"), (std::vector<std::string_view>{"two words", "", "x"}));
  EXPECT_TRUE(unpack(pack(std::initializer_list<std::string_view>{}), "parts").empty());
  expect_error(Fault::data, {"facts", "3", "2"}, [&] { unpack(bytes, 2, "facts"); });
  for (const size_t size : {bytes.size() - 1, size_t{7}, size_t{8}}) {
    expect_error(Fault::data, {"facts"}, [&] { unpack(std::span(bytes).first(size), "facts"); });
  }
}

// Every job is answered, whoever does it, and messages of any size pass.
TEST(Crew, AnswersAllJobs) {
  for (const int size : {1, 2, 4}) {
    std::atomic<int> answered = 0;
    expect_fine(run_ranks(size, [&](Transport& transport) {
      if (transport.rank() > 0) {
        EXPECT_EQ(serve(transport, [](ConstBytes job, const Pause&) { return twice(job); }, {}), 0);
        return;
      }
      Crew crew(transport, {});
      EXPECT_EQ(crew.ranks(), size - 1);
      std::map<int, int> given;
      int next = 0;
      while (next < 20 || crew.is_busy()) {
        for (auto rank = crew.free_rank(); rank && next < 20; rank = crew.free_rank()) {
          given[*rank] = next;
          crew.give(*rank, message(0, *rank, next, static_cast<size_t>(next) * 50'000));
          ++next;
        }
        if (!crew.is_busy()) break;  // alone
        const Crew::Answer answer = crew.wait();
        const int job = given[answer.rank];
        EXPECT_EQ(answer.bytes, twice(message(0, answer.rank, job, static_cast<size_t>(job) * 50'000)));
        ++answered;
      }
      EXPECT_EQ(crew.arrived(), std::nullopt);
      EXPECT_TRUE(crew.dismiss(0).empty());
    }));
    EXPECT_EQ(answered, size == 1 ? 0 : 20);
  }
}

// A rank asks to stop while the others work. All ranks end with its number, and no answer is lost.
TEST(Crew, StopsWhenAnyRankAsks) {
  for (int asks = 0; asks < 3; ++asks) {
    SCOPED_TRACE(asks);
    std::array<std::atomic<int>, 3> ended{};
    std::atomic<int> started = 0, done = 0, received = 0;
    expect_fine(run_ranks(3, [&](Transport& transport) {
      const int rank = transport.rank();
      const StopAsked stop = [&, rank] { return rank == asks && started >= 3 ? 15 : 0; };
      if (rank > 0) {
        ended[rank] = serve(
            transport,
            [&](ConstBytes job, const Pause& pause) {
              const bool endless = started++ >= 2;
              while (endless) pause(), std::this_thread::sleep_for(milliseconds(1));
              ++done;
              return twice(job);
            },
            stop);
        return;
      }
      Crew crew(transport, stop);
      try {
        while (true) {
          while (const auto free = crew.free_rank()) crew.give(*free, {});
          crew.wait(), ++received;
        }
      } catch (const Stop& request) {
        ended[0] = request.number;
        received += static_cast<int>(crew.dismiss(request.number).size());
      }
    }));
    for (const auto& number : ended) EXPECT_EQ(number, 15);
    EXPECT_EQ(received, done);
  }
}

TEST(Crew, KeepsAnswersThatArriveBeforeTheEnd) {
  std::atomic<int> done = 0;
  expect_fine(run_ranks(3, [&](Transport& transport) {
    if (transport.rank() > 0) {
      const DoJob job = [&](ConstBytes bytes, const Pause&) { return ++done, twice(bytes); };
      EXPECT_EQ(serve(transport, job, {}), 15);
      return;
    }
    Crew crew(transport, {});
    for (const int rank : {1, 2}) crew.give(rank, message(0, rank, 0, 10));
    while (done < 2) std::this_thread::sleep_for(milliseconds(1));
    EXPECT_EQ(crew.dismiss(15).size(), 2u);
  }));
}

// While it computes, a rank learns that the job has ended without it.
TEST(Crew, ADeadRankIsNamed) {
  const auto errors = run_ranks(3, [&](Transport& transport) {
    if (transport.rank() == 2) fail(Fault::resource, "out of memory");
    if (transport.rank() == 1) {
      serve(transport,
            [](ConstBytes, const Pause& pause) -> std::vector<std::byte> {
              while (true) pause(), std::this_thread::sleep_for(milliseconds(1));
            },
            {});
      return;
    }
    Crew crew(transport, {});
    for (const int rank : {1, 2}) crew.give(rank, {});
    crew.wait();
  });
  ASSERT_TRUE(errors[0] && errors[1] && errors[2]);
  EXPECT_EQ(errors[0]->fault(), Fault::peer);
  expect_named(*errors[0], {"rank 2"});
  EXPECT_EQ(errors[1]->fault(), Fault::peer);
}

}  // namespace
}  // namespace locus::dist
