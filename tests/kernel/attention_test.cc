// Attention, forward and backward, compared with the reference over combinations of terms, shapes, SIMD
// targets and thread counts. With keys in the rooms of a KV cache it has the bits of packed keys.
#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "tests/kernel/compare.h"

namespace locus::testing {
namespace {

struct Case {
  std::string name;
  std::vector<int32_t> queries, keys;  // per sequence
  int64_t heads = 2, key_heads = 2, head_size = 8;
  bool causal = false;
  int64_t window = 0;
  bool distance = false, by_query = false, by_key = false, dense = false, shared_slots = false;
  float dropout = 0, cap = 0;
  bool contiguous = true;
  bool rooms = false;  // forward only
};

Tensor starts(const std::vector<int32_t>& counts) {
  std::vector<int32_t> values(counts.size() + 1);
  std::partial_sum(counts.begin(), counts.end(), values.begin() + 1);
  return Tensor::of({static_cast<int64_t>(values.size())}, values);
}

// Queries are the last tokens of their sequence. Positions that are not contiguous skip one after every third
// token.
Tensor positions(const Case& c, bool of_queries) {
  std::vector<int32_t> values;
  for (size_t b = 0; b < c.keys.size(); ++b) {
    const int32_t count = of_queries ? c.queries[b] : c.keys[b];
    const int32_t first = of_queries ? std::max(0, c.keys[b] - c.queries[b]) : 0;
    for (int32_t i = first; i < first + count; ++i) values.push_back(c.contiguous ? i : i + i / 3);
  }
  return Tensor::of({static_cast<int64_t>(values.size())}, values);
}

// Slots clipped at +-5, so that several distances share the outer ones.
Tensor clipped_slots(int64_t zero, int64_t size) {
  std::vector<int32_t> values;
  for (int64_t i = 0; i < size; ++i)
    values.push_back(static_cast<int32_t>(std::clamp<int64_t>(i - zero, -5, 5) + 5));
  return Tensor::of({size}, values);
}

// The keys and values of one sequence, rows [first, first + count) of k and v, in a room. The rest is NaN.
kernel::RoomViews room_of(Stage& stage, const kernel::AttentionArgs& args, int64_t first, int64_t count) {
  constexpr int64_t kBlock = kernel::kRoomBlock;
  const int64_t G = args.key_heads, D = args.head_size, blocks = count / kBlock + 2;
  const auto nan = [&](int64_t rows, int64_t cols) {
    const View view = stage.intermediate({rows, cols}, args.k.dtype);
    kernel::each(view, [&](int64_t r, int64_t c) { kernel::put(view, r, c, NAN); });
    return view;
  };
  const View keys = nan(G * blocks * D, kBlock), values = nan(G * blocks * kBlock, (D + 15) / 16 * 16);
  for (int64_t g = 0; g < G; ++g) {
    for (int64_t j = 0; j < count; ++j) {
      for (int64_t c = 0; c < D; ++c) {
        kernel::put(keys, (g * blocks + j / kBlock) * D + c, j % kBlock,
                    kernel::at(args.k, first + j, g * D + c));
        kernel::put(values, g * blocks * kBlock + j, c, kernel::at(args.v, first + j, g * D + c));
      }
    }
  }
  return {keys, values};
}

class Scene {
 public:
  explicit Scene(const Case& c)
      : c_(c),
        query_starts_(starts(c.queries)),
        key_starts_(starts(c.keys)),
        query_positions_(positions(c, true)),
        key_positions_(positions(c, false)) {
    const int64_t reach =
        4 * (1 + std::max(*std::ranges::max_element(c.queries), *std::ranges::max_element(c.keys))) / 3;
    zero_ = reach;
    slots_ = clipped_slots(zero_, 2 * reach + 1);
    for (size_t b = 0; b < c.keys.size(); ++b) pairs_ += int64_t{c.queries[b]} * c.keys[b];
  }

  void run(Stage& stage) const {
    const int64_t Nq = query_positions_.numel(), Nk = key_positions_.numel(), C = c_.heads * c_.head_size;
    const int64_t slot_columns = c_.shared_slots ? c_.head_size : C;
    kernel::AttentionArgs args = {
        .q = stage.activation({Nq, C}, 1),
        .k = stage.activation({Nk, c_.key_heads * c_.head_size}, 2),
        .v = stage.activation({Nk, c_.key_heads * c_.head_size}, 3),
        .sequences = {query_starts_.view(), key_starts_.view(), query_positions_.view(),
                      key_positions_.view(), c_.contiguous},
        .heads = c_.heads,
        .key_heads = c_.key_heads,
        .head_size = c_.head_size,
        .scale = 0.4f,
        .cap = c_.cap,
        .causal = c_.causal,
        .window = c_.window,
        .dropout = c_.dropout,
        .seed = 9,
        .stream = 4,
        .longest = *std::ranges::max_element(c_.keys),
        .out = stage.result({Nq, C}),
        .lse = c_.rooms ? View() : stage.output({Nq, c_.heads}),
    };
    if (c_.distance) args.by_distance = {stage.input({c_.heads, slots_.numel()}, 4), zero_};
    if (c_.by_query) args.by_query = {stage.input({11, slot_columns}, 5), slots_.view(), zero_};
    if (c_.by_key) args.by_key = {stage.input({11, slot_columns}, 6), slots_.view(), zero_};
    if (c_.dense) args.dense = stage.input({c_.heads, pairs_}, 7);
    std::vector<kernel::RoomViews> rooms;
    if (c_.rooms) {
      int64_t first = 0;
      for (const int32_t count : c_.keys) {
        rooms.push_back(room_of(stage, args, first, count));
        first += count;
      }
      args.k = args.v = {};
      args.rooms = rooms;
    }
    args.workspace = stage.workspace({1, stage.kernels().attention_workspace(args)});
    stage.kernels().attention(args);
    if (!c_.rooms) run_backward(stage, args);
  }

