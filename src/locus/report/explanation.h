// What separates two occurrences of a word, in a trained or an untrained model, as a page.
#pragma once

#include <string>
#include <string_view>

#include "locus/apply/text_model.h"
#include "locus/report/repeated_word.h"

namespace locus::report {

struct Explanation {
  std::string sentence;
  RepeatedWord word;
  std::string model, scheme;  // the model in words
};

// The lower-case word to explain: the given one, in upper or lower case; otherwise "it" if it is repeated, or
// the word whose occurrences are farthest apart. Throws if the sentence has no words or is not UTF-8.
std::string word_to_explain(std::string_view sentence, std::string_view given);

// A small untrained encoder or decoder: all differences come from the scheme.
Explanation explain_untrained(const std::string& sentence, const std::string& word, const std::string& scheme,
                              bool causal);
// The sentence has the special tokens of the model.
Explanation explain_trained(const TextModel& model, const std::string& sentence, const std::string& word);

std::string explanation_page(const Explanation& explained);

}  // namespace locus::report
