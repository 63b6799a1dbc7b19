#include "locus/report/twice.h"

#include <algorithm>
#include <cmath>

#include "locus/apply/similarity.h"
#include "locus/nn/generate.h"
#include "locus/text/pipeline/normalizer.h"
#include "locus/text/unicode.h"

namespace locus::report {
namespace {

double cosine_of_rows(const Tensor& rows, int64_t a, int64_t b) {
  return cosine(rows.rows(a, a + 1).data<float>(), rows.rows(b, b + 1).data<float>());
}

// The mean over heads of what token `from` gives to each token, in the last layer.
Series looks_from(const Twice& twice, int64_t from, const std::string& name) {
  const Tensor& weights = twice.weights.back();
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

std::pair<int64_t, int64_t> find_twice(const std::vector<std::string>& words, std::string_view word) {
  std::pair<int64_t, int64_t> found = {0, 0};
  for (size_t i = 0; i < words.size(); ++i) {
    // A comma said twice is nothing to look at.
    if (word.empty() ? !in_word(character_at(words[i], 0)) : words[i] != word) continue;
    const auto last = std::find(words.rbegin(), words.rend(), words[i]).base() - words.begin() - 1;
    const auto here = static_cast<int64_t>(i);
    if (last - here > found.second - found.first) found = {here, last};
  }
  require(found.second > found.first, "explain: {} said twice in the sentence",
          word.empty() ? "no word is" : fmt::format("'{}' is not", word));
  return found;
}

std::pair<TextSpan, TextSpan> places_twice(std::string_view sentence, std::string_view word) {
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
  require(places.size() > 1, "explain: '{}' is not said twice in the sentence", word);
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

Twice look_twice(const Model& model, const std::vector<int32_t>& ids, const std::vector<std::string>& words,
                 int64_t first, int64_t second) {
  const auto size = static_cast<int64_t>(ids.size());
  require(words.size() == ids.size() && first >= 0 && second < size && first < second,
          "explain: tokens {} and {} of {}", first, second, size);
  require(ids[first] == ids[second], "explain: tokens {} and {} are not the same", first, second);
  const NoGrad scope;
  Trace trace;
  ForwardPass pass;
  pass.trace = &trace;
  model.transformer()(tokens_of({ids}, model.blueprint()), pass);
  const Tensor& table = model.transformer().tokens().value();
  Twice twice{words, first, second, 1, {}, trace.weights};
  twice.tokens = cosine(table.rows(ids[first], ids[first] + 1).data<float>(),
                        table.rows(ids[second], ids[second] + 1).data<float>());
  for (const Tensor& states : trace.states) twice.states.push_back(cosine_of_rows(states, first, second));
  return twice;
}

std::vector<std::string> in_words(const Twice& twice) {
  const std::string& word = twice.words[static_cast<size_t>(twice.first)];
  std::vector<std::string> sentences = {fmt::format(
      "'{}' stands at positions {} and {}. The two token vectors are one row of the table: cosine {:.3f}.",
      word, twice.first, twice.second, twice.tokens)};
  sentences.push_back(
      twice.states.front() < 1 - 1e-12
          ? fmt::format("The scheme adds a part for the position: the two input vectors have cosine {:.3f}.",
                        twice.states.front())
          : "The scheme adds nothing to the input: the two input vectors are equal, cosine 1.000.");
  sentences.push_back(
      fmt::format("After the last layer their contextual vectors have cosine {:.3f}.", twice.states.back()));
  return sentences;
}

Figure attention_figure(const Tensor& weights, const std::string& title, const std::string& caption) {
  Figure figure{
      .name = "attention", .title = title, .caption = caption, .charts = {}, .maps = {}, .colours = "weight"};
  const int64_t H = weights.size(0), N = weights.size(1), keys = weights.size(2);
  const auto w = weights.data<float>();
  for (int64_t h = 0; h < H; ++h) {
    HeatMap map{
        .title = fmt::format("head {}", h + 1), .x_label = "position looked at", .y_label = "position"};
    for (int64_t j = 0; j < keys; ++j) map.x.push_back(static_cast<double>(j));
    for (int64_t i = 0; i < N; ++i) map.y.push_back(static_cast<double>(i));
    for (int64_t i = 0; i < N * keys; ++i) map.values.push_back(w[h * N * keys + i]);
    figure.maps.push_back(std::move(map));
  }
  share_colours(figure.maps);
  return figure;
}

std::vector<Figure> figures(const Twice& twice) {
  const std::string& word = twice.words[static_cast<size_t>(twice.first)];
  Series layers{"", {}, twice.states};
  for (size_t i = 0; i < twice.states.size(); ++i) layers.x.push_back(static_cast<double>(i));
  // No cosine is above 1, and where all are 1 the line stands at the top.
  const double least = std::ranges::min(twice.states), step = 0.1;
  LineChart cosines{.x_label = "layer (0: the input)",
                    .y_label = "cosine",
                    .series = {std::move(layers)},
                    .y_range = std::pair(std::min(std::floor(least / step) * step, 0.9), 1.0)};
  LineChart looks{.x_label = "position looked at", .y_label = "weight, mean of heads"};
  looks.series.push_back(looks_from(twice, twice.first, fmt::format("from position {}", twice.first)));
  looks.series.push_back(looks_from(twice, twice.second, fmt::format("from position {}", twice.second)));
  return {
      {.name = "cosines",
       .title = fmt::format("How alike the two '{}' are", word),
       .caption = "Cosine of the two vectors at the input and after every layer; 1 is equal.",
       .charts = {std::move(cosines)}},
      {.name = "looks",
       .title = fmt::format("Where the two '{}' look", word),
       .caption = "Attention of the last layer from both places; where one line is seen, both look alike.",
       .charts = {std::move(looks)}}};
}

}  // namespace locus::report
