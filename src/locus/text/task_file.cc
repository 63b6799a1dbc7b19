#include "locus/text/task_file.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "locus/base/error.h"
#include "locus/base/file.h"
#include "locus/base/quote.h"
#include "locus/text/json_text.h"
#include "locus/text/text_lines.h"
#include "locus/text/unicode.h"

namespace locus {
namespace {

using Fields = std::pair<std::string, std::string>;

// Calls f(line, where) for every line; a file without lines is an error.
void each_line(const std::filesystem::path& file,
               const std::function<void(std::string_view line, const std::string& where)>& f) {
  const std::vector<std::byte> bytes = read_file(file);
  TextLines lines({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  std::string_view line;
  while (lines.next(line)) {
    const std::string where = fmt::format("'{}', line {}", file.string(), lines.number());
    require(!line.empty(), "{}: the line is empty, expected an example", where);
    f(line, where);
  }
  require(lines.number() > 0, "'{}': the file is empty, expected an example a line", file.string());
}

void require_utf8(std::string_view text, const std::string& where) {
  for (size_t i = 0; i < text.size();) {
    const Character character = character_at(text, i);
    require(character.code != Character::kNoCode, "{}: {} at offset {} is not UTF-8", where,
            name_of(character, text, i), i);
    i += character.length;
  }
}

Fields split(std::string_view line, const std::string& where, const char* first, const char* second) {
  require_utf8(line, where);
  const size_t tab = line.find('\t');
  require(tab != std::string_view::npos && line.find('\t', tab + 1) == std::string_view::npos,
          "{}: {} fields, expected two, {} and {}, with a tab between them", where,
          std::ranges::count(line, '\t') + 1, first, second);
  return {std::string(line.substr(0, tab)), std::string(line.substr(tab + 1))};
}

// Labels are often numbers.
std::string label_of(const JsonText& json) {
  const simdjson::dom::element value = json.member("label");
  int64_t number = 0;
  if (!value.get_int64().get(number)) return fmt::format("{}", number);
  std::string_view text;
  if (value.get_string().get(text)) {
    json.refuse("'label'", value, "a string or a whole number");
  }
  return std::string(text);
}

// Two fields of every line, of either format; how JSON gives the second is the caller's to say.
std::vector<Fields> read_fields(const std::filesystem::path& file, const char* first, const char* second,
                                const std::function<std::string(const JsonText&)>& second_of) {
  const bool tsv = file.extension() == ".tsv";
  require(tsv || file.extension() == ".jsonl", "'{}': a file of {} and {} ends in .tsv or .jsonl",
          file.string(), first, second);
  std::vector<Fields> result;
  each_line(file, [&](std::string_view line, const std::string& where) {
    if (tsv) {
      result.push_back(split(line, where, first, second));
    } else {
      const JsonText json(line, where);
      result.emplace_back(json.text(first), second_of(json));
    }
    require(!result.back().first.empty(), "{}: the {} is empty", where, first);
    require(!result.back().second.empty(), "{}: the {} is empty", where, second);
  });
  return result;
}

simdjson::dom::array list_of(const JsonText& json, simdjson::dom::object object, const char* name) {
  simdjson::dom::element value;
  require(!object.at_key(name).get(value), "{}: '{}' is missing in 'answers'", json.where(), name);
  simdjson::dom::array list;
  if (value.get_array().get(list)) json.refuse(fmt::format("answers.{}", name), value, "a list");
  return list;
}

// Where the characters of a text begin, and its end.
std::vector<size_t> character_offsets(std::string_view text) {
  std::vector<size_t> offsets;
  for (size_t i = 0; i < text.size(); i += character_at(text, i).length) offsets.push_back(i);
  offsets.push_back(text.size());
  return offsets;
}

std::vector<Answer> answers_of(const JsonText& json, const std::string& context) {
  const simdjson::dom::element value = json.member("answers");
  simdjson::dom::object object;
  if (value.get_object().get(object)) json.refuse("'answers'", value, "an object of text and answer_start");
  const simdjson::dom::array texts = list_of(json, object, "text"),
                             starts = list_of(json, object, "answer_start");
  require(texts.size() == starts.size(), "{}: {} answers and {} starts, expected equal numbers", json.where(),
          texts.size(), starts.size());
  const std::vector<size_t> offsets = character_offsets(context);
  std::vector<Answer> answers;
  auto start_value = starts.begin();
  for (const simdjson::dom::element text_value : texts) {
    std::string_view text;
    if (text_value.get_string().get(text)) json.refuse("an answer", text_value, "a string");
    uint64_t start = 0;
    if ((*start_value).get_uint64().get(start) || start >= offsets.size()) {
      json.refuse("answer_start", *start_value, "the number of a character of the context");
    }
    ++start_value;
    const size_t begin = offsets[start];
    require(!text.empty() && std::string_view(context).substr(begin).starts_with(text),
            "{}: the answer {} does not stand at character {} of the context, where {} stands", json.where(),
            quote(text), start, quote(std::string_view(context).substr(begin, text.size())));
    answers.push_back({.text = std::string(text), .begin = begin, .end = begin + text.size()});
  }
  return answers;
}

}  // namespace

LabelledTexts read_labelled(const std::filesystem::path& file) {
  std::vector<Fields> fields = read_fields(file, "text", "label", label_of);
  std::map<std::string, int32_t> numbers;
  for (const auto& [text, label] : fields) numbers.emplace(label, 0);
  LabelledTexts result;
  for (auto& [name, number] : numbers) {
    number = static_cast<int32_t>(result.names.size());
    result.names.push_back(name);
  }
  for (auto& [text, label] : fields) {
    result.examples.push_back({.text = std::move(text), .label = numbers.at(label)});
  }
  return result;
}

std::vector<TextPair> read_pairs(const std::filesystem::path& file) {
  std::vector<TextPair> pairs;
  const auto target_of = [](const JsonText& json) { return json.text("target"); };
  for (auto& [source, target] : read_fields(file, "source", "target", target_of)) {
    pairs.push_back({.source = std::move(source), .target = std::move(target)});
  }
  return pairs;
}

std::vector<Question> read_questions(const std::filesystem::path& file) {
  require(file.extension() == ".jsonl", "'{}': a file of questions ends in .jsonl", file.string());
  std::vector<Question> questions;
  each_line(file, [&](std::string_view line, const std::string& where) {
    const JsonText json(line, where);
    Question question = {.question = json.text("question"), .context = json.text("context")};
    require(!question.question.empty(), "{}: the question is empty", where);
    require(!question.context.empty(), "{}: the context is empty", where);
    question.answers = answers_of(json, question.context);
    questions.push_back(std::move(question));
  });
  return questions;
}

}  // namespace locus
