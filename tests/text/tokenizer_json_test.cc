// Tokenizers of Locus, written for Hugging Face and opened again. tools/parity_export.py opens them with
// transformers.
#include "locus/text/tokenizer_json.h"

#include <gtest/gtest.h>

#include "locus/text/bpe_files.h"
#include "locus/text/bpe_learn.h"
#include "locus/text/byte_vocabulary.h"
#include "locus/text/character_vocabulary.h"
#include "locus/text/readable.h"
#include "tests/expect_error.h"
#include "tests/text/text_files.h"

namespace locus {
namespace {

const std::vector<std::string> kMarks = {"<s>", "</s>", "<unk>"};
constexpr const char* kTexts[] = {"", "the cat  sat\n on the mat, the\tcat's hat", " a mat the",
                                  "tthehe <s>the</s> <unk>", "a\r\n\r\n  hat   "};

void expect_same(const Tokenizer& wanted, const Tokenizer& found, std::string_view text) {
  for (const Specials specials : {Specials::are_text, Specials::are_tokens}) {
    const std::vector<int32_t> ids = wanted.encode(text, specials);
    EXPECT_EQ(found.encode(text, specials), ids) << text;
    if (!is_utf8(text)) continue;  // there, bytes that are not UTF-8 are decoded as U+FFFD
    EXPECT_EQ(found.decode(ids), wanted.decode(ids));
    EXPECT_EQ(found.decode_text(ids), wanted.decode_text(ids));
  }
}

// Writes the tokenizer and opens it again.
std::unique_ptr<Tokenizer> reopened(const Tokenizer& tokenizer, const FrameTokens& frame = {}) {
  const TemporaryFolder folder(in_memory());
  save_for_hub(tokenizer, frame, folder.path());
  return load_tokenizer(folder.path().string());
}

void expect_kept(const Tokenizer& tokenizer, std::initializer_list<const char*> more = {}) {
  const auto found = reopened(tokenizer);
  EXPECT_EQ(found->kind(), "bpe") << "read from tokenizer.json";
  EXPECT_EQ(found->size(), tokenizer.size());
  EXPECT_EQ(found->specials().ids(), tokenizer.specials().ids());
  for (const char* text : kTexts) expect_same(tokenizer, *found, text);
  for (const char* text : more) expect_same(tokenizer, *found, text);
}

std::string sample_text() {
  std::string text;
  for (int i = 0; i < 20; ++i) text += "the cat sat on the mat, and the cat's hat sat on that mat\n";
  return text;
}

TEST(TokenizerJson, ByteVocabulariesKeepTheirIds) {
  expect_kept(ByteVocabulary(kMarks), {"Größe \xff\xfe 中", "\x01 \x7f"});
  expect_kept(ByteVocabulary(), {"Größe"});
}

TEST(TokenizerJson, CharacterVocabulariesKeepTheirIds) {
  expect_kept(CharacterVocabulary::of_text(sample_text() + "\t\r<>/unks", kMarks), {"äöü", "a中中b"});
  const CharacterVocabulary strict = CharacterVocabulary::of_text("abc", {"<s>"});
  EXPECT_EQ(reopened(strict)->encode("cab"), strict.encode("cab"));
  EXPECT_EQ(reopened(strict)->encode("cxab"), strict.encode("cab")) << "as in Hugging Face tokenizers";
}

BpeVocabulary learned(const LearnOptions& options) {
  WordCounts counts;
  counts.add(sample_text());
  return learn_bpe(counts, options);
}

TEST(TokenizerJson, LearnedMergesKeepTheirIds) {
  const Bpe bpe(learned({.size = 290, .specials = kMarks}));
  ASSERT_GE(bpe.merges().size(), 20u);
  expect_kept(bpe, {"Größe \xff 中", "that's 12 3 hats"});
}

TEST(TokenizerJson, RanksKeepTheirIds) {
  const Bpe merges(learned({.size = 290}));
  const TemporaryFolder folder(in_memory());
  BpeVocabulary ranks = {.form = BpeForm::ranks};
  for (int32_t id = 0; id < merges.size(); ++id) ranks.tokens.emplace_back(merges.bytes(id));
  save_bpe(Bpe(ranks), folder.path());
  const SpecialTokens specials({{"<s>", merges.size()}, {"</s>", merges.size() + 1}});
  const Bpe tokenizer(read_ranks(folder / kRanksFile, specials));
  ASSERT_EQ(tokenizer.kind(), "ranks");
  expect_kept(tokenizer);
}

TEST(TokenizerJson, AFrameIsAdded) {
  const ByteVocabulary bytes({"<s>", "</s>"});
  const int32_t start = 256, end = 257;
  const auto pairs = reopened(bytes, {.start = start, .between = end});
  EXPECT_EQ(pairs->encoding("a").ids, (std::vector<int32_t>{start, 'a'}));
  const Encoding pair = pairs->encoding("a", "b");
  EXPECT_EQ(pair.ids, (std::vector<int32_t>{start, 'a', end, 'b'}));
  EXPECT_EQ(pair.segments, (std::vector<int32_t>{0, 0, 0, 1}));
  const auto ended = reopened(bytes, {.end = end});
  EXPECT_EQ(ended->encoding("a").ids, (std::vector<int32_t>{'a', end}));
  // A frame around the tokens of a tokenizer.json, whose own steps stay.
  const auto again = reopened(*reopened(bytes), {.start = start});
  EXPECT_EQ(again->encoding("a").ids, (std::vector<int32_t>{start, 'a'}));
}

TEST(TokenizerJson, TheFilesOfAModelFolderStay) {
  const TemporaryFolder folder(in_memory());
  put(folder / "vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\n");
  put(folder / "tokenizer_config.json", R"({"do_lower_case": false})");
  const auto tokenizer = load_tokenizer(folder.path().string());
  const TemporaryFolder saved(in_memory());
  save_for_hub(*tokenizer, {}, saved.path());
  const auto found = load_tokenizer(saved.path().string());
  EXPECT_EQ(found->encoding("a b A").ids, (std::vector<int32_t>{2, 5, 6, 1, 3}));
  EXPECT_EQ(read_file(saved / "tokenizer_config.json"), read_file(folder / "tokenizer_config.json"));
}

TEST(TokenizerJson, TwoTokensWithOneSpellingAreAnError) {
  BpeVocabulary vocabulary = {.tokens = {}};
  for (int byte = 0; byte < 256; ++byte) vocabulary.tokens.emplace_back(1, static_cast<char>(byte));
  vocabulary.tokens.emplace_back("");
  vocabulary.specials = SpecialTokens({{"x", 256}});
  const TemporaryFolder folder(in_memory());
  expect_error(Fault::data, {"'x'"}, [&] { save_for_hub(Bpe(vocabulary), {}, folder.path()); });
}

}  // namespace
}  // namespace locus
