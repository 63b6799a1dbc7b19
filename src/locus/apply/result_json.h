// Results as JSON objects: what the commands print with --json, and what the server answers.
#pragma once

#include <string>
#include <vector>

#include "locus/apply/answerer.h"
#include "locus/apply/classifier.h"
#include "locus/apply/filler.h"
#include "locus/apply/span_unit.h"
#include "locus/apply/tagger.h"
#include "locus/apply/writer.h"

namespace locus {

// {"text", "text_pair", "label", "score", "scores"}
std::string classified_json(const TextInput& input, const Classification& found,
                            const std::vector<std::string>& labels);
// {"text", "masks": [{"start", "end", "choices": [{"token", "id", "score", "text"}]}]}, in characters
std::string filled_json(const std::string& text, const std::vector<FilledMask>& masks);
// {"text", "spans": [{"label", "score", "start", "end", "text"}]}
std::string tagged_json(const std::string& text, const std::vector<TaggedSpan>& spans, const SpanUnit& unit);
// {"question", "answer", "start", "end", "score"}; the answer is null if there is none
std::string answered_json(const QuestionInput& input, const FoundAnswer& found, const SpanUnit& unit);
// {"prompt", "text", "finish_reason"}
std::string generated_json(const std::string& prompt, const std::string& text, StopReason reason);
// {"text", "translation", "finish_reason"}
std::string translated_json(const std::string& text, const std::string& translation, StopReason reason);

}  // namespace locus
