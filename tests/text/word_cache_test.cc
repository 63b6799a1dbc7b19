#include "locus/text/word_cache.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vector>

namespace locus {
namespace {

WordCache::Query query_for(const WordCache& cache, std::string_view word) {
  WordCache::Query query;
  cache.prefetch(word, 0, word.size(), query);
  return query;
}

TEST(WordCache, KnowsTheLastWords) {
  WordCache cache;
  // More words than entries; a third of them is longer than one comparison.
  const auto word_of = [](int32_t i) {
    return fmt::format("{}{}", i % 3 == 0 ? "a word of some length " : "", i);
  };
  constexpr int32_t kWords = 300'000, kLast = 10'000;
  for (int32_t i = 0; i < kWords; ++i) {
    const std::string word = word_of(i);
    const WordCache::Query query = query_for(cache, word);
    const auto [entry, known] = cache.find(query);
    ASSERT_FALSE(known) << word;
    entry->set(query, std::vector{i, -i});
  }
  int32_t found = 0;
  for (int32_t i = kWords - kLast; i < kWords; ++i) {
    const std::string word = word_of(i);
    const auto [entry, known] = cache.find(query_for(cache, word));
    if (!known) continue;
    ++found;
    ASSERT_EQ(entry->count, 2);
    ASSERT_EQ(entry->ids[0], i);
    ASSERT_EQ(entry->ids[1], -i);
  }
  // 0.3 words per set of four entries.
  EXPECT_GT(found, kLast * 99 / 100);
}

TEST(WordCache, AnEntryThatWasNotSetIsUnknown) {
  WordCache cache;
  const WordCache::Query query = query_for(cache, "dog");
  EXPECT_FALSE(cache.find(query).known);
  const auto [entry, known] = cache.find(query);
  EXPECT_FALSE(known);
  entry->set(query, std::vector<int32_t>(WordCache::kMostIds + 1));
  EXPECT_FALSE(cache.find(query).known);
  cache.find(query).entry->set(query, std::vector<int32_t>());
  EXPECT_TRUE(cache.find(query).known);
}

TEST(WordCache, HasNoEntryForALongWord) {
  WordCache cache;
  const std::string word(WordCache::kLongestWord + 1, 'a');
  EXPECT_EQ(cache.find(query_for(cache, word)).entry, nullptr);
  EXPECT_NE(cache.find(query_for(cache, word.substr(1))).entry, nullptr);
}

}  // namespace
}  // namespace locus
