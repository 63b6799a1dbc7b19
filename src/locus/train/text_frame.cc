#include "locus/train/text_frame.h"

#include <algorithm>

#include "locus/base/error.h"

namespace locus {

Encoding TextFrame::read(const TextInput& input, const Tokenizer& tokenizer, EncodeOptions options) const {
  const auto encoded = [&] {
    return input.second ? tokenizer.encoding(input.text, *input.second, options)
                        : tokenizer.encoding(input.text, options);
  };
  options.framed = own;
  if (own) return encoded();
  require(!input.second || between, "it is a pair, but the vocabulary has no {} to stand between the texts",
          kEndToken);
  const std::optional<int32_t> behind = input.second ? between : end;
  const size_t around = (start ? 1 : 0) + (behind ? 1 : 0);
  options.longest -= std::min(options.longest, around);
  const Encoding texts = encoded();
  const auto second = static_cast<size_t>(std::ranges::find(texts.texts, int8_t{1}) - texts.texts.begin());
  Encoding framed;
  if (start) framed.push(*start, {}, 0, Encoding::kNoText);
  framed.append(texts, 0, second);
  if (behind) framed.push(*behind, {}, 0, Encoding::kNoText);
  framed.append(texts, second, texts.size());
  return framed;
}

TextFrame frame_of(const TextTask& task) {
  if (task.on_streams()) return {.own = false};
  const Tokenizer& tokenizer = *task.tokenizer;
  const bool asks = task.blueprint.head == HeadKind::answer;
  if (task.from_hub || tokenizer.frame_size(asks) > 0) return {.own = true};
  if (asks) {
    return {.own = false, .start = tokenizer.special(kStartToken), .between = tokenizer.special(kEndToken)};
  }
  if (task.on_pairs()) return {.own = false, .end = tokenizer.special(kEndToken)};
  const auto if_there = [&](const char* name) {
    const auto found = tokenizer.specials().ids().find(name);
    return found == tokenizer.specials().ids().end() ? std::optional<int32_t>() : found->second;
  };
  return {.own = false, .start = if_there(kStartToken), .between = if_there(kEndToken)};
}

int32_t end_token(const TextTask& task) {
  const Encoding nothing = frame_of(task).read({""}, task.tokenizer->targets(), {.unit = OffsetUnit::none});
  require(nothing.size() > 0, "the vocabulary puts no token behind a text, by which one would end");
  return nothing.ids.back();
}

std::vector<std::optional<size_t>> word_tokens(const Encoding& encoding, std::span<const TextSpan> words) {
  std::vector<std::optional<size_t>> tokens;
  size_t token = 0;
  for (const TextSpan& word : words) {
    // Tokens that come from no text end at 0.
    while (token < encoding.size() && encoding.offsets[token].end <= word.begin) ++token;
    const bool its = token < encoding.size() && encoding.offsets[token].begin < word.end;
    tokens.push_back(its ? std::optional(token) : std::nullopt);
  }
  return tokens;
}

}  // namespace locus
