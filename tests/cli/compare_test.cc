#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>

#include "locus/base/file.h"
#include "tests/program.h"
#include "tests/report/well_formed.h"
#include "tests/temporary_folder.h"

namespace locus {
namespace {

std::string tiny(const TemporaryFolder& folder) {
  write_file(folder / "few.toml", "test_tokens = 512\n");  // the test takes longer than two steps
  return "compare --schemes none,learned,rotary --tasks language,majority --steps 2 --seeds 2 --lengths "
         "64,70 "
         "--study " +
         (folder / "few.toml").string() + " --out " + (folder / "study").string();
}

TEST(Compare, WritesAReportAndResumes) {
  const TemporaryFolder folder;
  const Outcome outcome = run_program(tiny(folder));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.ends_with((folder / "study" / "report.html").string() + "\n")) << outcome.out;
  EXPECT_LE(std::ranges::count(outcome.out, '\n'), 10) << outcome.out;  // a verdict, no more
  EXPECT_NE(outcome.out.find("2 layers, width 64, 2 steps, synthetic text, 2 seeds"), std::string::npos);
  EXPECT_NE(outcome.err.find("[12/12] majority, rotary (seed 2):"), std::string::npos) << outcome.err;
  const std::string page = read_file(folder / "study" / "report.html");
  EXPECT_EQ(not_well_formed(page), "");
  EXPECT_LT(page.size(), 3u << 20);
  for (const char* part :
       {"trained at 64 tokens, tested up to 70", "learned + interpolated", "Language modeling", "Majority",
        "works to", "loss by position", "One word, two positions", "Attention of the trained model",
        "How it was measured"}) {
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
  // Every task has an example in the table.
  EXPECT_NE(page.find("title=\"predict the next word"), std::string::npos);
  // The verdict comes first, then the table, then the charts.
  const size_t verdict = page.find("class=\"verdict\""), table = page.find("<table"),
               chart = page.find("<figure");
  EXPECT_LT(verdict, table);
  EXPECT_LT(table, chart);
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(not_well_formed(read_file(folder / "study" / "length.svg")), "");
  for (const char* outside : {"src=", "<link", "@import", "url("}) {  // self-contained
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
  }
  EXPECT_EQ(read_file(folder / "study" / "results.csv")
                .rfind("task,scheme,variant,seed,length,value,bits_per_byte\nlanguage,none,,1,64,", 0),
            0u);
  const Outcome again = run_program(tiny(folder) + " --json");
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_EQ(again.err, "");  // every cell was found
  simdjson::dom::parser parser;
  const simdjson::dom::element results = parser.parse(again.out);
  EXPECT_EQ(results["tasks"].get_array().size(), 2u);
  const simdjson::dom::element line = results["tasks"].at(0)["lines"].at(0);
  EXPECT_EQ(line["scheme"].get_string().value(), "none");
  EXPECT_EQ(line["by_position"].at(0)["begin"].get_int64().value(), 0);
  EXPECT_GT(results["verdict"]["sentences"].get_array().size(), 0u);
}

TEST(Compare, ABrokenModelIsNamed) {
  const TemporaryFolder folder;
  const std::string command =
      "compare --schemes none --tasks back --seeds 1 --steps 1 --lengths 64 --out " + (folder / "a").string();
  ASSERT_EQ(run_program(command).exit_code, 0);
  write_file(folder / "a" / "models" / "back.none.safetensors", "x");
  const Outcome outcome = run_program(command);
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_NE(outcome.err.find("back.none.safetensors"), std::string::npos) << outcome.err;
  std::filesystem::remove(folder / "a" / "models" / "back.none.safetensors");
  EXPECT_EQ(run_program(command).exit_code, 0);
}

TEST(Compare, BadInputIsNamedBeforeTraining) {
  const TemporaryFolder folder;
  const std::string out = " --out " + (folder / "x").string();
  const auto expect = [&](const std::string& arguments, int code, const std::vector<const char*>& values) {
    const Outcome outcome = run_program("compare " + arguments + out);
    EXPECT_EQ(outcome.exit_code, code) << outcome.err;
    for (const char* value : values) EXPECT_NE(outcome.err.find(value), std::string::npos) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(folder / "x"));
  };
  expect("--schemes rotari", 2, {"'rotari'", "'rotary'"});
  expect("--tasks revers", 2, {"'revers'", "'reverse'"});
  expect("--lengths 1,64", 2, {"lengths", "'1,64'"});
  expect("--length 1", 2, {"--length", "1"});
  expect("--length 128 --lengths 32,64", 2, {"32, 64", "128"});
  expect("--schemes rotary:bse=5", 2, {"rotary", "'bse'", "'base'"});
  expect("--tokenizer learn:500", 2, {"tokenizer", "'learn:500'"});
  expect("--text /nowhere/at/all", 4, {"/nowhere/at/all"});
  expect("--budget soon", 2, {"--budget", "'soon'", "90s"});
  expect("--schemes fire --lengths 4000000", 5, {"fire", "4000000", "GB"});
}

std::string one(const std::filesystem::path& out, const std::string& more = "") {
  return "compare --schemes none,t5 --tasks back --seeds 1 --lengths 64 --out " + out.string() + " " + more;
}

TEST(Compare, AFolderWithOtherSettingsIsRefused) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_program(one(folder / "a", "--steps 1")).exit_code, 0);
  const Outcome outcome = run_program(one(folder / "a", "--steps 2"));
  EXPECT_EQ(outcome.exit_code, 2);
  for (const char* value : {"steps", "'2'", "'1'"})
    EXPECT_NE(outcome.err.find(value), std::string::npos) << outcome.err;
}

