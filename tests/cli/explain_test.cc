#include <gtest/gtest.h>
#include <simdjson.h>

#include "locus/scheme/scheme.h"
#include "tests/program.h"
#include "tests/temporary_folder.h"

namespace locus {
namespace {

// Cosines of the two occurrences at the input and behind the last layer.
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

TEST(Explain, WithoutPositionAnEncoderCannotTellTheTwoApart) {
  const auto [input, last] = cosines("--scheme none");
  EXPECT_EQ(input, 1);
  EXPECT_NEAR(last, 1, 1e-6);  // sums over the same tokens, in the same order
}

TEST(Explain, EverySchemeTellsThemApart) {
  for (const SchemeInfo* info : schemes()) {
    if (info->name == "none") continue;
    const auto [input, last] = cosines("--scheme " + std::string(info->name));
    EXPECT_LT(last, 1 - 1e-7) << info->name;
    const bool in_input = info->name == "learned" || info->name == "sinusoidal";
    EXPECT_EQ(input < 1 - 1e-7, in_input) << info->name;
  }
}

TEST(Explain, TellsInWordsAndInAPicture) {
  const TemporaryFolder folder;
  const auto page = folder / "it.html";
  const Outcome outcome = run_program("explain \"The cat saw the cat\" --word cat --out " + page.string());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("'cat' stands at positions 1 and 4. The two token vectors are one row"),
            std::string::npos);
  EXPECT_GT(std::filesystem::file_size(page), 5000u);
}

TEST(Explain, WordsOfAnyScriptAndCase) {
  const auto expect = [](const std::string& arguments, const std::string& text) {
    const Outcome outcome = run_program("explain " + arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find(text), std::string::npos) << outcome.out;
  };
  expect("'Der Hund sah den Hund' --word Hund", "'hund' stands at positions 1 and 4.");
  expect("'猫 看 猫。'", "'猫' stands at positions 0 and 2.");
  expect("'ünï, ünï'", "'ünï' stands at positions 0 and 2.");
  expect("'Кот видит кот' --word КОТ", "'кот' stands at positions 0 and 2.");
  expect("'कुत्ता कुत्ता'", "'कुत्ता' stands at positions 0 and 1.");  // marks belong to their letters
}

TEST(Explain, BadInputIsNamed) {
  const auto expect = [](const std::string& arguments, int code, const std::string& text) {
    const Outcome outcome = run_program("explain " + arguments);
    EXPECT_EQ(outcome.exit_code, code);
    EXPECT_NE(outcome.err.find(text), std::string::npos) << outcome.err;
  };
  expect("\"every word once\"", 3, "no word is said twice in the sentence");
  expect("\"a cat\" --word cat", 3, "'cat' is not said twice in the sentence");
  expect("\" \"", 3, "the sentence has no word");
  expect("\"$(printf 'x \\377 x')\"", 3, "explain: the sentence is not valid UTF-8");
  expect("--word \"$(printf '\\377')\"", 3, "explain: --word is not valid UTF-8");
  expect("--out x.svg", 2, "--out: is 'x.svg', expected a name that ends in .html");
  expect("--scheme rotery", 2, "did you mean 'rotary'?");
}

}  // namespace
}  // namespace locus
