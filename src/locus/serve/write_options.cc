#include "locus/serve/write_options.h"

#include <algorithm>
#include <random>

#include "locus/serve/refused.h"

namespace locus::serve {
namespace {

constexpr int64_t kMostAnswers = 128;

// The sampling options are the fields of Sampling. Returns whether one of them asks for sampling.
bool read_sampling(Fields& fields, Sampling& sampling) {
  bool samples = false;
  const auto read = [&](std::string_view name, float& value, double least, double most) {
    if (const auto given = fields.number(name, least, most)) value = static_cast<float>(*given);
    return fields.find(name).has_value();
  };
  samples = read("temperature", sampling.temperature, 0, 1000) || samples;
  samples = read("top_p", sampling.top_p, 0, 1) || samples;
  samples = read("min_p", sampling.min_p, 0, 1) || samples;
  if (const auto k = fields.integer("top_k", 0, kMostCount)) {
    sampling.top_k = *k;
    samples = true;
  }
  read("repetition_penalty", sampling.repetition_penalty, 1e-3, 1e3);
  return samples;
}

// A value that changes nothing, such as 0 for a penalty, is accepted.
void expect_number(Fields& fields, std::string_view name, double value) {
  const auto found = fields.find(name);
  if (!found || found->number() == value) return;
  throw Refused(kUnsupported, fmt::format("'{}' is not supported, expected {} or none", name, value),
                std::string(name));
}

// An object that changes nothing: without members, or with this type.
void expect_object(Fields& fields, std::string_view name, std::string_view type) {
  const auto found = fields.find(name);
  const auto object = found ? found->object() : std::nullopt;
  if (!found || (object && object->size() == 0)) return;
  const auto member = object ? object->find("type") : std::nullopt;
  if (member && object->size() == 1 && member->text() == type) return;
  throw Refused(kUnsupported, fmt::format("'{}' is not supported", name), std::string(name));
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
  if (const auto seed = fields.find("seed")) {
    if (!seed->integer() && !seed->unsigned_integer()) fields.refuse("seed", "an integer");
    options.seed = seed->integer() ? static_cast<uint64_t>(*seed->integer()) : *seed->unsigned_integer();
  } else {
    std::random_device random;
    options.seed = uint64_t{random()} << 32 | random();
  }
  if (fields.find("stop")) options.stops = fields.one_or_more("stop");
  if (std::ranges::count(options.stops, "") > 0) fields.refuse("stop", "strings that are not empty");
  return options;
}

OpenAiOptions read_openai_options(const Call& call, Fields& fields) {
  OpenAiOptions all{read_write_options(call, fields)};
  WriteOptions& options = all.options;
  options.answers = fields.integer("n", 1, kMostAnswers).value_or(1);
  if (options.answers > 1 && options.beams > 1) {
    throw Refused(kInvalid, "'n' cannot be combined with beam search, which has one best answer", "n");
  }
  all.streams = fields.flag("stream", false);
  if (fields.find("stream_options")) {
    Fields stream = fields.object("stream_options");
    all.shows_usage = stream.flag("include_usage", false);
    stream.ignore({"include_obfuscation"});
    stream.done();
  }
  for (const char* name : {"frequency_penalty", "presence_penalty"}) expect_number(fields, name, 0);
  expect_number(fields, "best_of", 1);
  expect_object(fields, "logit_bias", "");
  expect_object(fields, "response_format", "text");
  fields.unsupported({"logprobs", "top_logprobs", "suffix", "tools", "functions", "audio", "prediction",
                      "reasoning_effort", "verbosity", "web_search_options"});
  if (const auto choice = fields.find("tool_choice"); choice && choice->text() != "none") {
    throw Refused(kUnsupported, "'tool_choice' is not supported", "tool_choice");
  }
  fields.ignore({"user", "metadata", "store", "service_tier", "safety_identifier", "prompt_cache_key",
                 "prompt_cache_retention", "parallel_tool_calls", "modalities"});
  return all;
}

}  // namespace locus::serve
