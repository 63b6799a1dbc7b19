// The figures of a model show the values of its checkpoint.
#include "locus/report/model_figures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "locus/checkpoint/model_folder.h"
#include "locus/report/probe.h"
#include "tests/expect_error.h"

namespace locus::report {
namespace {

std::filesystem::path golden(const std::string& family) {
  return std::filesystem::path(LOCUS_GOLDEN) / "family" / family;
}

const Figure& figure_of(const std::vector<Figure>& figures, std::string_view name) {
  const auto found = std::ranges::find(figures, name, &Figure::name);
  EXPECT_NE(found, figures.end()) << name;
  return *found;
}

TEST(ModelFigures, NormsAreThoseOfTheTable) {
  const ModelFolder folder = open_model(golden("bert"));
  const Tensor table = SafetensorsFile(golden("bert") / "model.safetensors")
                           .read("bert.embeddings.position_embeddings.weight");
  const std::vector<Figure> figures = model_figures(folder.model);
  const Series& lengths = figure_of(figures, "row_norms").charts.at(0).series.at(0);
  ASSERT_EQ(lengths.y.size(), static_cast<size_t>(table.size(0)));
  for (int64_t p = 0; p < table.size(0); ++p) {
    double squares = 0;
    for (int64_t c = 0; c < table.size(1); ++c) squares += std::pow(table.view().row<float>(p)[c], 2);
    EXPECT_NEAR(lengths.y[static_cast<size_t>(p)], std::sqrt(squares), 1e-12);  // double sums of the same f32
  }
  EXPECT_NE(figure_of(figures, "similarity_over_positions").caption.find("the model's values"),
            std::string::npos);
}

TEST(ModelFigures, BiasesAreThoseOfTheTable) {
  const ModelFolder folder = open_model(golden("t5"));
  const std::vector<Figure> figures = model_figures(folder.model);
  for (const std::string stack : {"encoder", "decoder"}) {
    const Tensor table = SafetensorsFile(golden("t5") / "model.safetensors")
                             .read(stack + ".block.0.layer.0.SelfAttention.relative_attention_bias.weight");
    const Figure& figure = figure_of(figures, stack + "_scores_over_distance");
    ASSERT_EQ(figure.charts.size(), 3u);  // heads
    for (size_t h = 0; h < 3; ++h) {
      const Series& series = figure.charts[h].series.at(0);
      const auto here = std::ranges::find(series.x, 0) - series.x.begin();
      // Distance 0 is bucket 0; f32 scores near 1.
      EXPECT_NEAR(series.y[static_cast<size_t>(here)] - 1, table.view().row<float>(0)[h], 1e-6) << stack;
      EXPECT_EQ(series.x.back(),
                stack == "encoder" ? 510 : 0);  // every second position; a decoder has no positive distances
    }
  }
}

TEST(ModelFigures, WavelengthsAreThoseOfTheBase) {
  const ModelFolder folder = open_model(golden("mistral"));
  const OptionValues& options = folder.model.blueprint().scheme_options;
  const double base = std::stod(options.at("base")), width = std::stod(options.at("width"));
  const std::vector<Figure> figures = model_figures(folder.model);
  const LineChart& chart = figure_of(figures, "wavelengths").charts.at(0);
  const Series& turn = chart.series.at(0);
  ASSERT_EQ(turn.y.size(), static_cast<size_t>(width / 2));
  for (size_t n = 0; n < turn.y.size(); ++n) {
    const double wanted = 2 * std::numbers::pi * std::pow(base, 2 * static_cast<double>(n) / width);
    EXPECT_NEAR(turn.y[n] / wanted, 1, 1e-6);  // f32 cosines and sines
  }
  EXPECT_EQ(chart.series.at(1).y.at(0), static_cast<double>(folder.model.blueprint().max_length));
}

// ModernBERT rotates slowly in its global-attention layers and fast in its local ones.
TEST(ModelFigures, GlobalLayersWithTheirOwnSchemeAreDrawnToo) {
  const ModelFolder folder = open_model(golden("modernbert"));
  const std::vector<Figure> figures = model_figures(folder.model);
  const auto slowest = [&](std::string_view name) {
    return figure_of(figures, name).charts.at(0).series.at(0).y.back();
  };
  // The last of two pairs has sqrt(base) times the wavelength of the first; f32 cosines and sines.
  EXPECT_NEAR(slowest("wavelengths") / (2 * std::numbers::pi * std::sqrt(50.0)), 1, 1e-6);
  EXPECT_NEAR(slowest("global_wavelengths") / (2 * std::numbers::pi * std::sqrt(500.0)), 1, 1e-6);
  const Model model(
      blueprint_of("test", {{"global_every", "2"}, {"global_scheme.name", "t5"}, {"heads", "4"}}));
  EXPECT_EQ(Probe(model, Probe::Part::decoder, Probe::Layers::global).parameters(), 32 * 4);
  EXPECT_EQ(std::ranges::count(parts_of(model), std::pair(std::string("positions"), int64_t{32 * 4})), 1);
  const std::vector<Figure> bare = model_figures(open_model(golden("smollm3")).model);
  EXPECT_TRUE(std::ranges::none_of(bare, [](const Figure& f) { return f.name.starts_with("global_"); }));
}

TEST(ModelFigures, PartsAreTheWholeModel) {
  for (const auto& entry : std::filesystem::directory_iterator(golden(""))) {
    const ModelFolder folder = open_model(entry.path());
    int64_t sum = 0;
    for (const auto& [part, count] : parts_of(folder.model)) sum += count;
    EXPECT_EQ(sum, folder.model.parameters().numel()) << entry.path();
  }
  const auto parts = parts_of(open_model(golden("gpt2")).model);
  const Blueprint b = open_model(golden("gpt2")).model.blueprint();
  EXPECT_EQ(std::ranges::find(parts, "positions", &std::pair<std::string, int64_t>::first)->second,
            b.max_length * b.width);
  EXPECT_EQ(std::ranges::find(parts, "tokens", &std::pair<std::string, int64_t>::first)->second,
            b.vocabulary * b.width);
}

TEST(ModelFigures, OfASingleTokenCanBeDrawn) {
  const Model model(Blueprint{.max_length = 1, .scheme = "learned"});
  for (const Figure& figure : model_figures(model)) EXPECT_GT(draw(figure, 400).height, 100) << figure.name;
}

// Figures of broken weights help to find the cause.
TEST(ModelFigures, OfNumbersThatAreNotFiniteCanBeDrawn) {
  for (const char* scheme : {"learned", "t5"}) {
    const Model model(Blueprint{.max_length = 9, .scheme = scheme});
    const auto table = model.parameters().at("decoder.scheme.table").value().data<float>();
    for (const bool all : {false, true}) {
      table[1] = std::numeric_limits<float>::infinity();
      std::fill(table.begin() + 2, all ? table.end() : table.begin() + 3, std::nanf(""));
      for (const Figure& figure : model_figures(model))
        EXPECT_GT(draw(figure, 400).height, 100) << figure.name;
    }
  }
}

TEST(ModelFigures, AProbeNeedsItsStack) {
  const Model model{Blueprint{}};
  expect_error(Fault::data, {"encoder"}, [&] { Probe(model, Probe::Part::encoder); });
}

TEST(ModelFigures, SayWhatHappensPastMaxLength) {
  EXPECT_TRUE(past_max_length({.scheme = "learned"}).starts_with("refused: "));
  EXPECT_TRUE(past_max_length({.scheme = "rotary"}).starts_with("computed: "));
}

}  // namespace
}  // namespace locus::report
