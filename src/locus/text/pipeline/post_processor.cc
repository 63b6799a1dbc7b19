#include "locus/text/pipeline/post_processor.h"

#include <algorithm>

#include "locus/base/error.h"
#include "locus/base/quote.h"
#include "locus/text/unicode.h"

namespace locus {
namespace {

constexpr int64_t kLargestId = (int64_t{1} << 31) - 2;

// ["[SEP]", 102]
int32_t read_named_id(const JsonPart& part, const char* name) {
  const auto pair = part.member(name).list();
  const auto id = pair && pair->size() == 2 ? (*pair)[1].integer() : std::nullopt;
  if (!id || *id < 0 || *id > kLargestId) part.refuse(name, "a token and its id");
  return static_cast<int32_t>(*id);
}

std::vector<int32_t> read_ids(const JsonPart& part) {
  std::vector<int32_t> ids;
  for (const json::Value value : part.list("ids")) {
    const auto id = value.integer();
    if (!id || *id < 0 || *id > kLargestId) part.refuse("ids", "a list of token ids");
    ids.push_back(static_cast<int32_t>(*id));
  }
  return ids;
}

// Limits of a template, which is applied to every text.
constexpr size_t kMostSteps = 64, kMostTokens = 1024;

// Appends tokens to those before them. Keeps the larger memory, because that of a long text must not be
// copied.
void append(Encoding tokens, Encoding& all) {
  const auto join = [](auto& first, auto& second) {
    if (first.size() < second.size()) {
      second.insert(second.begin(), first.begin(), first.end());
      first.swap(second);
    } else {
      first.insert(first.end(), second.begin(), second.end());
    }
  };
  join(all.ids, tokens.ids);
  join(all.offsets, tokens.offsets);
  join(all.segments, tokens.segments);
  join(all.texts, tokens.texts);
}

constexpr int32_t kSpelledBlank = 0x120;  // a space in a byte-level vocabulary

bool is_written_blank(Character character) {
  return character.code == kSpelledBlank || class_of(character) == CharacterClass::space;
}

}  // namespace

PostProcessor::PostProcessor() : PostProcessor({{0, {}, 0}}, {{0, {}, 0}, {1, {}, 1}}) {}

PostProcessor::PostProcessor(const JsonPart& part) : PostProcessor() { read(part); }

void PostProcessor::read(const JsonPart& part) {
  const std::string type = part.type();
  if (type == "Sequence") {
    for (const JsonPart& each : part.parts("processors")) read(each);
    return;
  }
  if (type == "ByteLevel" || type == "RobertaProcessing") {
    trims_ = part.flag("trim_offsets", true);
    blank_first_ = part.flag("add_prefix_space", true);
    if (type == "ByteLevel") return;
  }
  if (type != "BertProcessing" && type != "RobertaProcessing" && type != "TemplateProcessing") {
    part.refuse_type("post-processor",
                     {"BertProcessing", "ByteLevel", "RobertaProcessing", "Sequence", "TemplateProcessing"});
  }
  require(!declared_, "{}: '{}' is a second step that adds special tokens, expected one", part.json().where(),
          part.place());
  declared_ = true;
  if (type == "TemplateProcessing") {
    single_ = read_template(part, "single");
    pair_ = read_template(part, "pair");
  } else {
    read_pairs(part, type == "RobertaProcessing");
  }
}

// [CLS] A [SEP] B [SEP], or for RoBERTa <s> A </s> </s> B </s>, all in segment 0.
void PostProcessor::read_pairs(const JsonPart& part, bool roberta) {
  const int32_t begin = read_named_id(part, "cls"), end = read_named_id(part, "sep");
  const int32_t second = roberta ? 0 : 1;
  const auto special = [](std::vector<int32_t> ids, int32_t segment) {
    return Step{Encoding::kNoText, std::move(ids), segment};
  };
  single_ = {special({begin}, 0), {0, {}, 0}, special({end}, 0)};
  pair_ = single_;
  if (roberta) pair_.push_back(special({end}, 0));
  pair_.push_back({1, {}, second});
  pair_.push_back(special({end}, second));
}

PostProcessor::Template PostProcessor::read_template(const JsonPart& part, const char* name) {
  const size_t length = part.list(name).size();
  require(length <= kMostSteps, "{}: '{}.{}' has {} steps, expected at most {}", part.json().where(),
          part.place(), name, length, kMostSteps);
  Template steps;
  size_t count = 0;  // of special tokens
  for (const JsonPart& each : part.parts(name)) {
    const bool sequence = each.has("Sequence");
    const JsonPart step = each.part(sequence ? "Sequence" : "SpecialToken");
    const std::string id = step.text("id");
    const auto segment = static_cast<int32_t>(step.integer("type_id", 0, kLargestId, 0));
    if (!sequence) {
      steps.push_back({Encoding::kNoText, read_ids(part.part("special_tokens").part(id.c_str())), segment});
      require((count += steps.back().ids.size()) <= kMostTokens,
              "{}: '{}.{}' adds {} special tokens or more, expected at most {}", part.json().where(),
              part.place(), name, count, kMostTokens);
      continue;
    }
    if (id != "A" && id != "B") step.refuse("id", "A or B");
    steps.push_back({static_cast<int8_t>(id == "A" ? 0 : 1), {}, segment});
  }
  return steps;
}

std::vector<int32_t> PostProcessor::ids() const {
  std::vector<int32_t> all;
  for (const Template* steps : {&single_, &pair_}) {
    for (const Step& step : *steps) all.insert(all.end(), step.ids.begin(), step.ids.end());
  }
  return all;
}

size_t PostProcessor::added(bool pair) const {
  size_t count = 0;
  for (const Step& step : pair ? pair_ : single_) count += step.ids.size();
  return count;
}

// A single space at the start may be the prepended one, which is not in the text and has no width.
bool PostProcessor::own_blank(uint32_t blanks, TextSpan span, bool first) const {
  return blank_first_ && blanks == 1 && (first || span.begin == 0);
}

void PostProcessor::trim(Encoding& encoding, const std::function<std::string_view(int32_t)>& spelled) const {
  for (size_t i = 0; trims_ && i < encoding.size(); ++i) {
    const std::string_view token = spelled(encoding.ids[i]);
    uint32_t leading = 0, trailing = 0;
    bool started = false;
    for (size_t at = 0; at < token.size();) {
      const Character character = character_at(token, at);
      const bool blank = is_written_blank(character);
      started = started || !blank;
      leading += started ? 0 : 1;
      trailing = blank ? trailing + 1 : 0;
      at += character.length;
    }
    TextSpan& span = encoding.offsets[i];
    if (!own_blank(leading, span, i == 0)) span.begin = std::min(span.begin + leading, span.end);
    if (span.end >= trailing) span.end = std::max(span.end - trailing, span.begin);
  }
}

TextSpan PostProcessor::trimmed(std::string_view text, TextSpan span, bool first) const {
  if (!trims_) return span;
  uint32_t begin = span.begin, blanks = 0;
  while (begin < span.end && is_written_blank(character_at(text, begin))) {
    begin += character_at(text, begin).length;
    ++blanks;
  }
  if (own_blank(blanks, span, first)) begin = span.begin;
  uint32_t end = begin;  // end of the last character that is not a space
  for (uint32_t i = begin; i < span.end;) {
    const Character character = character_at(text, i);
    i += character.length;
    if (!is_written_blank(character)) end = i;
  }
  return {begin, end};
}

Encoding PostProcessor::apply(Encoding first, const Encoding* second, bool framed,
                              const std::function<std::string_view(int32_t)>& spelled) const {
  Encoding other = second == nullptr ? Encoding() : *second;
  trim(first, spelled);
  trim(other, spelled);
  const Template& steps = second == nullptr ? single_ : pair_;
  first.make_room(other.size() + (framed ? added(second != nullptr) : 0));
  Encoding all;
  for (auto step = steps.begin(); step != steps.end(); ++step) {
    if (step->text == Encoding::kNoText) {
      for (const int32_t id : step->ids) {
        if (framed) all.push(id, {}, step->segment, Encoding::kNoText);
      }
      continue;
    }
    Encoding& text = step->text == 0 ? first : other;
    std::ranges::fill(text.segments, step->segment);
    std::ranges::fill(text.texts, step->text);
    const bool again =
        std::any_of(step + 1, steps.end(), [&](const Step& s) { return s.text == step->text; });
    append(again ? Encoding(text) : std::move(text), all);
  }
  return all;
}

}  // namespace locus
