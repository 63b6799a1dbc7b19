// Threads, and what Locus uses on this machine.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <pthread.h>

#include <atomic>
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

void check_signals() {
  const nb::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

void bind_machine(nb::module_& module) {
  // The other threads of a process do not exist in the child of a fork.
  pthread_atfork(nullptr, nullptr, [] { running = depth > 0 ? 1 : 0; });
  module.def("set_threads", change_threads, nb::arg("count"), nb::call_guard<nb::gil_scoped_release>(),
             "Sets the number of threads that Locus computes with.");
  module.def(
      "threads", [] { return threads(); }, "The number of threads that Locus computes with.");
  module.def("machine_info", machine_info);
}

}  // namespace locus::python
