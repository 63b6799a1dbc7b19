// Whole models on the GPU: a training step of GPT-2, and vectors of texts by a model of MiniLM's shape.
// Weights and tokens are random.
#include <fmt/format.h>

#include <algorithm>

#include "bench/gpt2.h"
#include "bench/gpu/cases.h"
#include "bench/gpu/measure.h"
#include "locus/nn/pooling.h"
#include "locus/tensor/queue.h"
#include "locus/tensor/storage.h"
#include "locus/train/model_objective.h"
#include "locus/train/optimizer.h"

namespace locus::gpu_bench {
namespace {

constexpr double kGibibyte = 1024.0 * 1024 * 1024;

// Below a row of the table: what follows from the seconds of a run.
void print_details(double amount, const char* unit, double seconds, int64_t waits) {
  fmt::print("{:52} {:.0f} {}/s, {} wait{}, {:.2f} GiB of tensors at most\n", "", amount / seconds, unit,
             waits, waits == 1 ? "" : "s", static_cast<double>(peak_bytes(Device::cuda)) / kGibibyte);
}

void train(int64_t sequences, int64_t length, bool bf16) {
  const std::string name = fmt::format("train GPT-2 124M, {}x{}{}", sequences, length, bf16 ? ", bf16" : "");
  if (!is_wanted(name)) return;
  const Blueprint blueprint = bench::gpt2();
  Model model(blueprint, {.device = Device::cuda});
  AdamW optimizer(model.parameters(), {.clip = 1});
  const std::vector<Sample> batch = bench::gpt2_samples(sequences, length);
  const auto tokens = static_cast<double>(sequences * length);
  reset_peak_bytes(Device::cuda);
  uint64_t number = 0;
  int64_t last = 0;
  const auto step = [&] {
    const int64_t before = waits(Device::cuda);
    batch_loss(model, batch, {.training = true, .bf16 = bf16, .step = number++}).mean.backward();
    optimizer.step(1e-4);
    last = waits(Device::cuda) - before;
  };
  const double work = 6 * bench::multiplied_weights(blueprint) * tokens;
  const double seconds = measure(name, work, bf16 ? Limit::bf16_product : Limit::product, step);
  print_details(tokens, "tokens", seconds, last);
}

Blueprint minilm() {
  return {.kind = ModelKind::encoder,
          .vocabulary = 30522,
          .width = 384,
          .layers = 6,
          .max_length = 512,
          .scheme = "learned",
          .embedding = {.norm = true, .segments = 2},
          .norms = {.place = NormPlace::after, .eps = 1e-12f, .final = false},
          .attention = {.heads = 12},
          .head = {.kind = HeadKind::none}};
}

// Texts of similar length share a batch, as in `locus embed`.
std::vector<Tokens> batches(int64_t texts) {
  constexpr int64_t kTokens = 16384;
  const Random random(1, 0);
  std::vector<int64_t> lengths;
  for (int64_t i = 0; i < texts; ++i) lengths.push_back(8 + random.below(static_cast<uint64_t>(i), 121));
  std::ranges::sort(lengths);
  std::vector<Tokens> all;
  for (size_t first = 0; first < lengths.size();) {
    std::vector<int64_t> own;
    std::vector<int32_t> ids;
    while (first < lengths.size() && std::ssize(ids) + lengths[first] <= kTokens) {
      own.push_back(lengths[first++]);
      for (int64_t i = 0; i < own.back(); ++i) ids.push_back(static_cast<int32_t>(ids.size() * 7 % 30522));
    }
    all.push_back({Indices::of(ids), Placement::of_lengths(own), {}});
  }
  return all;
}

void embed() {
  constexpr int64_t kTexts = 4096;
  const std::string name = "embed 4096 texts of 8 to 128 tokens";
  if (!is_wanted(name)) return;
  const Model model(minilm(), {.device = Device::cuda});
  const std::vector<Tokens> all = batches(kTexts);
  double tokens = 0;
  for (const Tokens& batch : all) tokens += static_cast<double>(batch.placement.queries());
  reset_peak_bytes(Device::cuda);
  const NoGrad scope;
  int64_t last = 0;
  const auto run = [&] {
    const int64_t before = waits(Device::cuda);
    for (const Tokens& batch : all) {
      pooled(model.hidden(batch), batch.placement, Pooling::mean).value().on_host();
    }
    last = waits(Device::cuda) - before;
  };
  const double weights = 6 * (4 * 384.0 * 384 + 2 * 384.0 * 1536);
  const double seconds = measure(name, 2 * weights * tokens, Limit::product, run);
  print_details(kTexts, "texts", seconds, last);
  fmt::print("{:52} {:.0f} tokens in {} batches\n", "", tokens, all.size());
}

}  // namespace

void measure_models() {
  for (const bool bf16 : {false, true}) {
    train(4, 256, bf16);
    train(32, 1024, bf16);
  }
  embed();
}

}  // namespace locus::gpu_bench
