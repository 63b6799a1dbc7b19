#include "locus/tensor/cuda/driver.h"

#include <dlfcn.h>

#include <type_traits>

#include "locus/base/error.h"
#include "locus/tensor/cuda/gpu.h"

namespace locus::cuda {
namespace {

const Calls* replaced = nullptr;

constexpr const char* kLibrary = "libcuda.so.1";

// Opens the driver's library, which stays open until the program ends.
std::string open_driver(Calls& into) {
#ifdef LOCUS_STATIC
  (void)into;
  return "this program is linked statically";
#else
  void* const library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return fmt::format("{} cannot be opened", kLibrary);
  std::string missing;
  const auto find_symbol = [&](auto& pointer, const char* symbol) {
    void* const found = dlsym(library, symbol);
    if (found == nullptr) missing = fmt::format("{} has no {}", kLibrary, symbol);
    pointer = reinterpret_cast<std::remove_reference_t<decltype(pointer)> >(found);
  };
#define LOCUS_CUDA_FIND(name, symbol, parameters) find_symbol(into.name, symbol);
  LOCUS_CUDA_CALLS(LOCUS_CUDA_FIND)
#undef LOCUS_CUDA_FIND
  return missing;
#endif
}

struct Driver {
  Calls calls;
  std::string problem;
  Driver() : problem(open_driver(calls)) {}
};

const Driver& driver() {
  static const Driver the_driver;
  return the_driver;
}

}  // namespace

const Calls& calls() {
  if (replaced != nullptr) return *replaced;
  if (!driver().problem.empty()) {
    fail({Fault::resource, Code::none, "install the driver of an NVIDIA GPU, or compute on the CPU"},
         "no CUDA driver: {}", driver().problem);
  }
  return driver().calls;
}

void replace_calls(const Calls* functions) {
  forget_gpu();
  replaced = functions;
}

void check(int error, const char* what) {
  if (error == kSuccess) return;
  const char* text = nullptr;
  if (calls().error_text(error, &text) != kSuccess || text == nullptr) text = "unknown error";
  fail(Fault::resource, "CUDA cannot {}: {} (error {})", what, text, error);
}

Finding find() {
  Finding found;
  try {
    const Calls& cuda = calls();
    check(cuda.version(&found.driver), "report the version of its driver");
    check(cuda.init(0), "start");
    check(cuda.count(&found.gpus), "count the GPUs");
    if (found.gpus == 0) fail(Fault::resource, "the driver sees no GPU");
    int device = 0;
    char name[256] = {};
    size_t memory = 0;
    check(cuda.device(&device, 0), "open the GPU");
    check(cuda.name(name, sizeof(name) - 1, device), "name the GPU");
    check(cuda.attribute(&found.major, kMajor, device), "describe the GPU");
    check(cuda.attribute(&found.minor, kMinor, device), "describe the GPU");
    check(cuda.attribute(&found.multiprocessors, kMultiprocessors, device), "describe the GPU");
    check(cuda.total_memory(&memory, device), "describe the GPU");
    found.gpu = name;
    found.memory = static_cast<int64_t>(memory);
  } catch (const Error& error) {
    found.problem = error.message();
  }
  return found;
}

}  // namespace locus::cuda
