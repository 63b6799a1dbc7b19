// Reads task files, one example per line: .tsv (tab-separated fields, no header) or .jsonl. The whole file is
// checked before anything is returned. An error names the file and the line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace locus {

// text <tab> label, or {"text": ..., "label": ...} with a label that is a string or an integer. For pairs of
// texts: text <tab> text_pair <tab> label, or an additional member "text_pair". Either all lines are pairs or
// none.
struct LabeledText {
  std::string text;
  std::optional<std::string> pair = {};
  int32_t label = 0;  // index in `names`
};
struct LabeledTexts {
  std::vector<LabeledText> examples;
  std::vector<std::string> names;  // label names, sorted by bytes
};
LabeledTexts read_labeled(const std::filesystem::path& file);

// words <tab> labels, both separated by spaces, or {"words": [...], "labels": [...]}. Every word has one
// label.
struct TaggedText {
  std::vector<std::string> words;
  std::vector<int32_t> labels;  // indices in `names`
};
struct TaggedTexts {
  std::vector<TaggedText> examples;
  std::vector<std::string> names;  // label names, sorted by bytes
};
TaggedTexts read_tagged(const std::filesystem::path& file);

// source <tab> target, or {"source": ..., "target": ...}.
struct TextPair {
  std::string source, target;
};
std::vector<TextPair> read_pairs(const std::filesystem::path& file);

// {"question": ..., "context": ..., "answers": {"text": [...], "answer_start": [...]}}, the format of SQuAD;
// .jsonl only. answer_start counts characters (code points) of the context, which must contain the text of
// the answer there. Empty lists: the context does not contain the answer.
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
