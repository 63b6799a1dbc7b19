// The pipelines of Hugging Face, as InferenceClient calls them: {"inputs", "parameters"} at / and
// /models/NAME. The head of the folder decides which pipeline it is.
#include "locus/serve/handlers.h"
#include "locus/serve/pipelines.h"
#include "locus/serve/refused.h"

namespace locus::serve {

std::vector<std::string> pipeline_texts(const Call& call, Fields& fields) {
  std::vector<std::string> texts = fields.one_or_more("inputs");
  check_count(call, "inputs", texts.size());
  return texts;
}

HttpAnswer pipeline_answer(bool single, const std::vector<std::string>& results) {
  return {.body = single ? results.front() : json::list(results)};
}

std::optional<HttpAnswer> pipeline(const Call& call) {
  const Heads& heads = call.heads;
  const json::Document body = parse_body(call.request.body);
  Fields fields(body);
  const bool is_pair = fields.member("inputs").object().has_value();
  if (is_pair && !heads.can(Task::answer) && heads.can(Task::embed)) return similarity(call);
  using Run = HttpAnswer (*)(const Call&, Fields&, Fields&);
  const Run run = heads.can(Task::classify)    ? run_text_classification
                  : heads.can(Task::tag)       ? run_token_classification
                  : heads.can(Task::fill)      ? run_fill_mask
                  : heads.can(Task::answer)    ? run_question_answering
                  : heads.can(Task::translate) ? run_translation
                  : heads.can(Task::write)     ? run_text_generation
                                               : nullptr;
  if (run == nullptr) return embed(call);
  static const json::Document none("{}", "parameters");
  Fields parameters =
      fields.find("parameters") ? fields.object("parameters") : Fields(none.object(), "parameters.");
  fields.ignore({"model", "options"});
  fields.unsupported({"stream"});
  return run(call, fields, parameters);
}

}  // namespace locus::serve
