#include "tests/file_faults.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace {

long operations_left = -1;
bool killed_by_it = false;
int fault = ENOSPC;

// Counts an operation. Returns whether it is the one that fails.
bool must_fail() {
  if (operations_left < 0 || --operations_left != 0) return false;
  if (killed_by_it) ::kill(::getpid(), SIGKILL);
  errno = fault;
  return true;
}

}  // namespace

void locus::testing::plan_fault(const char* kind, long number) {
  killed_by_it = std::strcmp(kind, "kill") == 0;
  fault = std::strcmp(kind, "break") == 0 ? EIO : ENOSPC;
  operations_left = number;
}

extern "C" {
int open(const char* name, int flags, ...) {
  std::va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if ((flags & O_CREAT) != 0 && must_fail()) return -1;
  // The full disk ("fail") has no unnamed files, the disk of a killed process does: this covers both code
  // paths.
  if ((flags & O_TMPFILE) == O_TMPFILE && operations_left >= 0 && !killed_by_it) {
    errno = EOPNOTSUPP;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, name, flags, mode));
}
ssize_t write(int file, const void* bytes, size_t count) {
  // Write half of it first: a process can die, or a disk fill up, in the middle of a write.
  if (operations_left == 1 && file > 2 && count > 1) ::syscall(SYS_write, file, bytes, count / 2);
  return file > 2 && must_fail() ? -1 : ::syscall(SYS_write, file, bytes, count);
}
ssize_t pwrite(int file, const void* bytes, size_t count, off_t at) {
  return must_fail() ? -1 : ::syscall(SYS_pwrite64, file, bytes, count, at);
}
int ftruncate(int file, off_t size) noexcept {
  return must_fail() ? -1 : static_cast<int>(::syscall(SYS_ftruncate, file, size));
}
int mkdir(const char* name, mode_t mode) noexcept {
  return must_fail() ? -1 : static_cast<int>(::syscall(SYS_mkdirat, AT_FDCWD, name, mode));
}
int fsync(int file) { return must_fail() ? -1 : static_cast<int>(::syscall(SYS_fsync, file)); }
int rename(const char* from, const char* to) noexcept {
  return must_fail() ? -1 : static_cast<int>(::syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to));
}
int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept {
  return must_fail() ? -1 : static_cast<int>(::syscall(SYS_linkat, from_folder, from, to_folder, to, flags));
}
int symlink(const char* target, const char* link) noexcept {
  return must_fail() ? -1 : static_cast<int>(::syscall(SYS_symlinkat, target, AT_FDCWD, link));
}
int unlinkat(int folder, const char* name, int flags) noexcept {
  return must_fail() ? -1 : static_cast<int>(::syscall(SYS_unlinkat, folder, name, flags));
}
}
