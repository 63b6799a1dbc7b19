// A thread that repeatedly sleeps and is woken by another thread that keeps running. If Linux knows of no
// cache shared between processors, as in many virtual machines, it may wake the worker on the processor of
// the running thread. There it waits for the next clock tick, up to 4 ms, even if other processors are idle.
// avoid() prevents this.
#pragma once

#include <sched.h>

#include <thread>
#include <utility>

namespace locus {

class Worker {
 public:
  template <class Work>
  explicit Worker(Work work) : thread_(std::move(work)) {}

  // Keeps the thread off this processor, and lets it use again the one it avoided before. Not thread-safe.
  void avoid(int processor);
  void join() { thread_.join(); }

 private:
  std::thread thread_;
  int avoided_ = -1;
  cpu_set_t allowed_{};  // processors it may use, including the avoided one
};

}  // namespace locus
