#include "locus/report/scheme_family.h"

#include <algorithm>

#include "locus/report/probe.h"

namespace locus::report {

Family family_of(const SchemeInfo& info) {
  constexpr Geometry kSmall = {.width = 32, .heads = 2, .head_size = 16, .layers = 1, .max_length = 16};
  const Probe probe(info, kSmall, options_for_length(info, kSmall.max_length));
  const std::vector<std::string_view> kinds = probe.kinds();
  if (kinds.empty()) return Family::none;
  if (kinds.size() > 1) return Family::combination;
  if (kinds.front() == "input") return Family::input;
  if (kinds.front() == "rotation") return Family::rotation;
  constexpr int32_t kPositions[] = {0, 1};
  const Probe::Found found = probe.find(kPositions, kPositions);
  return found.scores.by_query || found.scores.by_key ? Family::vectors : Family::bias;
}

std::string_view title_of(Family family) {
  constexpr std::string_view kTitles[kFamilies] = {"Added to the input",      "Rotation of queries and keys",
                                                   "Bias on the score",       "Position vectors in the score",
                                                   "Combination of families", "No position information"};
  return kTitles[static_cast<size_t>(family)];
}

}  // namespace locus::report
