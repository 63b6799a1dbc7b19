// Folders without a tokenizer.json, compared with the tokenizer classes of transformers
// (tools/golden/vocabularies.py), and invalid files.
#include <gtest/gtest.h>
#include <simdjson.h>

#include "locus/text/tokenizer.h"
#include "tests/expect_error.h"
#include "tests/text/text_files.h"

namespace locus {
namespace {

using Ids = std::vector<int32_t>;

std::vector<int32_t> ids_of(simdjson::dom::element line, const char* name) {
  std::vector<int32_t> ids;
  for (const int64_t id : line[name].get_array()) ids.push_back(static_cast<int32_t>(id));
  return ids;
}

void expect_golden(const Tokenizer& tokenizer, const std::string& kind) {
  simdjson::dom::parser parser;
  int cases = 0;
  for (const simdjson::dom::element line : parser.load_many(golden_text(kind + ".jsonl").string())) {
    const auto text = std::string(line["text"].get_string().value());
    const std::vector<int32_t> expected = ids_of(line, "ids");
    EXPECT_EQ(tokenizer.encoding(text).ids, expected) << kind << ": " << text;
    if (kind == "marian") {
      EXPECT_EQ(tokenizer.targets().encoding(text).ids, ids_of(line, "targets")) << "target: " << text;
    }
    EXPECT_EQ(tokenizer.decode_text(expected), line["decoded"].get_string().value()) << kind << ": " << text;
    ++cases;
  }
  EXPECT_GT(cases, 50);
}

void expect_golden_also_when_saved(const std::string& kind) {
  const auto tokenizer = load_tokenizer(golden_text(kind));
  expect_golden(*tokenizer, kind);
  const TemporaryFolder folder;
  tokenizer->save(folder / "saved");
  expect_golden(*load_tokenizer(folder / "saved"), kind);
}

TEST(VocabularyFiles, VocabTxtAsBert) { expect_golden_also_when_saved("bert"); }
TEST(VocabularyFiles, VocabTxtAsCasedBert) { expect_golden_also_when_saved("bert-cased"); }
TEST(VocabularyFiles, VocabJsonAndMergesAsGpt2) { expect_golden_also_when_saved("gpt2"); }
TEST(VocabularyFiles, VocabJsonAndMergesAsRoberta) { expect_golden_also_when_saved("roberta"); }
TEST(VocabularyFiles, SourceSpmAndVocabJsonAsMarian) { expect_golden_also_when_saved("marian"); }

std::vector<std::string> pieces_of(const std::filesystem::path& folder, const char* config,
                                   const char* text) {
  put(folder / "tokenizer_config.json", config);
  const auto tokenizer = load_tokenizer(folder);
  std::vector<std::string> pieces;
  for (const int32_t id : tokenizer->encoding(text).ids) pieces.emplace_back(tokenizer->bytes(id));
  return pieces;
}

TEST(VocabularyFiles, TheTokenizerClassDefinesTheSpecialTokens) {
  const TemporaryFolder folder;
  put(folder / "vocab.json", R"({"<s>": 0, "</s>": 1, "[CLS]": 2, "[SEP]": 3, "a": 4, "Ġ": 5})");
  put(folder / "merges.txt", "");
  using Pieces = std::vector<std::string>;
  const auto with = [&](const char* config) { return pieces_of(folder.path(), config, "a"); };
  EXPECT_EQ(with("{}"), (Pieces{"<s>", "a", "</s>"}));
  EXPECT_EQ(
      with(
          R"({"tokenizer_class": "BartTokenizerFast", "model_max_length": 1000000000000000019884624838656})"),
      (Pieces{"<s>", "a", "</s>"}));
  EXPECT_EQ(
      with(R"({"tokenizer_class": "RobertaTokenizer", "cls_token": "[CLS]", "add_prefix_space": true})"),
      (Pieces{"[CLS]", "Ġ", "a", "</s>"}));
  EXPECT_EQ(with(R"({"tokenizer_class": "DebertaTokenizer"})"), (Pieces{"[CLS]", "a", "[SEP]"}));
  EXPECT_EQ(with(R"({"tokenizer_class": "GPT2Tokenizer"})"), (Pieces{"a"}));
  EXPECT_EQ(with(R"({"tokenizer_class": "GPT2Tokenizer", "add_bos_token": true,
                     "bos_token": {"content": "</s>"}})"),
            (Pieces{"</s>", "a"}));
  put(folder / "vocab.json", R"({"[CLS]": 0, "[SEP]": 1, "a": 2})");
  EXPECT_EQ(with(R"({"vocab_type": "gpt2"})"), (Pieces{"[CLS]", "a", "[SEP]"}));
  expect_error(Fault::data,
               {"'tokenizer_config.tokenizer_class'", "'\"Qwen2Tokenizer\"'", "GPT2Tokenizer",
                "RobertaTokenizer", "DebertaTokenizer"},
               [&] { with(R"({"tokenizer_class": "Qwen2Tokenizer"})"); });
  expect_error(Fault::data, {"'<s>'", "vocab.json"},
               [&] { with(R"({"tokenizer_class": "RobertaTokenizer"})"); });
}

TEST(VocabularyFiles, TheFolderDefinesTheMaskAndItsSpace) {
  const TemporaryFolder folder;
  put(folder / "vocab.json", R"({"<s>": 0, "</s>": 1, "a": 2, "Ġ": 3, "<mask>": 4, "<hidden>": 5})");
  put(folder / "merges.txt", "");
  const auto with = [&](const char* config, const char* text) {
    put(folder / "tokenizer_config.json", config);
    return load_tokenizer(folder.path())->encode(text, Specials::are_tokens);
  };
  EXPECT_EQ(with("{}", "a <mask>"), (Ids{2, 3, 4}));
  EXPECT_EQ(with(R"({"mask_token": {"content": "<mask>", "lstrip": true}})", "a <mask>"), (Ids{2, 4}));
  EXPECT_EQ(with(R"({"mask_token": "<hidden>"})", "a <hidden>"), (Ids{2, 3, 5}));
}

TEST(VocabularyFiles, VocabTxtWithAccentsAndChineseCharacters) {
  const TemporaryFolder folder;
  put(folder / "vocab.txt", "[UNK]\nü\nu\n日\n日本\n本\n");
  using Pieces = std::vector<std::string>;
  const auto with = [&](const char* config) { return pieces_of(folder.path(), config, "Ü ü 日本"); };
  EXPECT_EQ(with("{}"), (Pieces{"u", "u", "日", "本"}));
  EXPECT_EQ(with(R"({"strip_accents": false})"), (Pieces{"ü", "ü", "日", "本"}));
  EXPECT_EQ(with(R"({"do_lower_case": false, "strip_accents": true})"), (Pieces{"[UNK]", "u", "日", "本"}));
  EXPECT_EQ(with(R"({"do_lower_case": false, "strip_accents": null, "tokenize_chinese_chars": false})"),
            (Pieces{"[UNK]", "ü", "日本"}));
}

// transformers builds these steps from tokenizer_config.json, unless the class is PreTrainedTokenizerFast.
TEST(VocabularyFiles, TokenizerJsonAndItsConfigMustAgree) {
  const TemporaryFolder folder;
  const auto open = [&](const std::string& steps, const std::string& config) {
    put(folder / "tokenizer.json",
        "{" + steps + R"("model": {"type": "WordPiece", "unk_token": "?", "vocab": {"?": 0, "a": 1}}})");
    put(folder / "tokenizer_config.json", config);
    load_tokenizer(folder.path());
  };
  const std::string bert = R"("normalizer": {"type": "BertNormalizer", "lowercase": true},)",
                    bytes = R"("pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false},)";
  EXPECT_NO_THROW(open(bert, R"({"do_lower_case": true})"));
  EXPECT_NO_THROW(open(bert, R"({"do_lower_case": false, "tokenizer_class": "PreTrainedTokenizerFast"})"));
  EXPECT_NO_THROW(open(bert, R"({"strip_accents": null, "add_prefix_space": true})"));
  expect_error(Fault::data,
               {"tokenizer_config.json", "'do_lower_case' is false", "tokenizer.json",
                "'tokenizer.normalizer.lowercase' is true"},
               [&] { open(bert, R"({"do_lower_case": false, "tokenizer_class": "BertTokenizer"})"); });
  expect_error(Fault::data,
               {"'add_prefix_space' is true", "'tokenizer.pre_tokenizer.add_prefix_space' is false"},
               [&] { open(bytes, R"({"add_prefix_space": true})"); });
}

