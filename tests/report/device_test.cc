// Reports on models in memory that the host cannot read: the numbers of the CPU.
#include <gtest/gtest.h>

#include "locus/checkpoint/model_folder.h"
#include "locus/report/model_figures.h"
#include "locus/report/repeated_word.h"
#include "tests/other_device.h"

namespace locus::report {
namespace {

using testing::expect_same;
using testing::other_device;

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

TEST(ReportOnADevice, DrawsTheFiguresOfTheCpu) {
  for (const char* family : {"bert", "t5", "mistral", "deberta"}) {
    SCOPED_TRACE(family);
    const ModelFolder other = opened(family, other_device()), cpu = opened(family, Device::cpu);
    const auto got = numbers_of(other.model);
    EXPECT_FALSE(got.empty());
    expect_same(got, numbers_of(cpu.model));
  }
}

TEST(ReportOnADevice, ComparesARepeatedWordAsOnTheCpu) {
  const std::vector<int32_t> ids = {1, 2, 3, 2};
  const std::vector<std::string> words = {"the", "dog", "saw", "dog"};
  for (const char* family : {"bert", "mistral"}) {
    SCOPED_TRACE(family);
    const ModelFolder other = opened(family, other_device()), cpu = opened(family, Device::cpu);
    const RepeatedWord got = compare_occurrences(other.model, ids, words, 1, 3),
                       wanted = compare_occurrences(cpu.model, ids, words, 1, 3);
    expect_same(got.token_cosine, wanted.token_cosine);
    expect_same(got.states, wanted.states);
    ASSERT_EQ(got.weights.size(), wanted.weights.size());
    expect_same(got.weights.back().values(), wanted.weights.back().values());
  }
}

}  // namespace
}  // namespace locus::report
