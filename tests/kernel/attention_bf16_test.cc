// Attention on tensor cores, with bf16 activations: against the reference, and its bits in any batch.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <string>

#include "locus/kernel/cuda/attention_mma.h"
#include "tests/kernel/compare.h"

#define LOCUS_SKIP_WITHOUT_GPU() \
  if (gpu_kernels() == nullptr) GTEST_SKIP() << no_gpu()

namespace locus::testing {
namespace {

struct Case {
  std::string name;
  std::vector<int32_t> queries, keys;  // of every sequence
  int64_t heads = 2, key_heads = 2;
  bool causal = false;
  int64_t window = 0;
  bool distance = false;
  float dropout = 0, cap = 0;
  int32_t hidden = 0;  // keys at this distance or further before the query have a bias of -infinity
};

std::ostream& operator<<(std::ostream& to, const Case& c) { return to << c.name; }

std::vector<int32_t> starts_of(const std::vector<int32_t>& counts) {
  std::vector<int32_t> sums(counts.size() + 1);
  std::partial_sum(counts.begin(), counts.end(), sums.begin() + 1);
  return sums;
}
Tensor integers(const std::vector<int32_t>& values) {
  return Tensor::of({static_cast<int64_t>(values.size())}, values);
}

// Rows of bf16 in the middle of longer ones, as those of queries, keys and values that one product computed.
// The columns beside them are NaN and stay so.
class Activation {
 public:
  static constexpr int64_t kMargin = 8;
  Activation(int64_t rows, int64_t cols)
      : whole_(Tensor::full({rows, cols + 2 * kMargin}, NAN, DType::bf16)),
        inner_(whole_.columns(kMargin, kMargin + cols)) {}

  // Sequence b has numbers of seed + 10 seeds[b], so that it has the same in every batch; those at the end if
  // it has fewer rows than `of`.
  Activation& fill(uint64_t seed, const std::vector<uint64_t>& seeds, const std::vector<int32_t>& counts,
                   const std::vector<int32_t>& of) {
    int64_t row = 0;
    for (size_t b = 0; b < counts.size(); ++b) {
      const std::vector<float>& values = normals(seed + 10 * seeds[b], of[b] * inner_.size(1));
      const int64_t skipped = of[b] - counts[b];
      for (int64_t i = 0; i < counts[b]; ++i, ++row) {
        for (int64_t c = 0; c < inner_.size(1); ++c)
          kernel::put(view(), row, c, values[static_cast<size_t>((skipped + i) * inner_.size(1) + c)]);
      }
    }
    return *this;
  }
  View view() const { return inner_.view(); }
  const Tensor& tensor() const { return inner_; }
  bool margins_intact() const {
    bool intact = true;
    const View all = whole_.view();
    kernel::each(all, [&](int64_t r, int64_t c) {
      if (c < kMargin || c >= all.cols - kMargin) intact &= std::isnan(kernel::at(all, r, c));
    });
    return intact;
  }

 private:
  Tensor whole_, inner_;
};

struct Outputs {
  Activation out, dq, dk, dv;
  Tensor lse, dtable;
};

class Scene {
 public:
  Scene(const Case& c, int64_t head_size, std::vector<uint64_t> seeds = {})
      : c_(c),
        D_(head_size),
        query_starts_(integers(starts_of(c.queries))),
        key_starts_(integers(starts_of(c.keys))),
        Nq_(starts_of(c.queries).back()),
        Nk_(starts_of(c.keys).back()),
        q_(Nq_, c.heads * D_),
        k_(Nk_, c.key_heads * D_),
        v_(Nk_, c.key_heads * D_),
        dout_(Nq_, c.heads * D_) {
    if (seeds.empty()) {
      seeds.resize(c.keys.size());
      std::iota(seeds.begin(), seeds.end(), 1);
    }
    std::vector<int32_t> longer = c.keys;
    for (size_t b = 0; b < longer.size(); ++b) longer[b] = std::max(c.queries[b], c.keys[b]);
    q_.fill(1, seeds, c.queries, longer);
    k_.fill(2, seeds, c.keys, c.keys);
    v_.fill(3, seeds, c.keys, c.keys);
    dout_.fill(4, seeds, c.queries, longer);
    std::vector<int32_t> of_queries, of_keys;
    for (size_t b = 0; b < c.keys.size(); ++b) {
      for (int32_t i = 0; i < c.queries[b]; ++i)
        of_queries.push_back(std::max(0, c.keys[b] - c.queries[b]) + i);
      for (int32_t j = 0; j < c.keys[b]; ++j) of_keys.push_back(j);
    }
    query_positions_ = integers(of_queries);
    key_positions_ = integers(of_keys);
    const int64_t biases = c.heads * (2 * kZero + 1);
    table_ = Tensor::of({c.heads, 2 * kZero + 1},
                        std::span(normals(5, biases)).first(static_cast<size_t>(biases)));
    if (c.hidden == 0) return;
    kernel::each(table_.view(), [&](int64_t h, int64_t d) {
      if (kZero - d >= c.hidden) kernel::put(table_.view(), h, d, -INFINITY);
    });
  }

