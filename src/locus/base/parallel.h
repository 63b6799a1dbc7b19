// A pool of threads and one way to use it. Work is cut by its shape alone: chunk i is [i*grain, (i+1)*grain)
// whatever the number of threads, so a result built chunk by chunk has the same bits on every machine.
#pragma once

#include <cstdint>
#include <type_traits>

namespace locus {

// How many threads take part, the caller included. At first LOCUS_THREADS, or else the cores this process may
// use.
int threads();
// At least 1. Not while another thread computes: what it has sized by threads() would be too small.
void set_threads(int count);

// Which of them the calling thread is, 0 to threads() - 1: inside a chunk, no other chunk of the same job
// runs under the same number at the same time. For memory a thread keeps to itself; results must not depend
// on it.
int thread_index();

namespace detail {
using ChunkFunction = void (*)(void* context, int64_t begin, int64_t end);
void run_chunks(int64_t size, int64_t grain, ChunkFunction function, void* context);
}  // namespace detail

// Calls f(begin, end) for every chunk of [0, size), chunks on any thread in any order; returns when all are
// done. As long as none has to help another, a thread is given chunks that lie side by side, one after the
// other. A call from inside f runs inline. The first exception thrown by f comes out here, after the others
// have finished.
template <class F>
void parallel_for(int64_t size, int64_t grain, F&& f) {
  using Function = std::remove_reference_t<F>;
  detail::run_chunks(
      size, grain,
      [](void* context, int64_t begin, int64_t end) { (*static_cast<Function*>(context))(begin, end); },
      const_cast<std::remove_const_t<Function>*>(&f));
}

}  // namespace locus
