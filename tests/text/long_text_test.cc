// Long texts are encoded in sections: tokens and offsets are those of the whole text, and the memory for the
// steps of a pipeline is that of a section.
#include <gtest/gtest.h>

#include <cctype>

#include "locus/base/random.h"
#include "locus/text/pipeline/pipeline.h"
#include "tests/text/text_files.h"

namespace locus {
namespace {

const std::string kNormalizedBytes =
    R"({"added_tokens": [{"id": 9, "content": "<x>", "special": false, "normalized": false}],
    "normalizer": {"type": "NFC"}, "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "Split",
    "behavior": "Isolated", "pattern": {"Regex": "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"}},
    {"type": "ByteLevel", "add_prefix_space": false, "use_regex": false}]},
    "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2, "Ġ": 3, "Ġa": 4, "Ã": 5, "©": 6}, "merges": ["a b", "Ġ a"]}})";
const std::string kFirst =
    R"({"added_tokens": [{"id": 9, "content": "<x>", "special": false, "normalized": false}],
    "normalizer": {"type": "NFKC"},
    "pre_tokenizer": {"type": "Metaspace", "prepend_scheme": "first"},
    "post_processor": {"type": "ByteLevel", "trim_offsets": true},
    "model": {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0], ["a", -1], ["▁a", -2], ["ab", -1.5], ["▁", -3]]}})";

std::vector<std::pair<std::string, std::unique_ptr<Tokenizer>>> tokenizers() {
  std::vector<std::pair<std::string, std::unique_ptr<Tokenizer>>> all;
  for (const char* name : {"bert", "bert-cased", "camembert", "deberta-v2", "gpt2", "learned", "llama",
                           "marian", "mt5", "roberta", "t5", "xlm-roberta"}) {
    all.emplace_back(name, load_tokenizer(golden_text(name)));
  }
  for (const auto& [name, json] : {std::pair("bytes", &kNormalizedBytes), std::pair("first", &kFirst)})
    all.emplace_back(name, std::make_unique<Pipeline>(read_pipeline(*json, name)));
  return all;
}

// Words, marks, spaces of all kinds, and added tokens in any order; every few hundred bytes " word".
std::string long_text(size_t bytes, uint64_t seed) {
  const char* const units[] = {"a",
                               "ab",
                               " a",
                               "the ",
                               " dog",
                               "  ",
                               "\n",
                               "\n  ",
                               "!",
                               "'s",
                               "1984",
                               " \u00e9",
                               "e\u0301",
                               "\u00a0",
                               "\u3000",
                               "狗",
                               "\ufb01",
                               " <x> ",
                               " the dogs played",
                               " abababababab",
                               "abababababababab",
                               "\t",
                               "\r\n",
                               "B",
                               "\xff",
                               "...",
                               " aB"};
  const Random random(seed, 0);
  std::string text;
  for (uint64_t i = 0; text.size() < bytes; ++i)
    text += i % 100 == 99 ? "ab ab" : units[random.bits(i) % std::size(units)];
  return text;
}

// The tokens of short parts, which begin with a space between two letters.
Encoding in_parts(const Tokenizer& tokenizer, std::string_view text, const EncodeOptions& options) {
  Encoding all;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = text.find("ab ab", std::min(begin + 5000, text.size()));
    end = end == std::string_view::npos ? text.size() : end + 2;
    const Encoding part = tokenizer.encoding(text.substr(begin, end - begin), options);
    for (size_t i = 0; i < part.size(); ++i) {
      const auto [first, last] = part.offsets[i];
      const auto shift = static_cast<uint32_t>(begin);
      all.push(part.ids[i], {first + shift, last + shift}, 0, 0);
    }
    begin = end;
  }
  return all;
}

TEST(LongTextsSlow, HaveTheTokensAndOffsetsOfTheirParts) {
  for (const auto& [name, tokenizer] : tokenizers()) {
    SCOPED_TRACE(name);
    const std::string text = long_text(400'000, 1);
    const EncodeOptions options = {.framed = false, .unit = OffsetUnit::bytes};
    const Encoding whole = tokenizer->encoding(text, options);
    ASSERT_EQ(tokenizer->encode(text), whole.ids);
    if (name == "llama") continue;  // a space before every text
    const Encoding parts = in_parts(*tokenizer, text, options);
    ASSERT_EQ(whole.ids, parts.ids);
    // Marian's mark of a space has the source of the character after it only at the start of a text.
    if (name == "marian") continue;
    ASSERT_EQ(whole.offsets, parts.offsets);
  }
}

}  // namespace
}  // namespace locus
