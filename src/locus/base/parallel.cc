#include "locus/base/parallel.h"

#include <pthread.h>

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <system_error>
#include <thread>
#include <vector>

#include "locus/base/checked.h"
#include "locus/base/parse.h"
#include "locus/base/worker.h"

namespace locus {
namespace {

constexpr int kMaxThreads = 1024;
// How often a thread polls for the next job before it sleeps. This takes about as long as waking a thread,
// some 20 microseconds.
constexpr int kSpins = 4000;

void pause() {
#if defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#elif defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// Number of processors that this thread may run on.
int processors() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return std::max(1, CPU_COUNT(&allowed));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

int threads_at_start() {
  if (const char* text = std::getenv("LOCUS_THREADS")) {
    const int count = parse<int>(text).value_or(0);
    if (count < 1 || count > kMaxThreads) {
      fail(Fault::usage, "environment variable LOCUS_THREADS is '{}', expected a whole number from 1 to {}",
           text, kMaxThreads);
    }
    return count;
  }
  return processors();
}

std::atomic<bool> workers_avoid_caller{false};
thread_local bool inside_chunk = false;
thread_local int index_of_thread = 0;

// Consecutive chunks for one thread, so that it reads memory sequentially. A thread that has finished its
// range takes chunks from the others. Each range has its own cache line to avoid false sharing.
struct alignas(64) ChunkRange {
  std::atomic<int64_t> next{0};  // a chunk index; the index of its first element could exceed 63 bits
  int64_t end = 0;
};

struct Job {
  int64_t size, grain;
  detail::ChunkFunction function;
  void* context;
  int64_t chunks = divide_up(size, grain);
  std::mutex failure_mutex;
  std::exception_ptr failure;

  void distribute(std::span<ChunkRange> ranges) const {
    const auto count = static_cast<int64_t>(ranges.size());
    int64_t next = 0, longer = chunks % count;  // number of ranges with one more chunk
    for (ChunkRange& range : ranges) {
      range.next.store(next, std::memory_order_relaxed);
      next += chunks / count;
      if (longer-- > 0) ++next;
      range.end = next;
    }
  }

  void work(std::span<ChunkRange> ranges, int own) {
    inside_chunk = true;
    for (size_t i = 0; i < ranges.size(); ++i) {
      ChunkRange& range = ranges[(static_cast<size_t>(own) + i) % ranges.size()];
      for (;;) {
        const int64_t chunk = range.next.fetch_add(1, std::memory_order_relaxed);
        if (chunk >= range.end) break;
        run(chunk * grain);
      }
    }
    inside_chunk = false;
  }

  void run(int64_t begin) {
    try {
      function(context, begin, begin + std::min(grain, size - begin));
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
    }
  }
};

class Pool {
 public:
  explicit Pool(int count)
      : core_for_each_thread_(count <= processors()), ranges_(static_cast<size_t>(count)) {
    // If the system refuses a thread, the others give the same result, only later.
    try {
      for (int i = 1; i < count; ++i)
        workers_.emplace_back([this, i] {
          index_of_thread = i;
          serve();
        });
    } catch (const std::system_error&) {
    }
  }
  ~Pool() {
    stopping_ = true;
    begin_round();
    for (Worker& worker : workers_) worker.join();
  }

  void run(Job& job) {
    job.distribute(ranges_);
    job_ = &job;
    gate_.store(kOpen, std::memory_order_release);
    begin_round();
    job.work(ranges_, 0);
    gate_.fetch_and(~kOpen);  // a worker that wakes up after this does not enter, so no need to wait for it
    const auto busy = [](uint32_t inside) { return inside != 0; };
    if (busy(spin_while(gate_, busy))) sleep_while(gate_, busy);
  }

 private:
  static constexpr uint32_t kOpen = uint32_t{1} << 31;

  void begin_round() {
    round_.fetch_add(1);
    if (asleep_ > 0 && core_for_each_thread_ && workers_avoid_caller.load(std::memory_order_relaxed)) {
      const int here = sched_getcpu();
      for (Worker& worker : workers_) worker.avoid(here);
    }
    round_.notify_all();
  }

  uint32_t next_round(uint32_t seen) {
    const auto same = [=](uint32_t round) { return round == seen; };
    uint32_t round = spin_while(round_, same);
    if (!same(round)) return round;
    ++asleep_;
    round = sleep_while(round_, same);
    --asleep_;
    return round;
  }

  void serve() {
    for (uint32_t seen = 0;;) {
      seen = next_round(seen);
      if (stopping_) return;
      if (!enter()) continue;
      job_->work(ranges_, index_of_thread);
      if (gate_.fetch_sub(1) == 1) gate_.notify_one();
    }
  }

  // Tries to enter the current job, which then waits for this worker to leave.
  bool enter() {
    uint32_t gate = gate_.load(std::memory_order_relaxed);
    while (gate & kOpen) {
      if (gate_.compare_exchange_weak(gate, gate + 1, std::memory_order_acquire)) return true;
    }
    return false;
  }

  // Polls while waits(value) is true; returns the last value seen. It takes no lock: the thread that starts a
  // round would still hold it, and all others would sleep.
  template <class Waits>
  static uint32_t spin_while(const std::atomic<uint32_t>& word, Waits waits) {
    uint32_t value = word.load(std::memory_order_acquire);
    for (int spin = 0; spin < kSpins && waits(value); ++spin) {
      pause();
      value = word.load(std::memory_order_acquire);
    }
    return value;
  }
  template <class Waits>
  static uint32_t sleep_while(const std::atomic<uint32_t>& word, Waits waits) {
    uint32_t value = word;
    for (; waits(value); value = word) word.wait(value);
    return value;
  }

  alignas(64) std::atomic<uint32_t> round_{0};  // counts jobs; workers wait for it to change
  alignas(64) std::atomic<uint32_t> gate_{0};   // number of workers in the job; kOpen while more may enter
  std::atomic<bool> stopping_{false};
  Job* job_ = nullptr;          // written, like ranges_, only while no worker is in a job
  std::atomic<int> asleep_{0};  // number of sleeping workers
  bool core_for_each_thread_;
  std::vector<ChunkRange> ranges_;  // one for each thread
  std::vector<Worker> workers_;
};

struct State;
State& state();

struct State {
  std::mutex running;  // held by the thread whose job the pool runs
  std::atomic<int> count{threads_at_start()};
  std::unique_ptr<Pool> pool;
};

// Never destroyed: other static objects may still compute while the program ends. A forked child has no
// workers, so it starts with a new pool.
State& state() {
  static State* const the_state = [] {
    pthread_atfork(nullptr, nullptr, [] {
      State& old = state();
      const int count = old.count.load();
      [[maybe_unused]] static const Pool* const abandoned = old.pool.release();
      (new (&old) State)->count = count;
    });
    return new State;
  }();
  return *the_state;
}

}  // namespace

int thread_index() { return index_of_thread; }
int threads() { return state().count.load(std::memory_order_relaxed); }

void set_threads(int count) {
  if (count < 1 || count > kMaxThreads) {
    fail(Fault::usage, "number of threads is {}, expected 1 to {}", count, kMaxThreads);
  }
  if (inside_chunk) fail(Fault::bug, "set_threads() was called inside a parallel_for");
  const std::lock_guard lock(state().running);
  state().count.store(count, std::memory_order_relaxed);
  state().pool.reset();
}

void keep_workers_off_caller(bool on) { workers_avoid_caller.store(on, std::memory_order_relaxed); }

void detail::run_chunks(int64_t size, int64_t grain, ChunkFunction function, void* context) {
  require(grain > 0, "parallel_for: grain is {}, expected 1 or more", grain);
  if (size <= 0) return;
  Job job{.size = size, .grain = grain, .function = function, .context = context};
  State& s = state();
  std::unique_lock lock(s.running, std::defer_lock);
  // Run inline if there is one chunk or one thread, in a nested call, or while another thread uses the pool.
  if (size <= grain || inside_chunk || threads() == 1 || !lock.try_lock()) {
    const bool outer = inside_chunk;
    ChunkRange all{.end = job.chunks};
    job.work({&all, 1}, 0);
    inside_chunk = outer;
  } else {
    if (!s.pool) s.pool = std::make_unique<Pool>(threads());
    s.pool->run(job);
  }
  if (job.failure) std::rethrow_exception(job.failure);
}

}  // namespace locus
