#include <gtest/gtest.h>
#include <simdjson.h>

#include "locus/base/file.h"
#include "tests/program.h"
#include "tests/report/well_formed.h"
#include "tests/temporary_folder.h"

namespace locus {
namespace {

std::string golden(const std::string& family) {
  return (std::filesystem::path(LOCUS_GOLDEN) / "family" / family).string();
}

TEST(Inspect, DescribesAModel) {
  const Outcome outcome = run_program("inspect " + golden("bart"), "COLUMNS=200");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* line :
       {"family               BART\n", "model_type           bart\n",
        "kind                 encoder-decoder\n",
        "2 layers and 1 decoder layers of width 12, 3 heads of 4, feed-forward 20, vocabulary 29\n",
        "scheme               learned\n", "position             index in the row, plus 2\n",
        "max_length           14 tokens\n", "past max_length      refused: ", "parameters           4909\n",
        "in positions         384, 7.8 %\n"}) {
    EXPECT_NE(outcome.out.find(line), std::string::npos) << line << outcome.out;
  }
  const std::string narrow = run_program("inspect " + golden("electra"), "COLUMNS=200").out;
  EXPECT_NE(narrow.find(" of width 12, 3 heads of 4, feed-forward 20, vocabulary 29, embeddings of 8\n"),
            std::string::npos)
      << narrow;
  const std::string shared = run_program("inspect " + golden("albert"), "COLUMNS=200").out;
  EXPECT_NE(shared.find("3 layers with shared parameters, of width 12, 3 heads"), std::string::npos)
      << shared;
  const std::string windowed = run_program("inspect " + golden("mistral"), "COLUMNS=200").out;
  EXPECT_NE(windowed.find("a query attends to the last "), std::string::npos);
  EXPECT_NE(windowed.find("rotary: base="), std::string::npos);
  const std::string mixed = run_program("inspect " + golden("smollm3"), "COLUMNS=200").out;
  EXPECT_NE(mixed.find("every 3 layers "), std::string::npos) << mixed;
}

TEST(Inspect, WarnsOfFieldsThatAreNotRead) {
  const TemporaryFolder scratch;
  const std::filesystem::path folder = scratch.path() / "llama";
  std::filesystem::copy(golden("llama"), folder);
  std::string config = read_file(folder / "config.json");
  write_file(folder / "config.json", config.insert(1, "\"attention_chunk_size\": 8192,"));
  const Outcome outcome = run_program("inspect " + folder.string());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("'attention_chunk_size' is 8192"), std::string::npos) << outcome.err;
  EXPECT_EQ(run_program("inspect " + golden("llama")).err, "");
}

TEST(Inspect, DrawsAModelOfEveryKindOfTerm) {
  const TemporaryFolder folder;
  for (const std::string family : {"bert", "t5", "llama", "bloom", "deberta-v2", "marian"}) {
    const std::string page = (folder / (family + ".html")).string();
    const Outcome outcome = run_program("inspect " + golden(family) + " --out " + page);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const std::string text = read_file(page);
    EXPECT_EQ(not_well_formed(text), "") << family;
    EXPECT_NE(text.find("<h1>" + family + "</h1>"), std::string::npos);
    EXPECT_EQ(text.find("their initial values"), std::string::npos) << family;
  }
}

TEST(Inspect, GivesTheNumbers) {
  const Outcome outcome = run_program("inspect --json " + golden("gptj"));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  simdjson::dom::parser parser;
  const simdjson::dom::element model = parser.parse(outcome.out);
  EXPECT_EQ(std::string_view(model["family"]), "GPT-J");
  EXPECT_EQ(std::string_view(model["scheme"]), "rotary");
  EXPECT_EQ(std::string_view(model["blueprint"]["scheme.pairs"]), "interleaved");
  int64_t sum = 0;
  for (const auto part : simdjson::dom::object(model["parts"])) sum += int64_t(part.value);
  EXPECT_EQ(sum, int64_t(model["parameters"]));
  EXPECT_GT(simdjson::dom::array(model["figures"]["wavelengths"]["charts"].at(0)["series"].at(0)["y"]).size(),
            0u);
}

TEST(Inspect, RefusesWhatItCannotShow) {
  const Outcome picture = run_program("inspect " + golden("bert") + " --out x.svg");
  EXPECT_EQ(picture.exit_code, 2);
  EXPECT_NE(picture.err.find("'x.svg'"), std::string::npos) << picture.err;
  const Outcome nothing = run_program("inspect /nowhere");
  EXPECT_EQ(nothing.exit_code, 4) << nothing.err;
  EXPECT_NE(nothing.err.find("'/nowhere'"), std::string::npos);
}

}  // namespace
}  // namespace locus
