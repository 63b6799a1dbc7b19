#include "locus/dist/tree.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "tests/expect_error.h"

namespace locus::dist {
namespace {

using Vector = std::vector<float>;

void add_vector(Vector& into, const Vector& from) {
  for (size_t i = 0; i < into.size(); ++i) into[i] += from[i];
}

using VectorSum = TreeSum<Vector, decltype(&add_vector)>;

// The definition: the sum of the terms [begin, begin + 2^level) that exist.
Vector sequential_sum(const std::vector<Vector>& terms, int begin, int level) {
  if (level == 0) return terms[begin];
  Vector sum = sequential_sum(terms, begin, level - 1);
  const int middle = begin + (1 << (level - 1));
  if (middle < std::ssize(terms)) add_vector(sum, sequential_sum(terms, middle, level - 1));
  return sum;
}

Vector sequential_sum(const std::vector<Vector>& terms) {
  return sequential_sum(terms, 0, static_cast<int>(std::bit_width(terms.size() - 1)));
}

// The sum as ranks compute it: holder[t] holds term t.
Vector distributed_sum(const std::vector<Vector>& terms, const std::vector<int>& holder, int ranks) {
  const int count = static_cast<int>(terms.size());
  std::vector<std::pair<Subtree, Vector>> sent;
  for (int rank = 0; rank < ranks; ++rank) {
    VectorSum sum(count, add_vector);
    for (int term = 0; term < count; ++term) {
      if (holder[term] == rank) sum.take({term, 0}, terms[term]);
    }
    for (auto& left : sum.left()) sent.push_back(std::move(left));
  }
  std::ranges::sort(sent, {}, [](const auto& part) { return part.first.begin; });
  VectorSum total(count, add_vector);
  for (auto& [subtree, value] : sent) total.take(subtree, std::move(value));
  RC_ASSERT(total.left().size() == 1u);
  return total.left()[0].second;
}

bool same_bits(const Vector& a, const Vector& b) {
  return std::ranges::equal(
      a, b, {}, [](float x) { return std::bit_cast<uint32_t>(x); },
      [](float x) { return std::bit_cast<uint32_t>(x); });
}

std::vector<Vector> random_terms(int count) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const auto number = rc::gen::weightedOneOf<float>(
      {{20, rc::gen::map(rc::gen::inRange(-1'000'000, 1'000'000),
                         [](int n) { return std::ldexp(static_cast<float>(n), n % 60); })},
       {1, rc::gen::element(kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN(), -0.0f, 0.0f)}});
  const auto term = rc::gen::container<Vector>(5, number);
  return *rc::gen::container<std::vector<Vector>>(static_cast<size_t>(count), term);
}

RC_GTEST_PROP(TreeSum, HasTheSameBitsForAnyHolders, ()) {
  const int count = *rc::gen::inRange(1, 65), ranks = *rc::gen::inRange(1, 10);
  const std::vector<Vector> terms = random_terms(count);
  const auto holder =
      *rc::gen::container<std::vector<int>>(static_cast<size_t>(count), rc::gen::inRange(0, ranks));
  RC_ASSERT(same_bits(distributed_sum(terms, holder, ranks), sequential_sum(terms)));
}

RC_GTEST_PROP(TreeSum, HasTheSameBitsForContiguousHolders, ()) {
  const int count = *rc::gen::inRange(1, 65), ranks = *rc::gen::inRange(1, 10);
  const std::vector<Vector> terms = random_terms(count);
  auto holder = *rc::gen::container<std::vector<int>>(static_cast<size_t>(count), rc::gen::inRange(0, ranks));
  std::ranges::sort(holder);
  RC_ASSERT(same_bits(distributed_sum(terms, holder, ranks), sequential_sum(terms)));
}

TEST(TreeSum, AddsInTheOrderOfItsDefinition) {
  const auto add = [](std::string& into, const std::string& from) { into = "(" + into + "+" + from + ")"; };
  TreeSum<std::string, decltype(add)> sum(7, add);
  for (int term = 0; term < 7; ++term) sum.take({term, 0}, std::to_string(term));
  ASSERT_EQ(sum.left().size(), 1);
  EXPECT_EQ(sum.left()[0].second, "(((0+1)+(2+3))+((4+5)+6))");
}

TEST(TreeSum, LeavesTheSubtreesThatAreComplete) {
  using List = std::vector<Subtree>;
  EXPECT_EQ(subtrees_of(8, 0, 8), (List{{0, 3}}));
  EXPECT_EQ(subtrees_of(8, 4, 8), (List{{4, 2}}));
  EXPECT_EQ(subtrees_of(8, 1, 7), (List{{1, 0}, {2, 1}, {4, 1}, {6, 0}}));
  EXPECT_EQ(subtrees_of(6, 4, 6), (List{{4, 2}}));  // its other half does not exist
  EXPECT_EQ(subtrees_of(5, 0, 0), List{});
}

// Never more sums than the header states, at the end or while they are added.
TEST(TreeSum, KeepsFewSums) {
  for (int count = 1; count <= 64; ++count) {
    const int log2 = std::bit_width(static_cast<unsigned>(count)) - 1;
    for (int begin = 0; begin < count; ++begin) {
      for (int end = begin + 1; end <= count; ++end) {
        const int most = begin == 0 || end == count ? log2 + 1 : 2 * log2 + 1;
        ASSERT_LE(std::ssize(subtrees_of(count, begin, end)), most) << count << " " << begin << " " << end;
      }
    }
  }
  EXPECT_EQ(subtrees_of(16, 1, 15).size(), 6);
}

TEST(TreeSum, RefusesWhatIsNoTerm) {
  VectorSum sum(6, add_vector);
  sum.take({2, 0}, {1});
  expect_error(Fault::data, {"2", "3"}, [&] { sum.take({2, 0}, {1}); });
  expect_error(Fault::data, {"6", "5"}, [&] { sum.take({6, 0}, {1}); });
  expect_error(Fault::data, {"3", "level 1"}, [&] { sum.take({3, 1}, {1}); });
  expect_error(Fault::data, {"-1"}, [&] { sum.take({4, -1}, {1}); });
  expect_error(Fault::data, {"0"}, [] { VectorSum(0, add_vector); });
  expect_error(Fault::data, {"2", "7", "6"}, [] { subtrees_of(6, 2, 7); });
}

}  // namespace
}  // namespace locus::dist
