#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "locus/base/file.h"
#include "locus/scheme/scheme.h"
#include "locus/study/batch.h"
#include "locus/study/direction.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace locus::study {
namespace {

class EveryTask : public ::testing::TestWithParam<const Task*> {};
INSTANTIATE_TEST_SUITE_P(Study, EveryTask, ::testing::ValuesIn(tasks().begin(), tasks().end()),
                         [](const auto& test) {
                           std::string name(test.param->name);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST_P(EveryTask, GivesCompleteExamplesWithTargets) {
  const Task& task = *GetParam();
  for (const int64_t length : {task.shortest, int64_t{5}, int64_t{64}, int64_t{301}}) {
    for (uint64_t stream = 0; stream < 20; ++stream) {
      const Example example = task.make(length, Random(7, stream));
      ASSERT_EQ(example.ids.size(), static_cast<size_t>(length));
      ASSERT_EQ(example.targets.size(), example.ids.size());
      int64_t targets = 0;
      for (size_t i = 0; i < example.ids.size(); ++i) {
        ASSERT_TRUE(example.ids[i] >= 0 && example.ids[i] < task.vocabulary);
        ASSERT_TRUE(example.targets[i] == kIgnored ||
                    (example.targets[i] >= 0 && example.targets[i] < task.vocabulary));
        targets += example.targets[i] == kIgnored ? 0 : 1;
      }
      ASSERT_GT(targets, 0) << "length " << length << " stream " << stream;
    }
  }
}

TEST_P(EveryTask, AnExampleDependsOnItsNumberAloneAndListsAreDisjoint) {
  const Task& task = *GetParam();
  const auto ids = [&](List list, int64_t first, int64_t count) {
    const Batch data = batch(task, 40, 3, list, first, count);
    const auto values = data.tokens.ids.values();
    return std::vector<int32_t>(values.begin(), values.end());
  };
  const std::vector<int32_t> four = ids(List::training, 0, 4), second = ids(List::training, 1, 1);
  EXPECT_TRUE(std::ranges::equal(second, std::span(four).subspan(40, 40)));
  std::set<std::vector<int32_t>> all;
  for (int64_t i = 0; i < 8; ++i) all.insert(ids(List::training, i, 1)), all.insert(ids(List::test, i, 1));
  EXPECT_GE(all.size(), 15u);  // texts of two symbols may be equal by chance
}

TEST_P(EveryTask, HasATitleAndAnExampleForReaders) {
  const Task& task = *GetParam();
  EXPECT_NE(task.title, task.name);
  EXPECT_NE(task.example.find(" \u2192 "), std::string_view::npos) << task.example;
}

TEST(Tasks, BackHasTheSymbolBeforeAsTarget) {
  const Example example = task("back").make(9, Random(1, 2));
  for (size_t i = 1; i < 9; ++i) EXPECT_EQ(example.targets[i], example.ids[i - 1]);
}

TEST(Direction, IsMeasuredOnTheScheme) {
  std::vector<std::string> undirected;
  for (const SchemeInfo* scheme : schemes()) {
    if (!has_direction(scheme->name)) undirected.emplace_back(scheme->name);
  }
  EXPECT_EQ(fmt::format("{}", fmt::join(undirected, " ")), "none alibi kerple");
}

TEST(Tasks, CopyAndReverseHaveTheFirstHalfAsTarget) {
  for (const bool backwards : {false, true}) {
    const Example example = task(backwards ? "reverse" : "copy").make(10, Random(1, 2));
    std::vector<int32_t> first(example.ids.begin(), example.ids.begin() + 5);
    if (backwards) std::ranges::reverse(first);
    EXPECT_TRUE(std::ranges::equal(first, std::span(example.targets).subspan(5)));
    // A target is the next input token.
    EXPECT_TRUE(std::ranges::equal(std::span(first).subspan(0, 4), std::span(example.ids).subspan(6)));
  }
}

TEST(Tasks, LanguageHasTheNameAfterEveryMark) {
  const Example example = task("language").make(300, Random(5, 5));
  int marks = 0;
  for (size_t i = 2; i < 300; ++i) {
    if (example.ids[i] != example.ids[0]) continue;
    EXPECT_EQ(example.targets[i], example.ids[1]);
    ++marks;
  }
  EXPECT_GT(marks, 5);
}

TEST(Tasks, AnUnknownOneGivesTheNearestName) {
  expect_error(Fault::usage, {"'langauge'", "'language'", "masked-language"}, [] { task("langauge"); });
}

TEST(Tasks, OfATextKeepItsLastTenthForTheTest) {
  const TemporaryFolder folder;
  std::string text(9000, 'a');
  text += std::string(1000, 'b');
  AtomicFile file(folder / "t.txt");
  file.write(text);
  file.commit();
  const Task task = text_task(folder / "t.txt", "bytes");
  for (uint64_t i = 0; i < 50; ++i) {
    EXPECT_EQ(std::ranges::count(task.make(60, Random(1, 2 * i)).ids, 'a'), 60);
    EXPECT_EQ(std::ranges::count(task.make(60, Random(1, 2 * i + 1)).ids, 'b'), 60);
  }
  expect_error(Fault::data, {"test part", (folder / "t.txt").c_str(), "1000", "1001"},
               [&] { task.make(1000, Random(1, 1)); });
}

}  // namespace
}  // namespace locus::study
