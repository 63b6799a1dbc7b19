#include "locus/run/task_frame.h"

#include <algorithm>

#include "locus/base/error.h"

namespace locus {
namespace {

TextFrame frame_tokens_of(const TextTask& task) {
  const Tokenizer& tokenizer = *task.tokenizer;
  const bool question = task.blueprint.head.kind == HeadKind::answer;
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

int32_t mask_token(const TextTask& task) {
  const Tokenizer& tokenizer = *task.tokenizer;
  if (!task.data.mask_token.empty()) return tokenizer.special(task.data.mask_token);
  const auto& specials = tokenizer.specials().ids();
  const auto found = specials.find("[MASK]");
  return found != specials.end() ? found->second : tokenizer.special(kMaskToken);
}

void drop_padding(Encoding& encoding, const TextTask& task) {
  const Blueprint& b = task.blueprint;
  if (b.kind != ModelKind::decoder || b.head.kind != HeadKind::sequence_class ||
      b.head.pooling != Pooling::last)
    return;
  size_t size = encoding.size();
  while (size > 1 && encoding.ids[size - 1] == task.data.padding_token) --size;
  encoding.resize(size);
}

}  // namespace locus
