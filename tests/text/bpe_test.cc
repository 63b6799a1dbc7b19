// BPE merging: short and long words agree, any bytes round-trip, and time is linear in the text.
#include "locus/text/bpe.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <thread>

#include "locus/text/bpe_files.h"
#include "locus/text/bpe_learn.h"
#include "locus/text/merge_word.h"
#include "locus/text/word_scanner.h"
#include "tests/expect_error.h"
#include "tests/least_seconds.h"
#include "tests/text/text_files.h"

namespace locus {
namespace {

using Ids = std::vector<int32_t>;

const Bpe& learned() {
  static const Bpe bpe(read_merges(golden_text("learned")));
  return bpe;
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> result;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = word_end(text, begin);
    result.emplace_back(text.substr(begin, end - begin));
    begin = end;
  }
  return result;
}

TEST(WordScanner, SplitsLikeThePattern) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(words("I'll say it's so  now"), (Words{"I", "'ll", " say", " it", "'s", " so", " ", " now"}));
  EXPECT_EQ(words("x \n\n y"), (Words{"x", " \n\n", " y"}));
  EXPECT_EQ(words("x\n\ny  "), (Words{"x", "\n", "\n", "y", "  "}));
  EXPECT_EQ(words(" 12ab!?'s"), (Words{" 12", "ab", "!?'", "s"}));
  EXPECT_EQ(words("'S 'r 'v"), (Words{"'", "S", " '", "r", " '", "v"}));
  EXPECT_EQ(words("\xc2\xa0\xc2\xa0x"), (Words{"\xc2\xa0", "\xc2\xa0", "x"}));
}

TEST(WordScanner, BytesThatAreNotUtf8AreOfTheThirdKind) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(words("a\xff\xfe!b"), (Words{"a", "\xff\xfe!", "b"}));
  EXPECT_EQ(words("\xc0\xaf"), (Words{"\xc0\xaf"}));                      // an overlong form
  EXPECT_EQ(words("x\xed\xa0\x80y"), (Words{"x", "\xed\xa0\x80", "y"}));  // a surrogate
  EXPECT_EQ(words("x \xe7\x8b"), (Words{"x", " \xe7\x8b"}));              // a truncated character
}

TEST(WordScanner, ACutChangesNoWords) {
  EXPECT_EQ(last_cut("ab \n\ncd.\n x"), 8u);
  EXPECT_EQ(last_cut("\nab"), 0u);
  EXPECT_TRUE(rc::check([] {
    const auto text = *rc::gen::container<std::string>(rc::gen::element('a', '\n', ' ', '.', '\'', 's'));
    const size_t cut = last_cut(text);
    auto apart = words(text.substr(0, cut));
    for (const std::string& word : words(text.substr(cut))) apart.push_back(word);
    RC_ASSERT(apart == words(text));
  }));
}

TEST(Bpe, RoundTripOfAnyBytes) {
  EXPECT_TRUE(rc::check(
      [](const std::string& text) { RC_ASSERT(learned().decode(learned().encode(text)) == text); }));
  EXPECT_TRUE(rc::check([] {
    const auto bytes = *rc::gen::container<std::vector<uint8_t>>(rc::gen::arbitrary<uint8_t>());
    const std::string text(bytes.begin(), bytes.end());
    RC_ASSERT(learned().decode(learned().encode(text)) == text);
  }));
}

TEST(Bpe, HostileTexts) {
  for (const std::string& text :
       {std::string(), std::string(1, '\0'), std::string("\xc0\x80"), std::string("\xed\xa0\x80"),
        std::string("\xf8\x88\x80\x80\x80"), std::string("a\xcc\x81"), std::string("<|endoftext|>")}) {
    EXPECT_EQ(learned().decode(learned().encode(text)), text);
  }
}

