#include <gtest/gtest.h>
#include <simdjson.h>

#include "locus/base/file.h"
#include "locus/scheme/scheme.h"
#include "tests/program.h"
#include "tests/report/well_formed.h"
#include "tests/temporary_folder.h"

namespace locus {
namespace {

std::vector<std::string> names() {
  std::vector<std::string> result;
  for (const SchemeInfo* info : schemes()) result.emplace_back(info->name);
  return result;
}

class Show : public testing::TestWithParam<std::string> {};

TEST_P(Show, DrawsEveryScheme) {
  const TemporaryFolder folder;
  for (const std::string kind : {"svg", "html"}) {
    const auto path = folder / (GetParam() + "." + kind);
    const Outcome outcome =
        run_program("show " + GetParam() + " --heads 3 --length 70 --out " + path.string());
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    EXPECT_EQ(outcome.out.rfind(path.string() + ": ", 0), 0u) << outcome.out;
    const std::string picture = read_file(path);
    EXPECT_EQ(not_well_formed(picture), "");
    EXPECT_NE(picture.find(">" + GetParam() + "<"), std::string::npos);
    EXPECT_NE(picture.find("3 heads of 64, length 70"), std::string::npos);
    EXPECT_GT(picture.size(), 5000u);
    EXPECT_LT(picture.size(), 500000u);
  }
}

TEST_P(Show, PrintsTheNumbers) {
  const Outcome outcome = run_program("show " + GetParam() + " --heads 2 --length 9 --causal --json");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  simdjson::dom::parser parser;
  const simdjson::dom::element show = parser.parse(outcome.out);
  EXPECT_EQ(std::string_view(show["scheme"]), GetParam());
  EXPECT_EQ(int64_t(show["length"]), 9);
  EXPECT_GE(simdjson::dom::object(show["figures"]).size(), 2u);
  for (const auto figure : simdjson::dom::object(show["figures"])) {
    for (const auto map : simdjson::dom::array(figure.value["maps"])) {
      EXPECT_EQ(simdjson::dom::array(map["values"]).size(), 9u) << figure.key;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, Show, testing::ValuesIn(names()),
                         [](const auto& name) { return name.param; });

TEST(ShowProgram, WritesAPageByDefault) {
  const TemporaryFolder folder;
  const Outcome outcome = run_program("show none", "env -C " + folder.path().string());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "none.html: " + std::string(scheme_info("none").summary) + "\n");
  EXPECT_TRUE(std::filesystem::exists(folder / "none.html"));
  // Numbers alone write nothing.
  EXPECT_EQ(run_program("show learned --json", "env -C " + folder.path().string()).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder / "learned.html"));
}

TEST(ShowProgram, OptionsReachTheScheme) {
  const std::string plain = run_program("show rotary --json").out;
  const std::string wide = run_program("show rotary --json --set base=500000 --set pairs=interleaved").out;
  EXPECT_NE(plain, wide);
  EXPECT_NE(wide.find("\"base\": \"500000\""), std::string::npos);
}

TEST(ShowProgram, TheSameBytesEveryTime) {
  const std::string once = run_program("show t5 --json", "LOCUS_THREADS=1").out;
  EXPECT_EQ(run_program("show t5 --json", "LOCUS_THREADS=2").out, once);
}

TEST(ShowProgram, RefusesWhatItCannotDraw) {
  const TemporaryFolder folder;
  const std::string here = folder.path().string();
  struct Case {
    std::string arguments;
    int exit_code;
    std::string message;
  };
  const Case cases[] = {
      {"show", 2, "SCHEME is required"},
      {"show rotry", 2, "'rotary'"},
      {"show ../x", 2, "'../x'"},
      {"show rotary --heads 0", 2, "--heads: got 0, expected 1 to 64"},
      {"show rotary --heads 65", 2, "--heads: got 65, expected 1 to 64"},
      {"show rotary --heads many", 2, "--heads"},
      {"show rotary --length 1", 2, "--length: got 1, expected 2 to 32768"},
      {"show rotary --length -5", 2, "--length: got -5"},
      {"show rotary --length 99999999999999999999", 2, "--length"},
      {"show rotary --set base", 2, "'base'"},
      {"show rotary --set =5", 2, "'=5'"},
      {"show rotary --set bse=5", 2, "'base'"},
      {"show rotary --set base=0", 2, "'0'"},
      {"show rotary --set base=2 --set base=3", 2, "base"},
      {"show rotary --out x.png", 2, "'x.png'"},
      {"show rotary --out ''", 2, "--out"},
      {"show rotary --out " + here + "/gone/x.svg", 4, "gone/x.svg"},
      {"show rotary --otu x.svg", 2, "'--out'"},
      {"show learned --set rows=4", 3, "learned"},
  };
  for (const Case& one : cases) {
    const Outcome outcome = run_program(one.arguments, "env -C " + here);
    EXPECT_EQ(outcome.exit_code, one.exit_code) << one.arguments << ": " << outcome.err;
    EXPECT_EQ(outcome.out, "") << one.arguments;
    EXPECT_EQ(outcome.err.rfind("locus: ", 0), 0u) << outcome.err;
    EXPECT_NE(outcome.err.find(one.message), std::string::npos) << one.arguments << ": " << outcome.err;
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace locus
