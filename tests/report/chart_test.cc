// Charts, figures and pages: the output is well-formed, inside its drawing, and contains the given data.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "locus/report/page.h"
#include "locus/report/palette.h"
#include "tests/expect_error.h"
#include "tests/report/well_formed.h"

namespace locus::report {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

// Every absolute point of every path, and the place of every text.
void expect_inside(const Drawing& drawing) {
  int points = 0;
  for (const char* at = drawing.body.c_str(); *at != 0; ++at) {
    double x = 0, y = 0;
    if (std::sscanf(at, "M%lf %lf", &x, &y) != 2 && std::sscanf(at, "L%lf %lf", &x, &y) != 2 &&
        std::sscanf(at, "x=\"%lf\" y=\"%lf\"", &x, &y) != 2) {
      continue;
    }
    ++points;
    const std::string place(at, strnlen(at, 24));
    EXPECT_GE(x, 0) << place;
    EXPECT_LE(x, drawing.width) << place;
    EXPECT_GE(y, 0) << place;
    EXPECT_LE(y, drawing.height) << place;
  }
  EXPECT_GT(points, 0);
}

LineChart some_chart(size_t series) {
  LineChart chart{.title = "Loss & gain", .x_label = "step <n>", .y_label = "loss"};
  for (size_t i = 0; i < series; ++i) {
    chart.series.push_back(
        {"series " + std::to_string(i), {1, 10, 100}, {3.0 + static_cast<double>(i), 2, 1}});
  }
  return chart;
}

TEST(BarChart, BarsAreAsLongAsTheirValues) {
  const Drawing drawing = draw(BarChart{"A < B", {{"one", 2, "2 ms"}, {"two & three", 1, "1 ms"}}}, 300);
  EXPECT_EQ(not_well_formed(svg_file(drawing)), "");
  expect_inside(drawing);
  std::vector<double> lengths;
  for (size_t at = drawing.body.find("d=\"M0 "); at != std::string::npos;
       at = drawing.body.find("d=\"M0 ", at + 1)) {
    double y = 0, length = 0;
    ASSERT_EQ(std::sscanf(drawing.body.c_str() + at, "d=\"M0 %lfh%lf", &y, &length), 2);
    lengths.push_back(length);
  }
  ASSERT_EQ(lengths.size(), 2u);
  EXPECT_NEAR(lengths[0], 2 * lengths[1], 0.02);  // two decimals are written
  EXPECT_LT(lengths[0] + text_width("2 ms", kTextSize), 300);
}

TEST(BarChart, LeavesRoomForBarsBesideLongLabels) {
  const Drawing drawing = draw(BarChart{"", {{"one", 1, std::string(500, 'm')}}}, 480);
  expect_inside(drawing);
  EXPECT_NE(drawing.body.find("\xe2\x80\xa6"), std::string::npos);  // an ellipsis
}

TEST(BarChart, RefusesNoBarsAndNegativeValues) {
  expect_error(Fault::data, {"'none'"}, [] { draw(BarChart{"none", {}}, 300); });
  expect_error(Fault::data, {"'debt'", "'a'", "-1"}, [] { draw(BarChart{"debt", {{"a", -1, ""}}}, 300); });
  expect_error(Fault::data, {"'thin'", "10"}, [] { draw(BarChart{"thin", {{"a", 1, ""}}}, 10); });
}

TEST(LineChart, DrawsEverySeriesOnItsPaper) {
  for (const bool log : {false, true}) {
    LineChart chart = some_chart(12);
    chart.log_x = chart.log_y = log;
    const Drawing drawing = draw(chart, 480, 330);
    EXPECT_EQ(not_well_formed(svg_file(drawing)), "");
    EXPECT_EQ(count(drawing.body, "class=\"series\" tabindex=\"0\""), 12u);
    EXPECT_EQ(count(drawing.body, ">series 11<"), 2u);  // in the legend and as a title
    EXPECT_EQ(count(drawing.body, ">series 3, 10: 2<"), 1u);
    EXPECT_EQ(count(drawing.body, "Loss &amp; gain"), 1u);
    expect_inside(drawing);
  }
}

TEST(LineChart, NamesAtTheEndsOfLinesDoNotOverlap) {
  LineChart chart = some_chart(12);  // all end at the same place
  chart.named_ends = true;
  chart.series[3].y = {5, kNan, kNan};
  const Drawing drawing = draw(chart, 480, 330);
  EXPECT_EQ(not_well_formed(svg_file(drawing)), "");
  expect_inside(drawing);
  std::vector<double> places;
  for (size_t i = 0; i < chart.series.size(); ++i) {
    // A line that ends early names its last x.
    const std::string ended = i == 3 ? ", to 1" : "";
    const size_t name = drawing.body.find(">series " + std::to_string(i) + ended + "</text>");
    ASSERT_NE(name, std::string::npos) << i;
    double x = 0, y = 0;
    const size_t text = drawing.body.rfind("<text", name);
    ASSERT_EQ(std::sscanf(drawing.body.c_str() + text, "<text x=\"%lf\" y=\"%lf\"", &x, &y), 2);
    places.push_back(y);
  }
  std::ranges::sort(places);
  for (size_t i = 1; i < places.size(); ++i) EXPECT_GE(places[i] - places[i - 1], kTextSize) << i;
}

TEST(LineChart, AGapInterruptsTheLine) {
  LineChart chart{.series = {{"", {1, 2, 3, 4, 5}, {1, 2, kNan, 2, 1}}}};
  const std::string body = draw(chart, 480, 330).body;
  const size_t line = body.find("class=\"line c0 d0\"");
  const std::string path = body.substr(line, body.find("/>", line) - line);
  EXPECT_EQ(count(path, "M"), 2u) << path;
  EXPECT_EQ(count(path, "L"), 2u) << path;
}

TEST(LineChart, ClipsAnOutlierAndMarksIt) {
  LineChart chart{.named_ends = true, .y_cap = 10.0};
  chart.series = {{"good", {1, 2, 3}, {4, 5, 6}},
                  {"outlier", {1, 2, 3}, {5, 15, 80}},
                  {"endless", {1, 2}, {5, INFINITY}}};
  const Drawing drawing = draw(chart, 480, 330);
  EXPECT_EQ(not_well_formed(svg_file(drawing)), "");
  expect_inside(drawing);
  EXPECT_EQ(count(drawing.body, ">outlier \u219180</text>"), 1u);  // the name gives its last value
  EXPECT_EQ(count(drawing.body, "l5 -8l5 8"), 2u);                 // an arrow where a line leaves
  EXPECT_EQ(count(drawing.body, ">outlier, 2: 15<"), 0u);
  // The scale belongs to the other lines: 4 and 6 are far apart.
  const auto y_of = [&](const std::string& title) {
    const size_t at = drawing.body.rfind("d=\"M", drawing.body.find(title));
    double x = 0, y = 0;
    EXPECT_EQ(std::sscanf(drawing.body.c_str() + at, "d=\"M%lf %lf", &x, &y), 2);
    return y;
  };
  EXPECT_GT(y_of(">good, 1: 4<") - y_of(">good, 3: 6<"), 50);
}

TEST(LineChart, MutedLinesHaveNoColorMarksOrFocus) {
  LineChart chart = some_chart(3);
  chart.named_ends = true;
  chart.series[0].muted = true;
  chart.series[0].name = "";
  chart.series[2].dashed = true;
  const std::string body = draw(chart, 480, 330).body;
  EXPECT_EQ(count(body, "class=\"line muted\""), 1u);
  EXPECT_EQ(count(body, "class=\"series\""), 2u);
  EXPECT_EQ(count(body, "class=\"line c0 d0\""),
            2u);  // the first line in color, and the piece before its name
  EXPECT_EQ(count(body, "class=\"line c0 d1\""), 2u);  // its variant
}

TEST(LineChart, RefusesWhatItCannotDraw) {
  expect_error(Fault::data, {"'Loss & gain'"}, [] { draw(some_chart(0), 480, 330); });
  expect_error(Fault::data, {"'a'", "2 x", "1 y"}, [] {
    draw(LineChart{.series = {{"a", {1, 2}, {1}}}}, 480, 330);
  });
  expect_error(Fault::data, {"200", "330"}, [] { draw(some_chart(200), 480, 330); });
}

TEST(Palette, HasEnoughContrast) {
  // Relative luminance and contrast of the Web Content Accessibility Guidelines 2, which require 3 for lines
  // and 4.5 for text.
  const auto luminance = [](const char* color) {
    double sum = 0;
    const double weights[] = {0.2126, 0.7152, 0.0722};
    for (int i = 0; i < 3; ++i) {
      const double c = std::stoi(std::string(color).substr(1 + 2 * i, 2), nullptr, 16) / 255.0;
      sum += weights[i] * (c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
    }
    return sum;
  };
  const auto contrast = [&](const char* a, const char* b) {
    const double x = luminance(a) + 0.05, y = luminance(b) + 0.05;
    return std::max(x, y) / std::min(x, y);
  };
  for (const Theme& theme : {kLight, kDark}) {
    for (const char* line : theme.lines) EXPECT_GE(contrast(line, theme.background), 3) << line;
    for (const char* back : {theme.background, theme.good, theme.partial, theme.bad, theme.panel}) {
      EXPECT_GE(contrast(theme.text, back), 4.5) << back;
    }
    for (const char* back : {theme.background, theme.panel})
      EXPECT_GE(contrast(theme.faint, back), 4.5) << back;
  }
}

TEST(Palette, LinesAndShadesDiffer) {
  EXPECT_EQ(line_class(0), "line c0 d0");
  EXPECT_EQ(line_class(9), "line c1 d1");
  EXPECT_EQ(shade(-5, 0, 1), 0);
  EXPECT_EQ(shade(0.5, 0, 1), kShades / 2);
  EXPECT_EQ(shade(7, 0, 1), kShades - 1);
  EXPECT_EQ(shade(3, 3, 3), kShades / 2);
}

TEST(HeatMap, ARunOfOneShadeIsOneStroke) {
  const HeatMap map{.title = "a", .x = {0, 1, 2}, .y = {0, 1}, .values = {0, 0, 1, kNan, 1, 1}};
  const Drawing drawing = draw(map, 200);
  EXPECT_EQ(not_well_formed(svg_file(drawing)), "");
  EXPECT_EQ(count(drawing.body, "<path class=\"h0\" d=\"M0 0.5h2\"/>"), 1u);
  EXPECT_EQ(count(drawing.body, "<path class=\"h47\" d=\"M2 0.5h1M1 1.5h2\"/>"), 1u);
}

TEST(HeatMap, FineMatricesBecomeMeansOfBlocks) {
  HeatMap map{.low = 0, .high = 1};
  for (int i = 0; i < 300; ++i) map.x.push_back(i);
  map.y = {0, 1};
  // Alternating zeros and ones: the mean of every block is about a half.
  for (int i = 0; i < 600; ++i) map.values.push_back(i % 2);
  const std::string body = draw(map, 200).body;
  EXPECT_EQ(count(body, "class=\"h0\""), 0u);
  EXPECT_EQ(count(body, "class=\"h24\""), 1u);
}

TEST(HeatMap, MapsShareTheirColors) {
  std::vector<HeatMap> maps = {{.values = {1, kNan, 3}}, {.values = {-2, 0}}};
  share_colors(maps);
  for (const HeatMap& map : maps) {
    EXPECT_EQ(map.low, -2);
    EXPECT_EQ(map.high, 3);
  }
}

TEST(HeatMap, HasTheWordsOfItsTokensAtBothAxes) {
  HeatMap map{.title = "a", .x_label = "key", .y_label = "query"};
  for (int i = 0; i < 9; ++i) {
    map.x.push_back(i);
    map.y.push_back(i);
    map.words.push_back(fmt::format("<{}>", i));
  }
  map.words[4] = "incomprehensibilities";
  map.values.resize(81);
  const Drawing drawing = draw(map, 300), narrow = draw(map, 120);
  EXPECT_EQ(not_well_formed(svg_file(drawing)), "");
  expect_inside(drawing);
  expect_inside(narrow);
  EXPECT_EQ(count(drawing.body, ">&lt;3&gt;</text>"), 2u);
  EXPECT_EQ(count(drawing.body, ">8</text>"), 0u) << "no numbers";
  EXPECT_EQ(count(drawing.body, "incomprehensibilities"), 0u) << "shortened";
  EXPECT_GT(count(narrow.body, ">&lt;0&gt;</text>"), 0u);
  EXPECT_EQ(count(narrow.body, ">&lt;1&gt;</text>"), 0u) << "too narrow for every word";
}

TEST(LineChart, HasTheWordsOfItsTokens) {
  LineChart chart{.series = {{"", {0, 1, 2}, {1, 2, 3}}}, .x_words = {"the", "dog", "ran"}};
  const Drawing drawing = draw(chart, 300, 200);
  expect_inside(drawing);
  for (const char* word : {">the<", ">dog<", ">ran<"}) EXPECT_EQ(count(drawing.body, word), 1u) << word;
}

TEST(HeatMap, RefusesWhatItCannotDraw) {
  expect_error(Fault::data, {"'a'"}, [] { draw(HeatMap{.title = "a"}, 200); });
  expect_error(Fault::data, {"'a'", "3", "1", "2"}, [] {
    draw(HeatMap{.title = "a", .x = {0, 1}, .y = {0}, .values = {1, 2, 3}}, 200);
  });
  expect_error(Fault::data, {"30"}, [] { draw(HeatMap{.x = {0}, .y = {0}, .values = {1}}, 30); });
}

ScatterChart some_points(int count) {
  ScatterChart chart{
      .x_label = "cost", .y_label = "loss", .groups = {"round", "pointed"}, .y_cap = 9.0, .better = "better"};
  for (int i = 0; i < count; ++i) {
    chart.points.push_back(
        {"point " + std::to_string(i), 1.0 + 0.01 * i, 3.0 + 0.001 * i, static_cast<size_t>(i % 2)});
  }
  return chart;
}

TEST(ScatterChart, NamesDoNotOverlapEvenIfPointsDo) {
  const Drawing drawing = draw(some_points(12), 700, 400);
  EXPECT_EQ(not_well_formed(svg_file(drawing)), "");
  expect_inside(drawing);
  std::vector<std::pair<double, double>> places;
  for (size_t at = drawing.body.find("halo"); at != std::string::npos;
       at = drawing.body.find("halo", at + 1)) {
    double x = 0, y = 0;
    const size_t text = drawing.body.rfind("<text", at);
    ASSERT_EQ(std::sscanf(drawing.body.c_str() + text, "<text x=\"%lf\" y=\"%lf\"", &x, &y), 2);
    for (const auto& [other_x, other_y] : places) {
      EXPECT_TRUE(std::abs(x - other_x) >= text_width("point 1", kTextSize) - 1 ||
                  std::abs(y - other_y) >= kTextSize)
          << x << " " << y;
    }
    places.emplace_back(x, y);
  }
  EXPECT_EQ(places.size(), 12u);
}

TEST(ScatterChart, ClipsAnOutlierAndGivesItsValue) {
  ScatterChart chart = some_points(2);
  chart.points[1].y = 123;
  const std::string body = draw(chart, 700, 400).body;
  EXPECT_EQ(count(body, "point 1 \u2191123</text>"), 1u);
  EXPECT_EQ(count(body, "<title>point 1: cost 1.01, loss 123</title>"), 1u);
}

TEST(ScatterChart, RefusesWhatItCannotDraw) {
  expect_error(Fault::data, {"'empty'"}, [] { draw(ScatterChart{.title = "empty"}, 400, 300); });
  ScatterChart chart = some_points(2);
  chart.groups.resize(9);
  expect_error(Fault::data, {"9", "6"}, [&] { draw(chart, 400, 300); });
  expect_error(Fault::data, {"60"}, [] { draw(some_points(2), 400, 60); });
}

TEST(Page, MarksACellByTextAndTone) {
  Page page("t");
  const std::vector<std::string> columns = {"scheme", "works to"};
  const ColumnGroup groups[] = {{"Task", 1}};
  page.table(columns,
             std::vector<std::vector<TableCell>>{
                 {{.text = "a", .shape = 2}, {.text = "\u2713 8", .tone = TableCell::Tone::good}}},
             groups);
  const std::string html = page.html();
  EXPECT_EQ(not_well_formed(html), "");
  EXPECT_EQ(count(html, "<td class=\"good starts\">\u2713 8</td>"), 1u);
  EXPECT_EQ(count(html, "scope=\"colgroup\" colspan=\"1\">Task<"), 1u);
  EXPECT_EQ(count(html, "<svg class=\"icon\""), 1u);
}

Figure some_figure() {
  Figure figure{.name = "maps", .title = "Maps < here", .caption = "A & b.", .colors = "score"};
  for (int i = 0; i < 5; ++i) {
    figure.maps.push_back({.title = "head", .x = {0, 1}, .y = {0, 1}, .values = {0, 1, 2, 3}});
  }
  share_colors(figure.maps);
  return figure;
}

TEST(Figure, IsOneDrawingOrPanels) {
  EXPECT_EQ(panels(some_figure()).size(), 6u);  // and the color scale
  const Drawing drawing = draw(some_figure(), 700);
  EXPECT_EQ(drawing.width, 700);
  EXPECT_EQ(not_well_formed(svg_file(drawing)), "");
}

TEST(Figure, WritesItsNumbers) {
  const std::string text = as_json(Figure{.charts = {{.series = {{"a", {1, 2}, {0.1, kNan}}}}},
                                          .maps = {{.x = {0, 1}, .y = {0}, .values = {5, 6}}}});
  EXPECT_NE(text.find(R"("series": [{"name": "a", "x": [1, 2], "y": [0.1, null]}])"), std::string::npos)
      << text;
  EXPECT_NE(text.find(R"("values": [[5, 6]])"), std::string::npos) << text;
}

TEST(Page, IsSelfContained) {
  Page page("A <title>");
  page.lead("Lead & answer.");
  page.formula("a < b\nc");
  const std::pair<std::string, std::string> facts[] = {{"name", "<value>"}};
  page.facts(facts);
  const Figure figures[] = {some_figure()};
  page.figures(figures);
  const std::string html = page.html();
  EXPECT_EQ(not_well_formed(html), "");
  EXPECT_EQ(count(html, "<svg "), 6u);
  EXPECT_EQ(count(html, "prefers-color-scheme:dark"), 2u);
  EXPECT_EQ(count(html, "@media print"), 1u);
  // Nothing is fetched: the only address is the SVG namespace.
  EXPECT_EQ(count(html, "http"), count(html, "xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_EQ(count(html, "<script"), 0u);
  EXPECT_EQ(count(html, "url("), 0u);
}

}  // namespace
}  // namespace locus::report
