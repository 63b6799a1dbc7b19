// Suggests the intended word in errors about an unknown name.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace locus {

// Number of letters to insert, delete, replace or swap with a neighbor to get from a to b (optimal string
// alignment). Ignores case.
int edit_distance(std::string_view a, std::string_view b);

// The candidate that `word` probably means. In this order: the candidate with the same name apart from case
// and dashes, the one of which `word` is a synonym (synonyms.h: "lr" is learning_rate), the only one that
// begins with `word`, and the nearest spelling. Empty if more than a third of the longer word would have to
// change.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

// "did you mean 'doctor'?" as the hint of an error, or an empty text. If the values of a synonym differ, it
// says how: "did you mean 'steps'? steps = epochs x samples / batch_size".
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);
// The same with "; " before it, to append to a message; or an empty text.
std::string suggestion(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace locus
