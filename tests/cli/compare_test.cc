#include <gtest/gtest.h>
#include <simdjson.h>

#include "locus/base/file.h"
#include "tests/program.h"
#include "tests/report/well_formed.h"
#include "tests/temporary_folder.h"

namespace locus {
namespace {

std::string text_of(const std::filesystem::path& path) {
  const std::vector<std::byte> bytes = read_file(path);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string tiny(const std::filesystem::path& out) {
  return "compare --schemes none,learned,rotary --tasks language,majority --steps 2 --seeds 2 --lengths "
         "64,70 --out " +
         out.string();
}

TEST(Compare, WritesAReportNumbersAndWordsAndGoesOnFromThere) {
  const TemporaryFolder folder;
  const Outcome outcome = run_program(tiny(folder / "study"));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("language: at the trained length of 64, "), std::string::npos);
  EXPECT_NE(outcome.out.find("The report: " + (folder / "study" / "report.html").string()),
            std::string::npos);
  EXPECT_NE(outcome.err.find("[12/12] majority, rotary (seed 2):"), std::string::npos) << outcome.err;
  const std::string page = text_of(folder / "study" / "report.html");
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
  EXPECT_EQ(text_of(folder / "study" / "results.csv")
                .rfind("task,scheme,variant,seed,length,value\nlanguage,none,,1,64,", 0),
            0u);
  const Outcome again = run_program(tiny(folder / "study") + " --json");
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_EQ(again.err, "");  // every cell was there
  simdjson::dom::parser parser;
  const simdjson::dom::element results = parser.parse(again.out);
  EXPECT_EQ(results["tasks"].get_array().size(), 2u);
  EXPECT_EQ(results["tasks"].at(0)["lines"].at(0)["scheme"].get_string().value(), "none");
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
}

}  // namespace
}  // namespace locus
