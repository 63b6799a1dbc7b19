// A thread pool. Work is split into chunks by its size alone: chunk i is [i*grain, (i+1)*grain) for any
// number of threads. A result computed chunk by chunk therefore has the same bits with any number of threads.
#pragma once

#include <cstdint>
#include <type_traits>

namespace locus {

// Number of threads, including the caller. Initially LOCUS_THREADS or, if that is not set, the number of
// cores that this process may use.
int threads();
// At least 1. Do not call it while another thread computes: its buffers sized by threads() would be too
// small.
void set_threads(int count);

// Lets the pool change the CPU affinity of its own sleeping workers, so that they wake up on another
// processor than the caller's. On virtual machines that hide their caches, Linux otherwise wakes a worker up
// to 4 ms late. Off by default, because an application may place threads itself; the program `locus` turns it
// on.
void keep_workers_off_caller(bool on);

// Index of the calling thread, 0 to threads() - 1. No two chunks of a job run with the same index at the same
// time. Use it for per-thread memory; results must not depend on it.
int thread_index();

namespace detail {
using ChunkFunction = void (*)(void* context, int64_t begin, int64_t end);
void run_chunks(int64_t size, int64_t grain, ChunkFunction function, void* context);
}  // namespace detail

// Calls f(begin, end) for every chunk of [0, size), on any thread and in any order, and returns when all are
// done. A thread gets consecutive chunks until it has finished its own range; then it takes chunks from the
// ranges of other threads. A nested call from f runs inline. If f throws, the first exception is rethrown
// here after all chunks have finished.
template <class F>
void parallel_for(int64_t size, int64_t grain, F&& f) {
  using Function = std::remove_reference_t<F>;
  detail::run_chunks(
      size, grain,
      [](void* context, int64_t begin, int64_t end) { (*static_cast<Function*>(context))(begin, end); },
      const_cast<std::remove_const_t<Function>*>(&f));
}

}  // namespace locus
