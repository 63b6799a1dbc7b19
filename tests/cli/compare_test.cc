#include <gtest/gtest.h>
#include <simdjson.h>

#include "locus/base/file.h"
#include "tests/program.h"
#include "tests/report/well_formed.h"
#include "tests/temporary_folder.h"

namespace locus {
namespace {

std::string tiny(const TemporaryFolder& folder) {
  write_file(folder / "few.toml", "test_tokens = 512\n");  // scoring takes longer than two steps
  return "compare --schemes none,learned,rotary --tasks language,majority --steps 2 --seeds 2 --lengths "
         "64,70 "
         "--study " +
         (folder / "few.toml").string() + " --out " + (folder / "study").string();
}

TEST(Compare, WritesAReportNumbersAndWordsAndGoesOnFromThere) {
  const TemporaryFolder folder;
  const Outcome outcome = run_program(tiny(folder));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("language: at the trained length of 64 tokens "), std::string::npos);
  EXPECT_NE(outcome.out.find("The report: " + (folder / "study" / "report.html").string()),
            std::string::npos);
  EXPECT_NE(outcome.err.find("[12/12] majority, rotary (seed 2):"), std::string::npos) << outcome.err;
  const std::string page = read_file(folder / "study" / "report.html");
  EXPECT_EQ(not_well_formed(page), "");
  EXPECT_LT(page.size(), 3u << 20);
  for (const char* part :
       {"Position schemes, trained short and tested long", "learned + interpolated", "no row",
        "What a scheme costs", "One word, two places", "Where the trained model looks"}) {
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(page.find("<script"), std::string::npos);
  for (const char* outside : {"src=", "<link", "@import", "url("}) {  // nothing comes from elsewhere
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
  }
  EXPECT_EQ(read_file(folder / "study" / "results.csv")
                .rfind("task,scheme,variant,seed,length,value\nlanguage,none,,1,64,", 0),
            0u);
  const Outcome again = run_program(tiny(folder) + " --json");
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_EQ(again.err, "");  // every cell was there
  simdjson::dom::parser parser;
  const simdjson::dom::element results = parser.parse(again.out);
  EXPECT_EQ(results["tasks"].get_array().size(), 2u);
  EXPECT_EQ(results["tasks"].at(0)["lines"].at(0)["scheme"].get_string().value(), "none");
}

TEST(Compare, ABrokenModelIsNamedWithWhatToDo) {
  const TemporaryFolder folder;
  const std::string command =
      "compare --schemes none --tasks back --seeds 1 --steps 1 --lengths 64 --out " + (folder / "a").string();
  ASSERT_EQ(run_program(command).exit_code, 0);
  write_file(folder / "a" / "models" / "back.none.safetensors", "x");
  const Outcome outcome = run_program(command);
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_NE(outcome.err.find("back.none.safetensors' and its cell is run again"), std::string::npos)
      << outcome.err;
  std::filesystem::remove(folder / "a" / "models" / "back.none.safetensors");
  EXPECT_EQ(run_program(command).exit_code, 0);
}

TEST(Compare, BadInputIsNamedBeforeAnythingIsTrained) {
  const TemporaryFolder folder;
  const std::string out = " --out " + (folder / "x").string();
  const auto expect = [&](const std::string& arguments, int code, const std::string& text) {
    const Outcome outcome = run_program("compare " + arguments + out);
    EXPECT_EQ(outcome.exit_code, code) << outcome.err;
    EXPECT_NE(outcome.err.find(text), std::string::npos) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(folder / "x"));
  };
  expect("--schemes rotari", 2, "unknown scheme 'rotari'; did you mean 'rotary'?");
  expect("--tasks revers", 2, "unknown task 'revers'; did you mean 'reverse'?");
  expect("--lengths 1,64", 2, "lengths is '1,64'");
  expect("--text /nowhere/at/all", 4, "/nowhere/at/all");
  expect("--budget soon", 2, "--budget is 'soon', expected a time such as 90s, 5m or 1.5h");
  expect("--schemes fire --lengths 4000000", 5, "testing fire on a text of 4000000 tokens needs about ");
}

std::string one(const std::filesystem::path& out, const std::string& more = "") {
  return "compare --schemes none,t5 --tasks back --seeds 1 --lengths 64 --out " + out.string() + " " + more;
}

TEST(Compare, AFolderOfAnotherStudyIsRefused) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_program(one(folder / "a", "--steps 1")).exit_code, 0);
  const Outcome outcome = run_program(one(folder / "a", "--steps 2"));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("holds another study"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("steps: '2', was '1'"), std::string::npos) << outcome.err;
}

TEST(Compare, ABudgetIsKeptBySmallerStudiesAndStaysWithTheFolder) {
  const TemporaryFolder folder;
  const Outcome outcome = run_program(one(folder / "a", "--steps 4 --budget 5m"));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("locus: 1 task, 1 seed, 4 steps in "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find(" of 5m; without --budget the same"), std::string::npos) << outcome.err;
  const Outcome again = run_program(one(folder / "a", "--steps 100000 --budget 1s"));
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(again.err, "") << "the steps chosen then are those of the folder";
  const Outcome little = run_program(one(folder / "b", "--steps 1000000 --budget 60s"));
  EXPECT_EQ(little.exit_code, 2);
  EXPECT_NE(little.err.find(" s, is too short; one seed of back at 500000 steps takes about "),
            std::string::npos)
      << little.err;
  const Outcome none = run_program(one(folder / "c", "--budget 0.001s"));
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.err.find("0.001 s are too short even to time a few steps"), std::string::npos) << none.err;
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

TEST(Compare, TakesTheUsersOwnText) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "to be or not to be ";
  write_file(folder / "t.txt", text);
  const Outcome outcome = run_program("compare --schemes none --seeds 1 --steps 2 --lengths 70 --text " +
                                      (folder / "t.txt").string() + " --out " + (folder / "a").string());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("[1/1] text, none (seed 1):"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.out.find("text: at the trained length of 64 tokens none ("), std::string::npos);
  write_file(folder / "t.txt", text + "or");
  const Outcome changed = run_program("compare --schemes none --seeds 1 --steps 2 --lengths 70 --text " +
                                      (folder / "t.txt").string() + " --out " + (folder / "a").string());
  EXPECT_EQ(changed.exit_code, 2);
  EXPECT_NE(changed.err.find("was begun with another text"), std::string::npos) << changed.err;
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
