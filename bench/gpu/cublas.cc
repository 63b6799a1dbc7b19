// The speed of NVIDIA's own product in float32 without tf32, as the limit of ours. cuBLAS is opened at run
// time; nothing of Locus uses it.
#include <dlfcn.h>

#include <memory>

#include "bench/gpu/measure.h"
#include "locus/base/error.h"
#include "locus/tensor/cuda/gpu.h"

namespace locus::gpu_bench {
namespace {

using Create = int (*)(void** handle);
using Sgemm = int (*)(void* handle, int a_transposed, int b_transposed, int m, int n, int k,
                      const float* alpha, const float* a, int lda, const float* b, int ldb, const float* beta,
                      float* c, int ldc);

void check(int status, const char* what) {
  if (status != 0) fail(Fault::resource, "cuBLAS cannot {}: status {}", what, status);
}

}  // namespace

double cublas_speed() {
  void* const library = dlopen("libcublas.so.13", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return 0;
  const auto create = reinterpret_cast<Create>(dlsym(library, "cublasCreate_v2"));
  const auto sgemm = reinterpret_cast<Sgemm>(dlsym(library, "cublasSgemm_v2"));
  void* handle = nullptr;
  if (create == nullptr || sgemm == nullptr || create(&handle) != 0) return 0;
  constexpr int kSize = 8192;
  constexpr int64_t kBytes = int64_t{4} * kSize * kSize;
  locus::cuda::Address memory[3];
  for (locus::cuda::Address& one : memory) {
    one = locus::cuda::allocate(kBytes);
    locus::cuda::fill_rows({.to = one,
                            .pitch = kBytes,
                            .rows = 1,
                            .cols = kBytes / 4,
                            .width = 4,
                            .bits = 0x3f9d70a4});  // 1.23: zeros would be faster
  }
  locus::cuda::wait();
  const float one = 1, zero = 0;
  const double seconds = seconds_of([&] {
    auto* const a = reinterpret_cast<float*>(memory[0]);
    auto* const b = reinterpret_cast<float*>(memory[1]);
    auto* const c = reinterpret_cast<float*>(memory[2]);
    check(sgemm(handle, 0, 0, kSize, kSize, kSize, &one, a, kSize, b, kSize, &zero, c, kSize), "multiply");
    locus::cuda::check(locus::cuda::calls().wait(nullptr),
                       "finish a product");  // its stream is the default one
  });
  for (const locus::cuda::Address one_of : memory) locus::cuda::release(one_of);
  return 2.0 * kSize * kSize * kSize / seconds * 1e-12;
}

}  // namespace locus::gpu_bench
