// Tasks from files: what is read, and for every broken line the file, the line and what is wrong with it.
#include "locus/text/task_file.h"

#include <gtest/gtest.h>

#include "tests/expect_error.h"
#include "tests/text/text_files.h"

namespace locus {
namespace {

using Names = std::vector<std::string>;

template <class Read>
auto read_text(Read read, const std::string& name, const std::string& text) {
  const TemporaryFolder folder;
  put(folder / name, text);
  return read(folder / name);
}

template <class Read>
void expect_refused(Read read, const std::string& name, const std::string& text,
                    std::initializer_list<const char*> values, Code code = Code::none) {
  expect_error(Fault::data, code, {name.c_str()}, [&] { read_text(read, name, text); });
  expect_error(Fault::data, code, values, [&] { read_text(read, name, text); });
}

TEST(Labeled, LabelsAreSortedNames) {
  for (const auto& [name, text] : std::map<std::string, std::string>{
           {"x.tsv", "good film\tpos\r\nbad film\tneg\nso so\tpos"},
           {"x.jsonl",
            "{\"text\": \"good film\", \"label\": \"pos\"}\n{\"label\": \"neg\", \"text\": \"bad "
            "film\"}\n{\"text\": \"so so\", \"label\": \"pos\", \"id\": 3}\n"}}) {
    const LabeledTexts got = read_text(read_labeled, name, text);
    EXPECT_EQ(got.names, (Names{"neg", "pos"}));
    ASSERT_EQ(got.examples.size(), 3u);
    EXPECT_EQ(got.examples[1].text, "bad film");
    EXPECT_EQ(got.examples[0].label, 1);
    EXPECT_EQ(got.examples[1].label, 0);
  }
}

TEST(Labeled, Pairs) {
  for (const auto& [name, text] : std::map<std::string, std::string>{
           {"x.tsv", "it rained\tit was wet\tyes\nit rained\tit was dry\tno\n"},
           {"x.jsonl",
            "{\"text\": \"it rained\", \"text_pair\": \"it was wet\", \"label\": \"yes\"}\n"
            "{\"text_pair\": \"it was dry\", \"label\": \"no\", \"text\": \"it rained\"}\n"}}) {
    const LabeledTexts got = read_text(read_labeled, name, text);
    ASSERT_EQ(got.examples.size(), 2u);
    EXPECT_EQ(got.examples[1].text, "it rained");
    EXPECT_EQ(got.examples[1].pair, "it was dry");
    EXPECT_EQ(got.examples[0].label, 1);
  }
}

TEST(Labeled, IntegersAreLabelsToo) {
  const LabeledTexts got = read_text(read_labeled, "x.jsonl",
                                     "{\"text\": \"a\", \"label\": 1}\n{\"text\": \"b\", \"label\": 0}\n");
  EXPECT_EQ(got.names, (Names{"0", "1"}));
}

TEST(Labeled, InvalidLines) {
  expect_refused(read_labeled, "x.tsv", "a\tb\nc\n", {"line 2", "1 fields", "text", "label"});
  expect_refused(read_labeled, "x.tsv", "a\tb\tc\td\n", {"line 1", "4 fields"});
  expect_refused(read_labeled, "x.tsv", "a\tb\tc\nd\te\n", {"line 2", "one text", "two"});
  expect_refused(read_labeled, "x.jsonl",
                 "{\"text\": \"a\", \"label\": 1}\n{\"text\": \"a\", \"text_pair\": \"b\", \"label\": 1}\n",
                 {"line 2", "two texts", "one"});
  expect_refused(read_labeled, "x.tsv", "a\t\tc\n", {"line 1", "text_pair"});
  expect_refused(read_labeled, "x.tsv", "a\tb\xff\tc\n", {"line 1", "0xff", "offset 3", "UTF-8"});
  expect_refused(read_labeled, "x.jsonl", "{\"text\": \"a\", \"text_pair\": 3, \"label\": 1}\n",
                 {"line 1", "'text_pair'", "'3'", "string"});
  expect_refused(read_labeled, "x.tsv", "a\tb\n\nc\td\n", {"line 2", "empty"});
  expect_refused(read_labeled, "x.tsv", "\tb\n", {"line 1", "text"});
  expect_refused(read_labeled, "x.tsv", "a\t\n", {"line 1", "label"});
  expect_refused(read_labeled, "x.tsv", "a\tb\nab\xff\tc\n", {"line 2", "0xff", "offset 2", "UTF-8"});
  expect_refused(read_labeled, "x.tsv", "", {"empty"});
  expect_refused(read_labeled, "x.csv", "a,b\n", {".tsv", ".jsonl"});
  expect_refused(read_labeled, "x.jsonl", "{\"text\": \"a\", \"label\": \"b\"}\n{\"text\": \"a\"}\n",
                 {"line 2", "'label'"});
  expect_refused(read_labeled, "x.jsonl", "{\"text\": \"a\", \"label\"", {"line 1"}, Code::damaged_file);
  expect_refused(read_labeled, "x.jsonl", "[1]", {"line 1", "'[1]'", "object"}, Code::damaged_file);
  expect_refused(read_labeled, "x.jsonl", "{\"text\": 3, \"label\": \"b\"}",
                 {"line 1", "'text'", "'3'", "string"});
  expect_refused(read_labeled, "x.jsonl", "{\"text\": \"a\", \"label\": 1.5}",
                 {"line 1", "'label'", "'1.5'"});
}

TEST(Tagged, ALabelForEveryWord) {
  for (const auto& [name, text] : std::map<std::string, std::string>{
           {"x.tsv", "the dog  ran\tD N V\nit ran\tN V\n"},
           {"x.jsonl",
            "{\"words\": [\"the\", \"dog\", \"ran\"], \"labels\": [\"D\", \"N\", \"V\"]}\n"
            "{\"words\": [\"it\", \"ran\"], \"labels\": [\"N\", \"V\"]}\n"}}) {
    const TaggedTexts got = read_text(read_tagged, name, text);
    EXPECT_EQ(got.names, (Names{"D", "N", "V"}));
    ASSERT_EQ(got.examples.size(), 2u);
    EXPECT_EQ(got.examples[0].words, (Names{"the", "dog", "ran"}));
    EXPECT_EQ(got.examples[0].labels, (std::vector<int32_t>{0, 1, 2}));
    EXPECT_EQ(got.examples[1].labels, (std::vector<int32_t>{1, 2}));
  }
  const TaggedTexts numbers = read_text(read_tagged, "x.jsonl", "{\"words\": [\"a\"], \"labels\": [7]}\n");
  EXPECT_EQ(numbers.names, Names{"7"});
}

TEST(Tagged, InvalidLines) {
  expect_refused(read_tagged, "x.tsv", "a b\tX\n", {"line 1", "2 words", "1 labels"});
  expect_refused(read_tagged, "x.tsv", "a\tX\n \t \n", {"line 2", "words"});
  expect_refused(read_tagged, "x.tsv", "a X\n", {"line 1", "1 fields", "words", "labels"});
  expect_refused(read_tagged, "x.txt", "a X\n", {".tsv", ".jsonl"});
  expect_refused(read_tagged, "x.jsonl", "{\"words\": \"a\", \"labels\": []}\n",
                 {"line 1", "'words'", "'\"a\"'", "list"});
  expect_refused(read_tagged, "x.jsonl", "{\"words\": [1], \"labels\": [1]}\n",
                 {"line 1", "word", "'1'", "string"});
  expect_refused(read_tagged, "x.jsonl", "{\"words\": [\"a\"], \"labels\": [1.5]}\n",
                 {"line 1", "label", "'1.5'"});
  expect_refused(read_tagged, "x.jsonl", "{\"words\": [\"\"], \"labels\": [1]}\n",
                 {"line 1", "word", "label"});
}

TEST(Pairs, SourceAndTarget) {
  const auto tsv = read_text(read_pairs, "x.tsv", "abc\tcba\n");
  ASSERT_EQ(tsv.size(), 1u);
  EXPECT_EQ(tsv[0].source + "|" + tsv[0].target, "abc|cba");
  const auto jsonl = read_text(read_pairs, "x.jsonl", R"({"source": "ein \"Hund\"", "target": "a dog"})");
  ASSERT_EQ(jsonl.size(), 1u);
  EXPECT_EQ(jsonl[0].source, "ein \"Hund\"");
  expect_refused(read_pairs, "x.jsonl", R"({"source": "a", "target": 1})",
                 {"line 1", "'target'", "'1'", "string"});
  expect_refused(read_pairs, "x.tsv", "abc\n", {"line 1", "1 fields", "source", "target"});
}

std::string question(const std::string& answers) {
  return R"({"question": "Wer?", "context": "Größe: der Hund.", "answers": )" + answers + "}\n";
}

TEST(Questions, AnswersAreBytesOfTheContext) {
  const auto got = read_text(read_questions, "x.jsonl",
                             question(R"({"text": ["der Hund", "Hund"], "answer_start": [7, 11]})") +
                                 question(R"({"text": [], "answer_start": []})"));
  ASSERT_EQ(got.size(), 2u);
  ASSERT_EQ(got[0].answers.size(), 2u);
  EXPECT_EQ(got[0].answers[0].begin, 9u);  // two characters before it have two bytes each
  EXPECT_EQ(got[0].context.substr(got[0].answers[1].begin, 4), "Hund");
  EXPECT_EQ(got[0].answers[1].end - got[0].answers[1].begin, 4u);
  EXPECT_TRUE(got[1].answers.empty());
}

TEST(Questions, InvalidLines) {
  const auto refused = [](const std::string& answers, std::initializer_list<const char*> values) {
    expect_refused(read_questions, "x.jsonl", question(answers), {"line 1"});
    expect_refused(read_questions, "x.jsonl", question(answers), values);
  };
  refused("[]", {"'answers'", "'[]'", "object", "text", "answer_start"});
  refused(R"({"text": ["Hund"]})", {"'answer_start'", "'answers'"});
  refused(R"({"text": "Hund", "answer_start": [11]})", {"answers.text", "'\"Hund\"'", "list"});
  refused(R"({"text": ["Hund"], "answer_start": []})", {"1 answers", "0 starts"});
  refused(R"({"text": ["Hund"], "answer_start": [12]})", {"'Hund'", "character 12", "'und.'"});
  refused(R"({"text": ["Hund"], "answer_start": [-1]})", {"answer_start", "'-1'"});
  refused(R"({"text": ["Hund"], "answer_start": [99]})", {"answer_start", "'99'"});
  refused(R"({"text": [""], "answer_start": [1]})", {"''", "character 1"});
  refused(R"({"text": [5], "answer_start": [1]})", {"answer", "'5'", "string"});
  expect_refused(read_questions, "x.jsonl", "{}", {"line 1", "'question'"});
  expect_refused(read_questions, "x.jsonl", R"({"question": "", "context": "c", "answers": {}})",
                 {"line 1", "question"});
  expect_refused(read_questions, "x.tsv", "a\tb\n", {".jsonl"});
}

}  // namespace
}  // namespace locus
