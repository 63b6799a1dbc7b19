#include "locus/text/batch.h"

#include "locus/base/parallel.h"

namespace locus {
namespace {

template <class Result, class F>
std::vector<Result> of_each(std::span<const std::string> texts, F&& f) {
  constexpr int64_t kTextsOfChunk = 16;
  std::vector<Result> results(texts.size());
  parallel_for(static_cast<int64_t>(texts.size()), kTextsOfChunk, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) results[i] = f(texts[i]);
  });
  return results;
}

}  // namespace

std::vector<std::vector<int32_t>> encode_all(const Tokenizer& tokenizer, std::span<const std::string> texts,
                                             Specials specials) {
  return of_each<std::vector<int32_t>>(
      texts, [&](const std::string& text) { return tokenizer.encode(text, specials); });
}

std::vector<Encoding> encodings_of(const Tokenizer& tokenizer, std::span<const std::string> texts,
                                   const EncodeOptions& options) {
  return of_each<Encoding>(texts, [&](const std::string& text) { return tokenizer.encoding(text, options); });
}

}  // namespace locus
