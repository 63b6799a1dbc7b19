// A word that occurs twice: the same token, two places. What tells the two apart, from the token table
// through the scheme to the last layer.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "locus/nn/model.h"
#include "locus/report/figure.h"
#include "locus/text/encoding.h"

namespace locus::report {

struct Twice {
  std::vector<std::string> words;  // of the sentence, one for every token
  int64_t first = 0, second = 0;   // where the word stands
  double tokens = 1;               // cosine of the two token vectors: the same row
  std::vector<double> states;      // cosines of the input vectors, then after every layer
  std::vector<Tensor> weights;     // of attention, [H, N, N] a layer
};

// Words and marks of a sentence, in small letters.
std::vector<std::string> words_of(std::string_view sentence);

// Where a word stands for the first and for the last time. Without one, the word said again after the longest
// while. None is said twice: an error.
std::pair<int64_t, int64_t> find_twice(const std::vector<std::string>& words, std::string_view word = "");

// The same in bytes of the sentence itself, for a word in small letters that stands there by itself; it may
// be several words.
std::pair<TextSpan, TextSpan> places_twice(std::string_view sentence, std::string_view word);

// Each different word another token, in the order they come: for models that know no words.
std::vector<int32_t> number_words(const std::vector<std::string>& words);

Twice look_twice(const Model& model, const std::vector<int32_t>& ids, const std::vector<std::string>& words,
                 int64_t first, int64_t second);

std::vector<std::string> in_words(const Twice& twice);  // sentences
std::vector<Figure> figures(const Twice& twice);        // cosines layer by layer; who is looked at

// Attention of one layer as heat maps, head by head.
Figure attention_figure(const Tensor& weights, const std::string& title, const std::string& caption);

}  // namespace locus::report
