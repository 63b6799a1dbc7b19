// Faults of the disk, for programs that tests start. Linked into one, write, fsync, rename, linkat, symlink
// and unlinkat of the C library are counted by standing in for them: calls from the library under test come
// here.
#pragma once

namespace locus::testing {

// From now on the operation of this number ends the process as SIGKILL would ("kill"), or fails as on a full
// disk ("fail").
void plan_fault(const char* kind, long number);

}  // namespace locus::testing
