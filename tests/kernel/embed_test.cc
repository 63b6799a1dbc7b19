#include "tests/kernel/compare.h"

namespace locus::testing {
namespace {

// The tables that are added, and the steps after the sum.
struct Recipe {
  const char* name;
  bool positions = false, segments = false, joined = false;
  bool norm = false, rms = false;
  float dropout = 0;
};

constexpr std::array<Recipe, 9> kRecipes = {{
    {.name = "tokens"},
    {.name = "tokens, dropout", .dropout = 0.4f},
    {.name = "positions", .positions = true},
    {.name = "positions, norm", .positions = true, .norm = true},
    {.name = "segments, rms", .segments = true, .norm = true, .rms = true},
    {.name = "positions, segments, norm, dropout",
     .positions = true,
     .segments = true,
     .norm = true,
     .dropout = 0.1f},
    {.name = "joined", .positions = true, .joined = true},
    {.name = "joined, segments, norm", .positions = true, .segments = true, .joined = true, .norm = true},
    {.name = "joined, rms, dropout",
     .positions = true,
     .joined = true,
     .norm = true,
     .rms = true,
     .dropout = 0.5f},
}};

kernel::EmbedArgs arguments(Stage& stage, const Recipe& recipe, int64_t N, int64_t C) {
  const int64_t joined_width = recipe.joined ? C / 3 : 0;
  kernel::EmbedArgs args;
  args.tokens = {stage.input({19, C - joined_width}, 1), stage.ids(N, 2, 19)};
  if (recipe.positions)
    args.positions = {stage.input({7, recipe.joined ? joined_width : C}, 3), stage.ids(N, 4, 7)};
  if (recipe.segments) args.segments = {stage.input({2, C}, 5), stage.ids(N, 6, 2)};
  args.joined = recipe.joined;
  args.token_scale = 1.5f;
  if (recipe.norm) {
    args.gamma = stage.input({C}, 7);
    if (!recipe.rms) args.beta = stage.input({C}, 8);
    args.eps = 1e-5f;
    args.rms = recipe.rms;
  }
  args.dropout = recipe.dropout;
  args.seed = 0x123456789abcdefu;
  args.stream = 9;
  return args;
}

// Like the norm kernel: mean and rstd have the error of a few hundred f32 additions, and y has size 3 |gamma|
// / (1 - rate).
TEST(Embed, Forward) {
  for (const Recipe& recipe : kRecipes) {
    SCOPED_TRACE(recipe.name);
    compare_sizes({.relative = 3e-6, .absolute = 6e-6}, [&](Stage& stage, int64_t N, int64_t C) {
      kernel::EmbedArgs args = arguments(stage, recipe, N, C);
      args.y = stage.result({N, C});
      if (recipe.norm && !recipe.rms) args.mean = stage.output({N});
      if (recipe.norm) args.rstd = stage.output({N});
      stage.kernels().embed(args);
    });
  }
}

// dx is computed from numbers up to 60 that may cancel; dgamma adds up to a thousand of them.
TEST(Embed, Backward) {
  for (const Recipe& recipe : kRecipes) {
    SCOPED_TRACE(recipe.name);
    compare_sizes({.relative = 1e-5, .absolute = 2e-4}, [&](Stage& stage, int64_t N, int64_t C) {
      kernel::EmbedBackwardArgs args = {.forward = arguments(stage, recipe, N, C)};
      if (recipe.norm && !recipe.rms) args.forward.mean = stage.input({N}, 10, 0.1f);
      if (recipe.norm) args.forward.rstd = stage.input({N}, std::vector<float>(static_cast<size_t>(N), 0.6f));
      args.dy = stage.activation({N, C}, 11);
      args.dx = stage.result({N, C});
      if (recipe.norm) args.dgamma = stage.output({C});
      if (args.forward.beta) args.dbeta = stage.output({C});
      if (recipe.norm) args.workspace = stage.workspace({stage.kernels().embed_workspace(N), C});
      stage.kernels().embed_backward(args);
    });
  }
}

// One fused pass gives the same bits as three kernels, so also the same dropout mask.
TEST(Embed, EqualsGatherNormDropout) {
  const int64_t N = 37, C = 50;
  Stage stage(Device::cpu, Layout::packed);
  const kernel::EmbedTable tokens = {stage.input({19, C}, 1), stage.ids(N, 2, 19)};
  const View gamma = stage.input({C}, 3), beta = stage.input({C}, 4);
  const View separate = stage.output({N, C}), fused = stage.output({N, C});
  const Kernels& cpu = stage.kernels();
  cpu.gather({.table = tokens.table, .ids = tokens.ids, .out = separate});
  cpu.norm({.x = separate, .gamma = gamma, .beta = beta, .y = separate, .eps = 1e-5f});
  cpu.dropout({.x = separate, .y = separate, .rate = 0.3f, .seed = 5, .stream = 6});
  cpu.embed({.tokens = tokens,
             .gamma = gamma,
             .beta = beta,
             .eps = 1e-5f,
             .dropout = 0.3f,
             .seed = 5,
             .stream = 6,
             .y = fused});
  const std::vector<double> both = stage.results();
  const size_t half = both.size() / 2;
  EXPECT_TRUE(std::equal(both.begin(), both.begin() + static_cast<std::ptrdiff_t>(half),
                         both.begin() + static_cast<std::ptrdiff_t>(half)));
}

}  // namespace
}  // namespace locus::testing
