// Rotates pairs of the elements of each head.
#include "locus/kernel/cuda/eights.cuh"

namespace locus::kernel::cuda {
namespace {

// a and b as one row, to its even and its odd elements, and back.
__device__ void unzip(float (&a)[8], float (&b)[8]) {
  float row[16];
#pragma unroll
  for (int j = 0; j < 8; ++j) row[j] = a[j], row[8 + j] = b[j];
#pragma unroll
  for (int j = 0; j < 8; ++j) a[j] = row[2 * j], b[j] = row[2 * j + 1];
}
__device__ void zip(float (&a)[8], float (&b)[8]) {
  float row[16];
#pragma unroll
  for (int j = 0; j < 8; ++j) row[2 * j] = a[j], row[2 * j + 1] = b[j];
#pragma unroll
  for (int j = 0; j < 8; ++j) a[j] = row[j], b[j] = row[8 + j];
}

}  // namespace

// A thread for eight pairs of a head, or for eight elements that are copied.
LOCUS_KERNEL locus_rotate(const RotateParams p) {
  const int64_t half = p.width / 2, of_pairs = divided_up(half, 8),
                of_head = of_pairs + divided_up(p.head_size - p.width, 8), of_row = of_head * p.heads;
  const int64_t step = int64_t{gridDim.x} * kThreads;
  for (int64_t i = int64_t{blockIdx.x} * kThreads + threadIdx.x; i < p.x.rows * of_row; i += step) {
    const auto [n, within_row] = divide(i, of_row);
    const auto [head, within] = divide(within_row, of_head);
    const int64_t start = head * p.head_size;
    if (within >= of_pairs) {
      const int64_t c = p.width + 8 * (within - of_pairs);
      const int count = static_cast<int>(smaller(8, p.head_size - c));
      for (int j = 0; j < count; ++j) put_number(p.y, n, start + c + j, number_at(p.x, n, start + c + j));
      continue;
    }
    const int64_t c = 8 * within;
    const int count = static_cast<int>(smaller(8, half - c));
    float cos[8], sin[8], a[8], b[8];
    load(p.cos, p.rows[n], c, count, cos);
    load(p.sin, p.rows[n], c, count, sin);
    const int64_t first = start + (p.interleaved ? 2 * c : c), second = first + (p.interleaved ? 8 : half);
    const bool whole = p.wide && count == 8;
    // Element j of a is at first + apart j, that of b `between` further.
    const int64_t apart = p.interleaved ? 2 : 1, between = p.interleaved ? 1 : half;
    if (whole) {
      load(p.x, n, first, 8, a);
      load(p.x, n, second, 8, b);
      if (p.interleaved) unzip(a, b);
    } else {
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        a[j] = j < count ? number_at(p.x, n, first + apart * j) : 0;
        b[j] = j < count ? number_at(p.x, n, first + apart * j + between) : 0;
      }
    }
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      const float x = a[j], y = b[j], s = p.backward ? -sin[j] : sin[j];
      a[j] = x * cos[j] - y * s;
      b[j] = x * s + y * cos[j];
    }
    if (whole) {
      if (p.interleaved) zip(a, b);
      store(p.y, n, first, 8, a);
      store(p.y, n, second, 8, b);
    } else {
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        if (j >= count) break;
        put_number(p.y, n, first + apart * j, a[j]);
        put_number(p.y, n, first + apart * j + between, b[j]);
      }
    }
  }
}

}  // namespace locus::kernel::cuda
