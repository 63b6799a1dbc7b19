#include "locus/text/masking.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "locus/base/error.h"
#include "locus/base/random.h"

namespace locus {
namespace {

// Random streams of their own, apart from those that shuffle the windows of an epoch.
constexpr uint64_t kStream = 0x6d61736b00000000u;

// 32 random bits as a number in [0, 1).
double fraction(uint32_t bits) { return bits * 0x1p-32; }

}  // namespace

void mask_tokens(std::span<int32_t> ids, std::span<int32_t> targets, const Masking& masking, uint64_t seed,
                 int64_t epoch, int64_t first) {
  require(masking.vocabulary > 0 && masking.mask >= 0 && masking.mask < masking.vocabulary,
          "masking: mask is {}, expected an id from 0 to {}", masking.mask, masking.vocabulary - 1);
  require(masking.rate >= 0 && masking.rate <= 1, "masking: rate is {}, expected 0 to 1", masking.rate);
  require(ids.size() == targets.size(), "masking: got {} ids and {} targets, expected equal sizes",
          ids.size(), targets.size());
  const Random random(seed, kStream + static_cast<uint64_t>(epoch));
  const auto mask = [&](size_t i, const PhiloxBlock& draw) {
    targets[i] = ids[i];
    const double kind = fraction(draw[1]);
    if (kind < 0.8) {
      ids[i] = masking.mask;
    } else if (kind < 0.9) {
      ids[i] = static_cast<int32_t>(uint64_t{draw[2]} * static_cast<uint32_t>(masking.vocabulary) >> 32);
    }
  };
  std::ranges::fill(targets, kNoTarget);
  std::optional<std::pair<size_t, PhiloxBlock>>
      nearest;  // the most likely candidate: masked if no other token is
  for (size_t i = 0; i < ids.size(); ++i) {
    if (masking.kept.contains(ids[i])) continue;
    const PhiloxBlock draw = random.block(static_cast<uint64_t>(first) + i);
    if (!nearest || draw[0] < nearest->second[0]) nearest = {i, draw};
    if (fraction(draw[0]) < masking.rate) mask(i, draw);
  }
  const bool none = nearest && fraction(nearest->second[0]) >= masking.rate;
  if (none && masking.rate > 0) mask(nearest->first, nearest->second);
}

}  // namespace locus
