#include "locus/train/task_samples.h"

#include <algorithm>

#include "locus/base/error.h"
#include "locus/base/quote.h"
#include "locus/run/task_frame.h"
#include "locus/text/open_tokens.h"
#include "locus/train/answers.h"
#include "locus/train/text_samples.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

std::string quoted(const fs::path& file) { return fmt::format("'{}'", file.string()); }

// Maps the label ids of a file to those of the task.
std::vector<int32_t> renumbered(const TextTask& task, const std::vector<std::string>& names,
                                const fs::path& file) {
  std::vector<int32_t> numbers;
  for (const std::string& name : names) {
    const auto known = std::ranges::find(task.labels, name);
    require(known != task.labels.end(), "{}: unknown label {}, expected one of the {} labels of the model",
            quoted(file), quote(name), task.labels.size());
    numbers.push_back(static_cast<int32_t>(known - task.labels.begin()));
  }
  return numbers;
}

// One sample per example; errors name the line.
template <class Example, class Make>
std::vector<Sample> samples_of(const std::vector<Example>& examples, const fs::path& file, const Make& make) {
  std::vector<Sample> samples;
  for (const Example& example : examples) {
    try {
      samples.push_back(make(example));
    } catch (const Error& error) {
      throw error.at(fmt::format("{}, line {}", quoted(file), samples.size() + 1));
    }
  }
  return samples;
}

std::vector<Sample> labeled_samples(const TextTask& task, const fs::path& file) {
  LabeledTexts texts = read_labeled(file);
  const std::vector<int32_t> numbers = renumbered(task, texts.names, file);
  for (LabeledText& text : texts.examples) text.label = numbers[static_cast<size_t>(text.label)];
  return samples_of(texts.examples, file, [&](const auto& text) { return labeled_sample(text, task); });
}

std::vector<Sample> tagged_samples(const TextTask& task, const fs::path& file) {
  TaggedTexts texts = read_tagged(file);
  const std::vector<int32_t> numbers = renumbered(task, texts.names, file);
  for (TaggedText& text : texts.examples) {
    for (int32_t& label : text.labels) label = numbers[static_cast<size_t>(label)];
  }
  return samples_of(texts.examples, file, [&](const auto& text) { return tagged_sample(text, task); });
}

std::vector<Sample> read_samples(const TextTask& task, const fs::path& file) {
  if (task.on_pairs()) {
    return samples_of(read_pairs(file), file, [&](const auto& pair) { return pair_sample(pair, task); });
  }
  switch (task.blueprint.head.kind) {
    case HeadKind::sequence_class:
      return labeled_samples(task, file);
    case HeadKind::token_class:
      return tagged_samples(task, file);
    case HeadKind::answer:
      return samples_of(read_questions(file), file,
                        [&](const auto& question) { return question_sample(question, task); });
    default:
      fail(Fault::usage,
           "model.head predicts nothing, expected a head that predicts tokens, labels or answers");
  }
}

}  // namespace

std::vector<std::string> label_names(HeadKind head, const fs::path& file) {
  if (head == HeadKind::sequence_class) return read_labeled(file).names;
  if (head == HeadKind::token_class) return read_tagged(file).names;
  return {};
}

Masking masking_of(const TextTask& task) {
  Masking masking = {.rate = task.data.mask_rate,
                     .mask = mask_token(task),
                     .vocabulary = std::min<int32_t>(task.tokenizer->size(),
                                                     static_cast<int32_t>(task.blueprint.vocabulary))};
  for (const auto& [name, id] : task.tokenizer->specials().ids()) masking.kept.insert(id);
  return masking;
}

std::unique_ptr<Samples> window_samples(const TextTask& task, std::shared_ptr<const TokenStream> stream) {
  std::optional<Masking> masking;
  if (task.blueprint.head.kind == HeadKind::masked_token) masking = masking_of(task);
  return std::make_unique<WindowSamples>(std::move(stream),
                                         WindowSamples::Options{.context = task.data.context,
                                                                .stride = task.data.stride,
                                                                .frame = window_frame_of(task),
                                                                .masking = std::move(masking),
                                                                .seed = task.seed});
}

std::vector<Sample> example_samples(const TextTask& task, const fs::path& file) {
  std::vector<Sample> samples = read_samples(task, file);
  const auto context = static_cast<size_t>(task.data.context);
  for (size_t i = 0; i < samples.size(); ++i) {
    if (task.is_encoder_decoder() && !task.on_pairs()) add_encoder_input(samples[i], task);
    const size_t length = std::max(samples[i].ids.size(), samples[i].text.size());
    require(length <= context, Code::context_too_long,
            "{}, line {}: the example has {} tokens, expected at most {}, the context of the task",
            quoted(file), i + 1, length, context);
  }
  return samples;
}

std::unique_ptr<Samples> samples_of(const TextTask& task, const fs::path& file) {
  if (task.on_streams()) return window_samples(task, open_tokens(file, *task.tokenizer));
  return std::make_unique<ListedSamples>(example_samples(task, file), quoted(file));
}

}  // namespace locus
