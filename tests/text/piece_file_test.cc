// Folders whose vocabulary is a SentencePiece model, compared with the tokenizer classes of transformers
// (tools/golden/vocabularies.py), and invalid files.
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
    const EncodeOptions options = {.specials = Specials::are_tokens};
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

TEST_P(PieceFile, SameAsTransformersAlsoAfterSaving) {
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
  void refused(std::initializer_list<const char*> values) const {
    expect_error(Fault::data, values, [&] { load_tokenizer(folder.path()); });
  }
  const TemporaryFolder folder;
};

TEST_F(PieceFolder, OfAnUnknownClass) {
  put(folder / "spiece.model", kModel);
  refused({"spiece.model", "tokenizer_config.json", "config.json", "tokenizer_class", "model_type is ''",
           "CamembertTokenizer", "DebertaV2Tokenizer", "LlamaTokenizer", "T5Tokenizer", "XLMRobertaTokenizer",
           "AutoTokenizer.from_pretrained(FOLDER).save_pretrained(FOLDER)"});
  put(folder / "config.json", R"({"model_type": "albert"})");
  refused({"model_type is 'albert'"});
  put(folder / "config.json", R"({"model_type": "t5", "tokenizer_class": "PegasusTokenizerFast"})");
  refused({"tokenizer_class is 'PegasusTokenizer'"});
  put(folder / "tokenizer_config.json", R"({"tokenizer_class": "AlbertTokenizer"})");
  refused({"tokenizer_class is 'AlbertTokenizer'"});
  put(folder / "tokenizer_config.json", R"({"tokenizer_class": "T5TokenizerFast"})");
  EXPECT_EQ(load_tokenizer(folder.path())->encoding("a").ids, (Ids{4, 1}));
}

TEST_F(PieceFolder, OfAnotherKindThanItsClass) {
  put(folder / "tokenizer_config.json", R"({"tokenizer_class": "T5Tokenizer"})");
  for (const uint64_t kind : {2, 3, 4}) {
    put(folder / "spiece.model", kModel + message(2, integer(3, kind)));
    const std::string found = "kind is " + std::to_string(kind);
    refused({"spiece.model", found.c_str(), "expected 1", "T5Tokenizer"});
  }
  put(folder / "spiece.model", kModel + message(2, integer(24, 1)));
  refused({"treat_whitespace_as_suffix"});
  put(folder / "tokenizer_config.json", R"({"tokenizer_class": "LlamaTokenizer"})");
  put(folder / "spiece.model", kModel);
  refused({"kind is 1", "expected 2", "LlamaTokenizer"});
}

TEST_F(PieceFolder, WhosePiecesArePrefixesOfEachOther) {
  std::string model = kUnknownPiece + message(2, integer(3, SentencePieceModel::bpe));
  for (size_t n = 1; n < 60; ++n) model += piece(std::string(n, 'a'), -1);
  put(folder / "tokenizer.model", model);
  put(folder / "tokenizer_config.json", R"({"tokenizer_class": "LlamaTokenizer"})");
  refused({"tokenizer.model", "960", "60 pieces"});
}

TEST_F(PieceFolder, WithInvalidFiles) {
  put(folder / "spiece.model", kModel);
  const auto with = [&](const char* config, std::initializer_list<const char*> values) {
    put(folder / "tokenizer_config.json", config);
    refused(values);
  };
  with(R"({"tokenizer_class": "XLMRobertaTokenizer"})", {"piece 2", "3"});
  with(R"({"tokenizer_class": "T5Tokenizer", "extra_ids": -1})", {"'tokenizer_config.extra_ids'", "'-1'"});
  with(R"({"tokenizer_class": "T5Tokenizer", "eos_token": 3})", {"'tokenizer_config.eos_token'", "'3'"});
  with(R"({"tokenizer_class": "T5Tokenizer", "additional_special_tokens": {"a": "b"}})",
       {"'tokenizer_config.additional_special_tokens'", "list"});
  with(R"({"tokenizer_class": "T5Tokenizer", "added_tokens_decoder": {"7": {"special": true}}})",
       {"'tokenizer_config.added_tokens_decoder.7.content'"});
  for (const char* number : {"x", "-1", "4294967296"}) {
    with(fmt::format(
             R"({{"tokenizer_class": "T5Tokenizer", "added_tokens_decoder": {{"{}": {{"content": "a"}}}}}})",
             number)
             .c_str(),
         {"'tokenizer_config.added_tokens_decoder'", number});
  }
  put(folder / "added_tokens.json", R"({"<new>": "x"})");
  with(R"({"tokenizer_class": "T5Tokenizer"})", {"added_tokens.json", "'<new>'"});
}

}  // namespace
}  // namespace locus
