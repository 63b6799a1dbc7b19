// The speed of NVIDIA's own product, in float32 without tf32 or in bf16, as the limit of ours. cuBLAS is
// opened at run time; nothing of Locus uses it.
#include <dlfcn.h>

#include <span>
#include <vector>

#include "bench/gpu/measure.h"
#include "locus/base/error.h"
#include "locus/base/random.h"
#include "locus/tensor/cuda/gpu.h"

namespace locus::gpu_bench {
namespace {

using Create = int (*)(void** handle);
using GemmEx = int (*)(void* handle, int a_transposed, int b_transposed, int m, int n, int k,
                       const void* alpha, const void* a, int a_type, int lda, const void* b, int b_type,
                       int ldb, const void* beta, void* c, int c_type, int ldc, int compute, int algorithm);
constexpr int kFloat = 0, kBf16 = 14, kSumsInFloat = 68, kDefault = -1;  // of cuBLAS

void check(int status, const char* what) {
  if (status != 0) fail(Fault::resource, "cuBLAS cannot {}: status {}", what, status);
}

}  // namespace

double cublas_speed(Limit limit) {
  void* const library = dlopen("libcublas.so.13", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return 0;
  const auto create = reinterpret_cast<Create>(dlsym(library, "cublasCreate_v2"));
  const auto gemm = reinterpret_cast<GemmEx>(dlsym(library, "cublasGemmEx"));
  void* handle = nullptr;
  if (create == nullptr || gemm == nullptr || create(&handle) != 0) return 0;
  constexpr int kSize = 8192;
  const bool bf16 = limit == Limit::bf16_product;
  const int type = bf16 ? kBf16 : kFloat;
  const int64_t bytes = int64_t{bf16 ? 2 : 4} * kSize * kSize;
  // Random numbers between -4 and 4: zeros would be faster.
  std::vector<uint32_t> numbers(static_cast<size_t>(bytes) / 4);
  for (size_t i = 0; i < numbers.size(); ++i) {
    const uint32_t bits = Random(1, 2).bits(i);
    numbers[i] = bf16 ? (bits & 0x80ff80ffu) | 0x3f003f00u : (bits & 0x80ffffffu) | 0x3f000000u;
  }
  locus::cuda::Address memory[3];
  for (locus::cuda::Address& one : memory) {
    one = locus::cuda::allocate(bytes);
    locus::cuda::upload(one, std::as_bytes(std::span(numbers)));
  }
  locus::cuda::wait();
  const float one = 1, zero = 0;
  const double seconds = seconds_of([&] {
    void* at[3];
    for (int i = 0; i < 3; ++i) at[i] = reinterpret_cast<void*>(memory[i]);
    check(gemm(handle, 0, 0, kSize, kSize, kSize, &one, at[0], type, kSize, at[1], type, kSize, &zero, at[2],
               type, kSize, kSumsInFloat, kDefault),
          "multiply");
    locus::cuda::check(locus::cuda::calls().wait(nullptr),
                       "finish a product");  // its stream is the default one
  });
  for (const locus::cuda::Address one_of : memory) locus::cuda::release(one_of);
  return 2.0 * kSize * kSize * kSize / seconds * 1e-12;
}

}  // namespace locus::gpu_bench
