#include "locus/train/memory_need.h"

#include <gtest/gtest.h>

#include "locus/nn/generate.h"
#include "locus/nn/min_weights.h"
#include "locus/tensor/storage.h"
#include "tests/expect_error.h"

namespace locus {
namespace {

Blueprint blueprint() {
  return {.vocabulary = 50, .width = 32, .layers = 3, .scheme = "learned", .attention = {.heads = 4}};
}

TEST(MemoryNeed, CountsWeightsLayersAndLogits) {
  // Token and position tables; 3 layers of four projections and two matrices of four times their size.
  const double weights = (50 + 256) * 32 + 3 * 12 * 32 * 32;
  EXPECT_EQ(min_weights(blueprint()), weights);
  // 4 bytes; 4 copies per weight; per token 3 layers of 2*32 + 4*32 + 128 activations and 2*50 logits.
  EXPECT_EQ(least_bytes(blueprint(), {.tokens = 10}), 4 * (4 * weights + 10 * (3 * 320 + 100)));
  EXPECT_EQ(least_bytes(blueprint(), {.tokens = 10, .recompute = true}),
            4 * (4 * weights + 10 * (3 * 32 + 100)));
  // Activations of two bytes; weights, gradients and moments as before.
  EXPECT_EQ(least_bytes(blueprint(), {.tokens = 10, .bf16 = true}),
            4 * 4 * weights + 2 * 10 * (3 * 320 + 100));
}

// The bound never exceeds the real number, or runs that fit would fail. Norms, biases and the scheme's
// parameters are not counted, and are small.
TEST(MemoryNeed, CountsMostWeightsOfEveryKind) {
  Blueprint narrow = blueprint();
  narrow.attention.key_heads = 2, narrow.feed_forward.gated = true, narrow.feed_forward.hidden = 48;
  Blueprint both = blueprint();
  both.kind = ModelKind::encoder_decoder, both.decoder.layers = 2;
  Blueprint few_rows = blueprint();
  few_rows.scheme_options = {{"rows", "8"}};
  Blueprint shared = blueprint();
  shared.shared_layers = true;
  for (const Blueprint& b : {blueprint(), narrow, both, few_rows, shared}) {
    const auto all = static_cast<double>(Model(b).parameters().numel());
    EXPECT_LT(min_weights(b), all);
    EXPECT_GT(min_weights(b), 0.6 * all);
  }
}

TEST(MemoryNeed, CountsTheTablesOfSchemes) {
  const auto bytes = [](const char* scheme, const OptionValues& options) {
    Blueprint b = blueprint();
    b.scheme = scheme, b.scheme_options = options;
    return least_bytes(b, {});
  };
  const double table = 4 * 4 * 1e6 * 32;  // bytes of a million rows, with gradients and moments
  EXPECT_GT(bytes("learned", {{"rows", "1000000"}}), 0.9 * table);
  EXPECT_GT(bytes("shaw", {{"max_distance", "1000000"}}), 0.45 * table);
  Blueprint b = blueprint();
  b.scheme = "shaw", b.scheme_options = {{"max_distance", "1000000"}};
  expect_error(Fault::resource, {"model.scheme"}, [&] { check_memory(b, {}, 1 << 27); });
}

// With joined positions, token rows are narrower than the model.
TEST(MemoryNeed, JoinedRowsAreNarrowerThanTheModel) {
  Blueprint b = blueprint();
  b.vocabulary = 100000, b.head.kind = HeadKind::none;
  b.scheme_options = {{"combine", "joined"}, {"width", "30"}};
  EXPECT_LT(min_weights(b), static_cast<double>(Model(b).parameters().numel()));
}

// The bound is below the memory that a forward pass with gradients really holds.
TEST(MemoryNeed, IsLessThanTheMemoryThatIsReallyHeld) {
  const Blueprint b = blueprint();
  const Model model(b);
  const std::vector<int32_t> text(200, 7);
  const int64_t before = allocated_bytes();
  const Var logits = model(tokens_of({text}, b));
  const auto held = static_cast<double>(allocated_bytes() - before);
  const double logits_gradient = 4 * 200 * 50;  // allocated by the backward pass
  const double of_tokens = least_bytes(b, {.tokens = 200}) - least_bytes(b, {});
  EXPECT_LT(of_tokens, held + logits_gradient);
  EXPECT_GT(of_tokens, 0.3 * held) << "but of the same order";
}

TEST(MemoryNeed, TheErrorNamesTheSizesAndTheSettingsToLower) {
  check_memory(blueprint(), {.tokens = 10}, 788'896);
  expect_error(Fault::resource,
               {"42.4 GB", "46656", "10000000", "2.0 GB", "data.batch_size", "data.context",
                "train.micro_batches", "data.recompute"},
               [] { check_memory(blueprint(), {.tokens = 1e7}, 2'000'000'000); });
  expect_error(Fault::resource, {"model.width", "model.layers"},
               [] { check_memory(blueprint(), {.tokens = 10}, 600'000); });
  expect_error(Fault::resource, {"train.shards"},
               [] { check_memory(blueprint(), {.tokens = 10, .shards = 8}, 600'000); });
}

// A sum waits on each level of the tree of shards.
TEST(MemoryNeed, CountsTheSumsOfShards) {
  const double one = least_bytes(blueprint(), {});
  EXPECT_EQ(least_bytes(blueprint(), {.shards = 2}), one * 5 / 4);
  EXPECT_EQ(least_bytes(blueprint(), {.shards = 8}), one * 7 / 4);
  EXPECT_EQ(least_bytes(blueprint(), {.shards = 15}), one * 7 / 4);
}

// Ranks share the two moments and the shards.
TEST(MemoryNeed, CountsTheShareOfARank) {
  const double one = least_bytes(blueprint(), {});
  EXPECT_EQ(least_bytes(blueprint(), {.shards = 2, .ranks = 2}), one * 3 / 4);
  EXPECT_EQ(least_bytes(blueprint(), {.shards = 8, .ranks = 4}), one * 3.5 / 4);
}

}  // namespace
}  // namespace locus
