// Pipelines that generate text.
#include "locus/serve/pipelines.h"
#include "locus/serve/refused.h"
#include "locus/serve/write_options.h"
#include "locus/text/readable.h"

namespace locus::serve {
// The answer has the member of each client: translation() and summarization() of InferenceClient.
HttpAnswer run_translation(const Call& call, Fields& fields, Fields& parameters) {
  const std::vector<std::string> texts = pipeline_texts(call, fields);
  WriteOptions options = call.heads.writer().defaults();
  options.from = parameters.text("src_lang", "");
  options.to = parameters.text("tgt_lang", "");
  const std::string truncation = parameters.text("truncation", "do_not_truncate");
  parameters.ignore({"clean_up_tokenization_spaces"});
  if (parameters.find("generate_parameters")) {
    Fields given = parameters.object("generate_parameters");
    options.max_tokens = given.integer("max_new_tokens", 1, kMostCount).value_or(0);
    options.beams = given.integer("num_beams", 1, kMostBeams).value_or(options.beams);
    given.done();
  }
  parameters.done();
  fields.done();
  const ReadOptions reading = call.reading(call.options.truncate || truncation != "do_not_truncate");
  std::vector<std::string> results;
  for (const std::string& text : call.heads.writer().write(texts, options, reading)) {
    const std::string shown = json::text(readable(text));
    results.push_back(json::object({{"translation_text", shown}, {"summary_text", shown}}));
  }
  return pipeline_answer(false, results);
}

HttpAnswer run_text_generation(const Call& call, Fields& fields, Fields& parameters) {
  const std::vector<std::string> prompts = pipeline_texts(call, fields);
  WriteOptions options = read_write_options(call, parameters);
  options.max_tokens = parameters.integer("max_new_tokens", 1, kMostCount).value_or(0);
  const bool samples = parameters.flag("do_sample", options.sampling.temperature > 0);
  if (!samples) options.sampling.temperature = 0;
  if (samples && options.sampling.temperature == 0) options.sampling.temperature = 1;
  const bool whole = parameters.flag("return_full_text", false);
  parameters.unsupported({"details", "decoder_input_details", "typical_p", "watermark", "best_of",
                          "frequency_penalty", "top_n_tokens", "grammar", "truncate", "adapter_id"});
  parameters.done();
  fields.done();
  const std::vector<std::string> texts =
      call.heads.writer().write(prompts, options, call.reading(call.options.truncate));
  std::vector<std::string> results;
  for (size_t i = 0; i < texts.size(); ++i) {
    results.push_back(
        json::object({{"generated_text", json::text(readable(whole ? prompts[i] + texts[i] : texts[i]))}}));
  }
  return pipeline_answer(false, results);
}

}  // namespace locus::serve
