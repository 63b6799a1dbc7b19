// The guard of calls that compute: they run without the GIL, and set_threads() is refused while one runs.
#pragma once

#include <nanobind/nanobind.h>

namespace locus::python {

// Counts the running calls of all Python threads. Nests.
class Computing {
 public:
  Computing();
  ~Computing();
  Computing(const Computing&) = delete;
  Computing& operator=(const Computing&) = delete;
};

// Python began to exit: it is too late to release its objects.
bool exit_began();

// Python ends a thread that waits for the GIL after the exit began, by an exception that no C++ code may let
// through. So the exit first waits for the threads that hold or take the GIL in a call, and blocks those that
// come later.
class CallsPython {
 public:
  enum class Holds { gil, nothing };
  explicit CallsPython(Holds holds) { begin(holds); }
  ~CallsPython() { end(); }
  CallsPython(const CallsPython&) = delete;
  CallsPython& operator=(const CallsPython&) = delete;

  // Nests.
  static void begin(Holds holds);
  static void end();
  // Ends all of this thread. Returns their number, for resume().
  static int suspend();
  static void resume(int count);
};

// CallsPython around the whole call of a function of the module. Python code can run in any part of it: an
// array's __dlpack__, a path's __fspath__, the class of an exception, or what the garbage collector
// finalizes.
struct CountedCall {
  template <class Count>
  static void precall(PyObject**, Count, nanobind::detail::cleanup_list* cleanup) {
    end_with(cleanup);
  }
  static void postcall(PyObject**, size_t, nanobind::handle) {}

 private:
  static void end_with(nanobind::detail::cleanup_list* cleanup);
};
inline constexpr nanobind::call_policy<CountedCall> kCounted{};

// Releases the GIL as long as it exists, to wait for something.
class ReleasedGil {
 public:
  ReleasedGil() : calls_(CallsPython::suspend()), state_(PyEval_SaveThread()) {}
  ~ReleasedGil() {
    const CallsPython taking(CallsPython::Holds::nothing);
    PyEval_RestoreThread(state_);
    CallsPython::resume(calls_);
  }
  ReleasedGil(const ReleasedGil&) = delete;
  ReleasedGil& operator=(const ReleasedGil&) = delete;

 private:
  int calls_;
  PyThreadState* state_;
};

// Releases the GIL as long as it exists, to compute.
class WithoutGil {
  ReleasedGil released_;
  Computing computing_;
};

// Takes the GIL as long as it exists, on a thread that released it, to call Python code.
class __attribute__((visibility("hidden"))) WithGil {
  CallsPython calls_{CallsPython::Holds::nothing};
  nanobind::gil_scoped_acquire gil_;
};

// Takes the GIL and raises KeyboardInterrupt if Ctrl-C was pressed. Long calls use it between batches.
void check_signals();

}  // namespace locus::python
