// The guard of calls that compute: they run without the GIL, and set_threads() is refused while one runs.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>

namespace locus::python {

// Counts the running calls of all Python threads. Nests.
class Computing {
 public:
  Computing();
  ~Computing();
  Computing(const Computing&) = delete;
  Computing& operator=(const Computing&) = delete;
};

// After Python began to exit, blocks every thread but the one that exits: taking the GIL would end the thread
// by an exception that no destructor may let through.
void wait_if_exiting();

// Around calls of Python code from C++. Python ends a thread that waits for the GIL after the exit began, by
// an exception that no C++ code may let through; so the exit first waits for these calls.
class CallsPython {
 public:
  CallsPython();
  ~CallsPython();
  CallsPython(const CallsPython&) = delete;
  CallsPython& operator=(const CallsPython&) = delete;
};

// Releases the GIL as long as it exists.
class WithoutGil {
 public:
  WithoutGil() : state_(PyEval_SaveThread()) {}
  ~WithoutGil() {
    computing_.reset();
    wait_if_exiting();
    PyEval_RestoreThread(state_);
  }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* state_;
  std::optional<Computing> computing_{std::in_place};
};

// Takes the GIL as long as it exists, on a thread that released it.
class __attribute__((visibility("hidden"))) WithGil {
 public:
  WithGil() {
    wait_if_exiting();
    gil_.emplace();
  }

 private:
  std::optional<nanobind::gil_scoped_acquire> gil_;
};

// Takes the GIL and raises KeyboardInterrupt if Ctrl-C was pressed. Long calls use it between batches.
void check_signals();

}  // namespace locus::python
