#include "locus/base/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>

#include "locus/base/trim.h"

namespace locus {
namespace {

constexpr std::string_view kFeatures[] = {
    "asimd",    "asimdhp",  "asimddp",  "bf16",       "i8mm",        "sve",         "sve2",     "sse4_1",
    "sse4_2",   "avx",      "f16c",     "fma",        "avx2",        "avx512f",     "avx512bw", "avx512dq",
    "avx512vl", "avx512cd", "avx_vnni", "avx512vnni", "avx512_vnni", "avx512_bf16", "amx_bf16", "amx_int8"};

// On Arm, /proc/cpuinfo has part numbers instead of a name. These are common server and single-board cores.
struct ArmPart {
  std::string_view number, name;
};
constexpr ArmPart kArmParts[] = {{"0xd03", "Cortex-A53"},  {"0xd08", "Cortex-A72"},  {"0xd0b", "Cortex-A76"},
                                 {"0xd0c", "Neoverse-N1"}, {"0xd40", "Neoverse-V1"}, {"0xd49", "Neoverse-N2"},
                                 {"0xd4f", "Neoverse-V2"}};

// The value of the first line "key : value", or an empty text.
std::string_view value_of(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const size_t colon = line.find(':');
    if (colon != std::string_view::npos && trim(line.substr(0, colon)) == key)
      return trim(line.substr(colon + 1));
  }
  return {};
}

std::vector<std::string> known_features(std::string_view words) {
  std::vector<std::string> found;
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(' '));
    words.remove_prefix(std::min(words.size(), word.size() + 1));
    if (std::ranges::count(kFeatures, word) > 0) found.emplace_back(word);
  }
  return found;
}

std::string model_of(std::string_view cpuinfo) {
  if (const auto name = value_of(cpuinfo, "model name"); !name.empty()) return std::string(name);
  const std::string_view maker = value_of(cpuinfo, "CPU implementer"), part = value_of(cpuinfo, "CPU part");
  if (maker == "0x41") {
    const auto known = std::ranges::find(kArmParts, part, &ArmPart::number);
    if (known != std::end(kArmParts)) return std::string(known->name);
  }
  return part.empty() ? "unknown" : fmt::format("implementer {}, part {}", maker, part);
}

int64_t kibibytes(std::string_view text) {
  int64_t count = 0;
  std::from_chars(text.data(), text.data() + text.size(), count);
  return count * 1024;
}

// Files in /proc report a size of 0, so read until the end.
std::string slurp(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

Cpu parse_cpu(std::string_view cpuinfo) {
  std::string_view words = value_of(cpuinfo, "Features");
  if (words.empty()) words = value_of(cpuinfo, "flags");
  return {.model = model_of(cpuinfo), .features = known_features(words)};
}

MemorySize parse_memory(std::string_view meminfo) {
  return {.total = kibibytes(value_of(meminfo, "MemTotal")),
          .available = kibibytes(value_of(meminfo, "MemAvailable"))};
}

Cpu cpu() { return parse_cpu(slurp("/proc/cpuinfo")); }
MemorySize memory() { return parse_memory(slurp("/proc/meminfo")); }

}  // namespace locus