TEST(Compare, ABudgetReducesTheStudyAndStaysWithTheFolder) {
  const TemporaryFolder folder;
  const Outcome outcome = run_program(one(folder / "a", "--steps 4 --budget 5m"));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("budget 5m: 1 task, 1 seed, 4 steps, "), std::string::npos) << outcome.err;
  const Outcome again = run_program(one(folder / "a", "--steps 100000 --budget 1s"));
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(again.err, "") << "the folder keeps its first choice";
  const Outcome little = run_program(one(folder / "b", "--steps 1000000 --budget 60s"));
  EXPECT_EQ(little.exit_code, 2);
  for (const char* value : {"back", "500000"})
    EXPECT_NE(little.err.find(value), std::string::npos) << little.err;
  const Outcome none = run_program(one(folder / "c", "--budget 0.001s"));
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.err.find("0.001 s"), std::string::npos) << none.err;
}

TEST(Compare, TheTrainedLengthSetsTheTestLengths) {
  const TemporaryFolder folder;
  const std::string command = "compare --schemes none,t5 --tasks back --seeds 1 --steps 1 --length 16 --out ";
  ASSERT_EQ(run_program(command + (folder / "a").string()).exit_code, 0);
  const std::string results = read_file(folder / "a" / "results.csv");
  for (const char* row : {"back,t5,,1,16,", "back,t5,,1,32,", "back,t5,,1,64,", "back,t5,,1,128,"}) {
    EXPECT_NE(results.find(row), std::string::npos) << row;
  }
  ASSERT_EQ(run_program(command + (folder / "b").string() + " --lengths 20").exit_code, 0);
  EXPECT_NE(read_file(folder / "b" / "results.csv").find("back,t5,,1,20,"), std::string::npos);
  EXPECT_EQ(read_file(folder / "b" / "results.csv").find(",64,"), std::string::npos);
}

TEST(Compare, AStudyGrowsAndKeepsItsSettings) {
  const TemporaryFolder folder;
  const std::string start = "compare --tasks back --seeds 1 --steps 3 --length 16 --out ";
  ASSERT_EQ(run_program(start + (folder / "a").string() + " --schemes t5").exit_code, 0);
  const Outcome grown =
      run_program("compare --schemes none,rotary:base=50 --lengths 24 --out " + (folder / "a").string());
  ASSERT_EQ(grown.exit_code, 0) << grown.err;
  for (const char* value : {"1 trained model", "2 models", "16 tokens", "3 steps", "24"}) {
    EXPECT_NE(grown.err.find(value), std::string::npos) << grown.err;
  }
  const Outcome whole = run_program(start + (folder / "b").string() +
                                    " --schemes t5,none,rotary:base=50 --lengths 24,32,64,128");
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  EXPECT_EQ(read_file(folder / "a" / "results.csv"), read_file(folder / "b" / "results.csv"));
  EXPECT_NE(read_file(folder / "a" / "report.html").find("rotary:base=50"), std::string::npos);
  EXPECT_EQ(run_program("compare --out " + (folder / "a").string()).err, "");
  const Outcome refused = run_program("compare --schemes alibi --length 32 --out " + (folder / "a").string());
  EXPECT_EQ(refused.exit_code, 2);
  for (const char* value : {"length: '32'", "'16'"})
    EXPECT_NE(refused.err.find(value), std::string::npos) << refused.err;
}

