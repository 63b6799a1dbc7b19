#include <gtest/gtest.h>
#include <simdjson.h>

#include "locus/scheme/scheme.h"
#include "tests/program.h"

namespace locus {
namespace {

size_t widest_line(const std::string& text) {
  size_t widest = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    widest = std::max(widest, end - at);
    at = end + 1;
  }
  return widest;
}

TEST(Schemes, ListsEveryScheme) {
  const Outcome outcome = run_program("schemes");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  for (const SchemeInfo* info : schemes()) {
    EXPECT_TRUE(contains(outcome.out, "\n" + std::string(info->name) + " ")) << info->name;
  }
  EXPECT_TRUE(contains(outcome.out, "input ")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, " 262144 ")) << outcome.out;  // learned: 512 rows of 512
  EXPECT_TRUE(contains(outcome.out, " refused ")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, " defined ")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "a model of width 512, 8 heads, 6 layers and length 512"));
}

TEST(Schemes, FitTheTerminal) {
  for (const int width : {72, 100, 160}) {
    for (const std::string arguments : {"schemes", "schemes rotary"}) {
      const Outcome outcome = run_program(arguments, "COLUMNS=" + std::to_string(width));
      // A formula is not broken: the longest of rotary's lines has 56 characters.
      EXPECT_LE(widest_line(outcome.out), static_cast<size_t>(width)) << outcome.out;
      EXPECT_GE(widest_line(outcome.out), static_cast<size_t>(width) * 3 / 4) << outcome.out;
    }
  }
  EXPECT_GE(widest_line(run_program("schemes", "COLUMNS=banana").out), 70u);
}

TEST(Schemes, DescribeOne) {
  const SchemeInfo& info = scheme_info("rotary");
  const Outcome outcome = run_program("schemes rotary", "COLUMNS=400");
  EXPECT_EQ(outcome.exit_code, 0);
  for (const std::string_view part : {info.summary, info.paper, info.models, info.cost}) {
    EXPECT_TRUE(contains(outcome.out, part)) << part;
  }
  EXPECT_TRUE(contains(outcome.out, "    (a, b) = (x[n], x[n + d/2])")) << outcome.out;
  for (const OptionSpec& spec : info.options.list()) {
    EXPECT_TRUE(contains(outcome.out, "\n" + std::string(spec.name) + " ")) << spec.name;
    EXPECT_TRUE(contains(outcome.out, spec.help)) << spec.name;
  }
  EXPECT_TRUE(contains(outcome.out, "one of halves|interleaved"));
  EXPECT_TRUE(contains(run_program("schemes none").out, "No options."));
}

TEST(Schemes, PrintJson) {
  simdjson::dom::parser parser;
  const std::string list = run_program("schemes --json").out;
  const simdjson::dom::array items = parser.parse(list);
  EXPECT_EQ(items.size(), schemes().size());
  for (size_t i = 0; i < schemes().size(); ++i) {
    EXPECT_EQ(std::string_view(items.at(i)["name"]), schemes()[i]->name);
    EXPECT_EQ(bool(items.at(i)["relative"]), schemes()[i]->relative);
    EXPECT_EQ(std::string_view(items.at(i)["past_max_length"]),
              schemes()[i]->extrapolates ? "defined" : "refused");
  }
  const std::string one = run_program("schemes sinusoidal --json").out;
  const simdjson::dom::element scheme = parser.parse(one);
  EXPECT_EQ(std::string_view(scheme["acts_on"].at(0)), "input");
  EXPECT_EQ(int64_t(scheme["parameters"]), 0);
  EXPECT_EQ(std::string_view(scheme["formula"]), scheme_info("sinusoidal").formula);
  EXPECT_EQ(std::string_view(scheme["options"].at(0)["name"]),
            scheme_info("sinusoidal").options.list()[0].name);
}

TEST(Schemes, UnknownNamesGiveTheNearest) {
  const Outcome outcome = run_program("schemes rotry");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(contains(outcome.err, "'rotary'")) << outcome.err;
  EXPECT_EQ(run_program("schemes rotary twice").exit_code, 2);
  EXPECT_EQ(run_program("schemes ''").exit_code, 2);
}

}  // namespace
}  // namespace locus
