#include "locus/train/text_samples.h"
#include "locus/run/task_frame.h"

#include "locus/base/error.h"
#include "locus/base/quote.h"
#include "locus/kernel/loss.h"
#include "locus/run/task_frame.h"

namespace locus {
namespace {

static_assert(kNoTarget ==
              kernel::kIgnoredTarget);  // text/ does not depend on kernel/ and has its own constant

Encoding framed_text(const TextInput& input, const TextTask& task) {
  const EncodeOptions options = {.unit = OffsetUnit::bytes, .longest = task.longest()};
  Encoding encoding = frame_of(task).read(input, *task.tokenizer, options);
  require(encoding.size() > 0, "text {} has no tokens, expected at least one", quote(input.text));
  return encoding;
}

int64_t room_of(int64_t context, const WindowFrame& frame) {
  require(context > frame.size(),
          "a window of {} tokens has no room for text, expected more than {}, its special tokens", context,
          frame.size());
  return context - frame.size();
}

// The decoder's input for these targets: the start token, then all targets but the last.
std::vector<int32_t> shifted_right(const std::vector<int32_t>& ids, const TextTask& task) {
  std::vector<int32_t> read = {task.start_token()};
  read.insert(read.end(), ids.begin(), ids.end() - 1);
  return read;
}

}  // namespace

StreamSlice::StreamSlice(std::shared_ptr<const TokenStream> whole, int64_t begin, int64_t end)
    : whole_(std::move(whole)), begin_(begin), end_(end) {
  require(0 <= begin && begin <= end && end <= whole_->size(),
          "{}: tokens {} to {} requested, expected a range within its {} tokens", whole_->name(), begin, end,
          whole_->size());
}

std::string StreamSlice::name() const {
  if (size() == whole_->size()) return whole_->name();
  return fmt::format("{} (tokens {} to {})", whole_->name(), begin_, end_);
}

void add_frame(Sample& sample, const WindowFrame& frame) {
  sample.ids.insert(sample.ids.begin(), frame.before.begin(), frame.before.end());
  sample.targets.insert(sample.targets.begin(), frame.before.size(), kernel::kIgnoredTarget);
  sample.ids.insert(sample.ids.end(), frame.after.begin(), frame.after.end());
  sample.targets.insert(sample.targets.end(), frame.after.size(), kernel::kIgnoredTarget);
}

WindowSamples::WindowSamples(std::shared_ptr<const TokenStream> stream, Options options)
    : options_(std::move(options)),
      windows_(std::move(stream),
               {.context = room_of(options_.context, options_.frame), .stride = options_.stride}) {}

Sample WindowSamples::at(int64_t index, int64_t epoch) const {
  WindowBatch window = windows_.batch(0, index);
  Sample sample{.ids = std::move(window.inputs), .targets = std::move(window.targets)};
  if (options_.masking) {
    const int64_t first = index * windows_.options().context;
    mask_tokens(sample.ids, sample.targets, *options_.masking, options_.seed, epoch, first);
  }
  add_frame(sample, options_.frame);
  return sample;
}

int64_t ListedSamples::length(int64_t index) const {
  const Sample& sample = samples_[static_cast<size_t>(index)];
  return static_cast<int64_t>(sample.ids.size() + sample.text.size());
}

Sample labeled_sample(const LabeledText& example, const TextTask& task) {
  Encoding encoding = framed_text({example.text, example.pair}, task);
  drop_padding(encoding, task);
  Sample sample{.ids = std::move(encoding.ids), .targets = {example.label}};
  if (task.blueprint.embedding.segments > 1) sample.segments = std::move(encoding.segments);
  return sample;
}

Sample tagged_sample(const TaggedText& example, const TextTask& task) {
  std::string text;
  std::vector<TextSpan> words;
  for (const std::string& word : example.words) {
    if (!text.empty()) text += ' ';
    const auto begin = static_cast<uint32_t>(text.size());
    text += word;
    words.push_back({begin, static_cast<uint32_t>(text.size())});
  }
  const Encoding encoding = framed_text({text}, task);
  Sample sample{.ids = encoding.ids};
  sample.targets.resize(encoding.size(), kernel::kIgnoredTarget);
  const std::vector<std::optional<size_t>> tokens = word_tokens(encoding, words);
  for (size_t word = tokens.size(); word-- > 0;) {  // backwards: the first word that begins in a token counts
    if (tokens[word]) sample.targets[*tokens[word]] = example.labels[word];
  }
  return sample;
}

Sample pair_sample(const TextPair& example, const TextTask& task) {
  const TextFrame frame = frame_of(task);
  const EncodeOptions options = {.unit = OffsetUnit::none, .longest = task.longest()};
  const Encoding target = frame.read({example.target}, task.tokenizer->targets(), options);
  require(
      target.size() > 0 && target.texts.back() == Encoding::kNoText,
      "the tokenizer adds no token after the target {}, expected one that teaches the model where to stop",
      quote(example.target));
  return {.ids = shifted_right(target.ids, task),
          .targets = target.ids,
          .text = frame.read({example.source}, *task.tokenizer, options).ids};
}

void add_encoder_input(Sample& sample, const TextTask& task) {
  sample.text = sample.ids;
  sample.ids = shifted_right(sample.text, task);
}

}  // namespace locus