// The vocabulary of MPNet also has the special tokens of BERT, which are not special there. Ids of
// transformers 5.22.
TEST(VocabularyFiles, VocabTxtOfMpnet) {
  const TemporaryFolder folder;
  put(folder / "vocab.txt", "<s>\n<pad>\n</s>\n<unk>\n[UNK]\n[CLS]\n[SEP]\n[\n]\ncls\na\nb\n<mask>\n");
  const auto ids = [&](const char* config) {
    put(folder / "tokenizer_config.json", config);
    return load_tokenizer(folder.path())
        ->encoding("A <mask> b [CLS]", {.specials = Specials::are_tokens})
        .ids;
  };
  const Ids framed = {0, 10, 12, 11, 7, 9, 8, 2};
  EXPECT_EQ(ids(R"({"tokenizer_class": "MPNetTokenizer"})"), framed);
  EXPECT_EQ(ids("{}"), framed);
  EXPECT_EQ(ids(R"({"tokenizer_class": "BertTokenizer"})"), (Ids{5, 10, 4, 4, 4, 11, 5, 6}));
}

// source.spm is enough to encode source texts.
TEST(VocabularyFiles, MarianWithoutTargetSpm) {
  const TemporaryFolder folder;
  for (const char* name : {"source.spm", "vocab.json"}) {
    std::filesystem::copy(golden_text("marian") / name, folder / name);
  }
  const auto tokenizer = load_tokenizer(folder.path());
  EXPECT_EQ(tokenizer->encoding("a").ids, (std::vector<int32_t>{101, 0}));
  expect_error(Fault::data, Code::missing_file, {(folder / "target.spm").c_str()},
               [&] { tokenizer->targets(); });
}

