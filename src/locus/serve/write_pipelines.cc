// Pipelines that generate text.
#include "locus/serve/pipelines.h"
#include "locus/serve/refused.h"
#include "locus/serve/write_options.h"
#include "locus/text/readable.h"

namespace locus::serve {
namespace {

struct WritePipeline {
  PipelineInputs inputs;
  WriteOptions options;
  bool truncate = false, whole = false;
};

WritePipeline read_translation(const Call& call, Fields& fields) {
  constexpr std::string_view kTruncations[] = {"do_not_truncate", "longest_first", "only_first",
                                               "only_second"};
  WritePipeline request;
  request.inputs = read_pipeline_inputs(call, fields);
  Fields parameters = read_parameters(fields);
  WriteOptions& options = request.options = call.heads.writer().defaults();
  options.from = parameters.text("src_lang", "");
  options.to = parameters.text("tgt_lang", "");
  request.truncate = call.options.truncate ||
                     parameters.choice("truncation", kTruncations[0], kTruncations) != kTruncations[0];
  parameters.refuse_any({"clean_up_tokenization_spaces"});
  Fields given = parameters.optional_object("generate_parameters");
  options.max_tokens = given.integer("max_new_tokens", 1, kMostCount).value_or(0);
  options.beams = given.integer("num_beams", 1, kMostBeams, options.beams);
  given.done();
  parameters.done();
  return request;
}

// The answer has the member of each client: translation() and summarization() of InferenceClient.
HttpAnswer answer_translation(const Call& call, const WritePipeline& request) {
  std::vector<std::string> results;
  const ReadOptions reading = call.reading(request.truncate);
  for (const std::string& text : call.heads.writer().write(request.inputs.texts, request.options, reading)) {
    const std::string shown = json::text(readable(text));
    results.push_back(json::object({{"translation_text", shown}, {"summary_text", shown}}));
  }
  return {.body = json::list(results)};
}

std::string translation_result(const Call&) {
  return schema::list(
      schema::object({{"translation_text", schema::text()}, {"summary_text", schema::text()}}));
}

WritePipeline read_text_generation(const Call& call, Fields& fields) {
  WritePipeline request;
  request.inputs = read_pipeline_inputs(call, fields);
  request.truncate = call.options.truncate;
  Fields parameters = read_parameters(fields);
  WriteOptions& options = request.options = read_write_options(call, parameters);
  options.max_tokens = parameters.integer("max_new_tokens", 1, kMostCount).value_or(0);
  const bool samples = parameters.flag("do_sample", options.sampling.temperature > 0);
  if (!samples) options.sampling.temperature = 0;
  if (samples && options.sampling.temperature == 0) options.sampling.temperature = 1;
  request.whole = parameters.flag("return_full_text", false);
  parameters.unsupported({"details", "decoder_input_details", "typical_p", "watermark", "best_of",
                          "frequency_penalty", "top_n_tokens", "grammar", "truncate", "adapter_id"});
  parameters.done();
  return request;
}

HttpAnswer answer_text_generation(const Call& call, const WritePipeline& request) {
  const std::vector<std::string>& prompts = request.inputs.texts;
  const auto texts = call.heads.writer().write(prompts, request.options, call.reading(request.truncate));
  std::vector<std::string> results;
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::string all = request.whole ? prompts[i] + texts[i] : texts[i];
    results.push_back(json::object({{"generated_text", json::text(readable(all))}}));
  }
  return {.body = json::list(results)};
}

std::string text_generation_result(const Call&) {
  return schema::list(schema::object({{"generated_text", schema::text()}}));
}

}  // namespace

const Handler run_translation = {answer_object<read_translation, answer_translation>, translation_result,
                                 schema_of<read_translation>};
const Handler run_text_generation = {answer_object<read_text_generation, answer_text_generation>,
                                     text_generation_result, schema_of<read_text_generation>};

}  // namespace locus::serve
