#include "locus/train/text_samples.h"

#include "locus/base/error.h"

namespace locus {

StreamPart::StreamPart(std::shared_ptr<const TokenStream> whole, int64_t begin, int64_t end)
    : whole_(std::move(whole)), begin_(begin), end_(end) {
  require(0 <= begin && begin <= end && end <= whole_->size(), "{}: tokens {} to {} of {}", whole_->name(),
          begin, end, whole_->size());
}

std::string StreamPart::name() const {
  if (size() == whole_->size()) return whole_->name();
  return fmt::format("{} (tokens {} to {} of it)", whole_->name(), begin_, end_);
}

WindowSamples::WindowSamples(std::shared_ptr<const TokenStream> stream, int64_t context, int64_t stride,
                             std::optional<Masking> masking, uint64_t seed)
    : windows_(std::move(stream), {.context = context, .stride = stride}),
      masking_(std::move(masking)),
      seed_(seed) {}

Sample WindowSamples::at(int64_t index, int64_t epoch) const {
  WindowBatch window = windows_.batch(0, index);
  Sample sample{.ids = std::move(window.inputs), .targets = std::move(window.targets)};
  if (masking_) {
    mask_tokens(sample.ids, sample.targets, *masking_, seed_, epoch, index * windows_.options().context);
  }
  return sample;
}

int64_t ListedSamples::length(int64_t index) const {
  const Sample& sample = samples_[static_cast<size_t>(index)];
  return static_cast<int64_t>(sample.ids.size() + sample.text.size());
}

Sample labelled_sample(const LabelledText& example, const Tokenizer& tokenizer) {
  Sample sample{.ids = {tokenizer.special(kStartToken)}, .targets = {example.label}};
  const std::vector<int32_t> ids = tokenizer.encode(example.text);
  sample.ids.insert(sample.ids.end(), ids.begin(), ids.end());
  return sample;
}

Sample tagged_sample(const TaggedText& example, const Tokenizer& tokenizer) {
  Sample sample{.ids = {tokenizer.special(kStartToken)}, .targets = {kernel::kIgnoredTarget}};
  for (size_t i = 0; i < example.words.size(); ++i) {
    const std::vector<int32_t> ids = tokenizer.encode((i > 0 ? " " : "") + example.words[i]);
    sample.ids.insert(sample.ids.end(), ids.begin(), ids.end());
    sample.targets.push_back(example.labels[i]);
    sample.targets.resize(sample.ids.size(), kernel::kIgnoredTarget);
  }
  return sample;
}

std::vector<int32_t> source_ids(std::string_view source, const Tokenizer& tokenizer) {
  std::vector<int32_t> ids = tokenizer.encode(source);
  ids.push_back(tokenizer.special(kEndToken));
  return ids;
}

Sample pair_sample(const TextPair& example, const Tokenizer& tokenizer) {
  Sample sample{.ids = {tokenizer.special(kStartToken)},
                .targets = tokenizer.encode(example.target),
                .text = source_ids(example.source, tokenizer)};
  sample.ids.insert(sample.ids.end(), sample.targets.begin(), sample.targets.end());
  sample.targets.push_back(tokenizer.special(kEndToken));
  return sample;
}

}  // namespace locus
