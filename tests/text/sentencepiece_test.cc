// SentencePiece models byte by byte: what is right is read, fields nobody knows are skipped, and every lie is
// refused by name.
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

TEST(SentencePieceFile, FieldsNobodyKnowsAreSkipped) {
  const std::string eight = varint(99 << 3 | 1) + std::string(8, 'x'), four = varint(98 << 3 | 5) + "xxxx";
  EXPECT_EQ(read_sentencepiece(eight + kModel + four + integer(97, ~uint64_t{0}) + message(96, "??"), "x")
                .pieces.size(),
            6u);
}

void refused(const std::string& bytes, const char* text) {
  expect_error(Fault::data, {"'s.spm'", text}, [&] { read_sentencepiece(bytes, "'s.spm'"); });
}

TEST(SentencePieceFile, BytesThatAreNoModel) {
  refused("", "no pieces, expected a SentencePiece model");
  refused(std::string(11, '\xff'), "a field's number takes more than 10 bytes");
  refused("\x80", "a field's number needs 1 bytes at offset 1, but only 0 are left");
  refused(std::string("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11),
          "a field needs 18446744073709551615 bytes");
  refused("\x0b", "field 1 is of wire type 3, expected 0, 1, 2 or 5");
  refused(integer(1, 5), "field 1 is of wire type 0, expected 2");
  refused(message(1, integer(1, 5)), "piece 0: field 1 is of wire type 0, expected 2");
  refused(message(1, integer(3, 9)), "piece 0: its type is 9, expected 1 to 6");
  refused(kUnknownPiece + piece("a", INFINITY), "piece 1: its score is inf, expected a finite number");
  refused(kUnknownPiece + piece("", -1), "piece 1: it is '', expected UTF-8 of one byte at least");
  refused(kUnknownPiece + piece("\x96", -1), "piece 1: it is '\x96', expected UTF-8");
  refused(kModel + piece("a", -1), "piece 6 ('a') stands twice, expected once");
  refused(piece("a", -1), "no piece is of the type unknown, expected one");
}

// A message in a message in a message: only as deep as the format is.
TEST(SentencePieceFile, NestedAHundredThousandDeep) {
  std::string deep = "x";
  for (int i = 0; i < 400; ++i) deep = message(96, deep);
  EXPECT_EQ(read_sentencepiece(kModel + deep, "x").pieces.size(), 6u);
}

TEST(SentencePieceFile, EveryBeginningOfAModelIsSafe) {
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

TEST(Marian, WhatTheOtherLanguageHasATokenFor) {
  EXPECT_EQ(marian(kModel).encoding("aß").ids, (Ids{2, 5, 0}));
  EXPECT_EQ(marian(kModel).encoding("aßx").ids, (Ids{2, 1, 0})) << "unknown neighbours are one";
}

TEST(Marian, LanguageCodesAreTokens) { EXPECT_EQ(marian(kModel).encoding(">>x<< a").ids, (Ids{7, 2, 0})); }

TEST(Marian, BytesThatAreNoUtf8) { EXPECT_EQ(marian(kModel).encoding("a\xff\xc0").ids, (Ids{2, 1, 0})); }

TEST(Marian, ModelsThatAreNotMarians) {
  const auto no = [](const std::string& spm, const std::string& vocabulary, const char* text) {
    expect_error(Fault::data, {text}, [&] { marian(spm, vocabulary); });
  };
  no(kModel + message(2, integer(3, 2)), kVocabulary, "'s.spm': kind 2, expected a unigram model (kind 1)");
  no(kModel + message(2, integer(35, 1)), kVocabulary, "kind 1, byte_fallback, expected");
  no(kModel + piece("<0x41>", 0, SentencePiece::byte), kVocabulary, "piece 6 ('<0x41>') is of type 6");
  no(kModel + message(3, message(2, "\xff\xff\xff\xff")), kVocabulary,
     "'s.spm': the map of characters has 4 bytes and says that its trie has 4294967295; is it cut short?");
  no(kModel, R"({"</s>": 0})", "'v.json': token '<unk>' is missing");
  no(kModel, R"({"<unk>": 0})", "'v.json': token '</s>' is missing");
  no(kModel, R"({"</s>": 0, "<unk>": 0})", "have the same id 0");
}

}  // namespace
}  // namespace locus