TEST(Bpe, LongWordsMergeLikeShortOnes) {
  const MergeTable table(learned().merges());
  EXPECT_TRUE(rc::check([&] {
    const auto letters =
        *rc::gen::container<std::string>(rc::gen::element('a', 'a', 'b', 'e', 'h', 't', ' ', 'n', 'd', 'o'));
    Ids bytes = learned().encode("");
    for (const char c : letters.substr(0, kShortWord)) bytes.push_back(learned().encode({&c, 1}).front());
    Ids small = bytes, large = bytes;
    small.resize(merge_short(table, small.data(), small.size()));
    merge_long(table, large);
    RC_ASSERT(small == large);
  }));
}

// A later merge may come first if its pair exists from the start, and a merge may create a pair of lower
// rank.
TEST(Bpe, LowestRankLeftmostFirst) {
  const Merge merges[] = {{0, 0, 1, 5}, {1, 1, 2, 0}, {0, 1, 3, 2}};
  const MergeTable table(merges);
  for (const Ids& word : {Ids{0, 0, 0, 0, 0}, Ids{0, 0, 0, 0, 0, 0, 0, 0, 0}, Ids{0, 1, 0, 0, 0}}) {
    Ids small = word, large = word;
    small.resize(merge_short(table, small.data(), small.size()));
    merge_long(table, large);
    EXPECT_EQ(small, large);
  }
  Ids five = {0, 0, 0, 0, 0};
  merge_long(table, five);
  EXPECT_EQ(five, (Ids{2, 0}));
}

// For any merges in any order of ranks, both algorithms agree.
TEST(Bpe, LongAndShortAgreeForAnyMerges) {
  EXPECT_TRUE(rc::check([] {
    std::map<std::pair<int32_t, int32_t>, Merge> merges;
    for (int32_t result = 3; result < 40; ++result) {
      const auto left = *rc::gen::inRange<int32_t>(0, result), right = *rc::gen::inRange<int32_t>(0, result);
      merges[{left, right}] = {left, right, result, *rc::gen::inRange<uint32_t>(0, 1000)};
    }
    std::vector<Merge> list;
    for (const auto& [pair, merge] : merges) list.push_back(merge);
    const MergeTable table(list);
    for (int word = 0; word < 20; ++word) {
      Ids small = *rc::gen::container<Ids>(40, rc::gen::inRange<int32_t>(0, 3)), large = small;
      small.resize(merge_short(table, small.data(), small.size()));
      merge_long(table, large);
      RC_ASSERT(small == large);
    }
  }));
}

TEST(Bpe, CachedWordsHaveTheSameTokens) {
  const Bpe fresh(read_merges(golden_text("learned")));
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += fmt::format(" word{} {}", i % 7000, i * 7919 % 100'003);
  const MergeTable table(fresh.merges());
  Ids apart;
  for (const std::string& word : words(text)) {
    Ids ids;
    for (const char c : word) ids.push_back(fresh.encode({&c, 1}).front());
    merge_long(table, ids);
    apart.insert(apart.end(), ids.begin(), ids.end());
  }
  EXPECT_EQ(fresh.encode(text), apart);
  EXPECT_EQ(fresh.encode(text), apart);
}

TEST(Bpe, ManyThreads) {
  const std::string text = read_file(golden_text("corpus.txt"));
  const Ids expected = learned().encode(text);
  std::vector<std::thread> threads;
  std::vector<int> same(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) same[t] += learned().encode(text) == expected;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(same, (std::vector<int>{20, 20, 20, 20}));
}

// 16 times the text takes about 16 times as long. Quadratic time would be 256 times as long.
TEST(BpeSlow, TimeGrowsWithTheText) {
  const auto seconds = [](const std::string& unit, size_t bytes) {
    std::string text;
    while (text.size() < bytes) text += unit;
    return least_seconds([&] { EXPECT_FALSE(learned().encode(text).empty()); });
  };
  for (const std::string unit : {"a", " ", "\n", "^", "狗", "\xcc\x81", "'", "\xff", " a", "the"}) {
    const double one = seconds(unit, 1 << 13), many = seconds(unit, 1 << 17);
    EXPECT_LT(many, 48 * one + 0.01) << unit;
  }
}

}  // namespace
}  // namespace locus
