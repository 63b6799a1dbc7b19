// Reports on models in memory that the host cannot read: the numbers of the CPU.
#include <gtest/gtest.h>

#include "locus/checkpoint/model_folder.h"
#include "locus/report/model_figures.h"
#include "locus/report/repeated_word.h"

namespace locus::report {
namespace {

ModelFolder opened(const std::string& family, Device device) {
  return open_model(std::filesystem::path(LOCUS_GOLDEN) / "family" / family, {.device = device});
}

// All numbers of the charts of a model.
std::vector<std::pair<std::string, std::vector<double>>> numbers_of(const Model& model) {
  std::vector<std::pair<std::string, std::vector<double>>> numbers;
  for (const Figure& figure : model_figures(model)) {
    for (const LineChart& chart : figure.charts) {
      for (const Series& series : chart.series) numbers.emplace_back(figure.name, series.y);
    }
  }
  return numbers;
}

TEST(FencedReport, DrawsTheFiguresOfTheCpu) {
  for (const char* family : {"bert", "t5", "mistral", "deberta"}) {
    SCOPED_TRACE(family);
    const ModelFolder fenced = opened(family, Device::fenced), cpu = opened(family, Device::cpu);
    const auto got = numbers_of(fenced.model);
    EXPECT_FALSE(got.empty());
    EXPECT_EQ(got, numbers_of(cpu.model));
  }
}

TEST(FencedReport, ComparesARepeatedWordAsOnTheCpu) {
  const std::vector<int32_t> ids = {1, 2, 3, 2};
  const std::vector<std::string> words = {"the", "dog", "saw", "dog"};
  for (const char* family : {"bert", "mistral"}) {
    SCOPED_TRACE(family);
    const ModelFolder fenced = opened(family, Device::fenced), cpu = opened(family, Device::cpu);
    const RepeatedWord got = compare_occurrences(fenced.model, ids, words, 1, 3),
                       wanted = compare_occurrences(cpu.model, ids, words, 1, 3);
    EXPECT_EQ(got.token_cosine, wanted.token_cosine);
    EXPECT_EQ(got.states, wanted.states);
    ASSERT_EQ(got.weights.size(), wanted.weights.size());
    EXPECT_EQ(got.weights.back().values(), wanted.weights.back().values());
  }
}

}  // namespace
}  // namespace locus::report
