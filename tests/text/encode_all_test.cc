// Encoding many texts, without offsets, or in chunks gives the same as encoding one whole text at a time.
#include "locus/text/encode_all.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "locus/base/parallel.h"
#include "locus/text/pipeline/pipeline.h"
#include "tests/expect_error.h"
#include "tests/text/text_files.h"

namespace locus {
namespace {

// Pipelines that split texts into chunks, each in another way.
const std::string kModel =
    R"("model": {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0], ["▁", -3], ["a", -2],
  ["b", -2], ["ab", -3], ["▁a", -1.5], ["▁▁", -2.5], ["é", -3], ["!", -2], ["a!", -2.5]]}})";
const std::string kPipelines[] = {
    R"({"pre_tokenizer": {"type": "Metaspace"}, )" + kModel,
    R"({"pre_tokenizer": {"type": "Metaspace", "prepend_scheme": "first"},
        "normalizer": {"type": "Sequence", "normalizers": [{"type": "NFKC"}, {"type": "Strip"}]}, )" +
        kModel,
    R"({"pre_tokenizer": {"type": "Metaspace", "prepend_scheme": "never"}, "normalizer": {"type": "Sequence", "normalizers":
        [{"type": "Strip", "strip_left": false}, {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "▁"}]}, )" +
        kModel,
    R"({"pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, {"type": "Metaspace"}]},
        "normalizer": {"type": "Replace", "pattern": {"String": "ab"}, "content": " "}, )" +
        kModel,
    R"({"pre_tokenizer": {"type": "Metaspace"}, "normalizer": {"type": "Replace", "pattern": {"String": "!"}, "content": " "},
        "added_tokens": [{"id": 20, "content": "aaa"}], )" +
        kModel,
    R"({"normalizer": {"type": "BertNormalizer"}, "pre_tokenizer": {"type": "BertPreTokenizer"},
        "model": {"type": "WordPiece", "vocab": {"[UNK]": 0, "a": 1, "##a": 2, "b": 3, "!": 4, "##b": 5, "e": 6}}})",
    R"({"normalizer": {"type": "NFC"}, "pre_tokenizer": {"type": "BertPreTokenizer"},
        "model": {"type": "WordPiece", "vocab": {"[UNK]": 0, "a": 1, "##a": 2, "=": 3, "≠": 4, "≠a": 5, "b": 6}}})",
    R"({"normalizer": {"type": "NFC"}, "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false},
        "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2, "Ġ": 3, "Ġa": 4}, "merges": ["a b", "Ġ a"]}})"};

std::string any_text() {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "a", "b", "ab", "A", " ", " ", "  ", "!", "=", "\u0338", "\u0301", "e", "é", "\t", "\r", "\n", "\x01",
      "\u3000", "\u00a0", "\u0600", "\u200d", "\uff9e", "狗", "▁", "\xff", "\xe7\x8b", "<unk>", "aaa",
      std::string(40, 'a')));
  std::string text;
  for (const std::string& piece : pieces) text += piece;
  return text;
}

TEST(Chunks, IdsWithoutOffsetsAreTheSame) {
  for (const std::string& json : kPipelines) {
    const Pipeline pipeline(read_pipeline(json, "'t.json'"));
    EXPECT_TRUE(rc::check([&] {
      const std::string text = any_text();
      for (const Specials specials : {Specials::are_text, Specials::are_tokens}) {
        const EncodeOptions options = {.specials = specials, .framed = false};
        RC_ASSERT(pipeline.encode(text, specials) == pipeline.encoding(text, options).ids);
      }
    })) << json;
  }
}

TEST(Chunks, AWordWithoutTokensIsAnErrorEveryTime) {
  const Pipeline pipeline(read_pipeline(
      R"({"pre_tokenizer": {"type": "Metaspace"}, "model": {"type": "Unigram", "vocab": [["▁", -1], ["a", -1]]}})",
      "'t.json'"));
  for (int i = 0; i < 2; ++i) {
    const auto values = {"'t.json'", "'b' (U+0062)", "'unk_id'"};
    expect_error(Fault::data, values, [&] { pipeline.encode("a b"); });
    expect_error(Fault::data, values, [&] { pipeline.encoding("a b"); });
  }
}

TEST(Chunks, WithoutOffsetsEverythingElseIsTheSame) {
  const auto bert = load_tokenizer(golden_text("bert"));
  const Encoding with = bert->encoding("The dog chased it."),
                 without = bert->encoding("The dog chased it.", {.unit = OffsetUnit::none});
  EXPECT_EQ(without.ids, with.ids);
  EXPECT_EQ(without.segments, with.segments);
  EXPECT_EQ(without.texts, with.texts);
  EXPECT_EQ(without.offsets, std::vector<TextSpan>(with.size()));
}

TEST(EncodeAll, AnyNumberOfThreadsGivesTheSame) {
  const auto bert = load_tokenizer(golden_text("bert"));
  std::vector<std::string> texts;
  for (int i = 0; i < 100; ++i)
    texts.push_back(fmt::format("The dog number {} chased {} balls; größer!", i, i * i));
  std::vector<std::vector<int32_t>> ids;
  for (const std::string& text : texts) ids.push_back(bert->encode(text));
  const int before = threads();
  for (const int count : {1, 2, 3, 7}) {
    set_threads(count);
    EXPECT_EQ(encode_all(*bert, texts), ids) << count;
  }
  set_threads(before);
  EXPECT_TRUE(encode_all(*bert, {}).empty());
}

}  // namespace
}  // namespace locus
