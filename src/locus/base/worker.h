// A thread that is woken from its sleep again and again, by one that goes on running. Where Linux knows of no
// cache that processors share, as in many virtual machines, it may wake the one on the processor of the
// other, where it waits until the clock ticks, up to 4 ms, however idle other processors are.
#pragma once

#include <sched.h>

#include <thread>
#include <utility>

namespace locus {

class Worker {
 public:
  template <class Work>
  explicit Worker(Work work) : thread_(std::move(work)) {}

  // Lets it run on any processor that it may run on but this one, to which it returns when called for
  // another. One call at a time.
  void keep_off(int processor);
  void join() { thread_.join(); }

 private:
  std::thread thread_;
  int avoided_ = -1;
  cpu_set_t usual_{};  // where it may run, the one that it avoids among them
};

}  // namespace locus