 private:
  void run_backward(Stage& stage, const kernel::AttentionArgs& args) const {
    const int64_t Nq = query_positions_.numel(), Nk = key_positions_.numel(), C = c_.heads * c_.head_size;
    const int64_t slot_columns = c_.shared_slots ? c_.head_size : C;
    // Neighbors in bf16 are further apart than the tolerance of what is computed from them.
    kernel::AttentionBackwardArgs back = {.forward = args,
                                          .dout = stage.activation({Nq, C}, 8),
                                          .dq = stage.result({Nq, C}),
                                          .dk = stage.result({Nk, c_.key_heads * c_.head_size}),
                                          .dv = stage.result({Nk, c_.key_heads * c_.head_size})};
    if (stage.bf16()) back.forward.out = stage.activation({Nq, C}, 9);
    if (c_.distance) back.dby_distance = stage.output({c_.heads, slots_.numel()});
    if (c_.by_query) back.dby_query = stage.output({11, slot_columns});
    if (c_.by_key) back.dby_key = stage.output({11, slot_columns});
    if (c_.dense) back.ddense = stage.output({c_.heads, pairs_});
    back.workspace = stage.workspace({1, stage.kernels().attention_backward_workspace(back)});
    stage.kernels().attention_backward(back);
  }

  Case c_;
  Tensor query_starts_, key_starts_, query_positions_, key_positions_, slots_;
  int64_t zero_ = 0, pairs_ = 0;
};

const std::vector<Case> kCases = {
    {.name = "one_token", .queries = {1}, .keys = {1}},
    {.name = "plain", .queries = {7, 30, 1}, .keys = {7, 30, 1}},
    {.name = "causal", .queries = {7, 30, 1}, .keys = {7, 30, 1}, .causal = true},
    {.name = "cross", .queries = {5, 2}, .keys = {9, 31}},
    {.name = "cache",
     .queries = {3, 1},
     .keys = {20, 27},
     .causal = true,
     .distance = true,
     .by_query = true},
    {.name = "single_query",
     .queries = {1, 1, 5},
     .keys = {40, 300, 7},
     .heads = 4,
     .causal = true,
     .distance = true},
    {.name = "single_query_window",
     .queries = {1, 1},
     .keys = {5, 800},
     .head_size = 67,
     .causal = true,
     .window = 20},
    {.name = "single_query_gaps",
     .queries = {1, 1},
     .keys = {0, 33},
     .distance = true,
     .dense = true,
     .contiguous = false},
    {.name = "no_keys", .queries = {4, 3}, .keys = {0, 5}},
    {.name = "no_queries", .queries = {0, 3}, .keys = {6, 5}},
    {.name = "grouped",
     .queries = {13},
     .keys = {13},
     .heads = 8,
     .key_heads = 2,
     .causal = true,
     .by_key = true},
    {.name = "window", .queries = {40}, .keys = {40}, .causal = true, .window = 6, .distance = true},
    {.name = "window_around",
     .queries = {40, 9, 3},
     .keys = {40, 9, 20},
     .window = 6,
     .distance = true,
     .by_query = true,
     .by_key = true},
    {.name = "window_of_itself", .queries = {5, 1}, .keys = {5, 7}, .window = 1},
    {.name = "window_over_blocks",
     .queries = {800, 70},
     .keys = {800, 70},
     .heads = 2,
     .key_heads = 1,
     .window = 65,
     .dropout = 0.2f},
    {.name = "distance", .queries = {25, 14}, .keys = {25, 14}, .distance = true},
    {.name = "by_query", .queries = {25, 14}, .keys = {25, 14}, .by_query = true},
    {.name = "by_key", .queries = {25, 14}, .keys = {25, 14}, .by_key = true},
    {.name = "dense", .queries = {11, 6}, .keys = {11, 6}, .causal = true, .dense = true},
    {.name = "all_terms",
     .queries = {33, 20},
     .keys = {33, 20},
     .causal = true,
     .distance = true,
     .by_query = true,
     .by_key = true,
     .dense = true},
    {.name = "shared_slots",
     .queries = {17, 9},
     .keys = {17, 9},
     .heads = 3,
     .key_heads = 3,
     .by_query = true,
     .by_key = true,
     .shared_slots = true},
    {.name = "dropout",
     .queries = {19, 8},
     .keys = {19, 8},
     .causal = true,
     .distance = true,
     .dropout = 0.3f},
    {.name = "gaps",
     .queries = {21, 10},
     .keys = {21, 10},
     .distance = true,
     .by_query = true,
     .by_key = true,
     .contiguous = false},
    {.name = "causal_gaps",
     .queries = {21, 10},
     .keys = {21, 10},
     .causal = true,
     .distance = true,
     .by_key = true,
     .contiguous = false},
    {.name = "capped",
     .queries = {33, 20, 1},
     .keys = {33, 20, 41},
     .causal = true,
     .window = 17,
     .distance = true,
     .by_query = true,
     .by_key = true,
     .dense = true,
     .dropout = 0.2f,
     .cap = 1.5f},
    {.name = "capped_single_query",
     .queries = {1, 1},
     .keys = {40, 300},
     .causal = true,
     .window = 290,
     .cap = 0.7f},
    {.name = "odd_head", .queries = {9, 16}, .keys = {9, 16}, .heads = 1, .key_heads = 1, .head_size = 13},
    {.name = "many_sequences",
     .queries = {3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
     .keys = {3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
     .distance = true,
     .by_query = true},
    {.name = "wide_head",
     .queries = {70, 3},
     .keys = {70, 9},
     .heads = 4,
     .key_heads = 2,
     .head_size = 150,
     .causal = true,
     .window = 66,
     .distance = true,
     .by_query = true,
     .by_key = true,
     .dense = true,
     .dropout = 0.1f,
     .cap = 20},
    {.name = "wide_head_gaps",
     .queries = {17, 3},
     .keys = {17, 9},
     .heads = 4,
     .key_heads = 2,
     .head_size = 150,
     .distance = true,
     .by_query = true,
     .by_key = true,
     .shared_slots = true,
     .contiguous = false},
    {.name = "several_blocks",
     .queries = {800},
     .keys = {800},
     .heads = 1,
     .key_heads = 1,
     .causal = true,
     .distance = true,
     .by_query = true,
     .by_key = true},
};

class Attention : public ::testing::TestWithParam<Case> {};

// Scores are sums of head_size products near 1, so e^score has their absolute error of about 1e-6, and sums
// over up to 800 tokens increase it. Heads of 150 double it.
TEST_P(Attention, MatchesTheReference) {
  const Scene scene(GetParam());
  const double absolute = GetParam().head_size > 100 ? 4e-5 : 2e-5;
  for (const Layout layout : kLayouts) {
    compare(layout, {.relative = 2e-5, .absolute = absolute}, [&](Stage& stage) { scene.run(stage); });
  }
}

// What decoding needs: one query, and prompts beside single queries, with every term.
const std::vector<Case> kRoomCases = {
    {.name = "one", .queries = {1}, .keys = {1}, .causal = true},
    {.name = "unlike_lengths",
     .queries = {1, 1, 5, 1},
     .keys = {40, 300, 7, 1},
     .heads = 6,
     .key_heads = 2,
     .causal = true,
     .distance = true},
    {.name = "uneven_teams",
     .queries = {1, 3},
     .keys = {530, 17},
     .heads = 10,
     .key_heads = 2,
     .causal = true},
    {.name = "window",
     .queries = {1, 1, 9},
     .keys = {5, 800, 30},
     .head_size = 67,
     .causal = true,
     .window = 20},
    {.name = "cross_attention", .queries = {1, 4, 1}, .keys = {33, 20, 257}, .heads = 4, .key_heads = 4},
    {.name = "gaps",
     .queries = {1, 1, 3},
     .keys = {0, 33, 20},
     .distance = true,
     .dense = true,
     .contiguous = false},
    {.name = "capped", .queries = {1, 1}, .keys = {40, 300}, .causal = true, .window = 290, .cap = 0.7f},
    {.name = "slots",
     .queries = {1, 6, 1},
     .keys = {20, 41, 1},
     .causal = true,
     .distance = true,
     .by_query = true,
     .by_key = true},
};

class RoomAttention : public ::testing::TestWithParam<Case> {};

TEST_P(RoomAttention, MatchesTheReferenceAndHasTheBitsOfPackedKeys) {
  const Case& packed = GetParam();
  Case in_rooms = packed;
  in_rooms.rooms = true;
  const Scene scene(in_rooms), other(packed);
  for (const Layout layout : kLayouts) {
    compare(layout, {.relative = 2e-5, .absolute = 2e-5}, [&](Stage& stage) { scene.run(stage); });
    each_target([&] {
      Stage stage(Device::cpu, layout), plain(Device::cpu, layout);
      scene.run(stage);
      other.run(plain);
      std::vector<double> want = plain.results();  // out, then results that only packed keys have
      want.resize(stage.results().size());
      EXPECT_TRUE(same_bits(stage.results(), want));
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Kernel, RoomAttention, ::testing::ValuesIn(kRoomCases),
                         [](const auto& test) { return test.param.name; });
INSTANTIATE_TEST_SUITE_P(Kernel, Attention, ::testing::ValuesIn(kCases),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace locus::testing
