// locus schemes: lists the position schemes. Everything comes from the registry and from probing each scheme,
// so a new scheme appears here without further code.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "locus/base/json.h"
#include "locus/cli/command.h"
#include "locus/cli/terminal.h"
#include "locus/report/probe.h"

namespace locus::cli {
namespace {

using Rows = std::vector<std::vector<std::string>>;

// The model for which parameters are counted.
constexpr Geometry kModel = {.width = 512, .heads = 8, .head_size = 64, .layers = 6, .max_length = 512};

std::string model_text() {
  return fmt::format("a model of width {}, {} heads, {} layers and length {}", kModel.width, kModel.heads,
                     kModel.layers, kModel.max_length);
}

std::string kinds_text(const report::Probe& probe) {
  const auto kinds = probe.kinds();
  return kinds.empty() ? "nothing" : fmt::format("{}", fmt::join(kinds, ", "));
}

std::string yes_or_no(bool value) { return value ? "yes" : "no"; }

std::string past_max_length(const SchemeInfo& info) { return info.extrapolates ? "defined" : "refused"; }

std::string list_as_text() {
  Rows rows = {{"name", "acts on", "parameters", "past max_length", "relative", "cost", "paper"}};
  for (const SchemeInfo* info : schemes()) {
    const report::Probe probe(*info, kModel, {});
    rows.push_back({std::string(info->name), kinds_text(probe), fmt::format("{}", probe.parameters()),
                    past_max_length(*info), yes_or_no(info->relative), std::string(info->cost),
                    std::string(info->paper)});
  }
  const int width = terminal_width();
  const std::string legend = fmt::format(
      "parameters: for {}. past max_length: whether the scheme is defined for texts longer than the model's "
      "maximum; locus compare measures whether it works there. relative: scores do not change when all "
      "positions shift. locus schemes NAME shows the options of one scheme. Schemes that act in different "
      "places can "
      "be "
      "combined, for example learned+t5.",
      model_text());
  return fmt::format("{}\n{}\n", table(rows, width), fmt::join(wrapped(legend, width), "\n"));
}

std::string as_text(const SchemeInfo& info) {
  const int width = terminal_width();
  const report::Probe probe(info, kModel, {});
  std::string formula = "    ";
  for (const char c : info.formula) formula += c == '\n' ? std::string("\n    ") : std::string(1, c);
  Rows facts;
  if (!info.aliases.empty()) facts.push_back({"also known as", std::string(info.aliases)});
  const Rows rest = {
      {"acts on", kinds_text(probe)},
      {"parameters",
       probe.parameters() == 0 ? "none" : fmt::format("{} in {}", probe.parameters(), model_text())},
      {"past max_length", info.extrapolates ? "defined; locus compare measures whether it works there"
                                            : "refused: there are no values for such positions"},
      {"relative", info.relative ? "yes: scores do not change when all positions shift"
                                 : "no: scores change when all positions shift"},
      {"cost", std::string(info.cost)},
      {"models", std::string(info.models)},
      {"paper", std::string(info.paper)},
  };
  facts.insert(facts.end(), rest.begin(), rest.end());
  Rows options = {{"option", "default", "values", "meaning"}};
  for (const OptionSpec& spec : info.options.list()) {
    options.push_back({std::string(spec.name), spec.preset.empty() ? "none" : std::string(spec.preset),
                       expected(spec), std::string(spec.help)});
  }
  const std::string listed = info.options.list().empty() ? "No options.\n" : table(options, width);
  const std::string title =
      fmt::format("{}", fmt::join(wrapped(fmt::format("{}: {}", info.name, info.summary), width), "\n"));
  return fmt::format("{}\n\n{}\n\n{}\n{}", title, formula, table(facts, width), listed);
}

json::Members members(const SchemeInfo& info) {
  const report::Probe probe(info, kModel, {});
  std::vector<std::string> options;
  for (const OptionSpec& spec : info.options.list()) {
    options.push_back(json::object({{"name", json::text(spec.name)},
                                    {"default", json::text(spec.preset)},
                                    {"expected", json::text(expected(spec))},
                                    {"help", json::text(spec.help)}}));
  }
  return {
      {"name", json::text(info.name)},
      {"summary", json::text(info.summary)},
      {"aliases", json::text(info.aliases)},
      {"formula", json::text(info.formula)},
      {"acts_on", json::texts(probe.kinds())},
      {"parameters", json::number(probe.parameters())},
      {"parameters_in", json::text(model_text())},
      {"past_max_length", json::text(past_max_length(info))},
      {"relative", json::boolean(info.relative)},
      {"cost", json::text(info.cost)},
      {"models", json::text(info.models)},
      {"paper", json::text(info.paper)},
      {"options", json::list(options)},
  };
}

std::string list_as_json() {
  std::vector<std::string> items;
  for (const SchemeInfo* info : schemes()) items.push_back(json::object(members(*info)));
  return json::lines(items);
}

}  // namespace

void add_schemes(CLI::App& program) {
  Command command(program, "schemes", "List the position schemes, or describe one");
  command.footer("Examples:\n  locus schemes\n  locus schemes rotary\n  locus schemes rotary --json");
  struct Request {
    std::string name;
    bool json = false;
  };
  auto request = std::make_shared<Request>();
  const Option name =
      command.option("SCHEME", request->name, "The scheme to describe. Without it, all schemes are listed");
  command.flag("--json", request->json, "Print JSON");
  command.callback([request, name] {
    if (!name.given()) {
      print(request->json ? list_as_json() : list_as_text());
    } else {
      const SchemeInfo& info = scheme_info(request->name);
      print(request->json ? json::lines(members(info)) : as_text(info));
    }
  });
}

}  // namespace locus::cli
