#include "locus/train/memory_need.h"

#include <gtest/gtest.h>

#include "locus/nn/generate.h"
#include "locus/nn/least_weights.h"
#include "locus/tensor/storage.h"
#include "tests/expect_error.h"

namespace locus {
namespace {

Blueprint blueprint() {
  return {.vocabulary = 50, .width = 32, .layers = 3, .heads = 4, .scheme = "learned"};
}

TEST(MemoryNeed, CountsWeightsLayersAndLogits) {
  // Both tables; 3 layers of four projections, and two as wide as four of them.
  const double weights = (50 + 256) * 32 + 3 * 12 * 32 * 32;
  EXPECT_EQ(least_weights(blueprint()), weights);
  // Four of each; 3 layers of 2*32 + 4*32 + 128; 2*50 logits.
  EXPECT_EQ(least_bytes(blueprint(), {.tokens = 10}), 4 * (4 * weights + 10 * (3 * 320 + 100)));
  EXPECT_EQ(least_bytes(blueprint(), {.tokens = 10, .recompute = true}),
            4 * (4 * weights + 10 * (3 * 32 + 100)));
}

// Never more than there are: else runs that fit would be refused. What is not counted, norms, biases and the
// scheme's own, is small.
TEST(MemoryNeed, CountsMostWeightsOfEveryKind) {
  Blueprint narrow = blueprint();
  narrow.key_heads = 2, narrow.gated = true, narrow.hidden = 48;
  Blueprint both = blueprint();
  both.kind = ModelKind::encoder_decoder, both.decoder_layers = 2;
  Blueprint few_rows = blueprint();
  few_rows.scheme_options = {{"rows", "8"}};
  Blueprint shared = blueprint();
  shared.shared_layers = true;
  for (const Blueprint& b : {blueprint(), narrow, both, few_rows, shared}) {
    const auto all = static_cast<double>(Model(b).parameters().numel());
    EXPECT_LT(least_weights(b), all);
    EXPECT_GT(least_weights(b), 0.6 * all);
  }
}

// Tokens' rows are then narrow, whatever the vocabulary.
TEST(MemoryNeed, OfJoinedRowsIsNotThatOfTheWholeWidth) {
  Blueprint b = blueprint();
  b.vocabulary = 100000, b.head = HeadKind::none;
  b.scheme_options = {{"combine", "joined"}, {"width", "30"}};
  EXPECT_LT(least_weights(b), static_cast<double>(Model(b).parameters().numel()));
}

// Never more than a forward pass that remembers holds.
TEST(MemoryNeed, IsLessThanWhatIsHeld) {
  const Blueprint b = blueprint();
  const Model model(b);
  const std::vector<int32_t> text(200, 7);
  const int64_t before = allocated_bytes();
  const Var logits = model(tokens_of({text}, b));
  const auto held = static_cast<double>(allocated_bytes() - before);
  const double logits_gradient = 4 * 200 * 50;  // comes with the backward pass
  const double of_tokens = least_bytes(b, {.tokens = 200}) - least_bytes(b, {});
  EXPECT_LT(of_tokens, held + logits_gradient);
  EXPECT_GT(of_tokens, 0.3 * held) << "but of its order";
}

TEST(MemoryNeed, SaysTheSizeAndWhatToLower) {
  check_memory(blueprint(), {.tokens = 10}, 788'896);
  expect_error(Fault::resource,
               {"a step needs at least 42.4 GB (46656 weights with their gradients and moments, 10000000 "
                "tokens at once), but 2.0 GB are free; lower data.batch_size or data.context, raise "
                "train.micro_batches, or set "
                "data.recompute"},
               [] { check_memory(blueprint(), {.tokens = 1e7}, 2'000'000'000); });
  expect_error(Fault::resource, {"are free; take a smaller model: lower model.width or model.layers"},
               [] { check_memory(blueprint(), {.tokens = 10}, 600'000); });
}

}  // namespace
}  // namespace locus
