#include "locus/base/spelling.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace locus {
namespace {

TEST(Spelling, CountsEdits) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("abc", ""), 3);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("doctor", "docotr"), 1) << "a swap of neighbors is one edit";
  EXPECT_EQ(edit_distance("doctor", "DOCTOR"), 0);
  EXPECT_EQ(edit_distance("--json", "--jsn"), 1);
}

RC_GTEST_PROP(Spelling, IsSymmetricAndBounded, (const std::string& a, const std::string& b)) {
  const int distance = edit_distance(a, b);
  RC_ASSERT(distance == edit_distance(b, a));
  RC_ASSERT(edit_distance(a, a) == 0);
  RC_ASSERT(distance <= static_cast<int>(std::max(a.size(), b.size())));
  RC_ASSERT(distance >= std::abs(static_cast<int>(a.size()) - static_cast<int>(b.size())));
}

RC_GTEST_PROP(Spelling, OneChangedLetterIsAtMostOneEdit, (const std::string& word, char letter)) {
  RC_PRE(!word.empty());
  std::string changed = word;
  changed[*rc::gen::inRange<size_t>(0, word.size())] = letter;
  RC_ASSERT(edit_distance(word, changed) <= 1);
}

TEST(Spelling, FindsTheNearestIfAnyIsNear) {
  constexpr std::string_view kWords[] = {"doctor", "compare", "train", "trace"};
  EXPECT_EQ(nearest("docter", kWords), "doctor");
  EXPECT_EQ(nearest("comapre", kWords), "compare");
  EXPECT_EQ(nearest("trai", kWords), "train");
  EXPECT_EQ(nearest("banana", kWords), "");
  EXPECT_EQ(nearest("", kWords), "");
  EXPECT_EQ(nearest("doctor", {}), "");
  EXPECT_EQ(nearest(std::string(1 << 20, 'x'), kWords), "");
  EXPECT_EQ(did_you_mean("docter", kWords), "did you mean 'doctor'?");
  EXPECT_EQ(did_you_mean("banana", kWords), "");
  EXPECT_EQ(suggestion("docter", kWords), "; did you mean 'doctor'?");
  EXPECT_EQ(suggestion("banana", kWords), "");
}

TEST(Spelling, ASynonymMeansItsCandidate) {
  constexpr std::string_view kNames[] = {"layers", "learning_rate", "weight_decay", "batch_size"};
  EXPECT_EQ(nearest("lr", kNames), "learning_rate");
  EXPECT_EQ(nearest("wd", kNames), "weight_decay");
  EXPECT_EQ(nearest("batch", kNames), "batch_size");
  EXPECT_EQ(nearest("learning_rat", kNames), "learning_rate");
}

TEST(Spelling, ASynonymOfNoCandidateMeansNothing) {
  constexpr std::string_view kNames[] = {"layers", "heads"};
  EXPECT_EQ(nearest("lr", kNames), "");
  EXPECT_EQ(nearest("lr", {}), "");
  EXPECT_EQ(nearest("n_head", kNames), "heads");
}

// A word that is both a synonym and close to another candidate means the synonym's candidate.
TEST(Spelling, ASynonymComesBeforeTheNearestSpelling) {
  constexpr std::string_view kNames[] = {"ratio", "learning_rate"};
  EXPECT_EQ(nearest("rate", kNames), "learning_rate");
}

}  // namespace
}  // namespace locus
