#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>

#include "locus/base/file.h"
#include "locus/checkpoint/model_folder.h"
#include "locus/report/repeated_word.h"
#include "locus/scheme/scheme.h"
#include "tests/expect_error.h"
#include "tests/program.h"
#include "tests/temporary_folder.h"

namespace locus {
namespace {

// Cosines of the two occurrences at the input and after the last layer.
std::pair<double, double> cosines(const std::string& arguments) {
  const Outcome outcome = run_program("explain --json " + arguments);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  simdjson::dom::parser parser;
  const simdjson::dom::element all = parser.parse(outcome.out);
  EXPECT_EQ(all["token_cosine"].get_double().value(), 1);
  EXPECT_EQ(all["tokens"].at(static_cast<size_t>(all["first"].get_int64().value())).get_string().value(),
            "it");
  EXPECT_EQ(all["tokens"].at(static_cast<size_t>(all["second"].get_int64().value())).get_string().value(),
            "it");
  const auto states = all["state_cosines"].get_array().value();
  return {states.at(0).get_double().value(), states.at(states.size() - 1).get_double().value()};
}

TEST(Explain, WithoutPositionAnEncoderCannotSeparateTheTwo) {
  const auto [input, last] = cosines("--scheme none");
  EXPECT_EQ(input, 1);
  EXPECT_NEAR(last, 1, 1e-6);  // sums over the same tokens, in the same order
}

TEST(Explain, EverySchemeSeparatesThem) {
  for (const SchemeInfo* info : schemes()) {
    if (info->name == "none") continue;
    const auto [input, last] = cosines("--scheme " + std::string(info->name));
    EXPECT_LT(last, 1 - 1e-7) << info->name;
    const bool in_input = info->name == "learned" || info->name == "sinusoidal";
    EXPECT_EQ(input < 1 - 1e-7, in_input) << info->name;
  }
}

TEST(Explain, PrintsTheResultAndWritesAPage) {
  const TemporaryFolder folder;
  const auto page = folder / "it.html";
  const Outcome outcome = run_program("explain \"The cat saw the cat\" --word cat --out " + page.string());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("'cat' is at positions 1 and 4."), std::string::npos) << outcome.out;
  const std::string html = read_file(page);
  EXPECT_TRUE(contains(html, ">saw</text>")) << "the words are at the axes of the attention";
  EXPECT_FALSE(contains(html, "key position"));
}

TEST(Explain, AModelFolderAddsItsSpecialTokens) {
  const Outcome outcome =
      run_program("explain 'the dog, the cat' --json --model " LOCUS_GOLDEN "/apply/classify");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, R"(["[CLS]", "the", "dog", ",", "the", "cat", "[SEP]"])")) << outcome.out;
}

TEST(Explain, WordsOfAnyScriptAndCase) {
  const auto expect = [](const std::string& arguments, const std::string& text) {
    const Outcome outcome = run_program("explain " + arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find(text), std::string::npos) << outcome.out;
  };
  expect("'Der Hund sah den Hund' --word Hund", "'hund' is at positions 1 and 4.");
  expect("'猫 看 猫。'", "'猫' is at positions 0 and 2.");
  expect("'ünï, ünï'", "'ünï' is at positions 0 and 2.");
  expect("'Кот видит кот' --word КОТ", "'кот' is at positions 0 and 2.");
  expect("'कुत्ता कुत्ता'", "'कुत्ता' is at positions 0 and 1.");  // marks belong to their letters
}

TEST(Explain, NumbersThatAreNotFiniteAreErrors) {
  ModelFolder folder = open_model(LOCUS_GOLDEN "/family/bert");
  std::ranges::fill(folder.model.parameters().at("tokens").value().data<float>(), 3e38f);
  expect_error(Fault::data, {"NaN", "weights"}, [&] {
    report::compare_occurrences(folder.model, {1, 2, 3, 2}, {"the", "dog", "saw", "dog"}, 1, 3);
  });
}

TEST(Explain, BadInputIsNamed) {
  const auto expect = [](const std::string& arguments, int code, const std::string& text) {
    const Outcome outcome = run_program("explain " + arguments);
    EXPECT_EQ(outcome.exit_code, code);
    EXPECT_NE(outcome.err.find(text), std::string::npos) << outcome.err;
  };
  expect("\"every word once\"", 3, "twice");
  expect("\"a cat\" --word cat", 3, "'cat'");
  expect("\" \"", 3, "no words");
  expect("\"$(printf 'x \\377 x')\"", 3, "the sentence is not valid UTF-8");
  expect("--word \"$(printf '\\377')\"", 3, "--word is not valid UTF-8");
  expect("--out x.svg", 2, "'x.svg'");
  expect("--scheme rotery", 2, "'rotary'");
}

}  // namespace
}  // namespace locus
