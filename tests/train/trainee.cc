// Trains the trainee in a folder: trainee DIR STEPS THREADS [kill|fail NUMBER].
//
// With NUMBER, that one of the file operations a run performs ends the process as SIGKILL would ("kill"), or
// fails as on a full disk ("fail"). The operations are counted by standing in for the C library's functions:
// calls from the library under test come here.
#include "tests/train/trainee.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "locus/base/parallel.h"

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

int main(int count, char** words) {
  using namespace locus;
  if (count != 4 && count != 6) return 2;
  try {
    set_threads(std::atoi(words[3]));
    testing::Trainee trainee;
    RunFolder folder(words[1]);
    Settings config;
    config.set("train.steps", words[2]);
    if (count == 6) {
      killed_by_it = std::strcmp(words[4], "kill") == 0;
      operations_left = std::atol(words[5]);
    }
    train({.objective = trainee,
           .parameters = trainee.parameters,
           .folder = folder,
           .settings = testing::trainee_settings(std::atol(words[2])),
           .config = config,
           .files = {{"words.txt", "one\ntwo\n"}},
           .hooks = {.note = [](const std::string& text) { std::fprintf(stderr, "%s\n", text.c_str()); }}});
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(error.fault());
  }
  return 0;
}