  Outputs run(const Kernels& kernels) const {
    const Tensor none = Tensor::full({c_.heads, 2 * kZero + 1}, NAN);
    Outputs to = {.out = {Nq_, c_.heads * D_},
                  .dq = {Nq_, c_.heads * D_},
                  .dk = {Nk_, c_.key_heads * D_},
                  .dv = {Nk_, c_.key_heads * D_},
                  .lse = Tensor::full({Nq_, c_.heads}, NAN),
                  .dtable = none};
    kernel::AttentionArgs args = {
        .q = q_.view(),
        .k = k_.view(),
        .v = v_.view(),
        .sequences = {query_starts_.view(), key_starts_.view(), query_positions_.view(),
                      key_positions_.view()},
        .heads = c_.heads,
        .key_heads = c_.key_heads,
        .head_size = D_,
        .scale = 1.5f / std::sqrt(static_cast<float>(D_)),
        .cap = c_.cap,
        .causal = c_.causal,
        .window = c_.window,
        .dropout = c_.dropout,
        .seed = 9,
        .stream = 4,
        .longest = *std::ranges::max_element(c_.keys),
        .out = to.out.view(),
        .lse = to.lse.view(),
    };
    if (c_.distance) args.by_distance = {table_.view(), kZero};
    EXPECT_TRUE(kernel::cuda::takes_bf16(args));
    kernels.attention(args);
    kernel::AttentionBackwardArgs back = {
        .forward = args, .dout = dout_.view(), .dq = to.dq.view(), .dk = to.dk.view(), .dv = to.dv.view()};
    if (c_.distance) back.dby_distance = to.dtable.view();
    EXPECT_TRUE(kernel::cuda::takes_bf16(back));
    const Tensor workspace = Tensor::full({1, kernels.attention_backward_workspace(back)}, NAN);
    back.workspace = workspace.view();
    kernels.attention_backward(back);
    return to;
  }
  bool has_distances() const { return c_.distance; }

 private:
  static constexpr int64_t kZero = 600;

