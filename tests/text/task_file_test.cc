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
void expect_refused(Read read, const std::string& name, const std::string& text, const std::string& message) {
  expect_error(Fault::data, {(name + "'").c_str(), message.c_str()}, [&] { read_text(read, name, text); });
}

TEST(Labelled, LabelsAreSortedNames) {
  for (const auto& [name, text] : std::map<std::string, std::string>{
           {"x.tsv", "good film\tpos\r\nbad film\tneg\nso so\tpos"},
           {"x.jsonl",
            "{\"text\": \"good film\", \"label\": \"pos\"}\n{\"label\": \"neg\", \"text\": \"bad "
            "film\"}\n{\"text\": \"so so\", \"label\": \"pos\", \"id\": 3}\n"}}) {
    const LabelledTexts got = read_text(read_labelled, name, text);
    EXPECT_EQ(got.names, (Names{"neg", "pos"}));
    ASSERT_EQ(got.examples.size(), 3u);
    EXPECT_EQ(got.examples[1].text, "bad film");
    EXPECT_EQ(got.examples[0].label, 1);
    EXPECT_EQ(got.examples[1].label, 0);
  }
}

TEST(Labelled, OfTwoTexts) {
  for (const auto& [name, text] : std::map<std::string, std::string>{
           {"x.tsv", "it rained\tit was wet\tyes\nit rained\tit was dry\tno\n"},
           {"x.jsonl",
            "{\"text\": \"it rained\", \"text_pair\": \"it was wet\", \"label\": \"yes\"}\n"
            "{\"text_pair\": \"it was dry\", \"label\": \"no\", \"text\": \"it rained\"}\n"}}) {
    const LabelledTexts got = read_text(read_labelled, name, text);
    ASSERT_EQ(got.examples.size(), 2u);
    EXPECT_EQ(got.examples[1].text, "it rained");
    EXPECT_EQ(got.examples[1].pair, "it was dry");
    EXPECT_EQ(got.examples[0].label, 1);
  }
}

TEST(Labelled, WholeNumbersAreLabelsToo) {
  const LabelledTexts got = read_text(read_labelled, "x.jsonl",
                                      "{\"text\": \"a\", \"label\": 1}\n{\"text\": \"b\", \"label\": 0}\n");
  EXPECT_EQ(got.names, (Names{"0", "1"}));
}

