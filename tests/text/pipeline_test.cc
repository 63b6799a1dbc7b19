// tokenizer.json: small pipelines with known results, and invalid files.
#include <gtest/gtest.h>

#include "locus/text/pipeline/normalizer.h"
#include "locus/text/pipeline/pipeline.h"
#include "tests/expect_error.h"

namespace locus {
namespace {

const std::string kBert = R"({
  "added_tokens": [{"id": 1, "content": "[CLS]", "special": true}, {"id": 2, "content": "[SEP]", "special": true}],
  "normalizer": {"type": "BertNormalizer"}, "pre_tokenizer": {"type": "BertPreTokenizer"},
  "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1]},
  "decoder": {"type": "WordPiece"},
  "model": {"type": "WordPiece", "unk_token": "[UNK]",
            "vocab": {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "play": 3, "##ing": 4, "cafe": 5, "!": 6, "狗": 7}}})";

Pipeline pipeline(const std::string& json) { return Pipeline(read_pipeline(json, "'t.json'")); }

using Spans = std::vector<TextSpan>;

TEST(Pipeline, WordPieceWithOffsetsInTheOriginal) {
  const Pipeline bert = pipeline(kBert);
  const Encoding encoding = bert.encoding("Playing  CAFÉ狗! xyz");
  EXPECT_EQ(encoding.ids, (std::vector<int32_t>{1, 3, 4, 5, 7, 6, 0, 2}));
  EXPECT_EQ(encoding.offsets, (Spans{{0, 0}, {0, 4}, {4, 7}, {9, 13}, {13, 14}, {14, 15}, {16, 19}, {0, 0}}));
  EXPECT_EQ(bert.encoding("é", {.framed = false, .unit = OffsetUnit::bytes}).offsets, (Spans{{0, 2}}));
  EXPECT_EQ(bert.decode_text(encoding.ids), "playing cafe 狗! [UNK]");
}

TEST(Pipeline, PairsAndTruncation) {
  const Pipeline bert = pipeline(kBert);
  const Encoding pair = bert.encoding("playing", "cafe !", {.longest = 6});
  EXPECT_EQ(pair.ids, (std::vector<int32_t>{1, 3, 2, 5, 6, 2}));
  EXPECT_EQ(pair.segments, (std::vector<int32_t>{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(bert.encoding("playing cafe", {.longest = 3}).ids, (std::vector<int32_t>{1, 3, 2}));
}

TEST(Pipeline, SpecialTokensInATextAreTextByDefault) {
  const Pipeline bert = pipeline(kBert);
  EXPECT_EQ(bert.encode("[SEP]", Specials::are_tokens), (std::vector<int32_t>{2}));
  EXPECT_EQ(bert.encode("[SEP]", Specials::are_text), (std::vector<int32_t>{0, 0, 0}));
}

TEST(Pipeline, BytesThatAreNotUtf8) {
  EXPECT_EQ(pipeline(kBert).encode("play\xff\xc0!", Specials::are_text), (std::vector<int32_t>{3, 6}));
}

TEST(Pipeline, UnigramTakesTheBestSum) {
  const Pipeline unigram =
      pipeline(R"({"pre_tokenizer": {"type": "Metaspace"}, "decoder": {"type": "Metaspace"},
    "model": {"type": "Unigram", "unk_id": 0,
              "vocab": [["<unk>", 0], ["▁", -3], ["a", -2], ["b", -2], ["ab", -3], ["▁a", -1.5]]}})");
  EXPECT_EQ(unigram.encode("ab", Specials::are_text), (std::vector<int32_t>{5, 3}));
  EXPECT_EQ(unigram.encode("xyab", Specials::are_text), (std::vector<int32_t>{1, 0, 4}));
  EXPECT_EQ(unigram.decode(std::vector<int32_t>{5, 3, 5}), "ab a");
}

TEST(Pipeline, WhitespaceKnowsTheCharactersOfWords) {
  const Pipeline words = pipeline(R"({"pre_tokenizer": {"type": "Whitespace"},
                                      "model": {"type": "WordPiece", "vocab": {"[UNK]": 0}}})");
  const auto cut = [&](const char* text) { return words.encoding(text).offsets; };
  EXPECT_EQ(cut("x² ½c"), (Spans{{0, 1}, {1, 2}, {3, 4}, {4, 5}}));
  EXPECT_EQ(cut("x①y"), (Spans{{0, 1}, {1, 2}, {2, 3}}));
  EXPECT_EQ(cut("a‍b Ⓐb Ⅷa a_b‿c"), (Spans{{0, 3}, {4, 6}, {7, 9}, {10, 15}}));
}

// Ids of tokenizers 0.23.
TEST(Pipeline, SplitsAtEmptyMatches) {
  const auto cut = [](const std::string& pattern, const std::string& behavior, const char* text) {
    return pipeline(R"({"pre_tokenizer": {"type": "Split", "pattern": )" + pattern + R"(, "behavior": ")" +
                    behavior + R"("}, "model": {"type": "WordPiece", "vocab": {"[UNK]": 0}}})")
        .encoding(text)
        .offsets;
  };
  const std::string threes = R"r({"Regex": "(?=(\\d{3})+(?!\\d))"})r",
                    capitals = R"r({"Regex": "(?=[A-Z])"})r";
  EXPECT_EQ(cut(R"({"String": ""})", "Isolated", "ACT"), (Spans{{0, 1}, {1, 2}, {2, 3}}));
  EXPECT_EQ(cut(threes, "Isolated", "1234567"), (Spans{{0, 1}, {1, 4}, {4, 7}}));
  EXPECT_EQ(cut(capitals, "MergedWithNext", "aBcD"), (Spans{{0, 1}, {1, 3}, {3, 4}}));
}

