#include "tests/file_faults.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace {

long operations_left = -1;
bool killed_by_it = false;

// Whether the operation at hand is the one that fails.
bool strikes() {
  if (operations_left < 0 || --operations_left != 0) return false;
  if (killed_by_it) ::kill(::getpid(), SIGKILL);
  errno = ENOSPC;
  return true;
}

}  // namespace

void locus::testing::plan_fault(const char* kind, long number) {
  killed_by_it = std::strcmp(kind, "kill") == 0;
  operations_left = number;
}

extern "C" {
ssize_t write(int file, const void* bytes, size_t count) {
  // Half of it first: a process can die, and a disk fill up, in the middle.
  if (operations_left == 1 && file > 2 && count > 1) ::syscall(SYS_write, file, bytes, count / 2);
  return file > 2 && strikes() ? -1 : ::syscall(SYS_write, file, bytes, count);
}
int fsync(int file) { return strikes() ? -1 : static_cast<int>(::syscall(SYS_fsync, file)); }
int rename(const char* from, const char* to) noexcept {
  return strikes() ? -1 : static_cast<int>(::syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to));
}
int symlink(const char* target, const char* link) noexcept {
  return strikes() ? -1 : static_cast<int>(::syscall(SYS_symlinkat, target, AT_FDCWD, link));
}
int unlinkat(int folder, const char* name, int flags) noexcept {
  return strikes() ? -1 : static_cast<int>(::syscall(SYS_unlinkat, folder, name, flags));
}
}
