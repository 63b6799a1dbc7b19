// The pipelines of Hugging Face, as InferenceClient calls them: {"inputs", "parameters"} at / and
// /models/NAME. The head of the folder decides which pipeline it is.
#include "locus/serve/handlers.h"
#include "locus/serve/pipelines.h"
#include "locus/serve/refused.h"

namespace locus::serve {

PipelineInputs read_pipeline_inputs(const Call& call, Fields& fields) {
  PipelineInputs inputs;
  inputs.texts = fields.one_or_more("inputs", call.options.max_inputs);
  const auto value = fields.find("inputs", "");
  inputs.single = value && value->is_text();
  return inputs;
}

Fields read_parameters(Fields& fields) {
  fields.ignore({"model", "options"});
  fields.unsupported({"stream"});
  return fields.optional_object("parameters");
}

HttpAnswer pipeline_answer(const PipelineInputs& inputs, const std::vector<std::string>& results) {
  return {.body = inputs.single ? results.front() : json::list(results)};
}

std::string pipeline_result(const std::string& result) {
  return schema::any_of({result, schema::list(result)});
}

namespace {

// What the folder does: one pipeline, or the second one if the body has a certain member.
struct Choice {
  const Handler& first;
  const Handler* second = nullptr;
};

Choice pipeline_of(const Heads& heads) {
  if (heads.can(Task::classify)) return {run_text_classification, &run_zero_shot};
  if (heads.can(Task::tag)) return {run_token_classification};
  if (heads.can(Task::fill)) return {run_fill_mask};
  if (heads.can(Task::answer)) return {run_question_answering};
  if (heads.can(Task::translate)) return {run_translation};
  if (heads.can(Task::write)) return {run_text_generation};
  return {handlers::embed, &handlers::similarity};
}

bool is_second(const Call& call) {
  const json::Document body = parse_body(call.request.body);
  const auto find_object = [&](std::string_view name) {
    const auto value = body.object().find(name);
    return value ? value->object() : std::nullopt;
  };
  if (!call.heads.can(Task::classify)) return find_object("inputs").has_value();
  const auto parameters = find_object("parameters");
  const auto labels = parameters ? parameters->find("candidate_labels") : std::nullopt;
  return labels && !labels->is_null();
}

std::optional<HttpAnswer> answer_pipeline(const Call& call) {
  const Choice choice = pipeline_of(call.heads);
  const bool second = choice.second != nullptr && is_second(call);
  return (second ? *choice.second : choice.first).answer(call);
}

template <auto kSchema>
std::string pipeline_schema(const Call& call) {
  const Choice choice = pipeline_of(call.heads);
  const std::string first = (choice.first.*kSchema)(call);
  return choice.second == nullptr ? first : schema::any_of({first, (choice.second->*kSchema)(call)});
}

}  // namespace

const Handler handlers::pipeline = {answer_pipeline, pipeline_schema<&Handler::result>,
                                    pipeline_schema<&Handler::body>};

}  // namespace locus::serve
