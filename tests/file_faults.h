// Simulates disk faults in programs that tests start. If linked into a program, it replaces the calls of the
// C library that create, write, sync, rename, link and remove files, and counts them.
#pragma once

namespace locus::testing {

// The operation with this number, counted from now on, kills the process with SIGKILL ("kill"), or fails as
// on a full disk ("fail") or on a broken one ("break").
void plan_fault(const char* kind, long number);

}  // namespace locus::testing
