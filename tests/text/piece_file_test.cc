// Folders whose vocabulary is a SentencePiece model alone, against transformers' own classes
// (tools/golden/vocabularies.py), and such files that cannot be right.
#include <gtest/gtest.h>
#include <simdjson.h>

#include "locus/text/tokenizer.h"
#include "tests/expect_error.h"
#include "tests/text/piece_bytes.h"
#include "tests/text/text_files.h"

namespace locus {
namespace {

using Ids = std::vector<int32_t>;

Ids numbers_of(simdjson::dom::element line, const char* name) {
  Ids numbers;
  for (const int64_t number : line[name].get_array()) numbers.push_back(static_cast<int32_t>(number));
  return numbers;
}

void expect_pieces(const Tokenizer& tokenizer, const std::string& kind) {
  simdjson::dom::parser parser;
  int cases = 0;
  for (const simdjson::dom::element line : parser.load_many(golden_text(kind + ".jsonl").string())) {
    const auto text = std::string(line["text"].get_string().value());
    const Ids ids = numbers_of(line, "ids");
    const EncodeOptions options = {.specials = Specials::are_read};
    EXPECT_EQ(tokenizer.encoding(text, options).ids, ids) << kind << ": " << text;
    EXPECT_EQ(tokenizer.decode_text(ids), line["decoded"].get_string().value()) << kind << ": " << text;
    ++cases;
    if (line["pair"].error()) continue;
    const Encoding pair = tokenizer.encoding(text, "a dog, or two", options);
    EXPECT_EQ(pair.ids, numbers_of(line, "pair")) << kind << ": " << text;
    EXPECT_EQ(pair.segments, numbers_of(line, "segments")) << kind << ": " << text;
  }
  EXPECT_GT(cases, 50);
}

class PieceFile : public ::testing::TestWithParam<const char*> {};

TEST_P(PieceFile, AsInTransformersAlsoWhenSaved) {
  const auto tokenizer = load_tokenizer(golden_text(GetParam()));
  expect_pieces(*tokenizer, GetParam());
  const TemporaryFolder folder;
  tokenizer->save(folder / "saved");
  expect_pieces(*load_tokenizer(folder / "saved"), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Folders, PieceFile,
                         ::testing::Values("deberta-v2", "deberta-v2-lower", "t5", "mt5", "xlm-roberta",
                                           "camembert", "llama", "llama-chat"));

class PieceFolder : public ::testing::Test {
 protected:
  void refused(std::initializer_list<const char*> parts) const {
    expect_error(Fault::data, parts, [&] { load_tokenizer(folder.path()); });
  }
  const TemporaryFolder folder;
};

TEST_F(PieceFolder, OfAClassThatLocusDoesNotKnow) {
  put(folder / "spiece.model", kModel);
  refused(
      {"spiece.model': tokenizer_config.json and config.json name no tokenizer_class, and model_type is ''",
       "expected one of CamembertTokenizer, DebertaV2Tokenizer, LlamaTokenizer, T5Tokenizer",
       "AutoTokenizer.from_pretrained(FOLDER).save_pretrained(FOLDER)"});
  put(folder / "config.json", R"({"model_type": "albert"})");
  refused({"and model_type is 'albert'"});
  put(folder / "config.json", R"({"model_type": "t5", "tokenizer_class": "PegasusTokenizerFast"})");
  refused({"its tokenizer_class is 'PegasusTokenizer', expected one of"});
  put(folder / "tokenizer_config.json", R"({"tokenizer_class": "AlbertTokenizer"})");
  refused({"its tokenizer_class is 'AlbertTokenizer', expected one of"});
  put(folder / "tokenizer_config.json", R"({"tokenizer_class": "T5TokenizerFast"})");
  EXPECT_EQ(load_tokenizer(folder.path())->encoding("a").ids, (Ids{4, 1}));
}

TEST_F(PieceFolder, OfAnotherKindThanItsClass) {
  put(folder / "tokenizer_config.json", R"({"tokenizer_class": "T5Tokenizer"})");
  for (const uint64_t kind : {2, 3, 4}) {
    put(folder / "spiece.model", kModel + message(2, integer(3, kind)));
    const std::string found = "spiece.model': kind " + std::to_string(kind);
    refused({found.c_str(), ", expected 1, as T5Tokenizer has (1 is unigram, 2 is bpe)"});
  }
  put(folder / "spiece.model", kModel + message(2, integer(24, 1)));
  refused({"treat_whitespace_as_suffix is set, expected blanks in front of words"});
  put(folder / "tokenizer_config.json", R"({"tokenizer_class": "LlamaTokenizer"})");
  put(folder / "spiece.model", kModel);
  refused({"kind 1, expected 2, as LlamaTokenizer has"});
}

TEST_F(PieceFolder, WhosePiecesAreEachOthersBeginnings) {
  std::string model = kUnknownPiece + message(2, integer(3, SentencePieceModel::bpe));
  for (size_t n = 1; n < 60; ++n) model += piece(std::string(n, 'a'), -1);
  put(folder / "tokenizer.model", model);
  put(folder / "tokenizer_config.json", R"({"tokenizer_class": "LlamaTokenizer"})");
  refused({"tokenizer.model': more than 960 ways to put a piece together from two others"});
}

TEST_F(PieceFolder, OfFilesThatCannotBeRight) {
  put(folder / "spiece.model", kModel);
  const auto with = [&](const char* config, std::initializer_list<const char*> parts) {
    put(folder / "tokenizer_config.json", config);
    refused(parts);
  };
  with(R"({"tokenizer_class": "XLMRobertaTokenizer"})",
       {"piece 2 is no special one, expected the first 3 to be"});
  with(R"({"tokenizer_class": "T5Tokenizer", "extra_ids": -1})", {"'tokenizer_config.extra_ids' is '-1'"});
  with(R"({"tokenizer_class": "T5Tokenizer", "eos_token": 3})", {"'tokenizer_config.eos_token' is '3'"});
  with(R"({"tokenizer_class": "T5Tokenizer", "additional_special_tokens": {"a": "b"}})",
       {"'tokenizer_config.additional_special_tokens' is", "expected a list of tokens"});
  with(R"({"tokenizer_class": "T5Tokenizer", "added_tokens_decoder": {"7": {"special": true}}})",
       {"'tokenizer_config.added_tokens_decoder.7.content' is missing"});
  for (const char* number : {"x", "-1", "4294967296"}) {
    with(fmt::format(
             R"({{"tokenizer_class": "T5Tokenizer", "added_tokens_decoder": {{"{}": {{"content": "a"}}}}}})",
             number)
             .c_str(),
         {"'tokenizer_config.added_tokens_decoder' is", "expected tokens under their numbers"});
  }
  put(folder / "added_tokens.json", R"({"<new>": "x"})");
  with(R"({"tokenizer_class": "T5Tokenizer"})", {"added_tokens.json': the id of token '<new>' is"});
}

}  // namespace
}  // namespace locus
