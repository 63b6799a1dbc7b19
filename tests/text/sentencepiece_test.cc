// SentencePiece models, built byte by byte: valid ones are read, unknown fields are skipped, and invalid ones
// are errors that name the fault.
#include <gtest/gtest.h>

#include <cmath>

#include "locus/text/pipeline/marian.h"
#include "tests/expect_error.h"
#include "tests/text/piece_bytes.h"

namespace locus {
namespace {

const std::string kVocabulary =
    R"({"</s>": 0, "<unk>": 1, "▁a": 2, "a": 3, "b": 4, "ß": 5, "▁": 6, ">>x<<": 7})";

Pipeline marian(const std::string& spm, const std::string& vocabulary = kVocabulary) {
  return Pipeline(read_marian({spm, "'s.spm'", vocabulary, "'v.json'"}));
}

using Ids = std::vector<int32_t>;

TEST(SentencePieceFile, PiecesScoresAndSettings) {
  const SentencePieceModel model = read_sentencepiece(
      kModel + message(2, integer(3, 1) + integer(35, 1)) + message(3, message(2, "map") + integer(3, 0)),
      "'s.spm'");
  EXPECT_EQ(model.pieces.size(), 6u);
  EXPECT_EQ(model.pieces[4].text, "▁a");
  EXPECT_EQ(model.pieces[4].score, -2.5F);
  EXPECT_EQ(model.pieces[1].type, SentencePiece::control);
  EXPECT_TRUE(model.byte_fallback);
  EXPECT_EQ(model.charsmap, "map");
  EXPECT_FALSE(model.blank_first);
  EXPECT_TRUE(model.joins_blanks);
}

TEST(SentencePieceFile, UnknownFieldsAreSkipped) {
  const std::string eight = varint(99 << 3 | 1) + std::string(8, 'x'), four = varint(98 << 3 | 5) + "xxxx";
  EXPECT_EQ(read_sentencepiece(eight + kModel + four + integer(97, ~uint64_t{0}) + message(96, "??"), "x")
                .pieces.size(),
            6u);
}

void refused_pieces(const std::string& bytes, std::initializer_list<const char*> values) {
  expect_error(Fault::data, {"'s.spm'"}, [&] { read_sentencepiece(bytes, "'s.spm'"); });
  expect_error(Fault::data, values, [&] { read_sentencepiece(bytes, "'s.spm'"); });
}

TEST(SentencePieceFile, InvalidModels) {
  refused_pieces("", {"SentencePiece"});
  refused_pieces(std::string(11, '\xff'), {"10"});
  refused_pieces("\x80", {"1", "offset 1", "0"});
  refused_pieces(std::string("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11), {"18446744073709551615"});
  refused_pieces("\x0b", {"field 1", "wire type 3", "0, 1, 2 or 5"});
  refused_pieces(integer(1, 5), {"field 1", "wire type 0", "2"});
  refused_pieces(message(1, integer(1, 5)), {"piece 0", "field 1", "wire type 0", "2"});
  refused_pieces(message(1, integer(3, 9)), {"piece 0", "9", "1 to 6"});
  refused_pieces(kUnknownPiece + piece("a", INFINITY), {"piece 1", "inf"});
  refused_pieces(kUnknownPiece + piece("", -1), {"piece 1", "''", "UTF-8"});
  refused_pieces(kUnknownPiece + piece("\x96", -1), {"piece 1", "'\x96'", "UTF-8"});
  refused_pieces(kModel + piece("a", -1), {"piece 6", "'a'"});
  refused_pieces(piece("a", -1), {"unknown"});
}

// Deeply nested messages in unknown fields are skipped without recursion.
TEST(SentencePieceFile, NestedAHundredThousandDeep) {
  std::string deep = "x";
  for (int i = 0; i < 400; ++i) deep = message(96, deep);
  EXPECT_EQ(read_sentencepiece(kModel + deep, "x").pieces.size(), 6u);
}

TEST(SentencePieceFile, EveryPrefixOfAModelIsSafe) {
  for (size_t size = 0; size < kModel.size(); ++size) {
    try {
      read_sentencepiece(kModel.substr(0, size), "x");
    } catch (const Error&) {
    }
  }
  EXPECT_EQ(read_sentencepiece(kModel, "x").pieces.size(), 6u);
}

TEST(Marian, PiecesHaveTheIdsOfTheVocabulary) {
  const Pipeline tokenizer = marian(kModel);
  const Encoding encoding = tokenizer.encoding("  a \t aab");
  EXPECT_EQ(encoding.ids, (Ids{2, 6, 1, 2, 3, 4, 0})) << "without rules, a tab is a character";
  EXPECT_EQ(encoding.offsets[0], (TextSpan{2, 3}));
  EXPECT_EQ(encoding.offsets[2], (TextSpan{4, 5}));
  EXPECT_EQ(tokenizer.decode_text(encoding.ids), "a  aab");
}

TEST(Marian, TokensOfTheOtherLanguage) {
  EXPECT_EQ(marian(kModel).encoding("aß").ids, (Ids{2, 5, 0}));
  EXPECT_EQ(marian(kModel).encoding("aßx").ids, (Ids{2, 1, 0}))
      << "neighboring unknown characters are one token";
}

TEST(Marian, LanguageCodesAreTokens) { EXPECT_EQ(marian(kModel).encoding(">>x<< a").ids, (Ids{7, 2, 0})); }

TEST(Marian, BytesThatAreNotUtf8) { EXPECT_EQ(marian(kModel).encoding("a\xff\xc0").ids, (Ids{2, 1, 0})); }

TEST(Marian, UnsupportedModels) {
  const auto refused = [](const std::string& spm, const std::string& vocabulary,
                          std::initializer_list<const char*> values) {
    expect_error(Fault::data, values, [&] { marian(spm, vocabulary); });
  };
  refused(kModel + message(2, integer(3, 2)), kVocabulary, {"'s.spm'", "kind 2", "kind 1"});
  refused(kModel + message(2, integer(35, 1)), kVocabulary, {"kind 1", "byte_fallback"});
  refused(kModel + piece("<0x41>", 0, SentencePiece::byte), kVocabulary, {"piece 6", "'<0x41>'", "type 6"});
  refused(kModel + message(3, message(2, "\xff\xff\xff\xff")), kVocabulary,
          {"'s.spm'", "4 bytes", "4294967295"});
  refused(kModel, R"({"</s>": 0})", {"'v.json'", "'<unk>'"});
  refused(kModel, R"({"<unk>": 0})", {"'v.json'", "'</s>'"});
  refused(kModel, R"({"</s>": 0, "<unk>": 0})", {"'</s>'", "'<unk>'", "id 0"});
}

}  // namespace
}  // namespace locus
