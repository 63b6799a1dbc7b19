#include "tests/kernel/compare.h"

namespace locus::testing {
namespace {

// Only copies: the same numbers, and those of other tokens unchanged.
TEST(Room, ExtendMatchesTheReference) {
  constexpr int64_t kHeads = 2, kTokens = 48;
  for (const int64_t D : {1, 16, 20}) {
    for (const auto& [count, fresh] : {std::pair<int64_t, int64_t>(0, 1), {5, 14}, {16, 32}, {47, 0}}) {
      for (const Layout layout : kLayouts) {
        SCOPED_TRACE(::testing::Message() << D << " components, " << fresh << " after " << count);
        compare(layout, {}, [&, count = count, fresh = fresh](Stage& stage) {
          stage.kernels().extend_room(
              {.keys = stage.activation({fresh, kHeads * D}, 1),
               .values = stage.activation({fresh, kHeads * D}, 2),
               .room = {stage.updated_activation({kHeads * kTokens / 16 * D, 16}, 3),
                        stage.updated_activation({kHeads * kTokens, (D + 15) / 16 * 16}, 4)},
               .key_heads = kHeads,
               .count = count});
        });
      }
    }
  }
}

}  // namespace
}  // namespace locus::testing
