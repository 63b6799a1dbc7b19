#include "locus/train/memory_need.h"

#include <gtest/gtest.h>

#include "locus/nn/generate.h"
#include "locus/tensor/storage.h"
#include "tests/expect_error.h"

namespace locus {
namespace {

Blueprint blueprint() {
  return {.vocabulary = 50, .width = 32, .layers = 3, .heads = 4, .scheme = "learned"};
}

TEST(MemoryNeed, CountsWeightsLayersAndLogits) {
  // Four of each of 1000 weights; 3 layers of 2*32 + 4*32 + 128; 2*50 logits.
  EXPECT_EQ(least_bytes(blueprint(), {.parameters = 1000, .tokens = 10}), 4 * (4000 + 10 * (3 * 320 + 100)));
  EXPECT_EQ(least_bytes(blueprint(), {.parameters = 1000, .tokens = 10, .recompute = true}),
            4 * (4000 + 10 * (3 * 32 + 100)));
}

// Never more than a forward pass that remembers holds: else runs that fit would be refused.
TEST(MemoryNeed, IsLessThanWhatIsHeld) {
  const Blueprint b = blueprint();
  const Model model(b);
  const std::vector<int32_t> text(200, 7);
  const int64_t before = allocated_bytes();
  const Var logits = model(tokens_of({text}, b));
  const auto held = static_cast<double>(allocated_bytes() - before);
  const double logits_gradient = 4 * 200 * 50;  // comes with the backward pass
  EXPECT_LT(least_bytes(b, {.tokens = 200}), held + logits_gradient);
  EXPECT_GT(least_bytes(b, {.tokens = 200}), 0.3 * held) << "but of its order";
}

TEST(MemoryNeed, SaysTheSizeAndWhatToLower) {
  check_memory(blueprint(), {.parameters = 1000, .tokens = 10}, 58400);
  expect_error(
      Fault::resource,
      {"a step needs at least 42.4 GB (1000 parameters with their gradients and moments, 10000000 tokens "
       "at once), but 2.0 GB are free; lower data.batch or data.context, raise train.parts, or set "
       "data.recompute"},
      [] { check_memory(blueprint(), {.parameters = 1000, .tokens = 1e7}, 2'000'000'000); });
}

}  // namespace
}  // namespace locus
