#include "locus/apply/result_json.h"

#include "locus/base/json.h"
#include "locus/text/readable.h"

namespace locus {
namespace {

std::string part_of(const std::string& text, TextSpan bytes) {
  return text.substr(bytes.begin, bytes.end - bytes.begin);
}

}  // namespace

std::string classified_json(const TextInput& input, const Classification& found,
                            const std::vector<std::string>& labels) {
  json::Members scores;
  for (size_t i = 0; i < labels.size(); ++i) scores.emplace_back(labels[i], json::number(found.scores[i]));
  json::Members members = {{"text", json::text(input.text)}};
  if (input.second) members.emplace_back("text_pair", json::text(*input.second));
  members.emplace_back("label", json::text(labels[found.best]));
  members.emplace_back("score", json::number(found.scores[found.best]));
  members.emplace_back("scores", json::object(scores));
  return json::object(members);
}

std::string filled_json(const std::string& text, const std::vector<FilledMask>& masks) {
  std::vector<TextSpan> places;
  for (const FilledMask& mask : masks) places.push_back(mask.bytes);
  SpanUnit().convert(text, places);
  std::vector<std::string> items;
  for (size_t m = 0; m < masks.size(); ++m) {
    const FilledMask& mask = masks[m];
    std::vector<std::string> choices;
    for (size_t i = 0; i < mask.best.size(); ++i) {
      json::Members members = {{"token", json::text(readable(mask.best[i].token))},
                               {"id", json::number(int64_t{mask.best[i].id})},
                               {"score", json::number(mask.best[i].score)}};
      if (!mask.texts.empty()) members.emplace_back("text", json::text(readable(mask.texts[i])));
      choices.push_back(json::object(members));
    }
    items.push_back(json::object({{"start", json::number(int64_t{places[m].begin})},
                                  {"end", json::number(int64_t{places[m].end})},
                                  {"choices", json::list(choices)}}));
  }
  return json::object({{"text", json::text(text)}, {"masks", json::list(items)}});
}

std::string tagged_json(const std::string& text, const std::vector<TaggedSpan>& spans, const SpanUnit& unit) {
  std::vector<TextSpan> places;
  for (const TaggedSpan& span : spans) places.push_back(span.bytes);
  unit.convert(text, places);
  std::vector<std::string> items;
  for (size_t i = 0; i < spans.size(); ++i) {
    items.push_back(json::object({{"label", json::text(spans[i].label)},
                                  {"score", json::number(spans[i].score)},
                                  {"start", json::number(int64_t{places[i].begin})},
                                  {"end", json::number(int64_t{places[i].end})},
                                  {"text", json::text(part_of(text, spans[i].bytes))}}));
  }
  return json::object({{"text", json::text(text)}, {"spans", json::list(items)}});
}

std::string answered_json(const QuestionInput& input, const FoundAnswer& found, const SpanUnit& unit) {
  json::Members members = {{"question", json::text(input.question)}};
  if (found.found) {
    std::vector<TextSpan> place = {found.bytes};
    unit.convert(input.context, place);
    members.emplace_back("answer", json::text(part_of(input.context, found.bytes)));
    members.emplace_back("start", json::number(int64_t{place[0].begin}));
    members.emplace_back("end", json::number(int64_t{place[0].end}));
  } else {
    members.emplace_back("answer", "null");
  }
  members.emplace_back("score", json::number(found.score));
  return json::object(members);
}

std::string generated_json(const std::string& prompt, const std::string& text, StopReason reason) {
  return json::object({{"prompt", json::text(prompt)},
                       {"text", json::text(readable(text))},
                       {"finish_reason", json::text(name_of(reason))}});
}

std::string translated_json(const std::string& text, const std::string& translation, StopReason reason) {
  return json::object({{"text", json::text(text)},
                       {"translation", json::text(readable(translation))},
                       {"finish_reason", json::text(name_of(reason))}});
}

}  // namespace locus
