// locus_bench: a table of kernels, each with its share of what the machine allows. Google Benchmark times and
// filters (--benchmark_filter=norm).
#include <benchmark/benchmark.h>
#include <fmt/core.h>
#include <sys/resource.h>

#include <memory>
#include <utility>

#include "bench/cases.h"
#include "locus/base/parallel.h"

namespace locus::bench {
namespace {

// One line a case: the median of its repetitions.
class Table : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override {
    fmt::print("{} threads; median of 5 runs; limits at the same footprint, just before\n\n", threads());
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
      if (!run.counters.contains("tokens")) continue;
      rusage usage{};
      ::getrusage(RUSAGE_SELF, &usage);
      fmt::print("{:<36} {:.1f} tokens/s, peak memory {:.2f} GiB\n", "", run.counters.at("tokens").value,
                 static_cast<double>(usage.ru_maxrss) / (1 << 20));
    }
  }
};

}  // namespace

void add(Case one) {
  const std::string name = one.kernel + "/" + one.shape;
  // The limit is measured once and kept for the repetitions.
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

int main(int argc, char** argv) {
  using namespace locus::bench;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  add_activation_cases();
  add_attention_cases();
  add_checkpoint_cases();
  add_elementwise_cases();
  add_embed_cases();
  add_loss_cases();
  add_matmul_cases();
  add_norm_cases();
  add_optimize_cases();
  add_reduce_cases();
  add_rotate_cases();
  add_rows_cases();
  add_train_cases();
  Table table;
  benchmark::RunSpecifiedBenchmarks(&table);
}
