#include "locus/serve/write_options.h"

#include <algorithm>
#include <random>

#include "locus/base/json.h"
#include "locus/serve/refused.h"

namespace locus::serve {
namespace {

constexpr int64_t kMostAnswers = 128;

// The sampling options are the fields of Sampling. Returns whether one of them asks for sampling.
bool read_sampling(Fields& fields, Sampling& sampling) {
  const auto read = [&](std::string_view name, float& value, double least, double most) {
    const auto given = fields.number(name, least, most);
    if (given) value = static_cast<float>(*given);
    return given.has_value();
  };
  bool samples = read("temperature", sampling.temperature, 0, 1000);
  samples = read("top_p", sampling.top_p, 0, 1) || samples;
  samples = read("min_p", sampling.min_p, 0, 1) || samples;
  if (const auto k = fields.integer("top_k", 0, kMostCount)) {
    sampling.top_k = *k;
    samples = true;
  }
  read("repetition_penalty", sampling.repetition_penalty, 1e-3, 1e3);
  return samples;
}

uint64_t read_seed(Fields& fields) {
  constexpr const char* kSchema =
      R"({"type": "integer", "minimum": -9223372036854775808, "maximum": 18446744073709551615})";
  const auto seed = fields.find("seed", kSchema);
  if (!seed) {
    std::random_device random;
    return uint64_t{random()} << 32 | random();
  }
  if (!seed->integer() && !seed->unsigned_integer()) fields.refuse("seed", "an integer");
  return seed->integer() ? static_cast<uint64_t>(*seed->integer()) : *seed->unsigned_integer();
}

// A value that changes nothing, such as 0 for a penalty, is accepted.
void expect_number(Fields& fields, std::string_view name, double value) {
  const auto found = fields.find(name, json::object({{"const", json::exact(value)}}));
  if (found && found->number() != value) fields.refuse_unsupported(name, fmt::format("{}", value));
}

// An object that changes nothing: without members, or with this type.
void expect_object(Fields& fields, std::string_view name, std::string_view type) {
  std::vector<std::string> schemas = {R"({"type": "object", "maxProperties": 0})"};
  if (!type.empty()) {
    schemas.push_back(schema::object({{"type", json::object({{"const", json::text(type)}})}}));
  }
  const auto found = fields.find(name, json::object({{"anyOf", json::list(schemas)}}));
  const auto object = found ? found->object() : std::nullopt;
  if (!found || (object && object->size() == 0)) return;
  const auto member = object ? object->find("type") : std::nullopt;
  if (member && object->size() == 1 && !type.empty() && member->text() == type) return;
  fields.refuse_unsupported(name);
}

}  // namespace

WriteOptions read_write_options(const Call& call, Fields& fields) {
  WriteOptions options = call.heads.writer().defaults();
  const bool samples = read_sampling(fields, options.sampling);
  const auto beams = fields.integer("beams", 1, kMostBeams);
  if (samples) options.beams = 1;
  if (beams) options.beams = *beams;
  if (samples && options.beams > 1 && options.sampling.temperature > 0) {
    throw Refused(kInvalid, "'beams' cannot be combined with sampling options", "beams");
  }
  if (const auto penalty = fields.number("length_penalty", -1000, 1000)) {
    options.length_penalty = static_cast<float>(*penalty);
  }
  options.seed = read_seed(fields);
  options.stops = fields.any_number("stop", kMostCount).value_or(options.stops);
  if (std::ranges::count(options.stops, "") > 0) fields.refuse("stop", "strings that are not empty");
  return options;
}

OpenAiOptions read_openai_options(const Call& call, Fields& fields) {
  OpenAiOptions all{read_write_options(call, fields)};
  WriteOptions& options = all.options;
  options.answers = fields.integer("n", 1, kMostAnswers, 1);
  if (options.answers > 1 && options.beams > 1) {
    throw Refused(kInvalid, "'n' cannot be combined with beam search, which has one best answer", "n");
  }
  all.streams = fields.flag("stream", false);
  Fields stream = fields.optional_object("stream_options");
  all.shows_usage = stream.flag("include_usage", false);
  stream.ignore({"include_obfuscation"});
  stream.done();
  for (const char* name : {"frequency_penalty", "presence_penalty"}) expect_number(fields, name, 0);
  expect_number(fields, "best_of", 1);
  expect_object(fields, "logit_bias", "");
  expect_object(fields, "response_format", "text");
  fields.unsupported({"logprobs", "top_logprobs", "suffix", "tools", "functions", "audio", "prediction",
                      "reasoning_effort", "verbosity", "web_search_options"});
  const auto choice = fields.find("tool_choice", R"({"const": "none"})");
  if (choice && choice->text() != "none") fields.refuse_unsupported("tool_choice");
  constexpr std::string_view kText = R"(["text"])";
  const auto modalities = fields.find("modalities", fmt::format(R"({{"const": {}}})", kText));
  if (modalities && modalities->print() != kText) fields.refuse_unsupported("modalities", kText);
  fields.ignore({"user", "metadata", "store", "service_tier", "safety_identifier", "prompt_cache_key",
                 "prompt_cache_retention", "parallel_tool_calls"});
  return all;
}

}  // namespace locus::serve
