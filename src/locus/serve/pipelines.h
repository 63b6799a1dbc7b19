// The pipelines of Hugging Face. Each gets the members of the body and those of its "parameters".
#pragma once

#include <string>
#include <vector>

#include "locus/base/json.h"
#include "locus/serve/call.h"

namespace locus::serve {

HttpAnswer run_text_classification(const Call& call, Fields& fields, Fields& parameters);  // or zero-shot
HttpAnswer run_token_classification(const Call& call, Fields& fields, Fields& parameters);
HttpAnswer run_fill_mask(const Call& call, Fields& fields, Fields& parameters);
HttpAnswer run_question_answering(const Call& call, Fields& fields, Fields& parameters);
HttpAnswer run_translation(const Call& call, Fields& fields, Fields& parameters);  // or summarization
HttpAnswer run_text_generation(const Call& call, Fields& fields, Fields& parameters);

// "inputs": a text or a list of texts.
std::vector<std::string> pipeline_texts(const Call& call, Fields& fields);
// One result for a text, a list of results for a list.
HttpAnswer pipeline_answer(bool single, const std::vector<std::string>& results);

}  // namespace locus::serve
