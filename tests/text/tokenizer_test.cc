// What all tokenizers promise, and the two that need no file.
#include "locus/text/tokenizer.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "locus/text/bpe_files.h"
#include "locus/text/byte_vocabulary.h"
#include "locus/text/character_vocabulary.h"
#include "tests/expect_error.h"
#include "tests/text/text_files.h"

namespace locus {
namespace {

using Ids = std::vector<int32_t>;

TEST(ByteVocabulary, EveryByteIsItsOwnId) {
  const ByteVocabulary bytes;
  EXPECT_EQ(bytes.size(), 256);
  EXPECT_EQ(bytes.encode(std::string("a\0\xff", 3)), (Ids{97, 0, 255}));
  EXPECT_EQ(bytes.encode(""), Ids{});
  EXPECT_EQ(bytes.decode(Ids{97, 0, 255}), std::string("a\0\xff", 3));
}

TEST(ByteVocabulary, RoundTripOfAnyBytes) {
  const ByteVocabulary bytes({"<pad>"});
  EXPECT_TRUE(rc::check([&](const std::string& text) {
    RC_ASSERT(bytes.decode(bytes.encode(text)) == text);
    RC_ASSERT(bytes.encode(text).size() == text.size());
  }));
}

TEST(Tokenizer, SpecialTokensAreTextUnlessAskedFor) {
  const ByteVocabulary bytes({"<end>", "<endless>"});
  EXPECT_EQ(bytes.encode("a<end>").size(), 6u);
  EXPECT_EQ(bytes.encode("a<end>b<endless><en", Specials::are_read), (Ids{97, 256, 98, 257, '<', 'e', 'n'}));
  EXPECT_EQ(bytes.decode(Ids{97, 256}), "a<end>");
  EXPECT_EQ(bytes.special("<endless>"), 257);
  expect_error(Fault::data, {"no special token '<emd>'; did you mean '<end>'?; it has '<end>', '<endless>'"},
               [&] { bytes.special("<emd>"); });
  expect_error(Fault::data, {"the vocabulary has no special token '<mask>'; it has none"},
               [] { ByteVocabulary().special("<mask>"); });
}

TEST(Tokenizer, SpecialTokensThatCannotBe) {
  expect_error(Fault::data, {"special token '': its name has 0 bytes, expected 1 to 256"},
               [] { ByteVocabulary({""}); });
  expect_error(Fault::data, {"its name has 257 bytes"}, [] { ByteVocabulary({std::string(257, 'x')}); });
  expect_error(Fault::data, {"special token 'x' is named twice"}, [] { ByteVocabulary({"x", "x"}); });
  expect_error(Fault::data, {"its name is not UTF-8"}, [] { ByteVocabulary({"\xff"}); });
  expect_error(Fault::data, {"special tokens 'a' and 'b' have the same id 3"}, [] {
    SpecialTokens({{"a", 3}, {"b", 3}});
  });
  expect_error(Fault::data, {"special token 'a': its id is -1"}, [] { SpecialTokens({{"a", -1}}); });
}

TEST(Tokenizer, IdsOutsideTheVocabulary) {
  const ByteVocabulary bytes;
  expect_error(Fault::data, {"token id is 256, expected 0 to 255"}, [&] { bytes.decode(Ids{1, 256}); });
  expect_error(Fault::data, {"token id is -1, expected 0 to 255"}, [&] { bytes.decode(Ids{-1}); });
}

TEST(CharacterVocabulary, CharactersOfATextInOrder) {
  const auto characters = CharacterVocabulary::of_text("bäa狗b");
  EXPECT_EQ(characters.size(), 4);
  EXPECT_EQ(characters.encode("abä狗"), (Ids{0, 1, 2, 3}));
  EXPECT_EQ(characters.decode(Ids{3, 2}), "狗ä");
}

TEST(CharacterVocabulary, UnknownCharacters) {
  const auto strict = CharacterVocabulary::of_text("ab");
  expect_error(Fault::data, {"'ä' (U+00E4) at offset 1 of the text is not in the vocabulary of 2 characters"},
               [&] { strict.encode("aä"); });
  expect_error(Fault::data, {"byte 0xff at offset 2 of the text is not in the vocabulary"},
               [&] { strict.encode("ab\xff"); });
  const auto lenient = CharacterVocabulary::of_text("ab", {"<unk>"});
  EXPECT_EQ(lenient.encode("aä\xff"), (Ids{0, 2, 2}));
}

TEST(CharacterVocabulary, OffsetsOfUnknownCharactersAreTheirOwn) {
  const auto characters = CharacterVocabulary::of_text("ab", {"<unk>"});
  const auto spans = [&](std::string_view text, Specials specials) {
    std::vector<std::pair<uint32_t, uint32_t>> all;
    for (const TextSpan& span :
         characters.encoding(text, {.specials = specials, .unit = OffsetUnit::bytes}).offsets) {
      all.emplace_back(span.begin, span.end);
    }
    return all;
  };
  using Spans = std::vector<std::pair<uint32_t, uint32_t>>;
  EXPECT_EQ(spans("a狗\xffxb", Specials::are_text), (Spans{{0, 1}, {1, 4}, {4, 5}, {5, 6}, {6, 7}}));
  EXPECT_EQ(spans("a<unk>b", Specials::are_read), (Spans{{0, 1}, {1, 6}, {6, 7}}));
  EXPECT_EQ(spans("<unk>", Specials::are_text).size(), 5u);
}

TEST(CharacterVocabulary, TextsThatMakeNone) {
  expect_error(Fault::data, {"it has no characters"}, [] { CharacterVocabulary::of_text(""); });
  expect_error(Fault::data, {"byte 0xc0 at offset 1 of the text is not UTF-8"},
               [] { CharacterVocabulary::of_text("a\xc0\x80"); });
  expect_error(Fault::data, {"token 1 is 'bc', expected a single character"}, [] {
    CharacterVocabulary({"a", "bc"}, {});
  });
  expect_error(Fault::data, {"'a' stands twice, the second time as token 1"}, [] {
    CharacterVocabulary({"a", "a"}, {});
  });
}

void expect_same_from_folder(const Tokenizer& tokenizer, const std::string& text) {
  const TemporaryFolder folder;
  tokenizer.save(folder / "deep" / "tok");
  const auto loaded = load_tokenizer(folder / "deep" / "tok");
  EXPECT_EQ(loaded->kind(), tokenizer.kind());
  EXPECT_EQ(loaded->size(), tokenizer.size());
  EXPECT_EQ(loaded->specials().ids(), tokenizer.specials().ids());
  EXPECT_EQ(loaded->encode(text, Specials::are_read), tokenizer.encode(text, Specials::are_read));
}

TEST(TokenizerFolder, AFolderSaysWhatItIs) {
  expect_same_from_folder(ByteVocabulary({"<z>", "<a>"}), "x<a>\xff<z>");
  expect_same_from_folder(CharacterVocabulary::of_text("\"\\\n狗 x<az>", {"<z>", "<a>"}), "\"\\\n狗 x<a><z>");
  expect_same_from_folder(Bpe(read_merges(golden_text("learned"))), "The dog chased it");
}

void expect_refused(const std::string& vocabulary_json, const char* message) {
  const TemporaryFolder folder;
  put(folder / "vocabulary.json", vocabulary_json);
  expect_error(Fault::data, {"vocabulary.json'", message}, [&] { load_tokenizer(folder.path()); });
}

TEST(TokenizerFolder, BrokenVocabularyFiles) {
  expect_refused("", "not valid JSON");
  expect_refused("[]", "the JSON value is '[]', expected an object");
  expect_refused("{}", "'kind' is missing");
  expect_refused(R"({"kind": 1})", "'kind' is '1', expected a string");
  expect_refused(R"({"kind": "wordpiece", "specials": {}})",
                 "kind is 'wordpiece', expected bytes, characters, merges or ranks");
  expect_refused(R"({"kind": "bytes"})", "'specials' is missing");
  expect_refused(R"({"kind": "bytes", "specials": []})", "'specials' is '[]', expected an object");
  expect_refused(R"({"kind": "bytes", "specials": {"a": 257}})", "no special token has id 256");
  expect_refused(R"({"kind": "bytes", "specials": {"a": 256.5}})",
                 "the id of token 'a' is '256.5', expected a whole number");
  expect_refused(R"({"kind": "characters", "characters": {}, "specials": {}})", "expected a list of strings");
  expect_refused(R"({"kind": "characters", "characters": [1], "specials": {}})",
                 "characters[0] is '1', expected a string");
  expect_refused(
      R"({"kind": "bytes", "specials": )" + std::string(100'000, '[') + std::string(100'000, ']') + "}",
      "not valid JSON");
}

TEST(TokenizerFolder, FoldersWithoutOne) {
  const TemporaryFolder folder;
  expect_error(Fault::data, {"holds no tokenizer: no vocabulary.json, no tokenizer.json, no vocab.txt"},
               [&] { load_tokenizer(folder.path()); });
  expect_error(Fault::io, {"cannot open the tokenizer folder", "No such file", "(or give the word bytes)"},
               [&] { load_tokenizer(folder / "absent"); });
  put(folder / "a.tiktoken", "");
  put(folder / "b.tiktoken", "");
  expect_error(Fault::data, {"has 2 rank files (a.tiktoken, b.tiktoken), expected one"},
               [&] { load_tokenizer(folder.path()); });
  put(folder / "vocab.bpe", "");
  expect_error(Fault::io, {"cannot open", "encoder.json"}, [&] { load_tokenizer(folder.path()); });
  EXPECT_EQ(load_tokenizer("bytes")->size(), 256);
}

}  // namespace
}  // namespace locus
