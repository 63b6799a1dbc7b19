// The contract of all tokenizers, and the byte and character vocabularies.
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

TEST(Tokenizer, SpecialTokensAreTextByDefault) {
  const ByteVocabulary bytes({"<end>", "<endless>"});
  EXPECT_EQ(bytes.encode("a<end>").size(), 6u);
  EXPECT_EQ(bytes.encode("a<end>b<endless><en", Specials::are_tokens),
            (Ids{97, 256, 98, 257, '<', 'e', 'n'}));
  EXPECT_EQ(bytes.decode(Ids{97, 256}), "a<end>");
  EXPECT_EQ(bytes.special("<endless>"), 257);
  expect_error(Fault::data, Code::bad_token, {"'<emd>'", "'<end>'", "'<endless>'"},
               [&] { bytes.special("<emd>"); });
  expect_error(Fault::data, Code::bad_token, {"'<mask>'", "none"},
               [] { ByteVocabulary().special("<mask>"); });
}

TEST(Tokenizer, InvalidSpecialTokens) {
  expect_error(Fault::data, {"''", "0 bytes", "1 to 256"}, [] { ByteVocabulary({""}); });
  expect_error(Fault::data, {"257 bytes"}, [] { ByteVocabulary({std::string(257, 'x')}); });
  expect_error(Fault::data, {"'x'"}, [] { ByteVocabulary({"x", "x"}); });
  expect_error(Fault::data, {"UTF-8"}, [] { ByteVocabulary({"\xff"}); });
  expect_error(Fault::data, {"'a'", "'b'", "id 3"}, [] { SpecialTokens({{"a", 3}, {"b", 3}}); });
  expect_error(Fault::data, {"'a'", "-1"}, [] { SpecialTokens({{"a", -1}}); });
}

TEST(Tokenizer, IdsOutsideTheVocabulary) {
  const ByteVocabulary bytes;
  expect_error(Fault::data, Code::bad_token, {"256", "0 to 255"}, [&] { bytes.decode(Ids{1, 256}); });
  expect_error(Fault::data, Code::bad_token, {"-1", "0 to 255"}, [&] { bytes.decode(Ids{-1}); });
}

TEST(CharacterVocabulary, CharactersOfATextInOrder) {
  const auto characters = CharacterVocabulary::of_text("bäa狗b");
  EXPECT_EQ(characters.size(), 4);
  EXPECT_EQ(characters.encode("abä狗"), (Ids{0, 1, 2, 3}));
  EXPECT_EQ(characters.decode(Ids{3, 2}), "狗ä");
}

TEST(CharacterVocabulary, UnknownCharacters) {
  const auto strict = CharacterVocabulary::of_text("ab");
  expect_error(Fault::data, {"'ä' (U+00E4)", "offset 1", "2 characters", "'<unk>'"},
               [&] { strict.encode("aä"); });
  expect_error(Fault::data, {"byte 0xff", "offset 2"}, [&] { strict.encode("ab\xff"); });
  const auto lenient = CharacterVocabulary::of_text("ab", {"<unk>"});
  EXPECT_EQ(lenient.encode("aä\xff"), (Ids{0, 2, 2}));
}

TEST(CharacterVocabulary, UnknownCharactersHaveTheirOwnOffsets) {
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
  EXPECT_EQ(spans("a<unk>b", Specials::are_tokens), (Spans{{0, 1}, {1, 6}, {6, 7}}));
  EXPECT_EQ(spans("<unk>", Specials::are_text).size(), 5u);
}

TEST(CharacterVocabulary, InvalidCharacters) {
  expect_error(Fault::data, {"no characters"}, [] { CharacterVocabulary::of_text(""); });
  expect_error(Fault::data, {"byte 0xc0", "offset 1", "UTF-8"},
               [] { CharacterVocabulary::of_text("a\xc0\x80"); });
  expect_error(Fault::data, {"token 1", "'bc'"}, [] { CharacterVocabulary({"a", "bc"}, {}); });
  expect_error(Fault::data, {"'a'", "token 1"}, [] { CharacterVocabulary({"a", "a"}, {}); });
}

