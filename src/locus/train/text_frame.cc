#include "locus/train/text_frame.h"

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

namespace {

TextFrame frame_tokens_of(const TextTask& task) {
  const Tokenizer& tokenizer = *task.tokenizer;
  const bool question = task.blueprint.head == HeadKind::answer;
  if (task.data.framing == Framing::tokenizer || tokenizer.frame_size(question) > 0) {
    return {.from_tokenizer = true};
  }
  if (task.on_streams()) return {.from_tokenizer = false};
  if (question) {
    return {.from_tokenizer = false,
            .start = tokenizer.special(kStartToken),
            .between = tokenizer.special(kEndToken)};
  }
  if (task.on_pairs()) return {.from_tokenizer = false, .end = tokenizer.special(kEndToken)};
  const auto optional_token = [&](const char* name) {
    const auto found = tokenizer.specials().ids().find(name);
    return found == tokenizer.specials().ids().end() ? std::optional<int32_t>() : found->second;
  };
  return {
      .from_tokenizer = false, .start = optional_token(kStartToken), .between = optional_token(kEndToken)};
}

}  // namespace

TextFrame frame_of(const TextTask& task) {
  TextFrame frame = frame_tokens_of(task);
  frame.pair_segments = task.data.pair_segments;
  return frame;
}

WindowFrame window_frame_of(const TextTask& task) {
  WindowFrame frame;
  if (!task.tokenizer) return frame;  // token ids without a text
  const TextFrame text_frame = frame_of(task);
  if (!text_frame.from_tokenizer) return frame;
  const Encoding framed = text_frame.read({"a"}, *task.tokenizer, {.unit = OffsetUnit::none});
  const auto first = std::ranges::find_if(framed.texts, [](int8_t text) { return text == 0; });
  const auto begin = static_cast<size_t>(first - framed.texts.begin());
  for (size_t i = 0; i < framed.size(); ++i) {
    if (framed.texts[i] != Encoding::kNoText) continue;
    if (i < begin) {
      frame.before.push_back(framed.ids[i]);
    } else if (task.blueprint.kind == ModelKind::encoder) {
      frame.after.push_back(framed.ids[i]);
    }
  }
  return frame;
}

int32_t end_token(const TextTask& task) {
  const Encoding nothing = frame_of(task).read({""}, task.tokenizer->targets(), {.unit = OffsetUnit::none});
  require(nothing.size() > 0,
          "the tokenizer adds no token after a text, expected one that ends the output of a decoder");
  return nothing.ids.back();
}

std::vector<int32_t> end_tokens(const TextTask& task) {
  if (task.on_pairs()) return {end_token(task)};
  std::vector<int32_t> ends;
  for (const auto& [name, id] : task.tokenizer->specials().ids()) {
    if (name == kEndToken || name == "<|endoftext|>") ends.push_back(id);
  }
  return ends;
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