TEST(Pipeline, SpacesOfATokenMayBeATokenToo) {
  const Pipeline words = pipeline(R"({"added_tokens": [{"id": 3, "content": "<x>", "rstrip": true},
      {"id": 4, "content": "  "}, {"id": 5, "content": " "}],
      "model": {"type": "WordPiece", "vocab": {"[UNK]": 0, "a": 1, "b": 2}}})");
  const Encoding got = words.encoding("a<x>  b");
  EXPECT_EQ(got.ids, (std::vector<int32_t>{1, 3, 4, 2}));
  EXPECT_EQ(got.offsets, (Spans{{0, 1}, {1, 6}, {4, 6}, {6, 7}}));
}

TEST(Pipeline, IdsWithoutOffsetsAreTheSame) {
  const Pipeline words = pipeline(R"({"pre_tokenizer": {"type": "Sequence", "pretokenizers": [
      {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true},
      {"type": "Whitespace"}]}, "model": {"type": "WordPiece", "unk_token": "?",
      "vocab": {"?": 0, "a": 1, "b": 2, "c": 3, "▁": 4}}})");
  for (const char* text : {"b c b", "a", "c  b a"}) EXPECT_EQ(words.encode(text), words.encoding(text).ids);
}

void refused(const std::string& json, std::initializer_list<const char*> values) {
  expect_error(Fault::data, values, [&] { pipeline(json); });
}

// Expected values: NormalizationTest.txt of Unicode, which agrees with unicodedata of Python.
TEST(NormalForm, CompositionExclusionsStayDecomposed) {
  const auto normalized = [](std::string_view text, NormalForm form) {
    AlignedText aligned(text, 0, text.size());
    normalize(aligned, form);
    return std::string(aligned.text());
  };
  const std::string qa = "\u0958", decomposed = "\u0915\u093c";  // Devanagari QA; KA with nukta
  for (const NormalForm form : {NormalForm::nfc, NormalForm::nfkc, NormalForm::nfd, NormalForm::nfkd}) {
    EXPECT_EQ(normalized(qa, form), decomposed);
    EXPECT_EQ(normalized(decomposed, form), decomposed);
  }
  EXPECT_EQ(normalized("\u2adc", NormalForm::nfc), "\u2add\u0338");
  EXPECT_EQ(normalized("e\u0301", NormalForm::nfc), "\u00e9");
}

TEST(PipelineFaults, UnknownComponentsAreNamed) {
  const std::string model = R"("model": {"type": "Unigram", "unk_id": 0, "vocab": [["a", 0]]}})";
  refused(R"({"normalizer": {"type": "Nmt"}, )" + model, {"'t.json'", "'tokenizer.normalizer'", "'Nmt'"});
  refused(R"({"pre_tokenizer": {"type": "Chop"}, )" + model, {"'tokenizer.pre_tokenizer'", "'Chop'"});
  refused(R"({"post_processor": {"type": "X"}, )" + model, {"'tokenizer.post_processor'", "'X'"});
  refused(R"({"decoder": {"type": "CTC"}, )" + model, {"'tokenizer.decoder'", "'CTC'"});
  refused(R"({"model": {"type": "Words"}})", {"'tokenizer.model'", "'Words'"});
}