TEST(Compare, TwoThreadCountsGiveTheSameBytes) {
  const TemporaryFolder folder;
  for (const char* threads : {"1", "3"}) {
    ASSERT_EQ(
        run_program(one(folder / threads, "--steps 2"), fmt::format("LOCUS_THREADS={}", threads)).exit_code,
        0);
  }
  EXPECT_EQ(read_file(folder / "1" / "results.csv"), read_file(folder / "3" / "results.csv"));
}

TEST(Compare, ATextHasTokensAndBitsPerByte) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "to be or not to be ";
  write_file(folder / "t.txt", text);
  const Outcome outcome =
      run_program("compare --schemes none --seeds 1 --steps 2 --lengths 70 --tokenizer learn:260 --text " +
                  (folder / "t.txt").string() + " --out " + (folder / "a").string());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find(" bits/byte)"), std::string::npos) << outcome.err;
  EXPECT_NE(read_file(folder / "a" / "study.toml").find("tokenizer = \"learn:260\""), std::string::npos);
  const std::string page = read_file(folder / "a" / "report.html");
  for (const char* part : {"bits/byte", "bits per byte", "vocabulary of 260", "bytes per token"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  const Outcome again = run_program("compare --json --out " + (folder / "a").string());
  EXPECT_EQ(again.err, "") << "the folder knows its text and tokenizer";
  simdjson::dom::parser parser;
  const simdjson::dom::element task = parser.parse(again.out)["tasks"].at(0);
  EXPECT_EQ(task["vocabulary"].get_int64().value(), 260);
  const double tokens = task["bytes_per_token"].get_double().value();
  const simdjson::dom::element score = task["lines"].at(0)["scores"].at(0);
  EXPECT_NEAR(score["bits_per_byte"].get_double().value(),
              std::log2(score["mean"].get_double().value()) / tokens, 1e-9);
}

TEST(Compare, TakesTheUsersOwnText) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "to be or not to be ";
  write_file(folder / "t.txt", text);
  const Outcome outcome = run_program("compare --schemes none --seeds 1 --steps 2 --lengths 70 --text " +
                                      (folder / "t.txt").string() + " --out " + (folder / "a").string());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("[1/1] text, none (seed 1):"), std::string::npos) << outcome.err;
  write_file(folder / "t.txt", text + "or");
  const Outcome changed = run_program("compare --schemes none --seeds 1 --steps 2 --lengths 70 --text " +
                                      (folder / "t.txt").string() + " --out " + (folder / "a").string());
  EXPECT_EQ(changed.exit_code, 2);
  EXPECT_NE(changed.err.find("t.txt"), std::string::npos) << changed.err;
  write_file(folder / "moved.txt", text);
  const Outcome moved = run_program("compare --schemes none --seeds 1 --steps 2 --lengths 70 --text " +
                                    (folder / "moved.txt").string() + " --out " + (folder / "a").string());
  EXPECT_EQ(moved.exit_code, 0) << moved.err;
  write_file(folder / "s.toml",
             "text = 't.txt'\ntasks = ''\nschemes = 'none'\nseeds = 1\nsteps = 2\n"
             "lengths = '70'\n");
  const Outcome beside =
      run_program("compare --study " + (folder / "s.toml").string() + " --out " + (folder / "b").string());
  EXPECT_EQ(beside.exit_code, 0) << beside.err;
}

}  // namespace
}  // namespace locus