TEST(VocabularyFiles, InvalidVocabTxt) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& text, const char* value, Code code = Code::none) {
    put(folder / "vocab.txt", text);
    expect_error(Fault::data, code, {"vocab.txt", value}, [&] { load_tokenizer(folder.path()); });
  };
  refused("", "'tokenizer.model.vocab'");
  refused("[UNK]\na\na\n", "line 3");
  refused("[UNK]\na\na\n", "\"a\"");
  refused("[UNK]\n\na\n", "empty token");
  refused("a\nb\n", "'[UNK]'");
  refused("[UNK]\n\xff\n", "JSON", Code::damaged_file);
}

TEST(VocabularyFiles, InvalidMerges) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& vocabulary, const std::string& merges,
                           std::initializer_list<const char*> values) {
    put(folder / "vocab.json", vocabulary);
    put(folder / "merges.txt", merges);
    expect_error(Fault::data, values, [&] { load_tokenizer(folder.path()); });
  };
  refused("{}", "", {"'tokenizer.model.vocab'"});
  refused(R"({"a": 0})", "a b\n", {"merges[0]", "'b'"});
  refused(R"({"a": 0, "b": 1})", "a b\n", {"merges[0]", "'ab'"});
  refused(R"({"a": 0})", "a\n", {"merges[0]", "two tokens"});
  refused(R"({"a": 0, "aa": 1})", "a a\na a\n", {"merges[1]", "'a'", "0"});
  refused(R"({"a": -1})", "", {"'a'", "'-1'"});
  refused(R"({"a": 0, "b": 0})", "", {"'a'", "'b'", "id 0"});
}

}  // namespace
}  // namespace locus
