// Makes the program locus obey the variable LOCUS_FAULT, such as "fail 12": see file_faults.h.
#include <algorithm>
#include <cstdlib>
#include <cstring>

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