void expect_same_from_folder(const Tokenizer& tokenizer, const std::string& text) {
  const TemporaryFolder folder;
  tokenizer.save(folder / "deep" / "tok");
  const auto loaded = load_tokenizer(folder / "deep" / "tok");
  EXPECT_EQ(loaded->kind(), tokenizer.kind());
  EXPECT_EQ(loaded->size(), tokenizer.size());
  EXPECT_EQ(loaded->specials().ids(), tokenizer.specials().ids());
  EXPECT_EQ(loaded->encode(text, Specials::are_tokens), tokenizer.encode(text, Specials::are_tokens));
}

TEST(TokenizerFolder, ASavedFolderDeclaresItsKind) {
  expect_same_from_folder(ByteVocabulary({"<z>", "<a>"}), "x<a>\xff<z>");
  expect_same_from_folder(CharacterVocabulary::of_text("\"\\\n狗 x<az>", {"<z>", "<a>"}), "\"\\\n狗 x<a><z>");
  expect_same_from_folder(Bpe(read_merges(golden_text("learned"))), "The dog chased it");
}

void expect_refused(const std::string& vocabulary_json, std::initializer_list<const char*> values,
                    Code code = Code::none) {
  const TemporaryFolder folder;
  put(folder / "vocabulary.json", vocabulary_json);
  expect_error(Fault::data, code, {"vocabulary.json"}, [&] { load_tokenizer(folder.path()); });
  expect_error(Fault::data, code, values, [&] { load_tokenizer(folder.path()); });
}

TEST(TokenizerFolder, InvalidVocabularyFiles) {
  expect_refused("", {"JSON"}, Code::damaged_file);
  expect_refused("[]", {"'[]'", "object"}, Code::damaged_file);
  expect_refused("{}", {"'kind'"});
  expect_refused(R"({"kind": 1})", {"'kind'", "'1'", "string"});
  expect_refused(R"({"kind": "wordpiece", "specials": {}})",
                 {"kind", "'wordpiece'", "bytes", "characters", "merges", "ranks"});
  expect_refused(R"({"kind": "bytes"})", {"'specials'"});
  expect_refused(R"({"kind": "bytes", "specials": []})", {"'specials'", "'[]'", "object"});
  expect_refused(R"({"kind": "bytes", "specials": {"a": 257}})", {"id 256"});
  expect_refused(R"({"kind": "bytes", "specials": {"a": 256.5}})", {"'a'", "'256.5'", "integer"});
  expect_refused(R"({"kind": "characters", "characters": {}, "specials": {}})",
                 {"'characters'", "list of strings"});
  expect_refused(R"({"kind": "characters", "characters": [1], "specials": {}})",
                 {"characters[0]", "'1'", "string"});
  expect_refused(
      R"({"kind": "bytes", "specials": )" + std::string(100'000, '[') + std::string(100'000, ']') + "}",
      {"JSON"}, Code::damaged_file);
}

TEST(TokenizerFolder, FoldersWithoutATokenizer) {
  const TemporaryFolder folder;
  expect_error(Fault::data, Code::missing_file,
               {folder.path().c_str(), "vocabulary.json", "tokenizer.json", "vocab.txt", "tokenizer.model"},
               [&] { load_tokenizer(folder.path()); });
  expect_error(Fault::io, Code::missing_file, {(folder / "absent").c_str(), "No such file", "bytes"},
               [&] { load_tokenizer(folder / "absent"); });
  put(folder / "a.tiktoken", "");
  put(folder / "b.tiktoken", "");
  expect_error(Fault::data, {folder.path().c_str(), "2", "a.tiktoken", "b.tiktoken"},
               [&] { load_tokenizer(folder.path()); });
  put(folder / "vocab.bpe", "");
  expect_error(Fault::io, {"encoder.json"}, [&] { load_tokenizer(folder.path()); });
  EXPECT_EQ(load_tokenizer("bytes")->size(), 256);
}

}  // namespace
}  // namespace locus
