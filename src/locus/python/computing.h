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

// Around taking the GIL, and around calls of Python code from C++. Python ends a thread that waits for the
// GIL after the exit began, by an exception that no C++ code may let through. So the exit first waits for
// those that exist, and blocks a thread that makes one later.
class CallsPython {
 public:
  enum class Holds { gil, nothing };
  explicit CallsPython(Holds holds);
  ~CallsPython();
  CallsPython(const CallsPython&) = delete;
  CallsPython& operator=(const CallsPython&) = delete;
};

// Releases the GIL as long as it exists, to wait for something.
class ReleasedGil {
 public:
  ReleasedGil() : state_(PyEval_SaveThread()) {}
  ~ReleasedGil() {
    const CallsPython taking(CallsPython::Holds::nothing);
    PyEval_RestoreThread(state_);
  }
  ReleasedGil(const ReleasedGil&) = delete;
  ReleasedGil& operator=(const ReleasedGil&) = delete;

 private:
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
