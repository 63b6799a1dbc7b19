#include "locus/base/spelling.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "locus/base/quote.h"
#include "locus/base/synonyms.h"

namespace locus {
namespace {

// Longer words are not names, and the cost of the distance grows with the product of both lengths.
constexpr size_t kLongestWord = 64;

char lowercase(char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// "--Learning-Rate" is learning_rate.
std::string plain_name(std::string_view name) {
  std::string plain(name.substr(std::min(name.find_first_not_of('-'), name.size())));
  std::ranges::transform(plain, plain.begin(), [](char c) { return c == '-' ? '_' : lowercase(c); });
  return plain;
}

struct Meaning {
  std::string_view candidate;  // empty: none
  std::string_view note = "";
};

// The candidate that has this name in another spelling, or in another library.
Meaning known_meaning(std::string_view word, std::span<const std::string_view> candidates) {
  const std::string plain = plain_name(word);
  const auto candidate_named = [&](std::string_view name) {
    const auto found = std::ranges::find(candidates, name, plain_name);
    return found == candidates.end() ? std::string_view() : *found;
  };
  if (const std::string_view same = candidate_named(plain); !same.empty()) return {same};
  for (const Synonym& synonym : synonyms()) {
    if (synonym.elsewhere != plain) continue;
    if (const std::string_view found = candidate_named(synonym.here); !found.empty())
      return {found, synonym.note};
  }
  return {};
}

// The only candidate that begins with the word; empty if the word is short or there are several.
std::string_view completed(std::string_view word, std::span<const std::string_view> candidates) {
  constexpr size_t kShortest = 3;
  if (plain_name(word).size() < kShortest) return {};
  std::string_view found;
  for (const std::string_view candidate : candidates) {
    if (!candidate.starts_with(word)) continue;
    if (!found.empty()) return {};
    found = candidate;
  }
  return found;
}

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the table d[i][j]: the distance between the first i letters of a and the first j of b.
  const size_t width = b.size() + 1;
  std::vector<int> before(width), last(width), row(width);
  for (size_t j = 0; j < width; ++j) row[j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    std::swap(before, last);
    std::swap(last, row);
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j < width; ++j) {
      const bool same = lowercase(a[i - 1]) == lowercase(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lowercase(a[i - 1]) == lowercase(b[j - 2]) &&
                           lowercase(a[i - 2]) == lowercase(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
  if (word.size() > kLongestWord) return {};
  if (const Meaning meaning = known_meaning(word, candidates); !meaning.candidate.empty())
    return meaning.candidate;
  if (const std::string_view whole = completed(word, candidates); !whole.empty()) return whole;
  std::string_view best;
  int best_distance = 0;
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

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
  const std::string_view best = nearest(word, candidates);
  if (best.empty()) return "";
  const std::string_view note = known_meaning(word, candidates).note;
  return fmt::format("did you mean {}?{}{}", quote(best), note.empty() ? "" : " ", note);
}

std::string suggestion(std::string_view word, std::span<const std::string_view> candidates) {
  const std::string hint = did_you_mean(word, candidates);
  return hint.empty() ? "" : "; " + hint;
}

}  // namespace locus
