// A word that occurs twice: the same token at two positions. Measures what separates the two occurrences,
// from the token table through the scheme to the last layer.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "locus/nn/model.h"
#include "locus/report/figure.h"
#include "locus/text/encoding.h"

namespace locus::report {

struct RepeatedWord {
  std::vector<std::string> words;  // the sentence, one entry per token
  int64_t first = 0, second = 0;   // the positions of the word
  double token_cosine = 1;         // of the two token vectors: 1, they are the same row
  std::vector<double> states;      // cosines of the input vectors, then after every layer
  std::vector<Tensor> weights;     // attention weights, [H, N, N] per layer
};

// Words and punctuation of a sentence, in lower case.
std::vector<std::string> words_of(std::string_view sentence);

// The first and the last position of a word. Without a word: of the one whose occurrences are farthest apart.
// Throws if the word, or every word, occurs only once.
std::pair<int64_t, int64_t> find_repeated(const std::vector<std::string>& words, std::string_view word = "");

// The same as byte ranges of the sentence, for a lower-case word or phrase between word boundaries.
std::pair<TextSpan, TextSpan> find_repeated_spans(std::string_view sentence, std::string_view word);

// A token id for every different word, in the order of their occurrence: for models without a tokenizer.
std::vector<int32_t> number_words(const std::vector<std::string>& words);

RepeatedWord compare_occurrences(const Model& model, const std::vector<int32_t>& ids,
                                 const std::vector<std::string>& words, int64_t first, int64_t second);

std::string verdict(const RepeatedWord& word);                 // the result in one sentence
std::vector<std::string> sentences(const RepeatedWord& word);  // step by step
std::vector<Figure> figures(const RepeatedWord& word);         // cosines layer by layer, and attention

// The attention of one layer as heat maps, one per head. `words`: the tokens, at the axes; or positions.
Figure attention_figure(const Tensor& weights, const std::string& title, const std::string& caption,
                        const std::vector<std::string>& words = {});

}  // namespace locus::report
