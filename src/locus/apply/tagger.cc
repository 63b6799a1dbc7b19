#include "locus/apply/tagger.h"

#include <algorithm>

#include "locus/nn/sampling.h"

namespace locus {
namespace {

// A token whose class is used, and the bytes of the text that get this class.
struct Unit {
  size_t token;
  TextSpan bytes;
};

std::vector<Unit> tokens_of(const Encoding& encoding) {
  std::vector<Unit> units;
  for (size_t i = 0; i < encoding.size(); ++i) {
    if (encoding.texts[i] != Encoding::kNoText) units.push_back({i, encoding.offsets[i]});
  }
  return units;
}

// Runs are trained on words between spaces. Each word has the class of its first token.
std::vector<Unit> words_of(std::string_view text, const Encoding& encoding) {
  std::vector<TextSpan> words;
  for (size_t begin = 0, end = 0; (begin = text.find_first_not_of(' ', end)) != std::string_view::npos;) {
    end = std::min(text.find(' ', begin), text.size());
    words.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(end)});
  }
  const std::vector<std::optional<size_t>> tokens = word_tokens(encoding, words);
  std::vector<Unit> units;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i]) units.push_back({*tokens[i], words[i]});
  }
  return units;
}

struct Tag {
  bool begins = false;
  std::string_view name;
};

Tag tag_of(std::string_view label) {
  if (label.starts_with("B-")) return {true, label.substr(2)};
  if (label.starts_with("I-")) return {false, label.substr(2)};
  return {false, label};
}

// Joins units to spans, by their logits [units, labels].
class Joiner {
 public:
  explicit Joiner(const std::vector<std::string>& labels) : labels_(labels) {}

  void add(TextSpan bytes, std::span<const float> logits) {
    const std::vector<double> scores = probabilities(logits);
    const auto best = std::ranges::max_element(scores);
    const std::string_view label = labels_[static_cast<size_t>(best - scores.begin())];
    const Tag tag = tag_of(label);
    if (count_ == 0 || tag.begins || tag.name != tag_) {
      end();
      tag_ = tag.name;
      span_ = {std::string(label.substr(label.find('-') + 1)), 0, bytes};
    }
    span_.score += *best;
    span_.bytes.end = bytes.end;
    ++count_;
  }

  std::vector<TaggedSpan> finish() {
    end();
    return std::move(spans_);
  }

 private:
  void end() {
    if (count_ > 0 && span_.label != "O") {
      span_.score /= static_cast<double>(count_);
      spans_.push_back(span_);
    }
    count_ = 0;
  }

  const std::vector<std::string>& labels_;
  TaggedSpan span_;
  std::string_view tag_;  // of the span's units
  size_t count_ = 0;      // of units in the span
  std::vector<TaggedSpan> spans_;
};

}  // namespace

Tagger::Tagger(const std::filesystem::path& folder, DType weights) : Tagger(TextModel(folder, weights)) {}
Tagger::Tagger(TextModel model) : model_(std::move(model)) {
  model_.require_head(HeadKind::token_class, "tag texts");
}

TextRows Tagger::compute(const Tokens& texts) const { return rows_of_tokens(model_(texts).value(), texts); }

std::vector<std::vector<TaggedSpan>> Tagger::tag(ListView<std::string> texts,
                                                 const ReadOptions& options) const {
  std::vector<std::vector<Unit>> units(texts.size());
  const std::vector<Encoding> encodings = encode_each(texts.size(), options, [&](size_t i) {
    Encoding encoding = model_.read({texts[i]}, options.truncate);
    units[i] = model_.hub() ? tokens_of(encoding) : words_of(texts[i], encoding);
    return encoding;
  });
  std::vector<std::vector<TaggedSpan>> result(texts.size());
  const size_t count = model_.labels().size();
  read_batches(model_, encodings, options, TextPass::of<&Tagger::compute>(*this),
               [&](size_t text, std::span<const float> own) {
                 Joiner joiner(model_.labels());
                 for (const Unit& unit : units[text]) {
                   joiner.add(unit.bytes, own.subspan(unit.token * count, count));
                 }
                 result[text] = joiner.finish();
               });
  return result;
}

}  // namespace locus
