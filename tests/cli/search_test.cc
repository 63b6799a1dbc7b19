// From texts to an index to answers: locus embed --out and locus similarity --query and --index.
#include <gtest/gtest.h>

#include "tests/cli/text_commands.h"

namespace locus {
namespace {

class Search : public TextCommands {
 protected:
  // An index of these lines.
  std::string embedded(const std::string& lines, const std::string& name = "v.npy") const {
    const std::string index = (folder / name).string();
    const Outcome outcome =
        run_program("embed " + model("embed") + " --file " + file("lines.txt", lines) + " --out " + index);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return index;
  }
  const std::string similarity = "similarity " + model("embed");
};

TEST_F(Search, AJourney) {
  for (const char* name : {"v.npy", "v.safetensors"}) {
    const std::string index = embedded("the cat\nthe \"dog\"\tran\nit ran\nthe cat\n", name);
    EXPECT_EQ(lines_in(read_file(index + ".jsonl")), 4u);
    const std::string search = similarity + " --index " + index;
    EXPECT_EQ(expect_fine(search + " --top 2 'the cat'"), "1.000000\t0\tthe cat\n1.000000\t3\tthe cat\n");
    EXPECT_EQ(expect_fine(search + " --top 1 --json 'it ran'"),
              "{\"query\": \"it ran\", \"matches\": [{\"score\": 1, \"row\": 2, \"text\": \"it ran\"}]}\n");
  }
}

TEST_F(Search, ManyQueriesFromArgumentsFilesAndStdin) {
  const std::string search = similarity + " --top 2 --index " + embedded("the cat\nthe dog\nit ran\n");
  const std::string words = expect_fine(search + " 'the dog' cat ran");
  EXPECT_EQ(words.find("the dog\n1.000000\t1\tthe dog\n"), 0u) << words;
  EXPECT_EQ(lines_in(words), 12u);
  const std::string queries = file("queries.txt", "the dog\ncat\nran\n");
  EXPECT_EQ(expect_fine(search + " --file " + queries), words);
  EXPECT_EQ(expect_fine(search + " < " + queries), words);
  EXPECT_EQ(expect_fine(search + " --query 'the dog' --query cat ran"), words);
  EXPECT_EQ(expect_fine(search + " --threads 1 --batch-tokens 1 --file " + queries), words);
  // Each answer alone, and the same answers as without an index, whose lines count from 1.
  EXPECT_NE(words.find("cat\n" + expect_fine(search + " cat") + "\n"), std::string::npos);
  const std::string lines = expect_fine(similarity + " --top 1 --query 'the dog' --query 'it ran' --file " +
                                        (folder / "lines.txt").string());
  EXPECT_EQ(lines, "the dog\n1.000000\t2\tthe dog\n\nit ran\n1.000000\t3\tit ran\n\n");
}

TEST_F(Search, WithoutTheirTextsRowsHaveNumbersOnly) {
  const std::string index = embedded("the cat\nthe dog\n");
  std::filesystem::remove(index + ".jsonl");
  EXPECT_EQ(expect_fine(similarity + " --index " + index + " 'the dog' --top 1"), "1.000000\t1\n");
  EXPECT_EQ(expect_fine(similarity + " --index " + index + " 'the dog' --top 1 --json"),
            "{\"query\": \"the dog\", \"matches\": [{\"score\": 1, \"row\": 1}]}\n");
}

TEST_F(Search, SkippedQueriesHaveNoResults) {
  const std::string search = similarity + " --skip-bad --top 1 --index " + embedded("the cat\nthe dog\n");
  const std::string queries = file("q.txt", "the dog\n" + std::string(100, '.') + "\nthe cat\n");
  EXPECT_EQ(expect_notes(search + " --file " + queries, {{"line 2", "102", "40"}}),
            "the dog\n1.000000\t1\tthe dog\n\nthe cat\n1.000000\t0\tthe cat\n\n");
}

TEST_F(Search, Faults) {
  const std::string index = embedded("the cat\nthe dog\n"), search = similarity + " --index " + index;
  expect_program_fault(2, search + " a --prompt query", {"similarity", "--prompt", "--index"});
  expect_program_fault(2, similarity + " a b --top 3", {"similarity", "--top", "--query", "--index"});
  expect_program_fault(2, search + " a --file x", {"similarity", "--file"});
  expect_program_fault(2, similarity + " --index x.txt a", {"--index", "'x.txt'", ".npy", ".safetensors"});
  expect_program_fault(4, similarity + " --index none.npy a", {"'none.npy'"});
  const std::string narrow = LOCUS_GOLDEN "/npy/f4.npy";
  expect_program_fault(3, similarity + " --index " + narrow + " a",
                       {"'" + narrow + "'", "4", "'" + model("embed") + "'", "12"});
  put(index + ".jsonl", "{}\n");
  expect_program_fault(3, search + " a", {"'" + index + ".jsonl'", "1", "2"});
}

// The vectors of two models of the same width cannot be compared.
TEST_F(Search, AnIndexOfAnotherModelIsRefused) {
  const std::string index = embedded("the cat\nthe dog\n");
  const std::string other = "similarity " + model("embed_last") + " --index " + index + " 'the dog'";
  expect_program_fault(3, other, {"'" + index + "'", "'" + model("embed_last") + "'", "row 0"});
  expect_fine(similarity + " --dtype bf16 --index " + index + " 'the dog'");
  std::filesystem::remove(index + ".jsonl");
  expect_fine(other);  // without texts nothing tells the models apart
}

// Prompts change the vectors, but not the model.
TEST_F(Search, AnIndexMadeWithAPromptIsThatOfTheModel) {
  const CopyOf prompted("embed");
  put(prompted / "config_sentence_transformers.json",
      R"({"prompts": {"query": "who: ", "passage": "the text is: "}, "default_prompt_name": null})");
  const std::string out = (folder / "p.npy").string(), place = prompted.path().string();
  expect_fine("embed " + place + " --prompt passage --out " + out + " 'the cat' 'the dog'");
  EXPECT_EQ(lines_in(expect_fine("similarity " + place + " --index " + out + " 'the dog'")), 2u);
}

// Nothing goes through the model, and nothing is written, before all texts have been checked.
TEST_F(Search, TextsThatAreTooLongAreCounted) {
  const std::string longer(120, '.'), long_text(100, '.');
  const std::string lines = "a\n" + long_text + "\nb\n" + longer + "\nc\n" + long_text + "\n";
  const std::string texts = file("x.txt", lines);
  for (const std::string& command : {"embed " + model("embed"), "classify " + model("classify")}) {
    expect_program_fault(3, command + " --file " + texts,
                         {"3 of 6", "122", "40", "line 2", "'" + texts + "'", "--truncate", "--skip-bad"});
    expect_program_fault(3, command + " < " + texts, {"3 of 6", "122", "line 2", "stdin"});
    expect_program_fault(3, command + " a " + long_text, {"text 2", "102", "40", "--truncate", "--skip-bad"});
  }
  const std::string out = (folder / "v.npy").string();
  expect_program_fault(3, "embed " + model("embed") + " --out " + out + " --file " + texts, {"3 of 6"});
  EXPECT_FALSE(std::filesystem::exists(out));
  EXPECT_EQ(lines_in(expect_fine("embed " + model("embed") + " --truncate --file " + texts)), 6u);
  EXPECT_EQ(
      run_program("embed " + model("embed") + " --skip-bad --out " + out + " --file " + texts).exit_code, 0);
  EXPECT_EQ(expect_fine(similarity + " --index " + out + " --top 1 c"), "1.000000\t2\tc\n");
}

}  // namespace
}  // namespace locus
