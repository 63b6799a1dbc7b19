#include "locus/dist/owners.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

#include "locus/base/checked.h"

namespace locus::dist {

std::vector<int> owners_of(std::span<const int64_t> sizes, int ranks) {
  require(ranks >= 1, "owners: got {} ranks, expected at least 1", ranks);
  std::vector<size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return sizes[a] > sizes[b]; });

  using Load = std::pair<int64_t, int>;  // size so far, rank
  std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
  for (int rank = 0; rank < ranks; ++rank) loads.emplace(0, rank);
  std::vector<int> owners(sizes.size());
  for (const size_t item : order) {
    require(sizes[item] >= 0, "owners: the size of item {} is {}, expected at least 0", item, sizes[item]);
    const auto [load, rank] = loads.top();
    loads.pop();
    owners[item] = rank;
    loads.emplace(checked_add(load, sizes[item], "owners: the size of all items"), rank);
  }
  return owners;
}

}  // namespace locus::dist
