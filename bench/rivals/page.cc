// rivals_page JSON HTML: the numbers of compare.py as a page, with a bar for every contender.
#include <fmt/format.h>

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

// How long each takes, Locus being 1. Locus comes first, then itself again.
Figure figure_of(const Config& config, const std::string& at) {
  const std::vector<std::string> paths = contenders(config, at);
  const double ours = number(config, paths.at(0) + ".seconds");
  locus::report::BarChart chart{.title = config.text(at + ".title"), .bars = {}};
  for (const std::string& path : paths) {
    const double seconds = number(config, path + ".seconds");
    chart.bars.push_back({config.text(path + ".name"), seconds,
                          fmt::format("{:.3g} ms, {:.2f} times as long", 1e3 * seconds, seconds / ours)});
  }
  std::string caption;
  if (config.is_object(at + ".limit")) {
    caption = fmt::format("Locus reaches {:.2f} of what the machine allows ({}).",
                          number(config, at + ".limit.share"), config.text(at + ".limit.kind"));
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

std::string page(const Config& config) {
  locus::report::Page page("Locus and its rivals");
  page.lead(fmt::format("{} with {} threads for each; medians of a run in which all took turns.",
                        config.text("machine"), config.text("threads")));
  std::vector<Figure> figures;
  std::vector<std::vector<TableCell>> rows;
  for (int64_t i = 0; i < config.count("workloads"); ++i) {
    const std::string at = fmt::format("workloads.{}", i);
    figures.push_back(figure_of(config, at));
    for (auto& row : rows_of(config, at)) rows.push_back(std::move(row));
  }
  page.figures(figures);
  page.heading("All numbers");
  page.words("Locus runs twice, as two processes: how far those differ is how far a ratio can be trusted.");
  const std::vector<std::string> columns = {"", "ms", "a second", "times as long", "peak MiB"};
  page.table(columns, rows);
  return page.html();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 3) locus::fail(locus::Fault::usage, "{} arguments, expected JSON HTML", argc - 1);
    locus::write_file(argv[2], page(Config(std::filesystem::path(argv[1]))));
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "rivals_page: {}\n", error.what());
    return 1;
  }
}
