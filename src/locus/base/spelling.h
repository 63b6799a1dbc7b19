// The word that was probably meant: for every error about an unknown name.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace locus {

// How many letters to insert, delete, replace or swap with a neighbour to get from a to b (optimal string
// alignment), capital and small letters alike.
int edit_distance(std::string_view a, std::string_view b);

// The candidate that was probably meant by `word`: the one that goes by this name elsewhere ("lr" is
// learning_rate), else the nearest spelling. Empty if more than a third of the longer word would have to
// change.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

// "; did you mean 'doctor'?" to append to an error, or nothing.
std::string suggestion(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace locus
