// Tasks from files, one example a line: .tsv (fields with a tab between them, no header) or .jsonl. All of a
// file is read and checked before anything is returned; a broken line is an error that names file and line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace locus {

// text <tab> label, or {"text": ..., "label": ...} with a label that is a string or a whole number. Where two
// texts have a label, text <tab> text_pair <tab> label, or "text_pair" besides: in all lines or in none.
struct LabelledText {
  std::string text;
  std::optional<std::string> pair = {};
  int32_t label = 0;  // its place in the names
};
struct LabelledTexts {
  std::vector<LabelledText> examples;
  std::vector<std::string> names;  // of labels, sorted as bytes
};
LabelledTexts read_labelled(const std::filesystem::path& file);

// words <tab> labels, both with blanks between them, or {"words": [...], "labels": [...]}: a label for every
// word.
struct TaggedText {
  std::vector<std::string> words;
  std::vector<int32_t> labels;  // their places in the names
};
struct TaggedTexts {
  std::vector<TaggedText> examples;
  std::vector<std::string> names;  // of labels, sorted as bytes
};
TaggedTexts read_tagged(const std::filesystem::path& file);

// source <tab> target, or {"source": ..., "target": ...}.
struct TextPair {
  std::string source, target;
};
std::vector<TextPair> read_pairs(const std::filesystem::path& file);

// {"question": ..., "context": ..., "answers": {"text": [...], "answer_start": [...]}}, as SQuAD's lines are:
// starts count characters (code points) of the context, where the very text of the answer must stand. No
// answers: the context does not answer it. .jsonl only.
struct Answer {
  std::string text;
  size_t begin = 0, end = 0;  // bytes of the context
};
struct Question {
  std::string question, context;
  std::vector<Answer> answers;
};
std::vector<Question> read_questions(const std::filesystem::path& file);

}  // namespace locus
