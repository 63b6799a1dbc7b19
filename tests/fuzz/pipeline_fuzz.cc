// Any bytes as a tokenizer.json, and any bytes as a text for fixed pipelines of every kind: offsets stay
// inside the text, and nothing but a locus::Error comes out.
#include <cstdlib>

#include "locus/base/error.h"
#include "locus/text/pipeline/pipeline.h"

namespace {

using locus::Pipeline;

constexpr const char* kFixed[] = {
    R"({"normalizer": {"type": "BertNormalizer"}, "pre_tokenizer": {"type": "BertPreTokenizer"},
        "model": {"type": "WordPiece", "vocab": {"[UNK]": 0, "a": 1, "##a": 2, "b": 3}}})",
    R"({"normalizer": {"type": "NFKC"}, "pre_tokenizer": {"type": "Metaspace", "prepend_scheme": "first"},
        "added_tokens": [{"id": 5, "content": "<x>", "lstrip": true, "rstrip": true}],
        "model": {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0], ["a", -1], ["▁a", -2], ["aa", -1.5]]}})",
    R"({"pre_tokenizer": {"type": "ByteLevel"}, "post_processor": {"type": "ByteLevel"},
        "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2, "Ġ": 3, "Ġa": 4},
                  "merges": ["a b", "Ġ a"]}})"};

void check(const Pipeline& pipeline, std::string_view text) {
  for (const auto specials : {locus::Specials::are_text, locus::Specials::are_read}) {
    const locus::Encoding encoding =
        pipeline.encoding(text, {.specials = specials, .unit = locus::OffsetUnit::bytes});
    for (const auto& [begin, end] : encoding.offsets) {
      if (begin > end || end > text.size()) std::abort();
    }
    pipeline.decode(encoding.ids);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  static const std::unique_ptr<Pipeline> fixed[] = {
      std::make_unique<Pipeline>(locus::read_pipeline(kFixed[0], "fixed")),
      std::make_unique<Pipeline>(locus::read_pipeline(kFixed[1], "fixed")),
      std::make_unique<Pipeline>(locus::read_pipeline(kFixed[2], "fixed"))};
  for (const auto& pipeline : fixed) check(*pipeline, bytes);
  try {
    check(Pipeline(locus::read_pipeline(std::string(bytes), "fuzz")), bytes);
  } catch (const locus::Error&) {
  }
  return 0;
}
