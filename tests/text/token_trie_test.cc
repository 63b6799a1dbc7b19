#include "locus/text/token_trie.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/expect_error.h"

namespace locus {
namespace {

// Words over a small alphabet, so that many share a prefix. Some bytes have the high bit set.
std::string word(uint32_t number) {
  std::string text;
  for (uint32_t rest = number * 2654435761u; text.size() < 1 + number % 9; rest /= 5)
    text += "ab\xff\x80z"[rest % 5];
  return text;
}

TEST(TokenTrie, FindsAllAddedTokens) {
  constexpr uint32_t kWords = 20000;
  std::map<std::string, int32_t> all;
  TokenTrie one_by_one, together;
  std::vector<std::pair<std::string, int32_t>> list;
  for (uint32_t i = 0; i < kWords; ++i) list.emplace_back(word(i), static_cast<int32_t>(i));
  std::vector<int32_t> had_before;
  for (const auto& [token, id] : list) {
    const auto known = all.find(token);
    const int32_t before = known == all.end() ? -1 : known->second;
    had_before.push_back(before);
    EXPECT_EQ(one_by_one.add(token, id), before);
    all[token] = id;
  }
  together.add_all(
      list.size(), [&](size_t i) -> std::pair<std::string_view, int32_t> { return list[i]; },
      [&](size_t i, int32_t had) { EXPECT_EQ(had, had_before[i]) << i; });
  for (const auto& [token, id] : all) {
    EXPECT_EQ(one_by_one.find(token), id);
    EXPECT_EQ(together.find(token), id);
  }
  for (uint32_t i = kWords; i < 2 * kWords; ++i) {
    const auto known = all.find(word(i));
    EXPECT_EQ(together.find(word(i)), known == all.end() ? -1 : known->second);
  }
}

TEST(TokenTrie, FindsTheLongestToken) {
  TokenTrie trie;
  trie.add("a", 1), trie.add("abc", 2), trie.add("##bd", 3);
  EXPECT_EQ(trie.longest("abcd").length, 3u);
  EXPECT_EQ(trie.longest("abd").length, 1u);
  EXPECT_EQ(trie.longest("b").id, -1);
  EXPECT_EQ(trie.longest("bd", trie.walk("##")).id, 3);
  EXPECT_FALSE(trie.walk("abx").exists());
}

TEST(TokenTrie, TooManyNodesAreAnErrorBeforeAllocation) {
  TokenTrie trie;
  expect_error(Fault::data, {"16777217", "16777216"}, [&] { trie.reserve(1 << 24); });
}

// A walk may be as long as the longest token, so its length is limited.
TEST(TokenTrie, ATokenThatIsTooLongIsAnError) {
  TokenTrie trie;
  trie.add(std::string(1024, 'a'), 0);
  expect_error(Fault::data, {"1025 bytes", "1024"}, [&] { trie.add(std::string(1025, 'a'), 1); });
  EXPECT_EQ(trie.longest(std::string(2000, 'a')).length, 1024u);
}

}  // namespace
}  // namespace locus
