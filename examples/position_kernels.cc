// Uses only the position kernels: embeds tokens, rotates queries and keys, and runs attention with the biases
// of ALiBi. Then it computes one score row by hand and compares.
#include <fmt/core.h>

#include <cmath>

#include "locus/base/random.h"
#include "locus/fast.h"

using namespace locus;

namespace {

constexpr int64_t kHeads = 4, kHeadSize = 16, kWidth = kHeads * kHeadSize;

Tensor normal(int64_t rows, uint64_t stream) {
  const Tensor tensor = Tensor::empty({rows, kWidth});
  uint64_t index = 0;
  for (float& value : tensor.data<float>()) value = Random(1, stream).normal(index++);
  return tensor;
}

// The first number of the last row: head 0 of a token that sees itself and the two tokens before it.
double by_hand(const Tensor& q, const Tensor& k, const Tensor& v, const fast::DistanceBias& bias) {
  const float* query = q.data<float>().data() + 7 * kWidth;
  double sum = 0, weighted = 0;
  for (int64_t j = 5; j < 8; ++j) {
    const float* key = k.data<float>().data() + j * kWidth;
    double product = 0;
    for (int64_t c = 0; c < kHeadSize; ++c) product += double{query[c]} * key[c];
    const double score = product / std::sqrt(double{kHeadSize}) + bias.table.data<float>()[j - 7 + bias.zero];
    sum += std::exp(score);
    weighted += std::exp(score) * v.data<float>()[j * kWidth];
  }
  return weighted / sum;
}

int run() {
  // Two sequences of 5 and 3 tokens, packed: 8 rows, without padding.
  const Placement placement = Placement::of_lengths(std::vector<int64_t>{5, 3});
  const fast::EmbedTables tables = {.tokens = normal(100, 1),
                                    .positions = normal(32, 2),
                                    .gamma = Tensor::full({kWidth}, 1),
                                    .beta = Tensor::zeros({kWidth})};
  const Tensor x = fast::embed_norm(tables, {12, 7, 90, 7, 3, 41, 5, 66}, {0, 1, 2, 3, 4, 0, 1, 2});

  const Tensor q = x.clone(), k = normal(8, 3), v = normal(8, 4);
  const fast::Rotator rotator(kHeadSize, {.base = 500000});
  rotator.rotate(q, placement);  // in place
  rotator.rotate(k, placement);

  const fast::DistanceBias bias = fast::alibi_bias(kHeads, 5);  // for positions below 5
  const Tensor out = fast::attention(q, k, v, placement, {.heads = kHeads, .causal = true, .bias = bias});

  fmt::print("embedded {}, attention {}\n", x.shape().text(), out.shape().text());
  const double difference = std::abs(out.data<float>()[7 * kWidth] - by_hand(q, k, v, bias));
  fmt::print("differs from the formula by less than 1e-6: {}\n", difference < 1e-6);
  return difference < 1e-6 ? 0 : 1;
}

}  // namespace

int main() {
  try {
    return run();
  } catch (const Error& error) {
    fmt::print(stderr, "position_kernels: {}\n", error.what());
    return static_cast<int>(error.fault());
  }
}
