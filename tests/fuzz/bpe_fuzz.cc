// Any bytes as a text: decoding returns the same bytes, also for a text that is encoded in two parts, with
// special tokens, or with merges learned from itself.
#include <cstdlib>
#include <string>

#include "locus/text/bpe_learn.h"
#include "locus/text/word_scanner.h"

namespace {

using locus::Bpe;

Bpe learned(std::string_view text, int32_t size) {
  locus::WordCounts counts;
  counts.add(text);
  return Bpe(learn_bpe(counts, {.size = size, .specials = {"<|end|>"}}));
}

void check(const Bpe& bpe, std::string_view text) {
  const std::vector<int32_t> whole = bpe.encode(text);
  if (bpe.decode(whole) != text) std::abort();
  if (bpe.decode(bpe.encode(text, locus::Specials::are_tokens)) != text) std::abort();
  const size_t cut = locus::last_cut(text);
  std::vector<int32_t> parts = bpe.encode(text.substr(0, cut));
  for (const int32_t id : bpe.encode(text.substr(cut))) parts.push_back(id);
  if (parts != whole) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Bpe fixed =
      learned("the dog chased the ball, and the dog's ball: it's aaaaaaaa aaaa 狗狗 狗狗", 300);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(fixed, text);
  check(learned(text, 290), text);
  return 0;
}
