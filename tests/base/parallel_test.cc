#include "locus/base/parallel.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "tests/expect_error.h"
#include "tests/program.h"

namespace locus {
namespace {

class Parallel : public testing::Test {
 protected:
  ~Parallel() override { set_threads(before_); }

 private:
  const int before_ = threads();
};

using Chunks = std::multiset<std::pair<int64_t, int64_t>>;

Chunks chunks_of(int64_t size, int64_t grain) {
  Chunks chunks;
  std::mutex mutex;
  parallel_for(size, grain, [&](int64_t begin, int64_t end) {
    const std::lock_guard lock(mutex);
    chunks.emplace(begin, end);
  });
  return chunks;
}

TEST_F(Parallel, CutsBySizeAloneWhateverTheThreads) {
  const Chunks expected = {{0, 4}, {4, 8}, {8, 10}};
  for (const int count : {1, 2, 3, 7}) {
    set_threads(count);
    EXPECT_EQ(threads(), count);
    EXPECT_EQ(chunks_of(10, 4), expected) << count << " threads";
  }
}

TEST_F(Parallel, EdgesOfTheRange) {
  set_threads(3);
  EXPECT_TRUE(chunks_of(0, 4).empty());
  EXPECT_TRUE(chunks_of(-5, 4).empty());
  EXPECT_EQ(chunks_of(1, 4), (Chunks{{0, 1}}));
  EXPECT_EQ(chunks_of(4, 4), (Chunks{{0, 4}}));
  // The first element past the last chunk does not fit in 63 bits.
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max(), kHalf = int64_t{1} << 62;
  EXPECT_EQ(chunks_of(kMost, kHalf), (Chunks{{0, kHalf}, {kHalf, kMost}}));
  expect_error(Fault::data, {"parallel_for", "grain", "0", "1"}, [] { chunks_of(5, 0); });
}

RC_GTEST_FIXTURE_PROP(Parallel, EveryElementOnce, ()) {
  set_threads(*rc::gen::inRange(1, 8));
  const auto size = *rc::gen::inRange<int64_t>(0, 3000);
  const auto grain = *rc::gen::inRange<int64_t>(1, 100);
  std::vector<std::atomic<int>> visits(static_cast<size_t>(size));
  parallel_for(size, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) ++visits[static_cast<size_t>(i)];
  });
  for (const auto& count : visits) RC_ASSERT(count == 1);
}

// Waits for `done`, ten seconds at most.
template <class Done>
void wait_for(Done done) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!done() && std::chrono::steady_clock::now() < give_up) std::this_thread::yield();
}

// Number of threads in a job of two chunks that wait for each other. With a single thread, the wait times
// out.
size_t threads_at_once() {
  std::mutex mutex;
  std::set<std::thread::id> inside;
  parallel_for(2, 1, [&](int64_t, int64_t) {
    const auto count = [&] {
      const std::lock_guard lock(mutex);
      inside.insert(std::this_thread::get_id());
      return inside.size();
    };
    wait_for([&] { return count() == 2; });
  });
  return inside.size();
}

void sleep_long() { std::this_thread::sleep_for(std::chrono::milliseconds(50)); }

TEST_F(Parallel, UsesSeveralThreads) {
  set_threads(2);
  EXPECT_EQ(threads_at_once(), 2U);
}

TEST_F(Parallel, WakesAWorkerForAJobAndTheCallerAtItsEnd) {
  set_threads(2);
  threads_at_once();
  sleep_long();  // the worker falls asleep too
  EXPECT_EQ(threads_at_once(), 2U);
  std::atomic<int> done{0};
  const auto caller = std::this_thread::get_id();
  parallel_for(2, 1, [&](int64_t, int64_t) {
    if (std::this_thread::get_id() != caller) sleep_long();
    ++done;
  });
  EXPECT_EQ(done, 2);
}

// The processors that a worker may run on after it was woken for a job.
cpu_set_t woken_for() {
  threads_at_once();  // starts the worker
  sleep_long();       // it falls asleep
  const auto caller = std::this_thread::get_id();
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  std::mutex mutex;
  std::atomic<int> inside{0};
  parallel_for(2, 1, [&](int64_t, int64_t) {
    if (std::this_thread::get_id() != caller) {
      const std::lock_guard lock(mutex);
      sched_getaffinity(0, sizeof allowed, &allowed);
    }
    ++inside;
    wait_for([&] { return inside == 2; });
  });
  return allowed;
}

TEST_F(Parallel, AWorkerIsWokenOnAnotherProcessorThanTheCallers) {
  cpu_set_t all, mine;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  if (CPU_COUNT(&all) < 2) GTEST_SKIP() << "there is one processor only";
  set_threads(2);
  threads_at_once();  // the worker starts with all processors
  const cpu_set_t unasked = woken_for();
  EXPECT_TRUE(CPU_EQUAL(&unasked, &all));
  keep_workers_off_caller(true);
  std::vector<int> two;
  for (int i = 0; two.size() < 2; ++i) {
    if (CPU_ISSET(i, &all)) two.push_back(i);
  }
  for (const int here : {two[0], two[1], two[0]}) {
    CPU_ZERO(&mine);
    CPU_SET(here, &mine);
    EXPECT_EQ(sched_setaffinity(0, sizeof mine, &mine), 0);
    cpu_set_t others = all;
    CPU_CLR(here, &others);
    const cpu_set_t given = woken_for();
    EXPECT_TRUE(CPU_EQUAL(&given, &others)) << "the caller is on " << here;
  }
  keep_workers_off_caller(false);
  ASSERT_EQ(sched_setaffinity(0, sizeof all, &all), 0);
}

