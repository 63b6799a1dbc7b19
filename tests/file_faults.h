// Simulates disk faults in programs that tests start. If linked into a program, it replaces write, fsync,
// rename, linkat, symlink and unlinkat of the C library, and counts the calls.
#pragma once

namespace locus::testing {

// The operation with this number, counted from now on, kills the process with SIGKILL ("kill") or fails as on
// a full disk ("fail").
void plan_fault(const char* kind, long number);

}  // namespace locus::testing
