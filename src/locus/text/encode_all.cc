#include "locus/text/encode_all.h"

#include "locus/base/parallel.h"

namespace locus {

std::vector<std::vector<int32_t>> encode_all(const Tokenizer& tokenizer, std::span<const std::string> texts,
                                             Specials specials) {
  constexpr int64_t kTextsOfChunk = 16;
  std::vector<std::vector<int32_t>> ids(texts.size());
  parallel_for(static_cast<int64_t>(texts.size()), kTextsOfChunk, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) ids[i] = tokenizer.encode(texts[i], specials);
  });
  return ids;
}

}  // namespace locus