TEST_F(Parallel, MoreThreadsThanProcessorsMayBeAnywhere) {
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  set_threads(CPU_COUNT(&all) + 1);
  keep_workers_off_caller(true);
  const cpu_set_t given = woken_for();
  keep_workers_off_caller(false);
  EXPECT_TRUE(CPU_EQUAL(&given, &all));
}

TEST_F(Parallel, AThreadGoesFromAChunkToTheNextAndThenHelps) {
  set_threads(2);
  std::mutex mutex;
  std::map<std::thread::id, std::vector<int64_t>> chunks;
  std::atomic<int> finished{0};
  // The first chunk waits for all others, so its thread runs no other chunk.
  parallel_for(8, 1, [&](int64_t begin, int64_t) {
    {
      const std::lock_guard lock(mutex);
      chunks[std::this_thread::get_id()].push_back(begin);
    }
    if (begin == 0) wait_for([&] { return finished == 7; });
    ++finished;
  });
  std::set<std::vector<int64_t>> orders;
  for (const auto& [thread, order] : chunks) orders.insert(order);
  EXPECT_EQ(orders, (std::set<std::vector<int64_t>>{{0}, {4, 5, 6, 7, 1, 2, 3}}));
}

TEST_F(Parallel, NestedCallsRunInline) {
  set_threads(3);
  std::atomic<int> calls{0};
  parallel_for(6, 1, [&](int64_t, int64_t) {
    const auto outer = std::this_thread::get_id();
    parallel_for(5, 1, [&](int64_t, int64_t) {
      EXPECT_EQ(std::this_thread::get_id(), outer);
      ++calls;
    });
  });
  EXPECT_EQ(calls, 30);
}

TEST_F(Parallel, ExceptionsComeOutAfterTheOthersHaveFinished) {
  for (const int count : {1, 3}) {
    set_threads(count);
    std::atomic<int> calls{0};
    EXPECT_THROW(parallel_for(20, 1,
                              [&](int64_t begin, int64_t) {
                                ++calls;
                                if (begin == 7) throw std::out_of_range("seven");
                              }),
                 std::out_of_range);
    EXPECT_EQ(calls, 20);
    EXPECT_EQ(chunks_of(3, 1).size(), 3u) << "the pool works on";
  }
}

TEST_F(Parallel, TwoCallersAtOnce) {
  set_threads(3);
  std::atomic<int64_t> sum{0};
  const auto work = [&] {
    for (int round = 0; round < 200; ++round) {
      parallel_for(10, 1, [&](int64_t begin, int64_t end) { sum += end - begin; });
    }
  };
  std::thread other(work);
  work();
  other.join();
  EXPECT_EQ(sum, 2 * 200 * 10);
}

TEST_F(Parallel, RefusesBadThreadCounts) {
  expect_error(Fault::usage, {"0", "1", "1024"}, [] { set_threads(0); });
  expect_error(Fault::usage, {"1025", "1", "1024"}, [] { set_threads(1025); });
  set_threads(2);
  expect_error(Fault::bug, {"set_threads()", "parallel_for"},
               [] { parallel_for(4, 1, [](int64_t, int64_t) { set_threads(3); }); });
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Two idle threads that spin would use 400 ms. They may poll for work for some microseconds after a job.
TEST_F(Parallel, IdleThreadsUseNoCpu) {
  set_threads(3);
  chunks_of(30, 1);
  const double before = cpu_seconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_LT(cpu_seconds() - before, 0.02);
}

// A forked child has no workers to wait for, neither during a job nor at its end. The fork waits until both
// workers run: a starting thread holds locks of the address sanitizer, which the child would inherit and wait
// for.
TEST_F(Parallel, AForkedChildComputesAndEnds) {
  set_threads(3);
  std::atomic<int> running{0};
  parallel_for(3, 1, [&](int64_t, int64_t) {
    for (++running; running < 3;) std::this_thread::yield();
  });
  std::fflush(nullptr);  // or both processes would write the buffer
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);  // ends the child if it hangs
    std::atomic<int64_t> sum = 0;
    parallel_for(100, 1, [&](int64_t begin, int64_t end) { sum += end - begin; });
    set_threads(2);
    std::exit(sum == 100 && threads() == 2 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(ParallelEnvironment, SetsTheThreads) {
  const Outcome outcome = run_program("doctor --json", "LOCUS_THREADS=3");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("\"threads\": 3,"), std::string::npos) << outcome.out;
}

TEST(ParallelEnvironment, RefusesInvalidNumbers) {
  for (const std::string value : {"0", "-1", "two", "3x", "1025", "99999999999999999999", "", "2.5"}) {
    const Outcome outcome = run_program("doctor", "LOCUS_THREADS='" + value + "'");
    EXPECT_EQ(outcome.exit_code, 2) << value;
    EXPECT_EQ(outcome.out, "") << value;
    expect_named(outcome.err, {"LOCUS_THREADS", ("'" + value + "'").c_str(), "1", "1024"});
  }
}

}  // namespace
}  // namespace locus
