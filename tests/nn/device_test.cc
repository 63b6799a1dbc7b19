// Decoding on a device whose memory the host cannot read: the results of the CPU, and one wait for every
// step.
#include <gtest/gtest.h>

#include "locus/nn/decoder.h"
#include "locus/nn/generate.h"
#include "locus/tensor/queue.h"
#include "tests/other_device.h"

namespace locus::testing {
namespace {

using Ids = std::vector<int32_t>;

Model made(std::string_view scheme, ModelKind kind, Device device) {
  return Model({.kind = kind,
                .vocabulary = 19,
                .width = 24,
                .layers = 2,
                .max_length = 32,
                .scheme = std::string(scheme),
                .attention = {.heads = 4},
                .init_std = 0.4f},
               {.seed = 3, .device = device});
}

struct Decoded {
  std::vector<std::vector<float>> logits;  // of every step
  std::vector<int64_t> waits;              // of the host for every step
};

// Sequences that join, leave, are repeated and go back, with prompts that need more than one block of a room.
Decoded decoded(const Model& model) {
  const bool reads = model.blueprint().kind == ModelKind::encoder_decoder;
  const Device device = model.parameters().device();
  Decoder decoder(model);
  Decoded result;
  const auto step = [&](const std::vector<Ids>& fresh) {
    const int64_t before = waits(device);
    result.logits.push_back(decoder.step(fresh).values());
    result.waits.push_back(waits(device) - before);
  };
  decoder.add(reads ? Ids{1, 2, 3, 4, 5} : Ids());
  step({{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18}});
  step({{5}});
  decoder.add(reads ? Ids{7, 6} : Ids());
  step({{6}, {4, 4, 2}});
  decoder.select(std::vector<int64_t>{1, 0, 1});
  step({{1}, {2}, {3}});
  decoder.undo();
  step({{3}, {2}, {1}});
  decoder.select(std::vector<int64_t>{2});
  step({{7, 8}});
  return result;
}

TEST(DecoderOnADevice, HasTheResultsOfTheCpuAndWaitsOncePerStep) {
  std::vector<std::pair<std::string_view, ModelKind>> cases = {{"sinusoidal", ModelKind::encoder_decoder},
                                                               {"t5", ModelKind::encoder_decoder}};
  for (const SchemeInfo* const info : schemes()) cases.emplace_back(info->name, ModelKind::decoder);
  for (const auto& [scheme, kind] : cases) {
    SCOPED_TRACE(scheme);
    const Decoded cpu = decoded(made(scheme, kind, Device::cpu)),
                  other = decoded(made(scheme, kind, other_device()));
    expect_same(other.logits, cpu.logits);
    EXPECT_EQ(other.waits, std::vector<int64_t>(6, 1));
  }
}

TEST(DecoderOnADevice, GeneratesTheTokensOfTheCpu) {
  const Model cpu = made("rotary", ModelKind::decoder, Device::cpu),
              other = made("rotary", ModelKind::decoder, other_device());
  const std::vector<Ids> prompts = {{1, 2, 3}, {4}, {5, 6, 7, 8, 9}};
  const GenerateOptions options = {.max_tokens = 12, .end_tokens = {2, 11}, .sampling = {.temperature = 1}};
  EXPECT_EQ(generate(other, prompts, options), generate(cpu, prompts, options));
  const BeamOptions beams = {.beams = 3, .max_tokens = 8, .end_tokens = {2}};
  EXPECT_EQ(beam_search(other, prompts[2], beams), beam_search(cpu, prompts[2], beams));
}

}  // namespace
}  // namespace locus::testing
