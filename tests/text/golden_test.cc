// Ids compared with Hugging Face tokenizers and tiktoken (tools/golden/tokens.py).
#include <gtest/gtest.h>
#include <simdjson.h>

#include "locus/text/bpe_files.h"
#include "locus/text/bpe_learn.h"
#include "tests/text/text_files.h"

namespace locus {
namespace {

// Compares every case of cases.jsonl with the ids in its member `name`.
void expect_golden(const Tokenizer& tokenizer, const char* name) {
  simdjson::dom::parser parser;
  int cases = 0;
  for (const auto line : parser.load_many(golden_text("cases.jsonl").string())) {
    const auto text = std::string(line["text"].get_string().value());
    std::vector<int32_t> expected;
    for (const int64_t id : line[name].get_array()) expected.push_back(static_cast<int32_t>(id));
    EXPECT_EQ(tokenizer.encode(text), expected) << text;
    EXPECT_EQ(tokenizer.decode(expected), text);
    ++cases;
  }
  EXPECT_GT(cases, 100);
}

// The learned vocabulary as a rank file, in the order of ids.
std::unique_ptr<Tokenizer> as_ranks(const Bpe& merges, const TemporaryFolder& folder) {
  BpeVocabulary ranks = {.form = BpeForm::ranks};
  for (int32_t id = 0; id < merges.size(); ++id) ranks.tokens.emplace_back(merges.bytes(id));
  Bpe(std::move(ranks)).save(folder.path());
  std::filesystem::remove(folder / "vocabulary.json");
  return load_tokenizer(folder.path());
}

TEST(TokensGolden, LearnedVocabularyAsHfTokenizers) {
  expect_golden(*load_tokenizer(golden_text("learned")), "ids");
}

TEST(TokensGolden, RankFileAsTiktoken) {
  const TemporaryFolder folder;
  expect_golden(*as_ranks(Bpe(read_merges(golden_text("learned"))), folder), "ranks");
}

TEST(TokensGolden, LearningAsHfTokenizers) {
  WordCounts counts;
  counts.add(read_file(golden_text("corpus.txt")));
  const TemporaryFolder folder;
  Bpe(learn_bpe(counts, {.size = 400})).save(folder.path());
  EXPECT_EQ(read_file(folder / "vocab.bpe"), read_file(golden_text("learned/vocab.bpe")));
  expect_golden(*load_tokenizer(folder.path()), "ids");
}

TEST(TokensGolden, Gpt2AsTiktoken) {
  if (!has_data()) GTEST_SKIP() << kNoData;
  expect_golden(*load_tokenizer(data_folder() / "gpt2"), "gpt2");
}

TEST(TokensGolden, TheVerdict) {
  if (!has_data()) GTEST_SKIP() << kNoData;
  const auto tokenizer = load_tokenizer(data_folder() / "gpt2");
  const std::string text = read_file(data_folder() / "the-verdict.txt");
  const std::vector<int32_t> ids = tokenizer->encode(text);
  EXPECT_EQ(tokenizer->size(), 50257);
  EXPECT_EQ(tokenizer->special("<|endoftext|>"), 50256);
  EXPECT_EQ(ids.size(), 5145u);
  EXPECT_EQ(tokenizer->decode(ids), text);
  uint64_t digest = 0;  // of all ids of tiktoken
  for (const int32_t id : ids) digest = digest * 1000003 + static_cast<uint64_t>(id);
  EXPECT_EQ(digest, 3393510196485180075u);
}

}  // namespace
}  // namespace locus
