// rivals_page JSON HTML: the results of compare.py as a page, with a bar for every contender.
#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "locus/base/file.h"
#include "locus/checkpoint/config.h"
#include "locus/report/page.h"

namespace {

using locus::Config;
using locus::report::Bar;
using locus::report::Figure;
using locus::report::TableCell;

constexpr double kLarge = 1e300;

double number(const Config& config, const std::string& name) { return config.number(name, 0, kLarge); }

std::vector<std::string> contenders(const Config& config, const std::string& at) {
  std::vector<std::string> paths;
  for (int64_t i = 0; i < config.count(at + ".contenders"); ++i) {
    paths.push_back(fmt::format("{}.contenders.{}", at, i));
  }
  return paths;
}

// The time of every contender. Locus comes first, then a second run of Locus.
Figure figure_of(const Config& config, const std::string& at) {
  const std::vector<std::string> paths = contenders(config, at);
  const double ours = number(config, paths.at(0) + ".seconds");
  locus::report::BarChart chart{.title = config.text(at + ".title"), .bars = {}};
  for (const std::string& path : paths) {
    const double seconds = number(config, path + ".seconds");
    chart.bars.push_back({config.text(path + ".name"), seconds,
                          fmt::format("{:.3g} ms, {:.2f}\u00d7", 1e3 * seconds, seconds / ours)});
  }
  std::string caption = "Time, shorter is better; Locus = 1.";
  if (config.is_object(at + ".limit")) {
    caption += fmt::format(" Locus reaches {:.0f} % of the machine's limit ({}).",
                           100 * number(config, at + ".limit.share"), config.text(at + ".limit.kind"));
  }
  return {.name = config.text(at + ".name"),
          .title = config.text(at + ".name"),
          .caption = caption,
          .bars = {chart}};
}

std::vector<std::vector<TableCell>> rows_of(const Config& config, const std::string& at) {
  std::vector<std::vector<TableCell>> rows;
  const std::vector<std::string> paths = contenders(config, at);
  const double ours = number(config, paths.at(0) + ".seconds");
  for (const std::string& path : paths) {
    const double seconds = number(config, path + ".seconds");
    rows.push_back(
        {{config.text(at + ".name") + ": " + config.text(path + ".name")},
         {fmt::format("{:.2f}", 1e3 * seconds)},
         {fmt::format("{:.1f} {}", number(config, at + ".amount") / seconds, config.text(at + ".unit"))},
         {fmt::format("{:.2f}", seconds / ours)},
         {fmt::format("{:.0f}", number(config, path + ".peak_mebibytes"))}});
  }
  return rows;
}

// The time of the fastest other library relative to Locus; 0 if there is no other.
double fastest_rival(const Config& config, const std::string& at) {
  constexpr size_t kOwnRuns = 2;
  const std::vector<std::string> paths = contenders(config, at);
  const double ours = number(config, paths.at(0) + ".seconds");
  double fastest = 0;
  for (size_t i = kOwnRuns; i < paths.size(); ++i) {
    const double ratio = number(config, paths[i] + ".seconds") / ours;
    fastest = i == kOwnRuns ? ratio : std::min(fastest, ratio);
  }
  return fastest;
}

// In how many workloads Locus is the fastest, and the median ratio to the fastest rival.
std::vector<std::string> verdict(const Config& config) {
  std::vector<double> ratios;
  for (int64_t i = 0; i < config.count("workloads"); ++i) {
    const double ratio = fastest_rival(config, fmt::format("workloads.{}", i));
    if (ratio > 0) ratios.push_back(ratio);
  }
  if (ratios.empty()) return {"No other library was measured."};
  std::ranges::sort(ratios);
  const auto faster = std::ranges::count_if(ratios, [](double ratio) { return ratio > 1; });
  return {
      fmt::format("Locus is faster than every other library in {} of {} workloads.", faster, ratios.size()),
      fmt::format(
          "The fastest of the others takes {:.2f} times as long at the median, from {:.2f} to {:.2f}.",
          ratios[ratios.size() / 2], ratios.front(), ratios.back())};
}

std::string page(const Config& config) {
  locus::report::Page page("Locus and its rivals");
  page.verdict(verdict(config),
               fmt::format("{}, {} threads each. Medians of runs in which all contenders took turns.",
                           config.text("machine"), config.text("threads")));
  std::vector<Figure> figures;
  std::vector<std::vector<TableCell>> rows;
  for (int64_t i = 0; i < config.count("workloads"); ++i) {
    const std::string at = fmt::format("workloads.{}", i);
    figures.push_back(figure_of(config, at));
    for (auto& row : rows_of(config, at)) rows.push_back(std::move(row));
  }
  page.figures(figures);
  page.heading("All results");
  page.paragraph(
      "Locus runs twice, as two processes: the difference between them is the precision of a ratio.");
  const std::vector<std::string> columns = {"Workload: contender", "ms", "per second", "Locus = 1",
                                            "peak MiB"};
  page.table(columns, rows);
  return page.html();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 3)
      locus::fail(locus::Fault::usage, "wrong number of arguments: got {}, expected JSON HTML", argc - 1);
    locus::write_file(argv[2], page(Config(std::filesystem::path(argv[1]))));
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "rivals_page: {}\n", error.what());
    return 1;
  }
}
