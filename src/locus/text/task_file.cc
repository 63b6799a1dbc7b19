#include "locus/text/task_file.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "locus/base/error.h"
#include "locus/base/file.h"
#include "locus/base/json_document.h"
#include "locus/base/quote.h"
#include "locus/text/text_lines.h"
#include "locus/text/unicode.h"

namespace locus {
namespace {

using Fields = std::pair<std::string, std::string>;

// Calls f(line, where) for every line. Throws if the file is empty.
void each_line(const std::filesystem::path& file,
               const std::function<void(std::string_view line, const std::string& where)>& f) {
  const std::string text = read_file(file, uint64_t{1} << 40);
  TextLines lines(text);
  std::string_view line;
  while (lines.next(line)) {
    const std::string where = fmt::format("'{}', line {}", file.string(), lines.number());
    require(!line.empty(), "{}: the line is empty, expected an example", where);
    f(line, where);
  }
  require(lines.number() > 0, "'{}': the file is empty, expected one example per line", file.string());
}

void require_utf8(std::string_view text, const std::string& where) {
  for (size_t i = 0; i < text.size();) {
    const Character character = character_at(text, i);
    require(character.code != Character::kNoCode, "{}: got {} at offset {}, expected UTF-8", where,
            name_of(character, text, i), i);
    i += character.length;
  }
}

Fields split(std::string_view line, const std::string& where, const char* first, const char* second) {
  require_utf8(line, where);
  const size_t tab = line.find('\t');
  require(tab != std::string_view::npos && line.find('\t', tab + 1) == std::string_view::npos,
          "{}: got {} fields, expected two separated by a tab, {} and {}", where,
          std::ranges::count(line, '\t') + 1, first, second);
  return {std::string(line.substr(0, tab)), std::string(line.substr(tab + 1))};
}

// Labels may be strings or integers.
std::string label_of(const json::Document& json, const std::string& what, json::Value value) {
  if (const auto number = value.integer()) return fmt::format("{}", *number);
  const auto text = value.text();
  if (!text) json.refuse(what, value, "a string or an integer");
  return std::string(*text);
}

// The names of labels and their numbers, in sorted order.
class LabelNames {
 public:
  void add(const std::string& name) { numbers_.emplace(name, 0); }
  std::vector<std::string> numbered() {
    std::vector<std::string> names;
    for (auto& [name, number] : numbers_) {
      number = static_cast<int32_t>(names.size());
      names.push_back(name);
    }
    return names;
  }
  int32_t number(const std::string& name) const { return numbers_.at(name); }

 private:
  std::map<std::string, int32_t> numbers_;
};

bool is_tsv(const std::filesystem::path& file, const char* what) {
  const bool tsv = file.extension() == ".tsv";
  require(tsv || file.extension() == ".jsonl",
          "'{}': bad extension of a file with {}, expected .tsv or .jsonl", file.string(), what);
  return tsv;
}

void require_text(const std::string& text, const char* name, const std::string& where) {
  require(!text.empty(), "{}: the {} is empty, expected text", where, name);
}

struct Labeled {
  std::string text;
  std::optional<std::string> pair;
  std::string label;
};

Labeled labeled_of(std::string_view line, const std::string& where) {
  if (std::ranges::count(line, '\t') != 2) {
    auto [text, label] = split(line, where, "text", "label");
    return {std::move(text), {}, std::move(label)};
  }
  require_utf8(line, where);
  const size_t tab = line.find('\t');
  auto [pair, label] = split(line.substr(tab + 1), where, "text_pair", "label");
  return {std::string(line.substr(0, tab)), std::move(pair), std::move(label)};
}

Labeled labeled_of(const json::Document& json) {
  Labeled labeled = {json.text("text"), {}, label_of(json, "'label'", json.member("label"))};
  if (json.object().find("text_pair")) labeled.pair = json.text("text_pair");
  return labeled;
}

struct Tagged {
  std::vector<std::string> words, labels;
};

std::vector<std::string> split_at_spaces(std::string_view text) {
  std::vector<std::string> words;
  for (size_t begin = text.find_first_not_of(' '); begin != std::string_view::npos;) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    words.emplace_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(' ', end);
  }
  return words;
}

Tagged tagged_of(const json::Document& json) {
  Tagged tagged;
  for (const char* member : {"words", "labels"}) {
    const json::Value value = json.member(member);
    const auto list = value.list();
    if (!list) json.refuse(fmt::format("'{}'", member), value, "a list");
    const bool words = member == std::string_view("words");
    for (const json::Value item : *list) {
      if (!words) {
        tagged.labels.push_back(label_of(json, "a label", item));
      } else if (const auto word = item.text()) {
        tagged.words.emplace_back(*word);
      } else {
        json.refuse("a word", item, "a string");
      }
    }
  }
  return tagged;
}

json::List list_of(const json::Document& json, json::Object object, const char* name) {
  const auto value = object.find(name);
  require(value.has_value(), "{}: '{}' is missing in 'answers'", json.where(), name);
  const auto list = value->list();
  if (!list) json.refuse(fmt::format("answers.{}", name), *value, "a list");
  return *list;
}

// The offsets of all characters of a text, and of its end.
std::vector<size_t> character_offsets(std::string_view text) {
  std::vector<size_t> offsets;
  for (size_t i = 0; i < text.size(); i += character_at(text, i).length) offsets.push_back(i);
  offsets.push_back(text.size());
  return offsets;
}

std::vector<Answer> answers_of(const json::Document& json, const std::string& context) {
  const json::Value value = json.member("answers");
  const auto object = value.object();
  if (!object) json.refuse("'answers'", value, "an object of text and answer_start");
  const json::List texts = list_of(json, *object, "text"), starts = list_of(json, *object, "answer_start");
  require(texts.size() == starts.size(), "{}: got {} answers and {} starts, expected equal numbers",
          json.where(), texts.size(), starts.size());
  const std::vector<size_t> offsets = character_offsets(context);
  std::vector<Answer> answers;
  auto start_value = starts.begin();
  for (const json::Value text_value : texts) {
    const auto text = text_value.text();
    if (!text) json.refuse("an answer", text_value, "a string");
    const auto start = (*start_value).unsigned_integer();
    if (!start || *start >= offsets.size()) {
      json.refuse("answer_start", *start_value, "the index of a character of the context");
    }
    ++start_value;
    const size_t begin = offsets[*start];
    require(!text->empty() && std::string_view(context).substr(begin).starts_with(*text),
            "{}: answer {} not found at character {} of the context, which has {} there", json.where(),
            quote(*text), *start, quote(std::string_view(context).substr(begin, text->size())));
    answers.push_back({.text = std::string(*text), .begin = begin, .end = begin + text->size()});
  }
  return answers;
}

}  // namespace

