#include "locus/text/bpe_learn.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "tests/expect_error.h"
#include "tests/text/text_files.h"

namespace locus {
namespace {

BpeVocabulary learn(std::string_view text, int32_t size, std::vector<std::string> specials = {}) {
  WordCounts counts;
  counts.add(text);
  return learn_bpe(counts, {.size = size, .specials = std::move(specials)});
}

TEST(BpeLearn, TheMostFrequentPairFirst) {
  const BpeVocabulary vocabulary = learn("abab abab cdcd cd", 258);
  ASSERT_EQ(vocabulary.merges.size(), 2u);
  EXPECT_EQ(vocabulary.tokens[256], "ab");  // four times
  EXPECT_EQ(vocabulary.tokens[257], "cd");  // three times; the pair ab + ab occurs twice
}

TEST(BpeLearn, SpecialTokensAreLast) {
  const Bpe bpe(learn("aaaa aaaa", 260, {"<z>", "<a>"}));
  EXPECT_EQ(bpe.special("<z>"), bpe.size() - 2);
  EXPECT_EQ(bpe.special("<a>"), bpe.size() - 1);
  expect_error(Fault::data, {"'aa'"}, [] { learn("aaaa aaaa", 260, {"aa"}); });
}

TEST(BpeLearn, StopsIfNoPairOccursTwice) {
  EXPECT_EQ(learn("", 1000).tokens.size(), 256u);
  EXPECT_EQ(learn("abcdefg", 1000).tokens.size(), 256u);
  EXPECT_EQ(learn("abcabc", 1000).tokens.size(), 258u);  // ab, abc; the pair abc + abc occurs once
}

TEST(BpeLearn, TooFewTokens) {
  expect_error(Fault::data, {"257", "256 bytes", "2 special tokens"}, [] {
    learn("abc", 257, {"<a>", "<b>"});
  });
}

TEST(BpeLearn, ReportsProgress) {
  WordCounts counts;
  counts.add(read_file(golden_text("corpus.txt")));
  std::vector<int32_t> reports;
  learn_bpe(counts, {.size = 380, .progress = [&](int32_t tokens, int32_t size) {
                       EXPECT_EQ(size, 380);
                       reports.push_back(tokens);
                     }});
  ASSERT_GE(reports.size(), 2u);
  EXPECT_TRUE(std::ranges::is_sorted(reports));
}

// Recounting all pairs after every merge gives the same merges as incremental counts.
TEST(BpeLearn, SameAsPlainCounting) {
  EXPECT_TRUE(rc::check([] {
    const auto text = *rc::gen::container<std::string>(rc::gen::element('a', 'a', 'b', 'c', ' '));
    WordCounts counts;
    counts.add(text);
    const BpeVocabulary fast = learn_bpe(counts, {.size = 270});
    std::vector<std::pair<std::vector<std::string>, int64_t>> words;
    for (const auto& [word, count] : counts.words()) {
      words.emplace_back(std::vector<std::string>{}, count);
      for (const char c : word) words.back().first.emplace_back(1, c);
    }
    std::map<std::string, int32_t> ids;
    for (int32_t id = 0; id < 256; ++id) ids[fast.tokens[id]] = id;
    for (const Merge& merge : fast.merges) {
      std::map<std::pair<int32_t, int32_t>, int64_t> pairs;
      for (const auto& [tokens, count] : words) {
        for (size_t i = 0; i + 1 < tokens.size(); ++i) pairs[{ids[tokens[i]], ids[tokens[i + 1]]}] += count;
      }
      const auto best = std::ranges::max_element(pairs, {}, [](const auto& pair) { return pair.second; });
      RC_ASSERT(best->second >= 2);
      RC_ASSERT(best->first == std::pair(merge.left, merge.right));
      const std::string left = fast.tokens[merge.left], right = fast.tokens[merge.right];
      ids.emplace(left + right, merge.result);
      for (auto& [tokens, count] : words) {
        for (size_t i = 0; i + 1 < tokens.size(); ++i) {
          if (tokens[i] != left || tokens[i + 1] != right) continue;
          tokens[i] += right;
          tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        }
      }
    }
  }));
}

}  // namespace
}  // namespace locus
