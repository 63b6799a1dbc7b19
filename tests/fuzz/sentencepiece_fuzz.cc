// Any bytes as a SentencePiece model with a fixed vocab.json: refused with an Error, or it encodes its own
// bytes. A piece for the unknown is there already, so that the fuzzer can spend its time on the others.
#include "locus/base/error.h"
#include "locus/text/pipeline/marian.h"
#include "tests/fuzz/encoded.h"

namespace {

constexpr const char* kVocabulary = R"({"</s>": 0, "<unk>": 1, "▁a": 2, "a": 3, "b": 4, "▁": 5, ">>x<<": 6})";

void check(const std::string& spm) {
  try {
    check_encoding(locus::Pipeline(locus::read_marian({spm, "spm", kVocabulary, "vocabulary"})), spm);
  } catch (const locus::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  check(bytes);
  check(std::string("\x0a\x09\x0a\x05<unk>\x18\x02", 11) + bytes);
  return 0;
}
