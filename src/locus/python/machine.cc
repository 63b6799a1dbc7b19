// Threads, and what Locus uses on this machine.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "locus/base/machine.h"
#include "locus/base/parallel.h"
#include "locus/base/version.h"
#include "locus/kernel/cpu/targets.h"
#include "locus/python/array.h"
#include "locus/python/bindings.h"
#include "locus/python/computing.h"

namespace nb = nanobind;

namespace locus::python {
namespace {

std::atomic<int> running{0};  // calls that compute; -1 while set_threads() changes the pool
thread_local int depth = 0;   // those of this thread

// Set by begin_exit(), which Python calls when it begins to exit.
std::atomic<bool> exiting{false};
std::thread::id exiting_thread;
std::atomic<int> python_calls{0};

void begin_exit() {
  constexpr int kMilliseconds = 2000;
  exiting_thread = std::this_thread::get_id();
  exiting = true;
  const nb::gil_scoped_release released;
  for (int i = 0; i < kMilliseconds && python_calls > 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void change_threads(int count) {
  require(count >= 1, "set_threads: got {} threads, expected at least 1", count);
  int expected = 0;
  while (!running.compare_exchange_weak(expected, -1)) {
    if (expected > 0) {
      fail(Fault::usage, "set_threads: {} calls are computing in other threads, expected none", expected);
    }
    expected = 0;
    std::this_thread::yield();
  }
  struct Done {
    ~Done() { running = 0; }
  } const done;
  set_threads(count);
}

nb::dict machine_info() {
  const Cpu processor = cpu();
  nb::dict info;
  info["version"] = std::string(version());
  info["cpu"] = processor.model;
  info["features"] = processor.features;
  info["simd"] = kernel::cpu::supported_targets().front();
  info["threads"] = threads();
  info["memory"] = memory().total;
  info["copies"] = copied_arrays();
  return info;
}

}  // namespace

Computing::Computing() {
  if (depth++ > 0) return;
  int now = running;
  while (now < 0 || !running.compare_exchange_weak(now, now + 1)) {
    if (now < 0) std::this_thread::yield();
    now = running;
  }
}

Computing::~Computing() {
  if (--depth == 0) --running;
}

bool exit_began() { return exiting; }

CallsPython::CallsPython(Holds holds) {
  ++python_calls;  // before the question, so that either this thread sees the exit or the exit sees this
                   // thread
  if (!exiting || std::this_thread::get_id() == exiting_thread) return;
  --python_calls;
  if (holds == Holds::gil) PyEval_SaveThread();
  while (true) pause();
}

CallsPython::~CallsPython() { --python_calls; }

void check_signals() {
  const WithGil gil;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

void bind_machine(nb::module_& module) {
  // The other threads of a process do not exist in the child of a fork.
  pthread_atfork(nullptr, nullptr, [] {
    running = depth > 0 ? 1 : 0;
    python_calls = 0;
  });
  module.def("set_threads", change_threads, nb::arg("count"), nb::call_guard<ReleasedGil>(),
             "Sets the number of threads that Locus computes with.");
  module.def(
      "threads", [] { return threads(); }, "The number of threads that Locus computes with.");
  module.def("begin_exit", begin_exit);
  module.def("machine_info", machine_info);
}

}  // namespace locus::python
