// Which rank owns which parameter. The owner adds the parameter's gradients, holds its moments and updates
// it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace locus::dist {

// The owner of each item, given the sizes of all. Items are not divided: the largest comes first, and goes to
// the rank that has least so far. Equal sizes go in the order of the items, equal ranks in the order of their
// numbers, so that every process computes the same owners. The largest share is at most the mean share plus
// the largest item.
std::vector<int> owners_of(std::span<const int64_t> sizes, int ranks);

}  // namespace locus::dist
