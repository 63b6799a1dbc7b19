// Any bytes as a text for every kind of tokenizer; the first byte chooses the kind.
#include <array>
#include <functional>

#include "locus/base/error.h"
#include "locus/text/bpe_learn.h"
#include "locus/text/byte_vocabulary.h"
#include "locus/text/character_vocabulary.h"
#include "locus/text/pipeline/pipeline.h"
#include "tests/fuzz/encoded.h"

namespace {

const std::string kWordPiece =
    R"("model": {"type": "WordPiece", "vocab": {"[UNK]": 0, "a": 1, "##a": 2, "b": 3, "!": 4, "狗": 5}}})";
const std::string kMerges =
    R"("model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2, "Ġ": 3, "Ġa": 4, "1": 5},
  "merges": ["a b", "Ġ a"]}})";
const std::string kFallback =
    R"("model": {"type": "BPE", "byte_fallback": true, "fuse_unk": true, "unk_token": "<unk>",
  "vocab": {"<unk>": 0, "a": 1, "▁": 2, "▁a": 3, "<0xFF>": 4, "<0xE7>": 5, "<0x8B>": 6, "<0x97>": 7}, "merges": ["▁ a"]}})";
const std::string kUnigram =
    R"("model": {"type": "Unigram", "unk_id": 0, "byte_fallback": true, "vocab": [["<unk>", 0],
  ["a", -1], ["▁a", -2], ["aa", -1.5], ["▁", -3], ["<0xE7>", 0], ["<0x8B>", 0], ["<0x97>", 0]]}})";
const std::string kLlama3 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+)";

std::string split(const std::string& regex) {
  return R"({"pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "Split", "behavior": "Isolated", "pattern":
    {"Regex": ")" +
         regex + R"("}}, {"type": "ByteLevel", "add_prefix_space": false, "use_regex": false}]}, )" + kMerges;
}

std::string normalized(const std::string& normalizer, const std::string& scheme) {
  return R"({"added_tokens": [{"id": 9, "content": "<x>", "lstrip": true, "rstrip": true},
                              {"id": 10, "content": "aab", "special": true, "normalized": false, "single_word": true}],
    "normalizer": )" +
         normalizer + R"(, "pre_tokenizer": {"type": "Metaspace", "prepend_scheme": ")" + scheme + R"("}, )" +
         kUnigram;
}

using Owner = std::unique_ptr<locus::Tokenizer>;

Owner pipeline(const std::string& json) {
  return std::make_unique<locus::Pipeline>(locus::read_pipeline(json, "fixed"));
}

Owner learned() {
  locus::WordCounts counts;
  counts.add("the dog chased the ball, and the dog's ball: it's aaaaaaaa aaaa 狗狗 狗狗");
  return std::make_unique<locus::Bpe>(learn_bpe(counts, {.size = 300, .specials = {"<|end|>"}}));
}

std::vector<Owner> encoders() {
  std::vector<Owner> all;
  all.push_back(pipeline(
      R"({"normalizer": {"type": "BertNormalizer"}, "pre_tokenizer": {"type": "BertPreTokenizer"}, )" +
      kWordPiece));
  all.push_back(
      pipeline(R"({"normalizer": {"type": "BertNormalizer", "lowercase": false, "clean_text": false},
                             "pre_tokenizer": {"type": "BertPreTokenizer"}, )" +
               kWordPiece));
  for (const char* flags : {"false", "true"}) {
    all.push_back(pipeline(R"({"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": )" +
                           std::string(flags) + R"(}, "post_processor": {"type": "ByteLevel"}, )" + kMerges));
  }
  all.push_back(pipeline(split(kLlama3)));
  all.push_back(pipeline(split(R"(\\p{Lu}?\\p{Ll}+|\\d{1,2}|\\s+|[^\\s\\d])")));
  all.push_back(
      pipeline(R"({"normalizer": {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "▁"},
    {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]}, )" +
               kFallback));
  all.push_back(pipeline(R"({"pre_tokenizer": {"type": "Metaspace", "split": false}, )" + kFallback));
  all.push_back(pipeline(normalized(R"({"type": "NFKC"})", "first")));
  all.push_back(pipeline(normalized(
      R"({"type": "Sequence", "normalizers": [{"type": "NFD"}, {"type": "StripAccents"}]})", "never")));
  all.push_back(
      pipeline(normalized(R"({"type": "Sequence", "normalizers": [{"type": "Strip"}, {"type": "NFC"},
    {"type": "Lowercase"}, {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "▁"}]})",
                          "always")));
  all.push_back(learned());
  all.push_back(std::make_unique<locus::ByteVocabulary>(std::vector<std::string>{"<x>"}));
  all.push_back(
      std::make_unique<locus::CharacterVocabulary>(locus::CharacterVocabulary::of_text("ab狗 ", {"<unk>"})));
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::vector<Owner> all = encoders();
  if (size == 0) return 0;
  check_encoding(*all[data[0] % all.size()], {reinterpret_cast<const char*>(data) + 1, size - 1});
  return 0;
}
