// Pipelines of classifiers: text classification and zero-shot classification.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "locus/apply/zero_shot.h"
#include "locus/nn/sampling.h"
#include "locus/serve/pipelines.h"

namespace locus::serve {
namespace {

std::string ranked_json(const std::vector<std::string>& labels, const std::vector<double>& scores,
                        size_t top) {
  std::vector<size_t> order(labels.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](size_t i) { return scores[i]; });
  order.resize(std::min(top, order.size()));
  std::vector<std::string> items;
  for (const size_t i : order) {
    items.push_back(json::object({{"label", json::text(labels[i])}, {"score", json::number(scores[i])}}));
  }
  return json::list(items);
}

std::string ranked_schema() {
  return schema::list(schema::object({{"label", schema::text()}, {"score", schema::number()}}));
}

struct ClassifyPipeline {
  PipelineInputs inputs;
  size_t top = 0;
  std::string function;  // of the logits; empty: that of the folder
};

ClassifyPipeline read_text_classification(const Call& call, Fields& fields) {
  constexpr std::string_view kFunctions[] = {"softmax", "sigmoid", "none"};
  ClassifyPipeline request;
  request.inputs = read_pipeline_inputs(call, fields);
  Fields parameters = read_parameters(fields);
  request.top = static_cast<size_t>(parameters.integer("top_k", 1, kMostCount).value_or(kMostCount));
  request.function = parameters.optional_choice("function_to_apply", kFunctions);
  parameters.done();
  return request;
}

std::vector<double> applied(const std::string& function, const std::vector<float>& logits) {
  if (function == "softmax") return probabilities(logits);
  std::vector<double> scores(logits.begin(), logits.end());
  if (function == "none") return scores;
  for (double& score : scores) score = 1 / (1 + std::exp(-score));
  return scores;
}

HttpAnswer answer_text_classification(const Call& call, const ClassifyPipeline& request) {
  const Classifier& classifier = call.heads.classifier();
  const ReadOptions reading = call.reading(call.options.truncate);
  std::vector<TextInput> inputs;
  for (const std::string& text : request.inputs.texts) inputs.push_back({text});
  std::vector<std::string> results;
  const auto add = [&](const std::vector<double>& scores) {
    results.push_back(ranked_json(classifier.labels(), scores, request.top));
  };
  if (request.function.empty()) {
    for (const Classification& found : classifier.classify(inputs, reading)) add(found.scores);
  } else {
    for (const auto& logits : classifier.logits(inputs, reading)) add(applied(request.function, logits));
  }
  return {.body = json::list(results)};  // InferenceClient reads the first of a list
}

struct ZeroShotPipeline {
  PipelineInputs inputs;
  std::vector<std::string> labels;
  std::string hypothesis;
  bool multi = false;
};

ZeroShotPipeline read_zero_shot(const Call& call, Fields& fields) {
  ZeroShotPipeline request;
  request.inputs = read_pipeline_inputs(call, fields);
  fields.ignore({"model", "options"});
  fields.unsupported({"stream"});
  Fields parameters = fields.object("parameters");
  request.labels = parameters.one_or_more("candidate_labels", call.options.max_inputs);
  request.hypothesis = parameters.text("hypothesis_template", ZeroShot::kHypothesis);
  request.multi = parameters.flag("multi_label", false);
  parameters.done();
  return request;
}

// Separate scores of the labels if a text may have several labels, else a softmax over the labels.
HttpAnswer answer_zero_shot(const Call& call, const ZeroShotPipeline& request) {
  const std::vector<std::string>& texts = request.inputs.texts;
  std::vector<std::vector<double>> scores(texts.size());
  const auto classify = [&](const std::vector<std::string>& some) {
    const ReadOptions reading = call.reading(call.options.truncate);
    const auto found = ZeroShot(call.heads.classifier(), some, request.hypothesis).classify(texts, reading);
    for (size_t i = 0; i < texts.size(); ++i) {
      scores[i].insert(scores[i].end(), found[i].scores.begin(), found[i].scores.end());
    }
  };
  if (request.multi) {
    for (const std::string& label : request.labels) classify({label});
  } else {
    classify(request.labels);
  }
  std::vector<std::string> results;
  for (const std::vector<double>& own : scores) {
    results.push_back(ranked_json(request.labels, own, request.labels.size()));
  }
  return pipeline_answer(request.inputs, results);
}

}  // namespace

const Handler run_text_classification = {answer_object<read_text_classification, answer_text_classification>,
                                         [](const Call&) { return schema::list(ranked_schema()); },
                                         schema_of<read_text_classification>};
const Handler run_zero_shot = {answer_object<read_zero_shot, answer_zero_shot>,
                               [](const Call&) { return pipeline_result(ranked_schema()); },
                               schema_of<read_zero_shot>};

}  // namespace locus::serve
