// Threads, and what Locus uses on this machine.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

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
std::atomic<int> python_threads{0};  // those in a CallsPython
thread_local int python_depth = 0;   // the number of CallsPython of this thread

void begin_exit() {
  constexpr int kMilliseconds = 30'000;  // threads need seconds on a machine that is very busy
  exiting_thread = std::this_thread::get_id();
  exiting = true;
  const ReleasedGil released;
  for (int i = 0; i < kMilliseconds && python_threads > 0; ++i) {
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

void CallsPython::begin(Holds holds) {
  if (python_depth++ > 0) return;
  ++python_threads;  // before the question, so that either this thread sees the exit or the exit sees this
                     // thread
  if (!exiting || std::this_thread::get_id() == exiting_thread) return;
  --python_threads;
  if (holds == Holds::gil) PyEval_SaveThread();
  while (true) pause();
}

void CallsPython::end() {
  if (--python_depth == 0) --python_threads;
}

int CallsPython::suspend() {
  if (python_depth > 0) --python_threads;
  return std::exchange(python_depth, 0);
}

void CallsPython::resume(int count) {
  for (; count > 0; --count) begin(Holds::gil);
}

void CountedCall::end_with(nb::detail::cleanup_list* cleanup) {
  CallsPython::begin(CallsPython::Holds::gil);
  PyObject* const end = PyCapsule_New(&python_threads, nullptr, [](PyObject*) { CallsPython::end(); });
  if (end == nullptr) {
    CallsPython::end();
    throw nb::python_error();
  }
  cleanup->append(end);  // released after the call, also after a failed one
}

void check_signals() {
  const WithGil gil;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

void bind_machine(nb::module_& module) {
  // The other threads of a process do not exist in the child of a fork.
  pthread_atfork(nullptr, nullptr, [] {
    running = depth > 0 ? 1 : 0;
    python_threads = python_depth > 0 ? 1 : 0;
  });
  module.def("set_threads", change_threads, kCounted, nb::arg("count"), nb::call_guard<ReleasedGil>(),
             "Sets the number of threads that Locus computes with.");
  module.def(
      "threads", [] { return threads(); }, "The number of threads that Locus computes with.");
  module.def("begin_exit", begin_exit, kCounted);
  module.def("machine_info", machine_info, kCounted);
}

}  // namespace locus::python
