#include "locus/report/repeated_word.h"

#include <algorithm>
#include <cmath>

#include "locus/apply/cosine.h"
#include "locus/apply/similarity.h"
#include "locus/base/quote.h"
#include "locus/nn/generate.h"
#include "locus/nn/transformer.h"
#include "locus/text/pipeline/normalizer.h"
#include "locus/text/unicode.h"

namespace locus::report {
namespace {

constexpr double kEqual = 1e-12;  // cosines that differ from 1 by less are 1

double cosine_of_rows(const Tensor& rows, int64_t a, int64_t b) {
  const Tensor first = rows.rows(a, a + 1).on_host(), second = rows.rows(b, b + 1).on_host();
  return cosine(first.data<float>(), second.data<float>());
}

// The attention weights from the token `from` in the last layer, mean over the heads.
Series attention_from(const RepeatedWord& repeated, int64_t from, const std::string& name) {
  const Tensor& weights = repeated.weights.back();
  const int64_t H = weights.size(0), N = weights.size(2);
  Series series{name, {}, {}};
  const auto w = weights.data<float>();
  for (int64_t j = 0; j < N; ++j) {
    double sum = 0;
    for (int64_t h = 0; h < H; ++h) sum += w[(h * N + from) * N + j];
    series.x.push_back(static_cast<double>(j));
    series.y.push_back(sum / static_cast<double>(H));
  }
  return series;
}

}  // namespace

std::vector<std::string> words_of(std::string_view sentence) {
  const std::string text = lowered(sentence);
  std::vector<std::string> words;
  bool open = false;
  for (size_t i = 0; i < text.size();) {
    const Character character = character_at(text, i);
    const bool letter = in_word(character);
    if (letter && open) {
      words.back().append(text, i, character.length);
    } else if (class_of(character) != CharacterClass::space) {
      words.push_back(text.substr(i, character.length));
    }
    open = letter;
    i += character.length;
  }
  return words;
}

std::pair<int64_t, int64_t> find_repeated(const std::vector<std::string>& words, std::string_view word) {
  std::pair<int64_t, int64_t> found = {0, 0};
  for (size_t i = 0; i < words.size(); ++i) {
    // Punctuation does not count as a repeated word.
    if (word.empty() ? !in_word(character_at(words[i], 0)) : words[i] != word) continue;
    const auto last = std::find(words.rbegin(), words.rend(), words[i]).base() - words.begin() - 1;
    const auto here = static_cast<int64_t>(i);
    if (last - here > found.second - found.first) found = {here, last};
  }
  require(found.second > found.first, "no repeated word in the sentence, expected {} at least twice",
          word.empty() ? "any word" : fmt::format("{}", quote(word)));
  return found;
}

std::pair<TextSpan, TextSpan> find_repeated_spans(std::string_view sentence, std::string_view word) {
  AlignedText small(sentence, 0, sentence.size());
  lower(small);
  const std::string_view text = small.text();
  std::vector<TextSpan> places;
  for (size_t i = 0; !word.empty() && (i = text.find(word, i)) != std::string_view::npos; ++i) {
    const size_t end = i + word.size();
    if (i > 0 && in_word(character_before(text, i))) continue;
    if (end < text.size() && in_word(character_at(text, end))) continue;
    places.push_back(small.source(i, end));
  }
  require(places.size() > 1, "no repeated word in the sentence, expected {} at least twice", quote(word));
  return {places.front(), places.back()};
}

std::vector<int32_t> number_words(const std::vector<std::string>& words) {
  std::vector<int32_t> ids;
  for (size_t i = 0; i < words.size(); ++i) {
    const auto before =
        std::find(words.begin(), words.begin() + static_cast<int64_t>(i), words[i]) - words.begin();
    ids.push_back(before < static_cast<int64_t>(i) ? ids[static_cast<size_t>(before)]
                                                   : 1 + (ids.empty() ? 0 : std::ranges::max(ids)));
  }
  return ids;
}

RepeatedWord compare_occurrences(const Model& model, const std::vector<int32_t>& ids,
                                 const std::vector<std::string>& words, int64_t first, int64_t second) {
  const auto size = static_cast<int64_t>(ids.size());
  require(words.size() == ids.size() && first >= 0 && second < size && first < second,
          "bad positions of a repeated word: got {} and {}, expected two of {} tokens", first, second, size);
  require(ids[first] == ids[second],
          "different tokens at positions {} and {}: got {} and {}, expected the same token", first, second,
          ids[first], ids[second]);
  const NoGrad scope;
  Trace trace;
  ForwardPass pass;
  pass.trace = &trace;
  model.hidden(tokens_of({ids}, model.blueprint()), pass);
  const Tensor& table = model.transformer().tokens().value();
  RepeatedWord repeated{words, first, second, 1, {}, trace.weights};
  repeated.token_cosine = cosine_of_rows(table, ids[first], ids[second]);
  for (const Tensor& states : trace.states) repeated.states.push_back(cosine_of_rows(states, first, second));
  require(std::ranges::all_of(repeated.states, [](double cosine) { return std::isfinite(cosine); }),
          "the model computes NaN or infinity for this sentence, expected finite numbers; its weights may be "
          "damaged");
  return repeated;
}

std::string verdict(const RepeatedWord& repeated) {
  constexpr double kRounding = 1e-6;
  const std::string& word = repeated.words[static_cast<size_t>(repeated.first)];
  if (repeated.states.back() > 1 - kRounding) {
    return fmt::format(
        "The model cannot distinguish the two '{}': their vectors are equal after the last layer.", word);
  }
  return fmt::format(
      "The two '{}' have the same token vector. {}; after the last layer their cosine is {:.3f}.", word,
      repeated.states.front() < 1 - kEqual
          ? fmt::format("With their position vectors, the cosine is {:.3f} at the input",
                        repeated.states.front())
          : "The scheme acts in attention",
      repeated.states.back());
}

std::vector<std::string> sentences(const RepeatedWord& repeated) {
  const std::string& word = repeated.words[static_cast<size_t>(repeated.first)];
  return {
      fmt::format("'{}' is at positions {} and {}. Both have the same row of the token table: cosine {:.3f}.",
                  word, repeated.first, repeated.second, repeated.token_cosine),
      repeated.states.front() < 1 - kEqual
          ? fmt::format("The scheme adds a position vector: the two input vectors have cosine {:.3f}.",
                        repeated.states.front())
          : "The scheme adds nothing to the input: the two input vectors are equal, cosine 1.000.",
      fmt::format("After the last layer their contextual vectors have cosine {:.3f}.",
                  repeated.states.back())};
}

Figure attention_figure(const Tensor& weights, const std::string& title, const std::string& caption,
                        const std::vector<std::string>& words) {
  Figure figure{
      .name = "attention", .title = title, .caption = caption, .charts = {}, .maps = {}, .colors = "weight"};
  const int64_t H = weights.size(0), N = weights.size(1), keys = weights.size(2);
  const auto w = weights.data<float>();
  for (int64_t h = 0; h < H; ++h) {
    HeatMap map{.title = fmt::format("head {}", h + 1),
                .x_label = words.empty() ? "key position" : "key",
                .y_label = words.empty() ? "query position" : "query",
                .words = words};
    for (int64_t j = 0; j < keys; ++j) map.x.push_back(static_cast<double>(j));
    for (int64_t i = 0; i < N; ++i) map.y.push_back(static_cast<double>(i));
    for (int64_t i = 0; i < N * keys; ++i) map.values.push_back(w[h * N * keys + i]);
    figure.maps.push_back(std::move(map));
  }
  share_colors(figure.maps);
  return figure;
}

std::vector<Figure> figures(const RepeatedWord& repeated) {
  const std::string& word = repeated.words[static_cast<size_t>(repeated.first)];
  Series layers{"", {}, repeated.states};
  for (size_t i = 0; i < repeated.states.size(); ++i) layers.x.push_back(static_cast<double>(i));
  // No cosine is above 1; if all are 1 the line is at the top.
  const double least = std::ranges::min(repeated.states), step = 0.1;
  LineChart cosines{.x_label = "layer (0: the input)",
                    .y_label = "cosine",
                    .series = {std::move(layers)},
                    .y_range = std::pair(std::min(std::floor(least / step) * step, 0.9), 1.0)};
  LineChart attention{.x_label = "key", .y_label = "weight, mean of heads", .x_words = repeated.words};
  for (const int64_t from : {repeated.first, repeated.second}) {
    attention.series.push_back(attention_from(repeated, from, fmt::format("from position {}", from)));
  }
  return {
      {.name = "cosines",
       .title = fmt::format("Similarity of the two '{}'", word),
       .caption = "Cosine of the two vectors at the input and after every layer; 1 is equal.",
       .charts = {std::move(cosines)}},
      {.name = "attention_weights",
       .title = fmt::format("Attention of the two '{}'", word),
       .caption = "Weights of the last layer from both positions. If one line is visible, both are equal.",
       .charts = {std::move(attention)}}};
}

}  // namespace locus::report
