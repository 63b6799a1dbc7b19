// The CPU and memory of this machine, from /proc. Printed by `locus doctor` and with every measurement.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace locus {

struct Cpu {
  std::string model;                  // "unknown" if /proc/cpuinfo does not name it
  std::vector<std::string> features;  // the vector and matrix instruction sets
};

struct MemorySize {
  int64_t total = 0, available = 0;  // in bytes
};

Cpu cpu();
MemorySize memory();

// The same from the text of /proc/cpuinfo and /proc/meminfo.
Cpu parse_cpu(std::string_view cpuinfo);
MemorySize parse_memory(std::string_view meminfo);

}  // namespace locus
