// locus show: draws what a scheme does.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "locus/base/file.h"
#include "locus/base/json.h"
#include "locus/base/quote.h"
#include "locus/cli/command.h"
#include "locus/cli/terminal.h"
#include "locus/report/arrange.h"
#include "locus/report/scheme_figures.h"
#include "locus/report/scheme_page.h"

namespace locus::cli {
namespace {

constexpr int64_t kMostHeads = 64, kMostLength = 32768;
constexpr int64_t kHeadSize = 64, kModelLength = 512;

struct ShowRequest {
  std::string scheme;
  int64_t heads = 8, length = 128;
  bool causal = false, json = false;
  std::vector<std::string> settings;
  std::optional<std::string> out;
};

void check(const ShowRequest& request) {
  const auto within = [](std::string_view name, int64_t value, int64_t least, int64_t most) {
    if (value >= least && value <= most) return;
    fail(Fault::usage, "bad value of {}: got {}, expected {} to {}", name, value, least, most);
  };
  within("--heads", request.heads, 1, kMostHeads);
  within("--length", request.length, 2, kMostLength);
}

OptionValues options_of(const ShowRequest& request) {
  OptionValues values;
  for (const std::string& setting : request.settings) {
    const size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      fail({Fault::usage, Code::none, fmt::format("`locus schemes {}` lists the options", request.scheme)},
           "bad value of --set: got {}, expected option=value", quote(setting));
    }
    const std::string name = setting.substr(0, equals);
    if (!values.emplace(name, setting.substr(equals + 1)).second) {
      fail(Fault::usage, "option {} given twice with --set, expected once", name);
    }
  }
  return values;
}

// The output file; none if only JSON is wanted.
std::filesystem::path target_of(const ShowRequest& request) {
  if (!request.out) return request.json ? "" : fmt::format("{}.html", scheme_info(request.scheme).name);
  return *request.out;
}

report::Probe probe_of(const ShowRequest& request, const OptionValues& options) {
  const Geometry geometry = {.width = request.heads * kHeadSize,
                             .heads = request.heads,
                             .head_size = kHeadSize,
                             .max_length = std::max(request.length, kModelLength),
                             .causal = request.causal};
  return report::Probe(scheme_info(request.scheme), geometry, options);
}

std::string conditions_text(const ShowRequest& request) {
  std::string words = fmt::format("{} head{} of {}, length {}", request.heads, request.heads == 1 ? "" : "s",
                                  kHeadSize, request.length);
  if (request.causal) words += ", causal";
  for (const std::string& setting : request.settings) words += ", " + setting;
  return words;
}

std::string as_svg(const ShowRequest& request, const SchemeInfo& info,
                   std::span<const report::Figure> figures) {
  constexpr double kWidth = 760, kMargin = 24;
  std::vector<report::Drawing> parts = {
      report::paragraph(info.name, kWidth, {.size = 26, .kind = "words strong"}),
      report::paragraph(info.summary, kWidth, {.size = 16}),
      report::paragraph(fmt::format("{}. {}.", info.paper, conditions_text(request)), kWidth,
                        {.kind = "faint"})};
  for (const report::Figure& figure : figures) parts.push_back(draw(figure, kWidth));
  const report::Drawing all = below_each_other(parts, 16);
  return report::svg_file({.width = all.width + 2 * kMargin,
                           .height = all.height + 2 * kMargin,
                           .body = placed(all, kMargin, kMargin),
                           .label = fmt::format("{}: {}", info.name, info.summary)});
}

std::string as_json(const ShowRequest& request, const OptionValues& options, const report::Probe& probe,
                    std::span<const report::Figure> figures) {
  const SchemeInfo& info = probe.info();
  json::Members settings, drawn;
  const Options all(info.name, info.options.list(), options);
  for (const auto& [name, value] : all.values()) settings.emplace_back(name, json::text(value));
  for (const report::Figure& figure : figures) drawn.emplace_back(figure.name, as_json(figure));
  return json::lines({{"scheme", json::text(info.name)},
                      {"heads", json::number(request.heads)},
                      {"head_size", json::number(kHeadSize)},
                      {"length", json::number(request.length)},
                      {"causal", json::boolean(request.causal)},
                      {"options", json::object(settings)},
                      {"parameters", json::number(probe.parameters())},
                      {"acts_on", json::texts(probe.kinds())},
                      {"figures", json::object(drawn)}});
}

void show(const ShowRequest& request) {
  check(request);
  const SchemeInfo& info = scheme_info(request.scheme);
  const std::filesystem::path path = target_of(request);
  const OptionValues options = options_of(request);
  const report::Probe probe = probe_of(request, options);
  const std::vector<report::Figure> figures = scheme_figures(probe, request.length);
  if (!path.empty()) {
    write_file(path, path.native().ends_with(".svg")
                         ? as_svg(request, info, figures)
                         : report::scheme_page(probe, figures, conditions_text(request)));
  }
  if (request.json) {
    print(as_json(request, options, probe, figures));
  } else {
    print(fmt::format("{}: {}\n", path.string(), info.summary));
  }
}

}  // namespace

void add_show(CLI::App& program) {
  Command command(program, "show", "Draw what a position scheme does");
  command.footer(
      "Examples:\n"
      "  locus show rotary                     writes rotary.html\n"
      "  locus show rotary --out rotary.svg --causal --length 512 --set base=500000\n"
      "  locus show sinusoidal --json          the numbers, no page");
  auto request = std::make_shared<ShowRequest>();
  command.option("SCHEME", request->scheme, "The scheme to draw; `locus schemes` lists them").required();
  command.option("--heads", request->heads, "Attention heads, 1 to 64, of size 64").shows_default();
  command.option("--length", request->length, "Number of positions, 2 to 32768").shows_default();
  command.flag("--causal", request->causal, "Use a causal attention mask");
  command
      .option("--set", request->settings,
              "Set an option of the scheme, such as base=500000; `locus schemes SCHEME` lists them; may be "
              "repeated")
      .repeated();
  command.option("--out", request->out, "Output file, .svg or .html [SCHEME.html]")
      .ends_in({".svg", ".html"});
  command.flag("--json", request->json, "Print JSON; writes a file only with --out");
  command.callback([request] { show(*request); });
}

}  // namespace locus::cli
