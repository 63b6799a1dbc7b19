// Pipelines of taggers, fillers and answerers.
#include <array>

#include "locus/apply/span_unit.h"
#include "locus/base/quote.h"
#include "locus/serve/pipelines.h"
#include "locus/serve/refused.h"
#include "locus/text/readable.h"

namespace locus::serve {
namespace {

struct TagPipeline {
  PipelineInputs inputs;
  Aggregation aggregation = Aggregation::simple;
  std::vector<std::string> ignored;  // labels
};

Aggregation read_aggregation(Fields& parameters) {
  constexpr std::array<std::string_view, 5> kNames = {"none", "simple", "first", "average", "max"};
  const std::string name = parameters.choice("aggregation_strategy", "simple", kNames);
  return static_cast<Aggregation>(std::ranges::find(kNames, name) - kNames.begin());
}

// A tagger has no spans of O, so that must be one of the labels.
std::vector<std::string> read_ignored(Fields& parameters) {
  const std::string schema = R"({"type": "array", "items": {"type": "string"}, "contains": {"const": "O"}})";
  const auto value = parameters.find("ignore_labels", schema, R"(["O"])");
  if (!value) return {};
  std::vector<std::string> labels;
  const auto list = value->list();
  if (!list) parameters.refuse("ignore_labels", "a list of strings");
  for (const json::Value item : *list) {
    if (!item.text()) parameters.refuse("ignore_labels", "a list of strings");
    labels.emplace_back(*item.text());
  }
  if (std::ranges::count(labels, "O") == 0) {
    parameters.refuse_unsupported("ignore_labels", "a list with \"O\"");
  }
  return labels;
}

TagPipeline read_token_classification(const Call& call, Fields& fields) {
  TagPipeline request;
  request.inputs = read_pipeline_inputs(call, fields);
  Fields parameters = read_parameters(fields);
  request.aggregation = read_aggregation(parameters);
  request.ignored = read_ignored(parameters);
  parameters.unsupported({"stride"});
  parameters.done();
  return request;
}

std::string entity_json(const Tokenizer& tokenizer, const TaggedSpan& span, const TextSpan& place,
                        std::string word, bool joined) {
  json::Members members = {{joined ? "entity_group" : "entity", json::text(span.label)},
                           {"score", json::number(span.score)}};
  if (!joined) {
    members.emplace_back("index", json::number(static_cast<int64_t>(span.index)));
    const bool unknown = tokenizer.specials().name(span.token) != nullptr;
    if (!unknown) word = readable(tokenizer.bytes(span.token));
  }
  members.emplace_back("word", json::text(word));
  members.emplace_back("start", json::number(int64_t{place.begin}));
  members.emplace_back("end", json::number(int64_t{place.end}));
  return json::object(members);
}

HttpAnswer answer_token_classification(const Call& call, const TagPipeline& request) {
  const std::vector<std::string>& texts = request.inputs.texts;
  const auto found = call.heads.tagger().tag(texts, call.reading(call.options.truncate), request.aggregation);
  const Tokenizer& tokenizer = call.heads.model().tokenizer();
  std::vector<std::string> results;
  for (size_t i = 0; i < texts.size(); ++i) {
    std::vector<TextSpan> places;
    for (const TaggedSpan& span : found[i]) places.push_back(span.bytes);
    SpanUnit().convert(texts[i], places);
    std::vector<std::string> spans;
    for (size_t s = 0; s < places.size(); ++s) {
      const TaggedSpan& span = found[i][s];
      if (std::ranges::count(request.ignored, span.label) > 0) continue;
      const std::string word = texts[i].substr(span.bytes.begin, span.bytes.end - span.bytes.begin);
      spans.push_back(
          entity_json(tokenizer, span, places[s], word, request.aggregation != Aggregation::none));
    }
    results.push_back(json::list(spans));
  }
  return pipeline_answer(request.inputs, results);
}

std::string token_classification_result(const Call&) {
  const json::Members all = {{"score", schema::number()},
                             {"word", schema::text()},
                             {"start", schema::integer()},
                             {"end", schema::integer()}};
  json::Members joined = all, single = all;
  joined.emplace_back("entity_group", schema::text());
  single.emplace_back("entity", schema::text());
  single.emplace_back("index", schema::integer());
  return pipeline_result(schema::list(schema::any_of({schema::object(joined), schema::object(single)})));
}

// The tokens of "targets". Each must be one token.
std::vector<int32_t> read_targets(const Call& call, Fields& parameters) {
  const auto targets = parameters.any_number("targets", call.options.max_inputs);
  if (!targets) return {};
  parameters.check_count("targets", targets->size(), call.options.max_inputs);
  std::vector<int32_t> ids;
  const Tokenizer& tokenizer = call.heads.model().tokenizer();
  for (const std::string& target : *targets) {
    const std::vector<int32_t> tokens = tokenizer.encode(target);
    // An unknown word is a special token without text.
    if (tokens.size() != 1 || tokenizer.decode_text(tokens).empty()) {
      throw Refused(kInvalid, fmt::format("the target {} is not a token of the vocabulary", quote(target)),
                    "parameters.targets");
    }
    if (std::ranges::count(ids, tokens[0]) == 0) ids.push_back(tokens[0]);
  }
  return ids;
}

struct FillPipeline {
  PipelineInputs inputs;
  size_t top = 0;
  std::vector<int32_t> targets;
};

FillPipeline read_fill_mask(const Call& call, Fields& fields) {
  FillPipeline request;
  request.inputs = read_pipeline_inputs(call, fields);
  Fields parameters = read_parameters(fields);
  request.top = static_cast<size_t>(parameters.integer("top_k", 1, kMostCount, 5));
  request.targets = read_targets(call, parameters);
  parameters.done();
  return request;
}

// One list for a text with one mask, and a list of lists for several masks.
HttpAnswer answer_fill_mask(const Call& call, const FillPipeline& request) {
  std::vector<std::string> results;
  for (const auto& masks : call.heads.filler().fill(request.inputs.texts, request.top,
                                                    call.reading(call.options.truncate), request.targets)) {
    std::vector<std::string> lists;
    for (const FilledMask& mask : masks) {
      std::vector<std::string> choices;
      for (size_t i = 0; i < mask.best.size(); ++i) {
        json::Members members = {{"score", json::number(mask.best[i].score)},
                                 {"token", json::number(int64_t{mask.best[i].id})},
                                 {"token_str", json::text(readable(mask.best[i].token))}};
        members.emplace_back("sequence", json::text(mask.texts.empty() ? "" : readable(mask.texts[i])));
        choices.push_back(json::object(members));
      }
      lists.push_back(json::list(choices));
    }
    results.push_back(lists.size() == 1 ? lists.front() : json::list(lists));
  }
  return pipeline_answer(request.inputs, results);
}

std::string fill_mask_result(const Call&) {
  const std::string list = schema::list(schema::object({{"score", schema::number()},
                                                        {"token", schema::integer()},
                                                        {"token_str", schema::text()},
                                                        {"sequence", schema::text()}}));
  return pipeline_result(schema::any_of({list, schema::list(list)}));
}

struct AnswerPipeline {
  QuestionInput question;
  AnswerOptions options;
};

AnswerPipeline read_question_answering(const Call&, Fields& fields) {
  AnswerPipeline request;
  Fields inputs = fields.object("inputs");
  request.question = {inputs.text("question"), inputs.text("context")};
  inputs.done();
  Fields parameters = read_parameters(fields);
  AnswerOptions& options = request.options;
  options.window = parameters.integer("max_seq_len", 1, kMostCount, options.window);
  options.overlap = parameters.integer("doc_stride", 0, kMostCount, options.overlap);
  options.longest = parameters.integer("max_answer_len", 1, kMostCount, options.longest);
  const auto top = parameters.find("top_k", R"({"const": 1})");
  if (top && top->integer() != 1) parameters.refuse_unsupported("top_k", "1");
  const auto impossible = parameters.find("handle_impossible_answer", R"({"const": true})");
  if (impossible && impossible->flag() != true) {
    parameters.refuse_unsupported("handle_impossible_answer", "true");
  }
  parameters.unsupported({"align_to_words", "max_question_len"});
  parameters.done();
  return request;
}

// No answer is a text without characters, as in transformers with handle_impossible_answer.
HttpAnswer answer_question_answering(const Call& call, const AnswerPipeline& request) {
  const std::string& context = request.question.context;
  const FoundAnswer found =
      call.heads.answerer().answer({request.question}, request.options, call.reading()).front();
  const TextSpan bytes = found.found ? found.bytes : TextSpan();
  std::vector<TextSpan> place = {bytes};
  SpanUnit().convert(context, place);
  return {.body =
              json::object({{"score", json::number(found.score)},
                            {"start", json::number(int64_t{place[0].begin})},
                            {"end", json::number(int64_t{place[0].end})},
                            {"answer", json::text(context.substr(bytes.begin, bytes.end - bytes.begin))}})};
}

std::string question_answering_result(const Call&) {
  return schema::object({{"score", schema::number()},
                         {"start", schema::integer()},
                         {"end", schema::integer()},
                         {"answer", schema::text()}});
}

}  // namespace

const Handler run_token_classification = {
    answer_object<read_token_classification, answer_token_classification>, token_classification_result,
    schema_of<read_token_classification>};
const Handler run_fill_mask = {answer_object<read_fill_mask, answer_fill_mask>, fill_mask_result,
                               schema_of<read_fill_mask>};
const Handler run_question_answering = {answer_object<read_question_answering, answer_question_answering>,
                                        question_answering_result, schema_of<read_question_answering>};

}  // namespace locus::serve
