#include "locus/base/spelling.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "locus/base/quote.h"

namespace locus {
namespace {

// Longer words are not names, and the distance takes time and memory as the product of the lengths.
constexpr size_t kLongestWord = 64;

char small(char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the table d[i][j], the distance of the first i letters of a and the first j of b.
  const size_t width = b.size() + 1;
  std::vector<int> before(width), last(width), row(width);
  for (size_t j = 0; j < width; ++j) row[j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    std::swap(before, last);
    std::swap(last, row);
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j < width; ++j) {
      const bool same = small(a[i - 1]) == small(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool swapped =
          i > 1 && j > 1 && small(a[i - 1]) == small(b[j - 2]) && small(a[i - 2]) == small(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
  std::string_view best;
  int best_distance = 0;
  if (word.size() > kLongestWord) return best;
  for (const std::string_view candidate : candidates) {
    const int distance = edit_distance(word, candidate);
    const bool near = 3 * distance <= static_cast<int>(std::max(word.size(), candidate.size()));
    if (near && (best.empty() || distance < best_distance)) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string suggestion(std::string_view word, std::span<const std::string_view> candidates) {
  const std::string_view best = nearest(word, candidates);
  return best.empty() ? "" : fmt::format("; did you mean {}?", quote(best));
}

}  // namespace locus
