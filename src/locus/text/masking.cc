#include "locus/text/masking.h"

#include <algorithm>
#include <optional>

#include "locus/base/error.h"
#include "locus/base/random.h"

namespace locus {
namespace {

// Beside the epochs' own streams, which shuffle windows.
constexpr uint64_t kStream = 0x6d61736b00000000u;

// Of 32 random bits: a number in [0, 1).
double fraction(uint32_t bits) { return bits * 0x1p-32; }

}  // namespace

void mask_tokens(std::span<int32_t> ids, std::span<int32_t> targets, const Masking& masking, uint64_t seed,
                 int64_t epoch, int64_t first) {
  require(masking.vocabulary > 0 && masking.mask >= 0 && masking.mask < masking.vocabulary,
          "masking: the mask token is {}, expected 0 to {}", masking.mask, masking.vocabulary - 1);
  require(masking.rate >= 0 && masking.rate <= 1, "masking: the rate is {}, expected 0 to 1", masking.rate);
  require(ids.size() == targets.size(), "masking: {} ids and {} targets, expected equal numbers", ids.size(),
          targets.size());
  const Random random(seed, kStream + static_cast<uint64_t>(epoch));
  const auto draw = [&](size_t i) { return random.block(static_cast<uint64_t>(first) + i); };
  const auto hide = [&](size_t i) {
    targets[i] = ids[i];
    const double kind = fraction(draw(i)[1]);
    if (kind < 0.8) {
      ids[i] = masking.mask;
    } else if (kind < 0.9) {
      ids[i] = static_cast<int32_t>(uint64_t{draw(i)[2]} * static_cast<uint32_t>(masking.vocabulary) >> 32);
    }
  };
  std::ranges::fill(targets, kNoTarget);
  bool hidden = false;
  std::optional<size_t> nearest;  // to being hidden
  for (size_t i = 0; i < ids.size(); ++i) {
    if (masking.kept.contains(ids[i])) continue;
    if (!nearest || draw(i)[0] < draw(*nearest)[0]) nearest = i;
    if (fraction(draw(i)[0]) >= masking.rate) continue;
    hide(i);
    hidden = true;
  }
  if (!hidden && nearest && masking.rate > 0) hide(*nearest);
}

}  // namespace locus
