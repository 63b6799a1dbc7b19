// Any bytes as a SentencePiece model, with a fixed vocab.json (Marian) and with each class that uses the
// model alone: throws an Error, or encodes its own bytes. The unknown piece always exists, so that the fuzzer
// can explore the others.
// Seeds: *.model
#include "locus/base/error.h"
#include "locus/text/pipeline/marian.h"
#include "locus/text/pipeline/piece_class.h"
#include "tests/fuzz/encoded.h"

namespace {

constexpr const char* kVocabulary = R"({"</s>": 0, "<unk>": 1, "▁a": 2, "a": 3, "b": 4, "▁": 5, ">>x<<": 6})";

template <class F>
void check(const std::string& spm, F&& read) {
  try {
    check_encoding(locus::Pipeline(read()), spm);
  } catch (const locus::Error&) {
  }
}

void check_all(const std::string& spm) {
  check(spm, [&] { return locus::read_marian({spm, "spm", kVocabulary, "vocabulary"}); });
  for (const locus::PieceClass& type : locus::piece_classes()) {
    const locus::FolderTokens tokens("/proc/self/no-folder", type.roles);
    check(spm, [&] { return locus::read_pieces(spm, "spm", type, tokens); });
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  check_all(bytes);
  check_all(std::string("\x0a\x09\x0a\x05<unk>\x18\x02", 11) + bytes);
  return 0;
}
