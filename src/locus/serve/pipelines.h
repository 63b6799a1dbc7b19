// The pipelines of Hugging Face, which read {"inputs", "parameters"}.
#pragma once

#include <string>
#include <vector>

#include "locus/base/json.h"
#include "locus/serve/call.h"

namespace locus::serve {

// One handler per pipeline.
extern const Handler run_text_classification, run_zero_shot;                           // class_pipelines.cc
extern const Handler run_token_classification, run_fill_mask, run_question_answering;  // span_pipelines.cc
extern const Handler run_translation, run_text_generation;  // write_pipelines.cc; or summarization

struct PipelineInputs {
  std::vector<std::string> texts;
  bool single = false;  // a text that is not in a list
};

// "inputs": a text or a list of texts.
PipelineInputs read_pipeline_inputs(const Call& call, Fields& fields);
// "parameters", and the other members beside "inputs".
Fields read_parameters(Fields& fields);
// One result for a text, a list of results for a list.
HttpAnswer pipeline_answer(const PipelineInputs& inputs, const std::vector<std::string>& results);
std::string pipeline_result(const std::string& result);  // its schema

}  // namespace locus::serve