  Case c_;
  int64_t D_;
  Tensor query_starts_, key_starts_, query_positions_, key_positions_, table_;
  int64_t Nq_, Nk_;
  Activation q_, k_, v_, dout_;
};

bool same_memory(const Tensor& a, const Tensor& b) {
  const Tensor x = a.clone(), y = b.clone();
  return x.shape() == y.shape() &&
         std::memcmp(x.view().data, y.view().data, static_cast<size_t>(x.numel() * size_of(x.dtype()))) == 0;
}

// Weights and gradients of scores are rounded to bf16 before they are multiplied, and so is each result: two
// relative errors of 2^-9 at most, about 0.3 % together. In one element they add up to a few times what is
// typical of its row and of all rows: 6 times at most, if the reference rounds like this.
void expect_rounded(const char* what, const Activation& got, const Activation& want) {
  double error = 0, size = 0;
  const View a = got.view(), b = want.view();
  std::vector<double> row_size(static_cast<size_t>(b.rows));
  kernel::each(b, [&](int64_t r, int64_t c) {
    const double one = kernel::at(b, r, c);
    error += std::pow(kernel::at(a, r, c) - one, 2);
    size += one * one;
    row_size[static_cast<size_t>(r)] += one * one;
  });
  EXPECT_TRUE(error <= 0.004 * 0.004 * size) << what << ": " << std::sqrt(error / size);
  const double typical = std::sqrt(size / static_cast<double>(std::max<int64_t>(b.numel(), 1)));
  size_t wrong = 0;
  kernel::each(b, [&](int64_t r, int64_t c) {
    const double one = kernel::at(b, r, c);
    const double of_row = std::sqrt(row_size[static_cast<size_t>(r)] / static_cast<double>(b.cols));
    const double most = 10 * 0x1p-9 * (std::abs(one) + of_row + typical);
    wrong += std::abs(kernel::at(a, r, c) - one) <= most ? 0 : 1;
  });
  EXPECT_EQ(wrong, 0u) << what << ": elements that are off by more than roundings";
  EXPECT_TRUE(got.margins_intact()) << what << ": written outside";
}

const std::vector<Case> kCases = {
    {.name = "plain", .queries = {7, 130, 1}, .keys = {7, 130, 1}},
    {.name = "causal", .queries = {300, 64, 1}, .keys = {300, 64, 1}, .causal = true},
    {.name = "cross", .queries = {5, 200}, .keys = {90, 31}},
    {.name = "empty", .queries = {4, 3, 0}, .keys = {0, 5, 6}, .distance = true},
    {.name = "grouped", .queries = {200, 13}, .keys = {200, 13}, .heads = 6, .causal = true},
    {.name = "cache",
     .queries = {3, 100},
     .keys = {20, 270},
     .key_heads = 1,
     .causal = true,
     .distance = true},
    {.name = "window", .queries = {400, 9, 3}, .keys = {400, 9, 20}, .causal = true, .window = 70},
    {.name = "window_around", .queries = {400, 9, 3}, .keys = {400, 9, 20}, .window = 65, .distance = true},
    {.name = "distance", .queries = {300, 40, 129}, .keys = {300, 40, 129}, .distance = true},
    {.name = "distance_cross", .queries = {130, 40}, .keys = {300, 7}, .distance = true},
    {.name = "distance_causal", .queries = {513, 40}, .keys = {513, 40}, .causal = true, .distance = true},
    {.name = "hidden_by_distance", .queries = {150, 300}, .keys = {150, 200}, .distance = true, .hidden = 40},
    {.name = "capped", .queries = {150, 40}, .keys = {150, 40}, .causal = true, .cap = 1.5f},
    {.name = "dropout", .queries = {150, 41}, .keys = {150, 41}, .dropout = 0.3f},
    {.name = "everything",
     .queries = {150, 41},
     .keys = {250, 41},
     .heads = 4,
     .causal = true,
     .window = 100,
     .distance = true,
     .dropout = 0.2f,
     .cap = 5},
};

class MmaAttention : public ::testing::TestWithParam<Case> {};

TEST_P(MmaAttention, MatchesTheReference) {
  LOCUS_SKIP_WITHOUT_GPU();
  for (const int64_t head_size : {32, 64, 96, 128}) {
    SCOPED_TRACE(head_size);
    const Scene scene(GetParam(), head_size);
    const Outputs got = scene.run(*gpu_kernels()), again = scene.run(*gpu_kernels()),
                  want = scene.run(kernels(Device::reference));
    expect_rounded("out", got.out, want.out);
    expect_rounded("dq", got.dq, want.dq);
    expect_rounded("dk", got.dk, want.dk);
    expect_rounded("dv", got.dv, want.dv);
    const auto numbers = [](const Tensor& tensor) {
      const std::vector<float> values = tensor.values();
      return std::vector<double>(values.begin(), values.end());
    };
    // Sums in f32 of numbers that are not rounded to bf16: the output, on which they depend, is that of the
    // device, rounded. A neighbor in bf16 is up to 2^-8 away.
    expect_close(numbers(got.lse), numbers(want.lse), {.relative = 1e-5, .absolute = 2e-5});
    // An output that is off by 0.25 % changes the gradient of a score by 0.015 of its weight. In a sum over
    // 191 queries with weights of 0.2 these add up to 0.04; sums themselves are about 20.
    if (scene.has_distances()) {
      expect_close(numbers(got.dtable), numbers(want.dtable), {.relative = 2e-3, .absolute = 0.1});
      EXPECT_TRUE(same_memory(got.dtable, again.dtable));
    }
    EXPECT_TRUE(same_memory(got.out.tensor(), again.out.tensor()) && same_memory(got.lse, again.lse) &&
                same_memory(got.dq.tensor(), again.dq.tensor()) &&
                same_memory(got.dk.tensor(), again.dk.tensor()) &&
                same_memory(got.dv.tensor(), again.dv.tensor()))
        << "different bits when run again";
  }
}

INSTANTIATE_TEST_SUITE_P(Kernel, MmaAttention, ::testing::ValuesIn(kCases),
                         [](const auto& test) { return test.param.name; });

TEST(Gpu, ARowOfMmaAttentionHasTheSameBitsInAnyBatchAndFromACache) {
  LOCUS_SKIP_WITHOUT_GPU();
  for (const int64_t head_size : {64, 128}) {
    for (const bool causal : {false, true}) {
      for (const int64_t window : {0, 50, 200}) {
        Case c = {.causal = causal, .window = window, .distance = head_size == 64};
        const auto run = [&](std::vector<int32_t> queries, std::vector<int32_t> keys,
                             std::vector<uint64_t> seeds) {
          c.queries = std::move(queries), c.keys = std::move(keys);
          return Scene(c, head_size, std::move(seeds)).run(*gpu_kernels());
        };
        const Outputs alone = run({301}, {301}, {7}), among = run({65, 301, 3}, {65, 301, 3}, {1, 7, 2});
        const auto same_rows = [](const Tensor& all, int64_t first, const Tensor& own, int64_t own_first,
                                  int64_t count) {
          return same_memory(all.rows(first, first + count), own.rows(own_first, own_first + count));
        };
        EXPECT_TRUE(same_rows(among.out.tensor(), 65, alone.out.tensor(), 0, 301));
        EXPECT_TRUE(same_rows(among.lse, 65, alone.lse, 0, 301));
        EXPECT_TRUE(same_rows(among.dq.tensor(), 65, alone.dq.tensor(), 0, 301));
        EXPECT_TRUE(same_rows(among.dk.tensor(), 65, alone.dk.tensor(), 0, 301));
        EXPECT_TRUE(same_rows(among.dv.tensor(), 65, alone.dv.tensor(), 0, 301));
        for (const int32_t count : {1, 2, 63, 64, 100}) {
          const Outputs cached = run({5, count}, {70, 301}, {3, 7});
          EXPECT_TRUE(same_rows(cached.out.tensor(), 5, alone.out.tensor(), 301 - count, count))
              << count << " queries";
        }
      }
    }
  }
}

// What the tensor cores compute, and what is for the kernels in f32.
TEST(GpuAttention, WhatTensorCoresTake) {
  const auto view = [](int64_t rows, int64_t cols, DType dtype = DType::bf16) {
    return View{reinterpret_cast<std::byte*>(4096), dtype, Device::cpu, rows, cols, cols};
  };
  const kernel::AttentionArgs args = {.q = view(100, 128),
                                      .k = view(100, 128),
                                      .v = view(100, 128),
                                      .sequences = {.query_starts = view(1, 3, DType::i32)},
                                      .heads = 2,
                                      .key_heads = 2,
                                      .head_size = 64,
                                      .out = view(100, 128)};
  const auto takes = [&](auto&& change) {
    kernel::AttentionArgs other = args;
    change(other);
    return kernel::cuda::takes_bf16(other);
  };
  const kernel::DistanceViews biases = {view(2, 199, DType::f32), 99};
  EXPECT_TRUE(takes([](auto&) {}));
  EXPECT_TRUE(takes([&](auto& a) { a.by_distance = biases; }));
  EXPECT_FALSE(takes([&](auto& a) { a.by_distance = biases, a.sequences.contiguous = false; }));
  EXPECT_TRUE(takes([](auto& a) { a.sequences.contiguous = false, a.cap = 3, a.dropout = 0.1f; }));
  EXPECT_FALSE(takes([&](auto& a) { a.q = view(100, 128, DType::f32); }));
  EXPECT_FALSE(takes([](auto& a) { a.q.data += 2; }));
  EXPECT_FALSE(takes([](auto& a) { a.k.stride += 4; }));
  EXPECT_FALSE(takes([](auto& a) { a.head_size = 16, a.heads = a.key_heads = 8; }));
  EXPECT_FALSE(takes([&](auto& a) { a.dense = view(2, 9000, DType::f32); }));
  EXPECT_FALSE(takes([&](auto& a) { a.by_query.table = view(9, 128, DType::f32); }));
  EXPECT_FALSE(takes([](auto& a) { a.scale = 0; }));
  kernel::AttentionBackwardArgs back = {.forward = args, .dout = view(100, 128), .dq = view(100, 128)};
  EXPECT_TRUE(kernel::cuda::takes_bf16(back));
  back.dby_distance = view(2, int64_t{1} << 29, DType::f32);  // parts of 6 tiles: more than 4 GiB
  EXPECT_FALSE(kernel::cuda::takes_bf16(back));
}

}  // namespace
}  // namespace locus::testing
