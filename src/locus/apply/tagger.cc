#include "locus/apply/tagger.h"

#include <algorithm>

#include "locus/nn/sampling.h"

namespace locus {
namespace {

// A token whose class is used, and the bytes of the text that get this class.
struct Unit {
  size_t index;
  int32_t token;
  TextSpan bytes;
  bool continues = false;  // the word of the unit before it
};

size_t code_points(std::string_view text) {
  std::vector<TextSpan> whole = {{0, static_cast<uint32_t>(text.size())}};
  count_in_code_points(text, whole);
  return whole[0].end;
}

// As transformers: a token of WordPiece is spelled with a prefix if it continues a word. Other vocabularies
// do not mark it, so all that is not after a space continues a word. An unknown word is a special token.
bool continues_word(const Tokenizer& tokenizer, std::string_view text, int32_t token, TextSpan bytes) {
  if (tokenizer.specials().name(token) != nullptr) return false;
  if (tokenizer.kind() == "wordpiece") {
    return code_points(tokenizer.bytes(token)) !=
           code_points(text.substr(bytes.begin, bytes.end - bytes.begin));
  }
  return bytes.begin > 0 && text.substr(bytes.begin - 1, 2).find(' ') == std::string_view::npos;
}

std::vector<Unit> tokens_of(const Tokenizer& tokenizer, std::string_view text, const Encoding& encoding) {
  std::vector<Unit> units;
  for (size_t i = 0; i < encoding.size(); ++i) {
    if (encoding.texts[i] == Encoding::kNoText) continue;
    const TextSpan bytes = encoding.offsets[i];
    units.push_back({i, encoding.ids[i], bytes, continues_word(tokenizer, text, encoding.ids[i], bytes)});
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
    if (tokens[i]) units.push_back({*tokens[i], encoding.ids[*tokens[i]], words[i]});
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

// Joins units to spans, by their scores [labels].
class Joiner {
 public:
  Joiner(const std::vector<std::string>& labels, Aggregation aggregation)
      : labels_(labels), joins_(aggregation != Aggregation::none) {}

  void add(const Unit& unit, std::span<const double> scores) {
    const auto best = std::ranges::max_element(scores);
    const std::string& label = labels_[static_cast<size_t>(best - scores.begin())];
    const Tag tag = tag_of(label);
    if (count_ == 0 || !joins_ || tag.begins || tag.name != tag_) {
      end();
      tag_ = tag.name;
      const std::string name = joins_ ? label.substr(label.find('-') + 1) : label;
      span_ = {name, 0, unit.bytes, unit.index, unit.token};
    }
    span_.score += *best;
    span_.bytes.end = unit.bytes.end;
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
  const bool joins_;
  TaggedSpan span_;
  std::string_view tag_;  // of the span's units
  size_t count_ = 0;      // of units in the span
  std::vector<TaggedSpan> spans_;
};

using Scores = std::vector<double>;

// One row for the tokens of a word, by their rows.
Scores scores_of_word(std::span<const Scores> tokens, Aggregation aggregation) {
  if (aggregation == Aggregation::max) {
    return *std::ranges::max_element(tokens, {}, [](const Scores& row) { return std::ranges::max(row); });
  }
  Scores scores = tokens.front();
  if (aggregation != Aggregation::average) return scores;
  for (size_t label = 0; label < scores.size(); ++label) {
    for (const Scores& token : tokens.subspan(1)) scores[label] += token[label];
    scores[label] /= static_cast<double>(tokens.size());
  }
  return scores;
}

// `scores` has a row for each unit.
std::vector<TaggedSpan> join(const std::vector<std::string>& labels, Aggregation aggregation,
                             std::span<const Unit> units, std::span<const Scores> scores) {
  Joiner joiner(labels, aggregation);
  const bool words = aggregation != Aggregation::none && aggregation != Aggregation::simple;
  for (size_t begin = 0, end = 0; begin < units.size(); begin = end) {
    end = begin + 1;
    while (words && end < units.size() && units[end].continues) ++end;
    Unit unit = units[begin];
    unit.bytes.end = units[end - 1].bytes.end;
    joiner.add(unit, scores_of_word(scores.subspan(begin, end - begin), aggregation));
  }
  return joiner.finish();
}

}  // namespace

Tagger::Tagger(const std::filesystem::path& folder, DType weights, Device device)
    : Tagger(TextModel(folder, weights, device)) {}
Tagger::Tagger(TextModel model) : model_(std::move(model)) {
  model_.require_head(HeadKind::token_class, "tag texts");
}

TextRows Tagger::compute(const Tokens& texts) const { return rows_of_tokens(model_(texts).value(), texts); }

std::vector<std::vector<TaggedSpan>> Tagger::tag(ListView<std::string> texts, const ReadOptions& options,
                                                 Aggregation aggregation) const {
  std::vector<std::vector<Unit>> units(texts.size());
  const std::vector<Encoding> encodings = encode_each(texts.size(), options, [&](size_t i) {
    Encoding encoding = model_.read({texts[i]}, options.truncate);
    units[i] =
        model_.hub() ? tokens_of(model_.tokenizer(), texts[i], encoding) : words_of(texts[i], encoding);
    return encoding;
  });
  std::vector<std::vector<TaggedSpan>> result(texts.size());
  const size_t count = model_.labels().size();
  read_batches(model_, encodings, options, TextPass::of<&Tagger::compute>(*this),
               [&](size_t text, std::span<const float> own) {
                 std::vector<Scores> scores;
                 for (const Unit& unit : units[text]) {
                   scores.push_back(probabilities(own.subspan(unit.index * count, count)));
                 }
                 result[text] = join(model_.labels(), aggregation, units[text], scores);
               });
  return result;
}

}  // namespace locus
