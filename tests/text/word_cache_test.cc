#include "locus/text/word_cache.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vector>

namespace locus {
namespace {

WordCache::Question ask(const WordCache& cache, std::string_view word) {
  WordCache::Question question;
  cache.ask(word, 0, word.size(), question);
  return question;
}

TEST(WordCache, KnowsTheWordsItWasAskedForLast) {
  WordCache cache;
  // More words than it has places; a third of them is longer than what is compared at once.
  const auto word_of = [](int32_t i) {
    return fmt::format("{}{}", i % 3 == 0 ? "a word of some length " : "", i);
  };
  constexpr int32_t kWords = 300'000, kLast = 10'000;
  for (int32_t i = 0; i < kWords; ++i) {
    const std::string word = word_of(i);
    const WordCache::Question question = ask(cache, word);
    const auto [entry, known] = cache.find(question);
    ASSERT_FALSE(known) << word;
    entry->set(question, std::vector{i, -i});
  }
  int32_t found = 0;
  for (int32_t i = kWords - kLast; i < kWords; ++i) {
    const std::string word = word_of(i);
    const auto [entry, known] = cache.find(ask(cache, word));
    if (!known) continue;
    ++found;
    ASSERT_EQ(entry->count, 2);
    ASSERT_EQ(entry->ids[0], i);
    ASSERT_EQ(entry->ids[1], -i);
  }
  // 0.3 words to each set of four places.
  EXPECT_GT(found, kLast * 99 / 100);
}

TEST(WordCache, ForgetsWhatWasNotSet) {
  WordCache cache;
  const WordCache::Question question = ask(cache, "dog");
  EXPECT_FALSE(cache.find(question).known);
  const auto [entry, known] = cache.find(question);
  EXPECT_FALSE(known);
  entry->set(question, std::vector<int32_t>(WordCache::kMostIds + 1));
  EXPECT_FALSE(cache.find(question).known);
  cache.find(question).entry->set(question, std::vector<int32_t>());
  EXPECT_TRUE(cache.find(question).known);
}

TEST(WordCache, HasNoPlaceForALongWord) {
  WordCache cache;
  const std::string word(WordCache::kLongestWord + 1, 'a');
  EXPECT_EQ(cache.find(ask(cache, word)).entry, nullptr);
  EXPECT_NE(cache.find(ask(cache, word.substr(1))).entry, nullptr);
}

}  // namespace
}  // namespace locus
