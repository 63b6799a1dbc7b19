#include "locus/text/text_frame.h"

#include <algorithm>

#include "locus/base/error.h"

namespace locus {

Encoding TextFrame::read(const TextInput& input, const Tokenizer& tokenizer, EncodeOptions options) const {
  const auto encoded = [&] {
    Encoding texts = input.second ? tokenizer.encoding(input.text, *input.second, options)
                                  : tokenizer.encoding(input.text, options);
    if (!pair_segments) std::ranges::fill(texts.segments, 0);
    return texts;
  };
  options.framed = from_tokenizer;
  if (from_tokenizer) return encoded();
  require(!input.second || between, "got a pair of texts, but the tokenizer has no token {} to separate them",
          kEndToken);
  const std::optional<int32_t> after = input.second ? between : end;
  const size_t around = (start ? 1 : 0) + (after ? 1 : 0);
  options.longest -= std::min(options.longest, around);
  const Encoding texts = encoded();
  const auto second = static_cast<size_t>(std::ranges::find(texts.texts, int8_t{1}) - texts.texts.begin());
  Encoding framed;
  if (start) framed.push(*start, {}, 0, Encoding::kNoText);
  framed.append(texts, 0, second);
  if (after) framed.push(*after, {}, 0, Encoding::kNoText);
  framed.append(texts, second, texts.size());
  return framed;
}

std::vector<std::optional<size_t>> word_tokens(const Encoding& encoding, std::span<const TextSpan> words) {
  std::vector<std::optional<size_t>> tokens;
  size_t token = 0;
  for (const TextSpan& word : words) {
    // Special tokens have the offsets [0, 0).
    while (token < encoding.size() && encoding.offsets[token].end <= word.begin) ++token;
    const bool its = token < encoding.size() && encoding.offsets[token].begin < word.end;
    tokens.push_back(its ? std::optional(token) : std::nullopt);
  }
  return tokens;
}

}  // namespace locus