LabeledTexts read_labeled(const std::filesystem::path& file) {
  const bool tsv = is_tsv(file, "text and label");
  std::vector<Labeled> lines;
  LabelNames labels;
  each_line(file, [&](std::string_view line, const std::string& where) {
    const Labeled& one =
        lines.emplace_back(tsv ? labeled_of(line, where) : labeled_of(json::Document(line, where)));
    require_text(one.text, "text", where);
    if (one.pair) require_text(*one.pair, "text_pair", where);
    require_text(one.label, "label", where);
    require(one.pair.has_value() == lines.front().pair.has_value(),
            "{}: got {}, expected {} as in the first line", where, one.pair ? "two texts" : "one text",
            one.pair ? "one" : "two");
    labels.add(one.label);
  });
  LabeledTexts result = {.examples = {}, .names = labels.numbered()};
  for (auto& [text, pair, label] : lines) {
    result.examples.push_back({std::move(text), std::move(pair), labels.number(label)});
  }
  return result;
}

TaggedTexts read_tagged(const std::filesystem::path& file) {
  const bool tsv = is_tsv(file, "words and labels");
  std::vector<Tagged> lines;
  LabelNames labels;
  each_line(file, [&](std::string_view line, const std::string& where) {
    if (tsv) {
      const auto [words, tags] = split(line, where, "words", "labels");
      lines.push_back({split_at_spaces(words), split_at_spaces(tags)});
    } else {
      lines.push_back(tagged_of(json::Document(line, where)));
    }
    const auto& [words, tags] = lines.back();
    require(words.size() == tags.size(), "{}: got {} words and {} labels, expected one label per word", where,
            words.size(), tags.size());
    require(!words.empty(), "{}: got no words, expected at least one", where);
    require(std::ranges::count(words, "") + std::ranges::count(tags, "") == 0,
            "{}: a word or a label is empty, expected text", where);
    for (const std::string& tag : tags) labels.add(tag);
  });
  TaggedTexts result = {.examples = {}, .names = labels.numbered()};
  for (auto& [words, tags] : lines) {
    TaggedText& text = result.examples.emplace_back();
    text.words = std::move(words);
    for (const std::string& tag : tags) text.labels.push_back(labels.number(tag));
  }
  return result;
}

std::vector<TextPair> read_pairs(const std::filesystem::path& file) {
  const bool tsv = is_tsv(file, "source and target");
  std::vector<TextPair> pairs;
  each_line(file, [&](std::string_view line, const std::string& where) {
    if (tsv) {
      auto [source, target] = split(line, where, "source", "target");
      pairs.push_back({std::move(source), std::move(target)});
    } else {
      const json::Document json(line, where);
      pairs.push_back({json.text("source"), json.text("target")});
    }
    require_text(pairs.back().source, "source", where);
    require_text(pairs.back().target, "target", where);
  });
  return pairs;
}

std::vector<Question> read_questions(const std::filesystem::path& file) {
  require(file.extension() == ".jsonl", "'{}': bad extension of a file with questions, expected .jsonl",
          file.string());
  std::vector<Question> questions;
  each_line(file, [&](std::string_view line, const std::string& where) {
    const json::Document json(line, where);
    Question question = {.question = json.text("question"), .context = json.text("context")};
    require_text(question.question, "question", where);
    require_text(question.context, "context", where);
    question.answers = answers_of(json, question.context);
    questions.push_back(std::move(question));
  });
  return questions;
}

}  // namespace locus
