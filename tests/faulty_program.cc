// Makes the program locus obey two variables. LOCUS_FAULT plans a fault, such as "fail 12": see
// file_faults.h. LOCUS_CLOCK replaces the clocks: with "stops" none moves, with "jumps" the time of day jumps
// by years, back and forth.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/file_faults.h"

namespace {

[[gnu::constructor]] void plan() {
  const char* const planned = std::getenv("LOCUS_FAULT");
  const char* const number = planned == nullptr ? nullptr : std::strchr(planned, ' ');
  if (number == nullptr) return;
  char kind[8] = {};
  std::memcpy(kind, planned, std::min<size_t>(sizeof kind - 1, static_cast<size_t>(number - planned)));
  locus::testing::plan_fault(kind, std::atol(number));
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  static const char* const kind = std::getenv("LOCUS_CLOCK");
  static long calls = 0;
  constexpr time_t kYears = 100'000'000;
  const auto result = static_cast<int>(::syscall(SYS_clock_gettime, clock, time));
  if (kind == nullptr) return result;
  if (std::strcmp(kind, "stops") == 0) *time = {.tv_sec = 1000, .tv_nsec = 0};
  if (std::strcmp(kind, "jumps") == 0 && clock == CLOCK_REALTIME)
    time->tv_sec += ++calls % 2 == 0 ? kYears : -kYears;
  return result;
}