TEST(PipelineFaults, Patterns) {
  const auto replace = [](const std::string& pattern) {
    return R"({"normalizer": {"type": "Replace", "content": "x", "pattern": )" + pattern +
           R"(}, "model": {"type": "Unigram", "unk_id": 0, "vocab": [["a", 0]]}})";
  };
  refused(replace(R"({"String": 5})"), {"normalizer.pattern.String", "'5'"});
  refused(replace(R"({"Regex": 5})"), {"normalizer.pattern.Regex", "'5'"});
  refused(replace(R"({"Glob": "*"})"), {"normalizer.pattern"});
  refused(replace("5"), {"normalizer.pattern"});
}

TEST(PipelineFaults, Vocabularies) {
  refused(R"({"model": {"type": "Unigram", "vocab": []}})", {"'tokenizer.model.vocab'"});
  refused(R"({"model": {"type": "Unigram", "vocab": [["", 0]]}})", {"'t.json'", "empty token"});
  refused(R"({"model": {"type": "WordPiece", "vocab": {"a": -1}}})", {"'a'", "'-1'"});
  refused(R"({"model": {"type": "WordPiece", "vocab": {"a": 3000000000}}})", {"'a'", "'3000000000'"});
  refused(R"({"model": {"type": "WordPiece", "vocab": {"a": 0}}})",
          {"'tokenizer.model.unk_token'", "'[UNK]'"});
  refused(R"({"model": {"type": "WordPiece", "vocab": {"[UNK]": 0, "a": 0}}})", {"'[UNK]'", "'a'", "id 0"});
  refused(R"({"added_tokens": [{"id": 1, "content": ""}], "model": {}})",
          {"'tokenizer.added_tokens[0].content'"});
}

TEST(PipelineFaults, Merges) {
  const auto merges = [](const std::string& list) {
    return R"({"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": [)" + list + "]}}";
  };
  EXPECT_EQ(pipeline(merges(R"("a b")")).encode("ab", Specials::are_text), (std::vector<int32_t>{2}));
  refused(merges(R"("a c")"), {"merges[0]", "'c'"});
  refused(merges(R"(["b", "a"])"), {"'ba'"});
  refused(merges(R"("a b", "a b")"), {"merges[1]", "'a'", "'b'", "0"});
  refused(merges(R"("ab")"), {"merges[0]", "two tokens"});
}

// A merge always creates a longer token, so merges that refer to each other terminate.
TEST(PipelineFaults, MergesThatLookCyclic) {
  const Pipeline bpe = pipeline(R"({"model": {"type": "BPE",
    "vocab": {"a": 0, "b": 1, "ab": 2, "ba": 3, "aba": 4, "bab": 5, "abab": 6},
    "merges": ["ab ab", "ba b", "ab a", "a ba", "b a", "a b"]}})");
  EXPECT_EQ(bpe.decode(bpe.encode("abababab")), "a bab a bab");
  EXPECT_EQ(bpe.encode("ab"), (std::vector<int32_t>{2}));
}

TEST(PipelineFaults, IdsWithGapsAndVeryLargeIds) {
  const Pipeline holes = pipeline(R"({"model": {"type": "WordPiece", "vocab": {"[UNK]": 0, "a": 5}}})");
  EXPECT_EQ(holes.size(), 6);
  EXPECT_EQ(holes.encode("a"), (std::vector<int32_t>{5}));
  expect_error(Fault::data, Code::bad_token, {"3"}, [&] { holes.decode(std::vector<int32_t>{3}); });
  refused(R"({"model": {"type": "WordPiece", "vocab": {"[UNK]": 0, "a": 2000000000}}})",
          {"'a'", "2000000000"});
  refused(R"({"model": {"type": "BPE", "vocab": {"a": 2000000000}, "merges": []}})", {"'a'", "2000000000"});
}

TEST(PipelineFaults, MissingByteTokens) {
  const Pipeline bytes = pipeline(R"({"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false},
    "model": {"type": "BPE", "vocab": {"a": 0, "Ġ": 1}, "merges": []}})");
  EXPECT_EQ(bytes.encode("a b\xff"), (std::vector<int32_t>{0, 1})) << "bytes without a token are dropped";
  const Pipeline fallback = pipeline(R"({"model": {"type": "BPE", "byte_fallback": true, "unk_token": "?",
    "vocab": {"a": 0, "?": 1, "<0xC3>": 2, "<0xA9>": 3}, "merges": []}})");
  EXPECT_EQ(fallback.encode("aéè"), (std::vector<int32_t>{0, 2, 3, 1}));
}

