// Suggests the intended word in errors about an unknown name.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace locus {

// Number of letters to insert, delete, replace or swap with a neighbor to get from a to b (optimal string
// alignment). Ignores case.
int edit_distance(std::string_view a, std::string_view b);

// The candidate that `word` probably means: first the candidate of which `word` is a synonym ("lr" is
// learning_rate), then the nearest spelling. Empty if more than a third of the longer word would have to
// change.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

// "did you mean 'doctor'?" as the hint of an error, or an empty text.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);
// The same with "; " before it, to append to a message; or an empty text.
std::string suggestion(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace locus
