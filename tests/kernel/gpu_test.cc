// What only the GPU's kernels are tested for. That they compute the same as the reference is tested with the
// other devices, in compare().
#include "tests/kernel/gpu.h"

#include <cstring>
#include <numeric>

#include "locus/kernel/cuda/product.h"
#include "locus/tensor/memory.h"
#include "tests/kernel/compare.h"
#include "tests/kernel/product_case.h"

#define LOCUS_SKIP_WITHOUT_GPU() \
  if (gpu_kernels() == nullptr) GTEST_SKIP() << no_gpu()

namespace locus::testing {
namespace {

TEST(Gpu, AKernelRuns) {
  LOCUS_SKIP_WITHOUT_GPU();
  const Tensor a = Tensor::of({3}, {1.0f, 2.0f, 3.0f}), out = Tensor::zeros({3});
  gpu_kernels()->add({.a = a.view(), .b = a.view(), .out = out.view()});
  EXPECT_EQ(out.values(), (std::vector<float>{2, 4, 6}));
}

// Rows of a times b + 0.3, then gelu: by the product, with a transposed, or by that of few rows.
enum class Way { straight, transposed, small_m };
std::vector<float> product_of(std::span<const float> a, const Tensor& b, Way way) {
  const Kernels& table = *gpu_kernels();
  const int64_t n = b.size(0), k = b.size(1), m = static_cast<int64_t>(a.size()) / k;
  Tensor left = Tensor::of({m, k}, a);
  const Tensor c = Tensor::empty({m, n}), bias = Tensor::full({n}, 0.3);
  if (way == Way::small_m) {
    table.matmul_small_m({.a = left.view(),
                          .b = b.view(),
                          .c = c.view(),
                          .bias = bias.view(),
                          .activation = Activation::gelu});
    return c.values();
  }
  if (way == Way::transposed) {
    const Tensor columns = Tensor::empty({k, m});
    for (int64_t i = 0; i < m * k; ++i)
      columns.data<float>()[static_cast<size_t>(i % k * m + i / k)] = a[static_cast<size_t>(i)];
    left = columns;
  }
  table.matmul({.a = left.view(),
                .b = b.view(),
                .c = c.view(),
                .m = m,
                .n = n,
                .k = k,
                .a_transposed = way == Way::transposed,
                .b_transposed = true,
                .bias = bias.view(),
                .activation = Activation::gelu});
  return c.values();
}

TEST(Gpu, ARowOfAProductHasTheSameBitsInAnyBatch) {
  LOCUS_SKIP_WITHOUT_GPU();
  constexpr int64_t kMost = 8192, n = 600, k = 401;
  const std::vector<float> a = random_values(1, kMost * k);
  const Tensor b = Tensor::of({n, k}, std::span<const float>(random_values(2, n * k)));
  const std::vector<float> all = product_of(a, b, Way::straight);
  for (const int64_t m : {1, 2, 3, 8, 15, 16, 17, 63, 64, 65, 127, 129, 500, 1000, 3000, 4096, 8191}) {
    // Rows from the end, so that a row is at a different place in its tile each time.
    const std::span<const float> rows(a.end() - m * k, a.end());
    const std::vector<float> want(all.end() - m * n, all.end());
    for (const Way way : {Way::straight, Way::transposed, Way::small_m}) {
      EXPECT_EQ(product_of(rows, b, way), want) << m << " rows, way " << static_cast<int>(way);
    }
  }
}

bool is_the_end(const Tensor& got, const Tensor& all) {
  const int64_t bytes = got.numel() * size_of(got.dtype()), whole = all.numel() * size_of(all.dtype());
  return std::memcmp(got.view().data, all.view().data + (whole - bytes), static_cast<size_t>(bytes)) == 0;
}

// Every number of rows, on memory of the GPU. The last rows of a are at another place of their tile each
// time.
TEST(Gpu, ARowOfAProductHasTheSameBitsAmongAnyNumberOfRows) {
  LOCUS_SKIP_WITHOUT_GPU();
  constexpr int64_t kMost = 8192, n = 300,
                    k = 129;  // from 5505 rows on in large tiles, on 132 multiprocessors
  const Kernels& table = kernels(Device::cuda);
  const auto numbers = [](uint64_t seed, Shape shape) {
    return Tensor::of(shape, std::span<const float>(random_values(seed, shape.numel()))).on(Device::cuda);
  };
  const Tensor a = numbers(1, {kMost, k}), b = numbers(2, {n, k});
  const auto product = [&](int64_t m) {
    const Tensor rows = a.rows(kMost - m, kMost), c = Tensor::empty({m, n}, DType::f32, Device::cuda);
    table.matmul(
        {.a = rows.view(), .b = b.view(), .c = c.view(), .m = m, .n = n, .k = k, .b_transposed = true});
    return c.on_host();
  };
  const Tensor all = product(kMost);
  for (int64_t m = 1; m < kMost; ++m) ASSERT_TRUE(is_the_end(product(m), all)) << m << " rows";
}

// The same in bf16, from the smallest tiles to the largest. 8,200 k are two segments, which are added up in
// parallel or one after another.
TEST(Gpu, ARowOfABf16ProductHasTheSameBitsAmongAnyNumberOfRows) {
  LOCUS_SKIP_WITHOUT_GPU();
  const Kernels& table = kernels(Device::cuda);
  const auto numbers = [&](uint64_t seed, Shape shape) {
    const std::vector<float> few = random_values(seed, 100'003);
    std::vector<float> all(static_cast<size_t>(shape.numel()));
    for (size_t i = 0; i < all.size(); ++i) all[i] = few[i % few.size()];
    const Tensor wide = Tensor::of(shape, std::span<const float>(all)).on(Device::cuda),
                 rounded = Tensor::empty(shape, DType::bf16, Device::cuda);
    table.convert({.from = wide.view(), .to = rounded.view()});
    return rounded;
  };
  struct Case {
    int64_t rows, n, k;
    DType format;
  };
  for (const bool ampere : {false, true}) {
    kernel::cuda::use_ampere_products(ampere);
    SCOPED_TRACE(ampere ? "Ampere" : "the GPU's own kernels");
    for (const Case& one : {Case{4500, 1000, 136, DType::f32}, Case{4500, 1000, 135, DType::bf16},
                            Case{2500, 4000, 8200, DType::bf16}}) {
      const auto& [rows, n, k, format] = one;
      const Tensor a = numbers(1, {rows, k}), b = numbers(2, {n, k});
      const auto product = [&](int64_t m) {
        const Tensor last = a.rows(rows - m, rows), c = Tensor::empty({m, n}, format, Device::cuda);
        table.matmul(
            {.a = last.view(), .b = b.view(), .c = c.view(), .m = m, .n = n, .k = k, .b_transposed = true});
        return c.on_host();
      };
      const Tensor all = product(rows);
      for (int64_t m = 1; m < rows; m += m < 300 ? 1 : 101) {
        ASSERT_TRUE(is_the_end(product(m), all)) << m << " rows, " << k << " k";
      }
    }
  }
  kernel::cuda::use_ampere_products(false);
}

// The kernels of GPUs before Hopper, which tests on a Hopper GPU would not reach: in every layout, of sizes
// around their tiles, in one and two segments.
TEST(Gpu, Bf16ProductsForAmpere) {
  LOCUS_SKIP_WITHOUT_GPU();
  kernel::cuda::use_ampere_products(true);
  for (const bool a_transposed : {false, true}) {
    for (const bool b_transposed : {false, true}) {
      for (const int64_t m : {9, 130, 300}) {
        compare_product({.m = m,
                         .n = 264,
                         .k = m == 9 ? 8200 : 144,
                         .a_transposed = a_transposed,
                         .b_transposed = b_transposed,
                         .widened = true});
      }
    }
  }
  kernel::cuda::use_ampere_products(false);
}

// More elements than 32 bits count.
TEST(Gpu, LongTensors) {
  LOCUS_SKIP_WITHOUT_GPU();
  constexpr int64_t kRows = 2'147'484, kColumns = 1000, kCount = kRows * kColumns;
  static_assert(kCount > int64_t{1} << 31);
  if (memory(Device::cuda).available() < 4 * 4 * kCount) GTEST_SKIP() << "the GPU has too little memory";
  const Kernels& table = kernels(Device::cuda);
  Tensor x = Tensor::full({kRows, kColumns}, 3, DType::f32, Device::cuda);
  const Tensor last = Tensor::of({1, kColumns}, std::span<const float>(random_values(1, kColumns)));
  x.rows(kRows - 1, kRows).copy_from(last.on(Device::cuda));
  const auto last_of = [](const Tensor& of) { return of.rows(kRows - 1, kRows).on_host().values(); };
  EXPECT_EQ(last_of(x.clone()), last.values());
  const Tensor y = Tensor::empty({kRows, kColumns}, DType::f32, Device::cuda);
  table.scale({.x = x.view(), .out = y.view(), .factor = 2});
  std::vector<float> twice = last.values();
  for (float& one : twice) one *= 2;
  EXPECT_EQ(last_of(y), twice);
  EXPECT_EQ(y.rows(0, 1).on_host().values(), std::vector<float>(kColumns, 6));
  const Tensor sum = Tensor::empty({1}, DType::f64, Device::cuda);
  table.sum({.x = y.rows(0, kRows - 1).view(), .out = sum.view(), .divisor = kColumns});
  EXPECT_EQ(sum.on_host().item(), 6 * (kRows - 1.0));
  const Tensor id = Tensor::of({1}, {int32_t{kRows - 1}}).on(Device::cuda), row = last.on(Device::cuda);
  table.gather({.table = y.view(), .ids = id.view(), .out = row.view()});
  EXPECT_EQ(row.on_host().values(), twice);
  const Tensor ones = Tensor::full({4, kColumns}, 1, DType::f32, Device::cuda),
               many = Tensor::empty({kRows, 4}, DType::f32, Device::cuda),
               one = Tensor::empty({1, 4}, DType::f32, Device::cuda);
  table.matmul_small_m({.a = y.view(), .b = ones.view(), .c = many.view()});
  table.matmul_small_m({.a = row.view(), .b = ones.view(), .c = one.view()});
  EXPECT_EQ(last_of(many), one.on_host().values());
}

// Attention over sequences of these lengths, in which queries are the last tokens. Sequences have the same
// tokens in every batch: number b has those of seed b. Returns the rows of sequence `wanted`.
struct Batch {
  std::vector<int32_t> queries, keys;
  std::vector<uint64_t> seeds;
};
std::vector<float> attention_of(const Batch& batch, size_t wanted, bool causal, int64_t window) {
  constexpr int64_t H = 2, D = 24, C = H * D;
  const auto rows = [&](const std::vector<int32_t>& counts, uint64_t kind) {
    std::vector<float> all;
    for (size_t b = 0; b < counts.size(); ++b) {
      const std::vector<float> whole = random_values(100 * kind + batch.seeds[b], batch.keys[b] * C);
      all.insert(all.end(), whole.end() - counts[b] * C, whole.end());
    }
    return Tensor::of({static_cast<int64_t>(all.size()) / C, C}, std::span<const float>(all));
  };
  const auto starts = [](const std::vector<int32_t>& counts) {
    std::vector<int32_t> sums(counts.size() + 1);
    std::partial_sum(counts.begin(), counts.end(), sums.begin() + 1);
    return sums;
  };
  const auto positions = [&](const std::vector<int32_t>& counts) {
    std::vector<int32_t> all;
    for (size_t b = 0; b < counts.size(); ++b)
      for (int32_t i = batch.keys[b] - counts[b]; i < batch.keys[b]; ++i) all.push_back(i);
    return Tensor::of({static_cast<int64_t>(all.size())}, all);
  };
  const std::vector<int32_t> q_starts = starts(batch.queries), k_starts = starts(batch.keys);
  const auto sequences = static_cast<int64_t>(q_starts.size());
  const Tensor q = rows(batch.queries, 1), k = rows(batch.keys, 2), v = rows(batch.keys, 3);
  const Tensor query_starts = Tensor::of({sequences}, q_starts),
               key_starts = Tensor::of({sequences}, k_starts);
  const Tensor query_positions = positions(batch.queries), key_positions = positions(batch.keys);
  const Tensor distances = Tensor::of({H, 2001}, std::span<const float>(random_values(9, H * 2001)));
  const Tensor out = q.zeros_like(), workspace = Tensor::zeros({1});
  gpu_kernels()->attention({.q = q.view(),
                            .k = k.view(),
                            .v = v.view(),
                            .sequences = {query_starts.view(), key_starts.view(), query_positions.view(),
                                          key_positions.view(), true},
                            .heads = H,
                            .key_heads = H,
                            .head_size = D,
                            .scale = 0.2f,
                            .causal = causal,
                            .window = window,
                            .by_distance = {distances.view(), 1000},
                            .longest = 1000,
                            .out = out.view(),
                            .workspace = workspace.view()});
  return out.rows(q_starts[wanted], q_starts[wanted + 1]).clone().values();
}

TEST(Gpu, ARowOfAttentionHasTheSameBitsInAnyBatchAndFromACache) {
  LOCUS_SKIP_WITHOUT_GPU();
  for (const bool causal : {false, true}) {
    for (const int64_t window : {0, 50, 200}) {
      const std::vector<float> alone = attention_of({{301}, {301}, {7}}, 0, causal, window);
      EXPECT_EQ(attention_of({{65, 301, 3}, {65, 301, 3}, {1, 7, 2}}, 1, causal, window), alone);
      for (const int32_t count : {1, 2, 63, 64, 100}) {
        const std::vector<float> want(alone.end() - count * 48, alone.end());
        EXPECT_EQ(attention_of({{5, count}, {70, 301}, {3, 7}}, 1, causal, window), want)
            << count << " queries";
      }
    }
  }
}

template <class From, class To>
void expect_conversion(const Tensor& from) {
  const Tensor want = Tensor::zeros(from.shape(), dtype_of<To>),
               got = Tensor::zeros(from.shape(), dtype_of<To>);
  kernels(Device::reference).convert({.from = from.view(), .to = want.view()});
  gpu_kernels()->convert({.from = from.view(), .to = got.view()});
  EXPECT_EQ(std::memcmp(got.view().data, want.view().data, static_cast<size_t>(got.numel()) * sizeof(To)), 0)
      << name_of(dtype_of<From>) << " to " << name_of(dtype_of<To>);
}

TEST(Gpu, ConvertsEveryFormat) {
  LOCUS_SKIP_WITHOUT_GPU();
  const Tensor bf16 = Tensor::empty({65536}, DType::bf16), f16 = Tensor::empty({65536}, DType::f16);
  for (size_t i = 0; i < 65536; ++i) {
    bf16.data<Bf16>()[i].bits = static_cast<uint16_t>(i);
    f16.data<F16>()[i].bits = static_cast<uint16_t>(i);
  }
  std::vector<float> floats = random_values(1, 1000);
  for (uint64_t i = 0; i < 100000; ++i) floats.push_back(std::bit_cast<float>(Random(3, 0).bits(i)));
  const Tensor f32 = Tensor::of({static_cast<int64_t>(floats.size())}, floats);
  expect_conversion<Bf16, float>(bf16);
  expect_conversion<F16, float>(f16);
  expect_conversion<F16, Bf16>(f16);
  expect_conversion<float, Bf16>(f32);
  expect_conversion<float, F16>(f32);
  expect_conversion<float, float>(f32);
  expect_conversion<float, double>(f32);
}

// In f32 the order matters: 1e8 + 1 is 1e8, so the sum in order is 1; with the ones first it would be 0.
TEST(Gpu, ScatterAddsInOrder) {
  LOCUS_SKIP_WITHOUT_GPU();
  const Tensor rows = Tensor::of({4, 1}, {1e8f, 1.0f, -1e8f, 1.0f}), table = Tensor::zeros({1, 1});
  const Tensor ids = Tensor::of({4}, {0, 0, 0, 0});
  gpu_kernels()->scatter_add({.rows = rows.view(), .ids = ids.view(), .table = table.view()});
  EXPECT_EQ(table.values()[0], 1);
}

TEST(Gpu, LongSums) {
  LOCUS_SKIP_WITHOUT_GPU();
  const Tensor ones = Tensor::full({5'000'011}, 1), none = Tensor::zeros({0});
  const Tensor sums = Tensor::empty({3}, DType::f64);
  gpu_kernels()->sum({ones.view(), sums.columns(0, 1).view()});
  gpu_kernels()->squared_norm({ones.view(), sums.columns(1, 2).view()});
  gpu_kernels()->sum({none.view(), sums.columns(2, 3).view()});
  EXPECT_EQ(sums.values(), (std::vector<float>{5'000'011, 5'000'011, 0}));
}

}  // namespace
}  // namespace locus::testing
