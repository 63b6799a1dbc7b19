#include "locus/train/text_samples.h"

#include "locus/base/error.h"
#include "locus/base/quote.h"

namespace locus {
namespace {

Encoding framed_text(std::string_view text, const Tokenizer& tokenizer) {
  Encoding encoding = tokenizer.encoding(text, {.unit = OffsetUnit::bytes});
  if (tokenizer.frame_size(false) == 0 && tokenizer.specials().ids().contains(kStartToken)) {
    Encoding started;
    started.push(tokenizer.special(kStartToken), {}, 0, Encoding::kNoText);
    for (size_t i = 0; i < encoding.size(); ++i) {
      started.push(encoding.ids[i], encoding.offsets[i], encoding.segments[i], encoding.texts[i]);
    }
    encoding = std::move(started);
  }
  require(encoding.size() > 0, "the text {} has no tokens", quote(text));
  return encoding;
}

}  // namespace

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

int32_t mask_token(const Tokenizer& tokenizer) {
  const auto& specials = tokenizer.specials().ids();
  const auto found = specials.find("[MASK]");
  return found != specials.end() ? found->second : tokenizer.special(kMaskToken);
}

Sample labelled_sample(const LabelledText& example, const Tokenizer& tokenizer) {
  return {.ids = framed_text(example.text, tokenizer).ids, .targets = {example.label}};
}

Sample tagged_sample(const TaggedText& example, const Tokenizer& tokenizer) {
  std::string text;
  std::vector<size_t> begins;
  for (const std::string& word : example.words) {
    if (!text.empty()) text += ' ';
    begins.push_back(text.size());
    text += word;
  }
  const Encoding encoding = framed_text(text, tokenizer);
  Sample sample{.ids = encoding.ids};
  sample.targets.resize(encoding.size(), kernel::kIgnoredTarget);
  size_t word = 0;
  for (size_t i = 0; i < encoding.size(); ++i) {
    if (encoding.texts[i] == Encoding::kNoText) continue;
    const auto begun = [&] { return word < begins.size() && begins[word] < encoding.offsets[i].end; };
    if (begun()) sample.targets[i] = example.labels[word];
    while (begun()) ++word;
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
