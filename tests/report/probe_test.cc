// The probe sees what attention computes: softmax of its scores over values is attention's own result, for
// every scheme.
#include "locus/report/probe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "locus/op/attention.h"
#include "locus/op/rotate.h"
#include "locus/report/scheme_figures.h"

namespace locus::report {
namespace {

constexpr Geometry kGeometry = {.width = 24, .heads = 3, .head_size = 8, .layers = 2, .max_length = 300};
constexpr int32_t kPositions[] = {0, 1, 2, 3, 4, 5, 6};
constexpr int64_t kTokens = std::size(kPositions);

// A row of attention's weights from each head: values that are one-hot in the head's first elements.
std::vector<double> weights_of(const std::vector<double>& scores) {
  std::vector<double> weights(scores.size());
  for (size_t row = 0; row < scores.size(); row += kTokens) {
    double sum = 0;
    for (size_t j = row; j < row + kTokens; ++j) sum += std::exp(scores[j]);
    for (size_t j = row; j < row + kTokens; ++j) weights[j] = std::exp(scores[j]) / sum;
  }
  return weights;
}

class ProbeTest : public ::testing::TestWithParam<const SchemeInfo*> {};

TEST_P(ProbeTest, SeesTheScoresOfAttention) {
  const NoGrad no_grad;
  const int64_t H = kGeometry.heads, D = kGeometry.head_size;
  const Probe probe(*GetParam(), kGeometry, {});
  const Probe::Found found = probe.find(kPositions, kPositions);
  const Var same(Tensor::full({kTokens, H * D}, static_cast<float>(std::pow(D, -0.25))));
  const auto& rotation = found.pass.rotation();
  const Var q = rotation ? op::rotate_queries(same, *rotation, H) : same;
  const Var k = rotation ? op::rotate_keys(same, *rotation, H) : same;
  const Tensor v = Tensor::zeros({kTokens, H * D});
  for (int64_t j = 0; j < kTokens; ++j) {
    for (int64_t h = 0; h < H; ++h) v.data<float>()[j * H * D + h * D + j] = 1;
  }
  const std::vector<float> out =
      op::attention(q, k, Var(v), found.sequences, found.scores, {.heads = H}).value().values();
  const std::vector<double> weights = weights_of(probe.scores(kPositions, kPositions));
  for (int64_t h = 0; h < H; ++h) {
    for (int64_t i = 0; i < kTokens; ++i) {
      for (int64_t j = 0; j < kTokens; ++j) {
        // f32 scores near 1 and an exponential: a few ulp.
        EXPECT_NEAR(out[i * H * D + h * D + j], weights[(h * kTokens + i) * kTokens + j], 2e-6);
      }
    }
  }
}

TEST_P(ProbeTest, MakesFiguresOfTheLengthAskedFor) {
  for (const int64_t length : {2, 3, 130, 3000}) {
    Geometry geometry = kGeometry;
    geometry.max_length = std::max(length, geometry.max_length);
    const Probe probe(*GetParam(), geometry, {});
    for (const Figure& figure : scheme_figures(probe, length)) {
      EXPECT_GT(draw(figure, 760).height, 100) << figure.name;
      for (const LineChart& chart : figure.charts) {
        for (const Series& series : chart.series) {
          const auto [low, high] = std::ranges::minmax(series.x);
          EXPECT_LE(high - low, 2.0 * static_cast<double>(length - 1));
          EXPECT_LE(series.x.size(), 512u);
          EXPECT_EQ(std::ranges::count(series.x, 0), 1) << figure.name << series.name;
        }
      }
      for (const HeatMap& map : figure.maps) EXPECT_LE(map.y.back(), static_cast<double>(length - 1));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, ProbeTest, ::testing::ValuesIn(schemes().begin(), schemes().end()),
                         [](const auto& scheme) { return std::string(scheme.param->name); });

TEST_P(ProbeTest, SeesItActWhereItSaysSo) {
  const std::vector<std::string_view> kinds = Probe(*GetParam(), kGeometry, {}).kinds();
  EXPECT_EQ(kinds.empty() ? "nothing" : kinds.front(), name_of(GetParam()->acts_on));
  EXPECT_LE(kinds.size(), 1u);
}

TEST(Probe, WithoutASchemeEveryScoreIsOne) {
  const Probe probe(scheme_info("none"), kGeometry, {});
  for (const double score : probe.scores(kPositions, kPositions)) EXPECT_NEAR(score, 1, 1e-6);  // f32
  EXPECT_TRUE(probe.kinds().empty());
  EXPECT_TRUE(probe.input_rows(kPositions).empty());
}

TEST(Probe, SaysWhereASchemeActs) {
  using Kinds = std::vector<std::string_view>;
  EXPECT_EQ(Probe(scheme_info("learned"), kGeometry, {}).kinds(), Kinds{"input"});
  EXPECT_EQ(Probe(scheme_info("rotary"), kGeometry, {}).kinds(), Kinds{"rotation"});
  EXPECT_EQ(Probe(scheme_info("alibi"), kGeometry, {}).kinds(), Kinds{"score"});
  EXPECT_EQ(Probe(scheme_info("t5+learned"), kGeometry, {}).kinds(), (Kinds{"input", "score"}));
  EXPECT_EQ(Probe(scheme_info("learned"), kGeometry, {}).parameters(), 300 * 24);
}

TEST(SchemeFigures, ShowTheFallOfAlibi) {
  const Probe probe(scheme_info("alibi"), kGeometry, {{"slopes", "1, 0.5, 0.25"}});
  const std::vector<Figure> figures = scheme_figures(probe, 5);
  ASSERT_EQ(figures.size(), 2u);
  const LineChart& chart = figures[0].charts.at(0);
  ASSERT_EQ(chart.series.size(), 3u);
  EXPECT_EQ(chart.series[1].name, "head 2");
  EXPECT_EQ(chart.series[1].x, (std::vector<double>{-4, -3, -2, -1, 0, 1, 2, 3, 4}));
  for (size_t i = 0; i < 9; ++i) {
    EXPECT_NEAR(chart.series[1].y[i], 1 - 0.5 * std::abs(chart.series[1].x[i]), 1e-6);  // f32
  }
  ASSERT_EQ(figures[1].maps.size(), 3u);
  EXPECT_NEAR(figures[1].maps[0].values[4], -3, 1e-6);  // query 0, key 4, slope 1
}

TEST(SchemeFigures, RowsTooWideToDrawAreShownInPartAndNotAsMeans) {
  const Geometry geometry = {.width = 256, .heads = 4, .head_size = 64, .max_length = 8};
  const std::vector<Figure> figures = scheme_figures(Probe(scheme_info("sinusoidal"), geometry, {}), 4);
  const Figure& rows = figures.back();
  ASSERT_EQ(rows.name, "rows");
  EXPECT_EQ(rows.maps[0].x.size(), 128u);
  EXPECT_EQ(rows.maps[0].x[1], 2);
  EXPECT_EQ(rows.maps[0].values[0], 0);  // sin 0, where the mean with cos 0 would be a half
  EXPECT_NE(rows.caption.find("One element in 2 is shown."), std::string::npos) << rows.caption;
}

TEST(SchemeFigures, CausalModelsSeeNothingAhead) {
  Geometry geometry = kGeometry;
  geometry.causal = true;
  const std::vector<Figure> figures = scheme_figures(Probe(scheme_info("rotary"), geometry, {}), 4);
  ASSERT_EQ(figures[0].charts.at(0).series.size(), 1u);
  EXPECT_EQ(figures[0].charts[0].series[0].name, "every head");
  EXPECT_EQ(figures[0].charts[0].series[0].x, (std::vector<double>{-3, -2, -1, 0}));
  ASSERT_EQ(figures[1].maps.size(), 1u);
  for (size_t i = 0; i < 4; ++i) {
    for (size_t j = 0; j < 4; ++j) EXPECT_EQ(std::isfinite(figures[1].maps[0].values[i * 4 + j]), j <= i);
  }
}

}  // namespace
}  // namespace locus::report
