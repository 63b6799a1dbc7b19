// What machine this is, as far as the kernel tells: for `locus doctor` and beside every measurement.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace locus {

struct Cpu {
  std::string model;                  // "unknown" when the kernel does not say
  std::vector<std::string> features;  // those that matter to arithmetic on vectors and matrices
};

struct MemorySize {
  int64_t total = 0, available = 0;  // in bytes
};

Cpu cpu();
MemorySize memory();

// The same out of the text of /proc/cpuinfo and /proc/meminfo.
Cpu parse_cpu(std::string_view cpuinfo);
MemorySize parse_memory(std::string_view meminfo);

}  // namespace locus
