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

// Releases the GIL until the end of the call: nb::call_guard<WithoutGil>().
struct __attribute__((visibility("hidden"))) WithoutGil {
  nanobind::gil_scoped_release release;
  Computing computing;
};

// Takes the GIL and raises KeyboardInterrupt if Ctrl-C was pressed. Long calls use it between batches.
void check_signals();

}  // namespace locus::python
