// locus_bench: prints a table of kernels, each with its share of the machine's limit. Google Benchmark
// measures and filters (--benchmark_filter=norm). --json FILE saves the times; --compare FILE shows the
// change since an earlier file.
#include <benchmark/benchmark.h>
#include <fmt/core.h>
#include <sys/resource.h>

#include <map>
#include <memory>
#include <utility>

#include "bench/cases.h"
#include "locus/base/parallel.h"
#include "locus/checkpoint/config.h"

namespace locus::bench {
namespace {

// Median times of cases by name, from a file that --json wrote (the format of Google Benchmark).
std::map<std::string, double> read_times(const std::string& path) {
  const Config file{std::filesystem::path(path)};
  std::map<std::string, double> times;
  for (int64_t i = 0; i < file.count("benchmarks"); ++i) {
    const std::string at = fmt::format("benchmarks.{}.", i);
    if (file.text(at + "aggregate_name", "") != "median") continue;
    times[file.text(at + "run_name")] = file.number(at + "real_time", 0, 1e300);
  }
  return times;
}

// Translates --json and --compare for Google Benchmark. Returns the file to compare with, or an empty string.
std::string take_options(std::vector<std::string>& arguments) {
  std::string compared;
  for (auto word = arguments.begin() + 1; word < arguments.end() - 1;) {
    if (*word == "--json") {
      *word = "--benchmark_out=" + word[1];
      word = arguments.erase(word + 1);
    } else if (*word == "--compare") {
      compared = word[1];
      word = arguments.erase(word, word + 2);
    } else {
      ++word;
    }
  }
  return compared;
}

// Prints one line per case: the median of its repetitions.
class Table : public benchmark::BenchmarkReporter {
 public:
  explicit Table(std::map<std::string, double> before) : before_(std::move(before)) {}
  bool ReportContext(const Context&) override {
    fmt::print(
        "{} threads; median of 5 runs; each limit is measured just before, with the same footprint\n\n",
        threads());
    fmt::print("{:<36} {:>9} {:>14} {:>14} {:>7}\n", "kernel/shape", "ms", "achieved", "limit", "share");
    return true;
  }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.error_occurred) fmt::print("{}: {}\n", run.benchmark_name(), run.error_message);
      if (run.aggregate_name != "median") continue;
      const double limit = run.counters.at("limit"), achieved = run.counters.at("achieved");
      fmt::print("{:<36} {:>9.3f} {:>8.1f} {} {:>6} {:>7.1f} {:>7.2f}\n", run.run_name.function_name,
                 run.GetAdjustedRealTime(), achieved, run.counters.contains("flops") ? "GF/s " : "GB/s ",
                 run.report_label, limit, achieved / limit);
      if (const auto then = before_.find(run.run_name.str()); then != before_.end()) {
        fmt::print("{:<36} {:>9.3f} before; now {:.2f} times as fast\n", "", then->second,
                   then->second / run.GetAdjustedRealTime());
      }
      if (!run.counters.contains("tokens")) continue;
      rusage usage{};
      ::getrusage(RUSAGE_SELF, &usage);
      fmt::print("{:<36} {:.1f} tokens/s, peak memory {:.2f} GiB\n", "", run.counters.at("tokens").value,
                 static_cast<double>(usage.ru_maxrss) / (1 << 20));
    }
  }

 private:
  std::map<std::string, double> before_;
};

}  // namespace

void add(Case one) {
  const std::string name = one.kernel + "/" + one.shape;
  // The limit is measured once and reused for the repetitions.
  auto limit = std::make_shared<double>(0);
  const auto run = [one = std::move(one), limit](benchmark::State& state) {
    if (*limit == 0) *limit = measure(one.limit, one.footprint);
    const std::function<void()> job = one.prepare();
    job();
    for (auto _ : state) job();
    state.counters["achieved"] =
        benchmark::Counter(one.work / 1e9, benchmark::Counter::kIsIterationInvariantRate);
    state.counters["limit"] = *limit;
    if (one.tokens > 0) {
      state.counters["tokens"] =
          benchmark::Counter(static_cast<double>(one.tokens), benchmark::Counter::kIsIterationInvariantRate);
    }
    if (one.limit == Limit::fma) state.counters["flops"] = 1;
    state.SetLabel(name_of(one.limit));
  };
  benchmark::RegisterBenchmark(name.c_str(), run)
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond)
      ->MinTime(0.1)
      ->Repetitions(5)
      ->ReportAggregatesOnly();
}

}  // namespace locus::bench

int main(int argc, char** argv) try {
  using namespace locus::bench;
  std::vector<std::string> arguments(argv, argv + argc);
  const std::string compared = take_options(arguments);
  std::vector<char*> words;
  for (std::string& argument : arguments) words.push_back(argument.data());
  int count = static_cast<int>(words.size());
  benchmark::Initialize(&count, words.data());
  if (benchmark::ReportUnrecognizedArguments(count, words.data())) return 2;
  add_activation_cases();
  add_attention_cases();
  add_checkpoint_cases();
  add_elementwise_cases();
  add_embed_cases();
  add_generate_cases();
  add_loss_cases();
  add_matmul_cases();
  add_norm_cases();
  add_optimize_cases();
  add_reduce_cases();
  add_rotate_cases();
  add_rows_cases();
  add_search_cases();
  add_train_cases();
  Table table(compared.empty() ? std::map<std::string, double>() : read_times(compared));
  benchmark::RunSpecifiedBenchmarks(&table);
} catch (const locus::Error& error) {
  fmt::print(stderr, "locus_bench: {}\n", error.what());
  return static_cast<int>(error.fault());
}
