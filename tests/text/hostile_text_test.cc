// Hostile texts for pipelines of every kind: each is encoded, offsets stay inside the text, and time is
// linear.
#include <gtest/gtest.h>

#include "locus/text/pipeline/pipeline.h"
#include "tests/expect_error.h"
#include "tests/least_seconds.h"
#include "tests/text/text_files.h"

namespace locus {
namespace {

const std::string kWordPiece =
    R"("model": {"type": "WordPiece", "vocab": {"[UNK]": 0, "a": 1, "##a": 2, "^": 3}}})";
const std::string kMerges =
    R"("model": {"type": "BPE", "vocab": {"a": 0, "aa": 1, "aaaa": 2, "Ġ": 3, "ĠĠ": 4, "^": 5},
  "merges": ["a a", "aa aa", "Ġ Ġ"]}})";
const std::string kFallback =
    R"("model": {"type": "BPE", "byte_fallback": true, "fuse_unk": true, "unk_token": "<unk>",
  "vocab": {"<unk>": 0, "a": 1, "▁": 2, "▁▁": 3, "aa": 4, "<0xFF>": 5}, "merges": ["▁ ▁", "a a"]}})";
const std::string kUnigram = R"("model": {"type": "Unigram", "unk_id": 0,
  "vocab": [["<unk>", 0], ["a", -2], ["▁", -3], ["▁▁", -4], ["aa", -3], ["aaaa", -5]]}})";

const std::map<std::string, std::string> kKinds = {
    {"wordpiece",
     R"({"normalizer": {"type": "BertNormalizer"}, "pre_tokenizer": {"type": "BertPreTokenizer"}, )" +
         kWordPiece},
    {"byte-level", R"({"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": true},
                       "post_processor": {"type": "ByteLevel"}, )" +
                       kMerges},
    {"pattern",
     R"({"pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "Split", "behavior": "Isolated",
      "pattern": {"Regex": "\\p{L}|\\s|[^\\s\\p{L}]"}}, {"type": "ByteLevel", "use_regex": false}]}, )" +
         kMerges},
    {"fallback", R"({"normalizer": {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "▁"},
      {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]}, )" +
                     kFallback},
    {"unigram", R"({"normalizer": {"type": "NFKC"}, "pre_tokenizer": {"type": "Metaspace"}, )" + kUnigram},
    {"unsplit", R"({"normalizer": {"type": "Sequence", "normalizers": [{"type": "Strip"}, {"type": "NFD"},
      {"type": "StripAccents"}, {"type": "Lowercase"}]}, )" +
                    kUnigram}};

void check(const Tokenizer& tokenizer, const std::string& text) {
  const Encoding encoding = tokenizer.encoding(text, {.framed = false, .unit = OffsetUnit::bytes});
  for (const auto& [begin, end] : encoding.offsets) {
    ASSERT_LE(begin, end);
    ASSERT_LE(end, text.size());
  }
  ASSERT_EQ(tokenizer.encode(text), encoding.ids);
  tokenizer.decode(encoding.ids);
}

// Calls f with the name and the tokenizer of every kind. Marian's tokenizer comes from its files.
void for_each_kind(const std::function<void(const std::string&, const Tokenizer&)>& f) {
  for (const auto& [name, json] : kKinds) f(name, Pipeline(read_pipeline(json, "'t.json'")));
  f("marian", *load_tokenizer(golden_text("marian")));
}

TEST(HostileTexts, EmptyOneByteAndNul) {
  for_each_kind([](const std::string& name, const Tokenizer& tokenizer) {
    SCOPED_TRACE(name);
    EXPECT_TRUE(tokenizer.encode("").empty());
    check(tokenizer, "");
    for (int byte = 0; byte < 256; ++byte) check(tokenizer, std::string(1, static_cast<char>(byte)));
    check(tokenizer, std::string("a\0b\0", 4));
  });
}

TEST(HostileTexts, InvalidUtf8OverlongFormsAndSurrogates) {
  for_each_kind([](const std::string& name, const Tokenizer& tokenizer) {
    SCOPED_TRACE(name);
    for (const std::string text :
         {"\xff\xfe", "a\xc0\x80", "\xe0\x80\xaf", "x\xed\xa0\x80y", "\xf8\x88\x80\x80\x80",
          "\xf4\x90\x80\x80", "a \xe7\x8b", "\x80 \x80", "e\xcc", "\xe7\x8b\x97\x97"}) {
      check(tokenizer, text);
      check(tokenizer, " " + text + " a");
    }
  });
}

TEST(HostileTexts, ControlCombiningAndJoinedCharacters) {
  for_each_kind([](const std::string& name, const Tokenizer& tokenizer) {
    SCOPED_TRACE(name);
    for (const std::string text :
         {"\r\n\x0b\x0c\x1c\x85", "\u0301\u0302 \u0301", "\u0600 a\u0600!", "\u200d\u200d",
          "👩‍👩‍👧‍👦 🏳️‍🌈", "\u2028\u2029\u3000\u00a0", "\ufeff\ufffd\uffff",
          "\U0010ffff", "ﬁ½㍿", "\u1100\u1161\u11a8"}) {
      check(tokenizer, text);
      check(tokenizer, "a" + text + "a");
    }
  });
}

TEST(HostileTexts, NamesOfSpecialTokensAreText) {
  const Pipeline bert(read_pipeline(
      R"({"added_tokens": [{"id": 4, "content": "[SEP]", "special": true}], "pre_tokenizer": {"type": "BertPreTokenizer"}, )" +
          kWordPiece,
      "'t.json'"));
  EXPECT_EQ(bert.encode("a[SEP]"), (std::vector<int32_t>{1, 0, 0, 0}));
  EXPECT_EQ(bert.encode("a[SEP]", Specials::are_tokens), (std::vector<int32_t>{1, 4}));
}

// 16 times the text takes about 16 times as long. Quadratic time would be 256 times as long.
TEST(HostileTextsSlow, TimeGrowsWithTheText) {
  for_each_kind([](const std::string& name, const Tokenizer& tokenizer) {
    const auto seconds = [&](const std::string& unit, size_t bytes) {
      std::string text;
      while (text.size() < bytes) text += unit;
      return least_seconds([&] { tokenizer.encode(text); });
    };
    for (const std::string unit :
         {"a", " ", "\n", "^", "狗", "\u0301", "\xff", " a", "a ", "e\u0301\u0323"}) {
      const double one = seconds(unit, 1 << 10), many = seconds(unit, 1 << 14);
      EXPECT_LT(many, 64 * one + 0.01) << name << ": " << unit;
    }
  });
}

}  // namespace
}  // namespace locus
