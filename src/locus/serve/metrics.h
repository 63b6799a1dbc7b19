// Counters and histograms in the text format of Prometheus. Thread-safe.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace locus::serve {

class Metrics {
 public:
  // Names are those of the list in metrics.cc. Labels are written as in the format:
  // route="/embed",code="200".
  void count(std::string_view name, const std::string& labels = "", double by = 1);
  void set(std::string_view name, double value);
  void observe(std::string_view name, double value);

  std::string print() const;

 private:
  struct Histogram {
    std::vector<uint64_t> counts;  // of the values in each bucket
    uint64_t all = 0;
    double sum = 0;
  };
  mutable std::mutex mutex_;
  std::map<std::string, std::map<std::string, double>, std::less<>> values_;  // by name, then by labels
  std::map<std::string, Histogram, std::less<>> histograms_;
};

}  // namespace locus::serve
