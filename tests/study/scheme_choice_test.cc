// Schemes with options, such as "rotary:base=500000".
#include "locus/study/scheme_choice.h"

#include <gtest/gtest.h>

#include "locus/study/summary.h"
#include "tests/expect_error.h"
#include "tests/study/tiny_study.h"
#include "tests/temporary_folder.h"

namespace locus::study {
namespace {

TEST(SchemeChoice, AWordNamesASchemeAndItsOptions) {
  EXPECT_EQ(scheme_choice("rotary").word(), "rotary");
  EXPECT_TRUE(scheme_choice("rotary").options.empty());
  const SchemeChoice choice = scheme_choice(" rotary : pairs = interleaved:base=500000");
  EXPECT_EQ(choice.info, &scheme_info("rotary"));
  EXPECT_EQ(choice.word(), "rotary:base=500000:pairs=interleaved");
  EXPECT_EQ(scheme_choice(choice.word()).options, choice.options);
  EXPECT_EQ(scheme_choice("learned+t5:t5.buckets=16").word(), "learned+t5:t5.buckets=16");
}

TEST(SchemeChoice, BadWordsAreNamed) {
  const auto expect = [](const char* word, std::initializer_list<const char*> values) {
    expect_error(Fault::usage, values, [&] { scheme_choice(word); });
  };
  expect("rotray:base=5", {"'rotray'", "'rotary'"});
  expect("rotary:bose=5", {"rotary", "'bose'", "'base'"});
  expect("rotary:base=many", {"rotary", "base", "'many'"});
  expect("rotary:base", {"rotary", "'base'"});
  expect("rotary:base=5:base=6", {"rotary", "'base'"});
  expect("", {"''"});
}

TEST(SchemeChoice, ItsOptionsReachTheModelAndOverrideTheRulesForLengths) {
  const Task& task = study::task("language");
  EXPECT_EQ(blueprint({}, task, "rotary:base=500000").scheme_options, (OptionValues{{"base", "500000"}}));
  EXPECT_EQ(blueprint({}, task, "t5:max_distance=40").scheme_options, (OptionValues{{"max_distance", "40"}}));
  EXPECT_EQ(blueprint({}, task, "t5:buckets=16").scheme_options,
            (OptionValues{{"buckets", "16"}, {"max_distance", "32"}}));
}

TEST(SchemeChoice, AnExtensionThatSetsAGivenOptionIsLeftOut) {
  EXPECT_EQ(scheme_choice("rotary").extensions().size(), scheme_info("rotary").extensions.size());
  EXPECT_EQ(scheme_choice("rotary:base=500").extensions().size(), scheme_info("rotary").extensions.size());
  EXPECT_TRUE(scheme_choice("rotary:scaling=linear:factor=2").extensions().empty());
}

TEST(SchemeChoice, VariantsOfASchemeAreRowsOfTheirOwn) {
  const TemporaryFolder folder;
  Study study = tiny();
  study.schemes = "rotary, rotary:base=3, rotary : base = 3";
  study.seeds = 1;
  const std::vector<Cell> cells = run(study, folder.path(), {});
  ASSERT_EQ(cells.size(), 2u);
  EXPECT_EQ(cells[1].name.scheme, "rotary:base=3");
  EXPECT_NE(cells[0].rows[0].scores[0].value, cells[1].rows[0].scores[0].value);
  const Summary summary = summarize(study, cells);
  EXPECT_EQ(summary.tasks[0].lines.front().label(), "rotary");
  EXPECT_EQ(summary.tasks[0].lines.back().label(), "rotary:base=3 + yarn");
  EXPECT_EQ(summary.costs.size(), 2u);
}

TEST(SchemeChoice, OptionsThatDoNotFitTogetherAreFoundBeforeTraining) {
  Study study = tiny();
  study.schemes = "none, rotary:factor=4";
  expect_error(Fault::usage, {"rotary", "factor"}, [&] { check(study); });
}

}  // namespace
}  // namespace locus::study
