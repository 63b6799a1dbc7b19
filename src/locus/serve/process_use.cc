#include "locus/serve/process_use.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "locus/base/error.h"

namespace locus::serve {
namespace {

// The fields of /proc/self/stat by their numbers in proc(5), from 3 on. Field 2 is the name of the program,
// which may contain spaces and parentheses.
class StatFields {
 public:
  StatFields() {
    std::string text;
    std::getline(std::ifstream("/proc/self/stat"), text);
    std::istringstream words(text.substr(text.rfind(')') + 1));
    for (std::string word; words >> word;) words_.push_back(word);
  }
  double operator[](size_t number) const {
    require(number - 3 < words_.size(), "/proc/self/stat has {} fields, expected at least {}",
            words_.size() + 2, number);
    return std::stod(words_[number - 3]);
  }

 private:
  std::vector<std::string> words_;
};

double boot_time() {
  std::ifstream words("/proc/stat");
  for (std::string word; words >> word;) {
    double seconds = 0;
    if (word == "btime" && words >> seconds) return seconds;
  }
  fail(Fault::io, "/proc/stat has no btime");
}

double count_descriptors() {
  double count = -1;  // without the one that lists them
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

}  // namespace

ProcessUse process_use() {
  constexpr size_t kUserTime = 14, kSystemTime = 15, kStartTime = 22, kPages = 24;
  const StatFields fields;
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  return {.resident_bytes = fields[kPages] * static_cast<double>(::sysconf(_SC_PAGESIZE)),
          .cpu_seconds = (fields[kUserTime] + fields[kSystemTime]) / ticks,
          .open_descriptors = count_descriptors(),
          .start_time = boot_time() + fields[kStartTime] / ticks};
}

}  // namespace locus::serve
