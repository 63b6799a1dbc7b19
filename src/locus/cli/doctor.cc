// locus doctor: reports the hardware and libraries that Locus found and uses.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hwy/highway.h>

#include <memory>

#include "locus/base/json.h"
#include "locus/base/machine.h"
#include "locus/base/parallel.h"
#include "locus/base/version.h"
#include "locus/cli/command.h"
#include "locus/cli/terminal.h"
#include "locus/kernel/cpu/targets.h"
#include "locus/kernel/cuda/cuda.h"
#include "locus/tensor/cuda/driver.h"

namespace locus::cli {
namespace {

#if defined(__clang__)
constexpr const char* kCompiler = "Clang " __clang_version__;
#else
constexpr const char* kCompiler = "GCC " __VERSION__;
#endif

struct Diagnosis {
  Cpu cpu = locus::cpu();
  MemorySize memory = locus::memory();
  std::vector<std::string> built = kernel::cpu::built_targets();
  std::vector<std::string> supported = kernel::cpu::supported_targets();
  int threads = locus::threads();
  cuda::Finding gpu = cuda::find();
  std::vector<std::string> gpu_kernels = kernel::cuda::compiled();
  std::string highway = fmt::format("{}.{}.{}", HWY_MAJOR, HWY_MINOR, HWY_PATCH);
  std::string fmt_version =
      fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100);
};

constexpr double kGibibyte = 1024.0 * 1024 * 1024;

std::string driver_version(const cuda::Finding& gpu) {
  return fmt::format("{}.{}", gpu.driver / 1000, gpu.driver % 1000 / 10);
}

std::string gpu_text(const cuda::Finding& gpu) {
  if (!gpu.problem.empty()) return fmt::format("none ({})", gpu.problem);
  return fmt::format("{}, compute capability {}.{}, {:.1f} GiB, CUDA driver {}", gpu.gpu, gpu.major,
                     gpu.minor, static_cast<double>(gpu.memory) / kGibibyte, driver_version(gpu));
}

std::string as_text(const Diagnosis& d) {
  return fmt::format(
      "Locus     {}\n"
      "CPU       {}\n"
      "features  {}\n"
      "SIMD      {} in use; built for {}\n"
      "threads   {}\n"
      "memory    {:.1f} GiB, {:.1f} GiB available\n"
      "GPU       {}\n"
      "          kernels compiled in: {}\n"
      "compiler  {}\n"
      "Highway   {}\n"
      "fmt       {}\n",
      version(), d.cpu.model, fmt::join(d.cpu.features, " "), d.supported.front(), fmt::join(d.built, ", "),
      d.threads, static_cast<double>(d.memory.total) / kGibibyte,
      static_cast<double>(d.memory.available) / kGibibyte, gpu_text(d.gpu),
      d.gpu_kernels.empty() ? "none" : fmt::format("{}", fmt::join(d.gpu_kernels, ", ")), kCompiler,
      d.highway, d.fmt_version);
}

// Null for what was not found.
std::string gpu_json(const Diagnosis& d) {
  const cuda::Finding& gpu = d.gpu;
  const bool found = gpu.problem.empty();
  return json::object(
      {{"driver", gpu.driver != 0 ? json::text(driver_version(gpu)) : "null"},
       {"name", found ? json::text(gpu.gpu) : "null"},
       {"compute_capability", found ? json::text(fmt::format("{}.{}", gpu.major, gpu.minor)) : "null"},
       {"memory_bytes", found ? json::number(gpu.memory) : "null"},
       {"problem", found ? "null" : json::text(gpu.problem)},
       {"kernels", json::texts(d.gpu_kernels)}});
}

std::string as_json(const Diagnosis& d) {
  return json::lines({
      {"version", json::text(version())},
      {"cpu", json::object({{"model", json::text(d.cpu.model)}, {"features", json::texts(d.cpu.features)}})},
      {"simd", json::object({{"chosen", json::text(d.supported.front())},
                             {"supported", json::texts(d.supported)},
                             {"built", json::texts(d.built)}})},
      {"threads", json::number(int64_t{d.threads})},
      {"memory", json::object({{"total_bytes", json::number(static_cast<int64_t>(d.memory.total))},
                               {"available_bytes", json::number(static_cast<int64_t>(d.memory.available))}})},
      {"gpu", gpu_json(d)},
      {"compiler", json::text(kCompiler)},
      {"highway", json::text(d.highway)},
      {"fmt", json::text(d.fmt_version)},
  });
}

}  // namespace

void add_doctor(CLI::App& program) {
  Command command(program, "doctor", "Report the CPU, memory and libraries that Locus uses");
  command.footer("Examples:\n  locus doctor\n  locus doctor --json\n  LOCUS_THREADS=1 locus doctor");
  auto json = std::make_shared<bool>(false);
  command.flag("--json", *json, "Print JSON");
  command.callback([json] {
    const Diagnosis diagnosis;
    print(*json ? as_json(diagnosis) : as_text(diagnosis));
  });
}

}  // namespace locus::cli
