// What this process uses of the machine, from /proc.
#pragma once

namespace locus::serve {

struct ProcessUse {
  double resident_bytes = 0;
  double cpu_seconds = 0;  // of all threads
  double open_descriptors = 0;
  double start_time = 0;  // seconds since 1970
};
ProcessUse process_use();

}  // namespace locus::serve
