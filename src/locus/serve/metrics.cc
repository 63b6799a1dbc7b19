#include "locus/serve/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "locus/base/error.h"

namespace locus::serve {
namespace {

constexpr double kSeconds[] = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
                               0.5,   1,      2.5,   5,    10,    30,   60};
constexpr double kCounts[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384};

struct Family {
  std::string_view name, type, help;
  std::span<const double> bounds = {};  // of the buckets of a histogram
};

constexpr Family kFamilies[] = {
    {"locus_requests_total", "counter", "Requests by route and status"},
    {"locus_refused_total", "counter", "Requests that were refused before the model read them"},
    {"locus_cancelled_total", "counter", "Requests whose client left before the answer"},
    {"locus_tokens_total", "counter", "Tokens that the model read or generated"},
    {"locus_request_seconds", "histogram", "Time of a request, from its last byte to its answer", kSeconds},
    {"locus_queue_seconds", "histogram", "Time until the first text of a request is computed", kSeconds},
    {"locus_compute_seconds", "histogram", "Time of a batch of texts", kSeconds},
    {"locus_first_token_seconds", "histogram", "Time until a request has its first token", kSeconds},
    {"locus_batch_tokens", "histogram", "Tokens of a batch of texts", kCounts},
    {"locus_batch_sequences", "histogram", "Texts of a batch", kCounts},
    {"locus_queue_tokens", "gauge", "Tokens that wait"},
    {"locus_queue_requests", "gauge", "Requests that have no answer yet"},
    {"locus_connections", "gauge", "Open connections of clients"},
    {"process_resident_memory_bytes", "gauge", "Memory of the process in RAM"},
    {"process_cpu_seconds_total", "counter", "CPU time of the process"},
    {"process_open_fds", "gauge", "Open file descriptors of the process"},
    {"process_start_time_seconds", "gauge", "Start of the process, in seconds since 1970"},
};

const Family& family(std::string_view name) {
  const auto* const found = std::ranges::find(kFamilies, name, &Family::name);
  if (found == std::end(kFamilies)) fail(Fault::bug, "no metric has the name {}", name);
  return *found;
}

std::string in_braces(const std::string& labels) { return labels.empty() ? "" : "{" + labels + "}"; }

}  // namespace

void Metrics::count(std::string_view name, const std::string& labels, double by) {
  const std::lock_guard lock(mutex_);
  values_[std::string(family(name).name)][labels] += by;
}

void Metrics::set(std::string_view name, double value) {
  const std::lock_guard lock(mutex_);
  values_[std::string(family(name).name)][""] = value;
}

void Metrics::observe(std::string_view name, double value) {
  const std::span<const double> bounds = family(name).bounds;
  const std::lock_guard lock(mutex_);
  Histogram& histogram = histograms_[std::string(name)];
  histogram.counts.resize(bounds.size());
  const auto bucket = static_cast<size_t>(std::ranges::lower_bound(bounds, value) - bounds.begin());
  if (bucket < bounds.size()) ++histogram.counts[bucket];
  ++histogram.all;
  histogram.sum += value;
}

std::string Metrics::print() const {
  const std::lock_guard lock(mutex_);
  std::string text;
  const auto out = std::back_inserter(text);
  for (const Family& f : kFamilies) {
    fmt::format_to(out, "# HELP {0} {1}\n# TYPE {0} {2}\n", f.name, f.help, f.type);
    if (const auto found = values_.find(f.name); found != values_.end()) {
      for (const auto& [labels, value] : found->second) {
        fmt::format_to(out, "{}{} {}\n", f.name, in_braces(labels), value);
      }
    }
    const auto found = histograms_.find(f.name);
    if (found == histograms_.end()) continue;
    uint64_t below = 0;
    for (size_t i = 0; i < f.bounds.size(); ++i) {
      fmt::format_to(out, "{}_bucket{{le=\"{}\"}} {}\n", f.name, f.bounds[i],
                     below += found->second.counts[i]);
    }
    fmt::format_to(out, "{0}_bucket{{le=\"+Inf\"}} {1}\n{0}_sum {2}\n{0}_count {1}\n", f.name,
                   found->second.all, found->second.sum);
  }
  return text;
}

}  // namespace locus::serve
