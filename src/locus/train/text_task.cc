#include "locus/train/text_task.h"

#include <algorithm>

#include "locus/base/error.h"
#include "locus/base/quote.h"
#include "locus/text/open_tokens.h"
#include "locus/train/answers.h"
#include "locus/train/text_samples.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

std::string quoted(const fs::path& file) { return fmt::format("'{}'", file.string()); }

// From the labels of a file to those of the task.
std::vector<int32_t> renumbered(const TextTask& task, const std::vector<std::string>& names,
                                const fs::path& file) {
  std::vector<int32_t> numbers;
  for (const std::string& name : names) {
    const auto known = std::ranges::find(task.labels, name);
    require(known != task.labels.end(), "{}: the label {} does not occur in training", quoted(file),
            quote(name));
    numbers.push_back(static_cast<int32_t>(known - task.labels.begin()));
  }
  return numbers;
}

std::vector<Sample> labelled_samples(const TextTask& task, const fs::path& file) {
  LabelledTexts texts = read_labelled(file);
  const std::vector<int32_t> numbers = renumbered(task, texts.names, file);
  std::vector<Sample> samples;
  for (LabelledText& text : texts.examples) {
    text.label = numbers[static_cast<size_t>(text.label)];
    samples.push_back(labelled_sample(text, *task.tokenizer));
  }
  return samples;
}

std::vector<Sample> tagged_samples(const TextTask& task, const fs::path& file) {
  TaggedTexts texts = read_tagged(file);
  const std::vector<int32_t> numbers = renumbered(task, texts.names, file);
  std::vector<Sample> samples;
  for (TaggedText& text : texts.examples) {
    for (int32_t& label : text.labels) label = numbers[static_cast<size_t>(label)];
    samples.push_back(tagged_sample(text, *task.tokenizer));
  }
  return samples;
}

std::vector<Sample> read_samples(const TextTask& task, const fs::path& file) {
  std::vector<Sample> samples;
  if (task.on_pairs()) {
    for (const TextPair& pair : read_pairs(file)) samples.push_back(pair_sample(pair, *task.tokenizer));
    return samples;
  }
  switch (task.blueprint.head) {
    case HeadKind::sequence_class:
      return labelled_samples(task, file);
    case HeadKind::token_class:
      return tagged_samples(task, file);
    case HeadKind::answer:
      for (const Question& question : read_questions(file)) {
        samples.push_back(question_sample(question, *task.tokenizer, task.blueprint.segments));
      }
      return samples;
    default:
      fail(Fault::usage, "model.head: such a model has nothing to predict; expected a head that does");
  }
}

// Cut to the context, with the targets that are about what is left.
void shorten(Sample& sample, HeadKind head, size_t context) {
  if (sample.targets.size() == sample.ids.size()) sample.targets.resize(std::min(sample.ids.size(), context));
  if (head == HeadKind::answer && static_cast<size_t>(sample.targets[1]) >= context) {
    sample.targets = {0, 0};  // the answer is not in sight
  }
  for (std::vector<int32_t>* list : {&sample.ids, &sample.text, &sample.segments}) {
    list->resize(std::min(list->size(), context));
  }
}

}  // namespace

bool TextTask::on_streams() const {
  return !on_pairs() && (blueprint.head == HeadKind::next_token || blueprint.head == HeadKind::masked_token);
}

std::vector<std::string> label_names(HeadKind head, const fs::path& file) {
  if (head == HeadKind::sequence_class) return read_labelled(file).names;
  if (head == HeadKind::token_class) return read_tagged(file).names;
  return {};
}

std::unique_ptr<Samples> window_samples(const TextTask& task, std::shared_ptr<const TokenStream> stream) {
  std::optional<Masking> masking;
  if (task.blueprint.head == HeadKind::masked_token) {
    masking = {.rate = task.data.mask_rate,
               .mask = mask_token(*task.tokenizer),
               .vocabulary = task.tokenizer->size()};
    for (const auto& [name, id] : task.tokenizer->specials().ids()) masking->kept.insert(id);
  }
  return std::make_unique<WindowSamples>(std::move(stream), task.data.context, task.data.stride,
                                         std::move(masking), task.seed);
}

std::vector<Sample> example_samples(const TextTask& task, const fs::path& file) {
  std::vector<Sample> samples = read_samples(task, file);
  const auto context = static_cast<size_t>(task.data.context);
  for (size_t i = 0; i < samples.size(); ++i) {
    if (task.data.truncate) shorten(samples[i], task.blueprint.head, context);
    const size_t length = std::max(samples[i].ids.size(), samples[i].text.size());
    require(length <= context,
            "{}, line {}: {} tokens, more than data.context, {}; raise it, or set data.truncate",
            quoted(file), i + 1, length, context);
  }
  return samples;
}

std::unique_ptr<Samples> samples_of(const TextTask& task, const fs::path& file) {
  if (task.on_streams()) return window_samples(task, open_tokens(file, *task.tokenizer));
  return std::make_unique<ListedSamples>(example_samples(task, file), quoted(file));
}

}  // namespace locus