TEST(PipelineFaults, ByteTokensForSpelledBytes) {
  const auto json = [](const char* fallback) {
    return fmt::format(R"({{"pre_tokenizer": {{"type": "ByteLevel"}}, "model": {{"type": "BPE", "merges": [],
                            "byte_fallback": {}, "vocab": {{"a": 0, "<0x62>": 1}}}}}})",
                       fallback);
  };
  EXPECT_EQ(pipeline(json("false")).encode("ab"), (std::vector<int32_t>{0}));
  refused(json("true"), {"byte_fallback", "true", "false"});
}

// The encodings of the tokenizers package keep the text of unknown pieces, and trim it.
TEST(Pipeline, TrimsTheOffsetsOfUnknownPieces) {
  const auto offsets = [](bool blank_first, std::string_view text) {
    const Pipeline unigram = pipeline(fmt::format(
        R"({{"post_processor": {{"type": "ByteLevel", "add_prefix_space": {}, "trim_offsets": true}},
             "model": {{"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0], ["a", -1], ["b", -1]]}}}})",
        blank_first));
    return unigram.encoding(text, {.framed = false}).offsets;
  };
  EXPECT_EQ(offsets(false, "a  b x  "), (Spans{{0, 1}, {3, 3}, {3, 4}, {5, 6}}));
  EXPECT_EQ(offsets(true, " xa x y b"), (Spans{{0, 2}, {2, 3}, {4, 7}, {8, 9}}));
  EXPECT_EQ(offsets(false, "\u3000xa \u00a0"), (Spans{{1, 2}, {2, 3}, {5, 5}}));
  EXPECT_EQ(offsets(true, " a"), (Spans{{0, 0}, {1, 2}}));
}

TEST(PipelineFaults, UnknownSpecialTokens) {
  refused(R"({"post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 7], "cls": ["a", 0]},
              "model": {"type": "Unigram", "unk_id": 0, "vocab": [["a", 0]]}})",
          {"'tokenizer.post_processor'", "7"});
}

TEST(PipelineFaults, InvalidAndExponentialPatterns) {
  const auto split = [](const std::string& regex) {
    return R"({"pre_tokenizer": {"type": "Split", "behavior": "Isolated", "pattern": {"Regex": ")" + regex +
           R"("}}, "model": {"type": "Unigram", "unk_id": 0, "vocab": [["a", 0]]}})";
  };
  refused(split("(a"), {"'(a'"});
  const Pipeline slow = pipeline(split("(a+)+$"));
  expect_error(Fault::data, {"'(a+)+$'", "byte 0", "65"},
               [&] { slow.encode(std::string(64, 'a') + "b", Specials::are_text); });
}

TEST(PipelineFaults, NormalizersThatExhaustMemory) {
  const auto replacing = [](int times, const std::string& content) {
    const std::string step =
        R"({"type": "Replace", "pattern": {"String": "a"}, "content": ")" + content + "\"}";
    std::string steps = step;
    for (int i = 1; i < times; ++i) steps += ", " + step;
    return pipeline(R"({"normalizer": {"type": "Sequence", "normalizers": [)" + steps +
                    R"(]}, "model": {"type": "Unigram", "unk_id": 0, "vocab": [["b", 0]]}})");
  };
  EXPECT_EQ(replacing(10, "aa").encode("a").size(), 1u) << "one unknown token for all characters";
  expect_error(Fault::data, {"'t.json'", "'tokenizer.normalizer.normalizers[20]'", "1", "1048640"},
               [&] { replacing(40, "aa").encode("a"); });
  expect_error(Fault::data, {"1500000", "15"},
               [&] { replacing(1, std::string(100'000, 'b')).encode(std::string(15, 'a')); });
}

TEST(PipelineFaults, NestedAHundredThousandDeep) {
  for (const auto& [part, list] : {std::pair("normalizer", "normalizers"),
                                   {"pre_tokenizer", "pretokenizers"},
                                   {"post_processor", "processors"},
                                   {"decoder", "decoders"}}) {
    std::string json = fmt::format(R"({{"model": {{}}, "{}": )", part);
    for (int i = 0; i < 100'000; ++i) json += fmt::format(R"({{"type":"Sequence","{}":[)", list);
    expect_error(Fault::data, Code::damaged_file, {"'t.json'"}, [&] { pipeline(json); });
  }
}

}  // namespace
}  // namespace locus