TEST(Labelled, BrokenLines) {
  expect_refused(read_labelled, "x.tsv", "a\tb\nc\n",
                 "line 2: 1 fields, expected two, text and label, with a tab between them");
  expect_refused(read_labelled, "x.tsv", "a\tb\tc\td\n", "line 1: 4 fields, expected two");
  expect_refused(read_labelled, "x.tsv", "a\tb\tc\nd\te\n",
                 "line 2: one text with the label, but two in the first line");
  expect_refused(read_labelled, "x.jsonl",
                 "{\"text\": \"a\", \"label\": 1}\n{\"text\": \"a\", \"text_pair\": \"b\", \"label\": 1}\n",
                 "line 2: two texts with the label, but one in the first line");
  expect_refused(read_labelled, "x.tsv", "a\t\tc\n", "line 1: the text_pair is empty");
  expect_refused(read_labelled, "x.tsv", "a\tb\xff\tc\n", "line 1: byte 0xff at offset 3 is not UTF-8");
  expect_refused(read_labelled, "x.jsonl", "{\"text\": \"a\", \"text_pair\": 3, \"label\": 1}\n",
                 "line 1: 'text_pair' is '3', expected a string");
  expect_refused(read_labelled, "x.tsv", "a\tb\n\nc\td\n", "line 2: the line is empty, expected an example");
  expect_refused(read_labelled, "x.tsv", "\tb\n", "line 1: the text is empty");
  expect_refused(read_labelled, "x.tsv", "a\t\n", "line 1: the label is empty");
  expect_refused(read_labelled, "x.tsv", "a\tb\nab\xff\tc\n", "line 2: byte 0xff at offset 2 is not UTF-8");
  expect_refused(read_labelled, "x.tsv", "", "the file is empty, expected an example a line");
  expect_refused(read_labelled, "x.csv", "a,b\n", "a file of text and label ends in .tsv or .jsonl");
  expect_refused(read_labelled, "x.jsonl", "{\"text\": \"a\", \"label\": \"b\"}\n{\"text\": \"a\"}\n",
                 "line 2: 'label' is missing");
  expect_refused(read_labelled, "x.jsonl", "{\"text\": \"a\", \"label\"", "line 1: not valid JSON");
  expect_refused(read_labelled, "x.jsonl", "[1]", "line 1: the JSON value is '[1]', expected an object");
  expect_refused(read_labelled, "x.jsonl", "{\"text\": 3, \"label\": \"b\"}",
                 "line 1: 'text' is '3', expected a string");
  expect_refused(read_labelled, "x.jsonl", "{\"text\": \"a\", \"label\": 1.5}",
                 "line 1: 'label' is '1.5', expected a string or a whole number");
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

TEST(Tagged, BrokenLines) {
  expect_refused(read_tagged, "x.tsv", "a b\tX\n",
                 "line 1: 2 words and 1 labels, expected a label for every word");
  expect_refused(read_tagged, "x.tsv", "a\tX\n \t \n", "line 2: there is no word");
  expect_refused(read_tagged, "x.tsv", "a X\n", "line 1: 1 fields, expected two, words and labels");
  expect_refused(read_tagged, "x.txt", "a X\n", "a file of words and labels ends in .tsv or .jsonl");
  expect_refused(read_tagged, "x.jsonl", "{\"words\": \"a\", \"labels\": []}\n",
                 "line 1: 'words' is '\"a\"', expected a list");
  expect_refused(read_tagged, "x.jsonl", "{\"words\": [1], \"labels\": [1]}\n",
                 "line 1: a word is '1', expected a string");
  expect_refused(read_tagged, "x.jsonl", "{\"words\": [\"a\"], \"labels\": [1.5]}\n",
                 "line 1: a label is '1.5', expected a string or a whole number");
  expect_refused(read_tagged, "x.jsonl", "{\"words\": [\"\"], \"labels\": [1]}\n",
                 "line 1: a word or a label is empty");
}

TEST(Pairs, SourceAndTarget) {
  const auto tsv = read_text(read_pairs, "x.tsv", "abc\tcba\n");
  ASSERT_EQ(tsv.size(), 1u);
  EXPECT_EQ(tsv[0].source + "|" + tsv[0].target, "abc|cba");
  const auto jsonl = read_text(read_pairs, "x.jsonl", R"({"source": "ein \"Hund\"", "target": "a dog"})");
  ASSERT_EQ(jsonl.size(), 1u);
  EXPECT_EQ(jsonl[0].source, "ein \"Hund\"");
  expect_refused(read_pairs, "x.jsonl", R"({"source": "a", "target": 1})",
                 "'target' is '1', expected a string");
  expect_refused(read_pairs, "x.tsv", "abc\n", "line 1: 1 fields, expected two, source and target");
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
  EXPECT_EQ(got[0].answers[0].begin, 9u);  // two letters before it take two bytes each
  EXPECT_EQ(got[0].context.substr(got[0].answers[1].begin, 4), "Hund");
  EXPECT_EQ(got[0].answers[1].end - got[0].answers[1].begin, 4u);
  EXPECT_TRUE(got[1].answers.empty());
}

TEST(Questions, BrokenLines) {
  const auto refused = [](const std::string& answers, const std::string& message) {
    expect_refused(read_questions, "x.jsonl", question(answers), "line 1: " + message);
  };
  refused("[]", "'answers' is '[]', expected an object of text and answer_start");
  refused(R"({"text": ["Hund"]})", "'answer_start' is missing in 'answers'");
  refused(R"({"text": "Hund", "answer_start": [11]})", "answers.text is '\"Hund\"', expected a list");
  refused(R"({"text": ["Hund"], "answer_start": []})", "1 answers and 0 starts, expected equal numbers");
  refused(R"({"text": ["Hund"], "answer_start": [12]})",
          "the answer 'Hund' does not stand at character 12 of the context, where 'und.' stands");
  refused(R"({"text": ["Hund"], "answer_start": [-1]})",
          "answer_start is '-1', expected the number of a character");
  refused(R"({"text": ["Hund"], "answer_start": [99]})", "answer_start is '99', expected the number of");
  refused(R"({"text": [""], "answer_start": [1]})", "the answer '' does not stand at character 1");
  refused(R"({"text": [5], "answer_start": [1]})", "an answer is '5', expected a string");
  expect_refused(read_questions, "x.jsonl", "{}", "line 1: 'question' is missing");
  expect_refused(read_questions, "x.jsonl", R"({"question": "", "context": "c", "answers": {}})",
                 "line 1: the question is empty");
  expect_refused(read_questions, "x.tsv", "a\tb\n", "a file of questions ends in .jsonl");
}

}  // namespace
}  // namespace locus
