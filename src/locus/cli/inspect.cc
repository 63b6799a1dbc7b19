// locus inspect: describes the model in a folder and draws its position scheme.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <optional>

#include "locus/base/file.h"
#include "locus/base/json.h"
#include "locus/cli/checkpoint_note.h"
#include "locus/cli/command.h"
#include "locus/cli/terminal.h"
#include "locus/nn/blueprint_fields.h"
#include "locus/report/model_figures.h"
#include "locus/report/page.h"
#include "locus/run/trained_model.h"
#include "locus/train/run_changes.h"

namespace locus::cli {
namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;

std::string scheme_text(const std::string& scheme, const OptionValues& options) {
  std::vector<std::string> words;
  for (const auto& [name, value] : options) words.push_back(fmt::format("{}={}", name, value));
  return words.empty() ? scheme : fmt::format("{}: {}", scheme, fmt::join(words, ", "));
}

std::string window_text(const Blueprint& b) {
  const std::string all =
      b.global.every > 0 ? fmt::format("; every {} layers it attends to all", b.global.every) : "";
  return b.kind == ModelKind::decoder
             ? fmt::format("a query attends to the last {} keys{}", b.attention.window, all)
             : fmt::format("a query attends to keys up to distance {}{}", b.attention.window - 1, all);
}

std::string sizes_of(const Blueprint& b) {
  std::string words = fmt::format("{} layers", b.layers);
  if (b.kind == ModelKind::encoder_decoder)
    words += fmt::format(" and {} decoder layers", b.decoder_part().layers);
  if (b.shared_layers) words += " with shared parameters,";
  words += fmt::format(" of width {}, {} heads of {}", b.width, b.attention.heads, b.size_of_head());
  if (b.kind == ModelKind::encoder_decoder && b.decoder_part().attention.heads != b.attention.heads) {
    words += fmt::format(" and {} decoder heads of {}", b.decoder_part().attention.heads,
                         b.decoder_part().size_of_head());
  }
  if (b.key_head_count() != b.attention.heads)
    words += fmt::format(", {} key-value heads", b.key_head_count());
  words += fmt::format(", feed-forward {}, vocabulary {}", b.hidden_width(), b.vocabulary);
  return b.row_width() == b.width ? words : words + fmt::format(", embeddings of {}", b.row_width());
}

std::string counting_of(const Blueprint& b) {
  const bool row = b.positions == PositionPolicy::Kind::row;
  const std::string_view what = row ? "index in the row" : "number of preceding non-padding tokens";
  return b.position_offset == 0 ? std::string(what) : fmt::format("{}, plus {}", what, b.position_offset);
}

std::string past_max_length(const Blueprint& b) {
  return report::past_max_length(b) +
         (scheme_info(b.scheme).extrapolates ? "" : " (locus stretch makes a longer table)");
}

// A model and its origin: a Hugging Face folder has a family and a model_type, a run a checkpoint.
struct Subject {
  std::string name;
  TrainedModel trained;
  Facts origin;
  std::vector<RunChange> changes = {};  // of a continued run

  const Model& model() const { return trained.model(); }
};

Subject open(const std::filesystem::path& path) {
  std::error_code unknown;  // opening the folder reports it
  const std::string name = std::filesystem::canonical(path, unknown).filename().string();
  TrainedModel trained(path, {.for_text = false});
  note_model(trained);
  Facts origin = {{"checkpoint", trained.checkpoint().string()}};
  if (const ModelFolder* hub = trained.hub()) {
    origin = {{"family", std::string(hub->architecture.family->name)},
              {"model_type", hub->architecture.model_type}};
  }
  std::vector<RunChange> changes = read_changes(trained.checkpoint());
  return {name, std::move(trained), std::move(origin), std::move(changes)};
}

Facts facts_of(const Subject& subject) {
  const Blueprint& b = subject.model().blueprint();
  const OptionValues fields = field_values(b);
  Facts facts = subject.origin;
  for (const auto& fact : Facts{{"kind", fields.at("kind")},
                                {"head", fields.at("head")},
                                {"sizes", sizes_of(b)},
                                {"scheme", scheme_text(b.scheme, b.scheme_options)},
                                {"position", counting_of(b)},
                                {"max_length", fmt::format("{} tokens", b.max_length)},
                                {"past max_length", past_max_length(b)}}) {
    facts.push_back(fact);
  }
  if (b.attention.window > 0) facts.emplace_back("window", window_text(b));
  if (!b.global.scheme.empty()) {
    facts.emplace_back(
        b.attention.window > 0 ? "scheme of global layers" : fmt::format("every {} layers", b.global.every),
        scheme_text(b.global.scheme, b.global.scheme_options));
  }
  for (const RunChange& change : subject.changes) {
    facts.emplace_back(fmt::format("after step {}", change.step), in_words(change));
  }
  const int64_t all = subject.model().parameters().numel();
  facts.emplace_back("parameters", fmt::format("{}", all));
  for (const auto& [part, count] : report::parts_of(subject.model())) {
    const double share = 100 * static_cast<double>(count) / static_cast<double>(all);
    facts.emplace_back("in " + part, fmt::format("{}, {:.1f} %", count, share));
  }
  return facts;
}

std::string as_text(const Subject& subject) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, value] : facts_of(subject)) rows.push_back({name, value});
  return table(rows, terminal_width());
}

std::string as_json(const Subject& subject, const std::vector<report::Figure>& figures) {
  const Blueprint& b = subject.model().blueprint();
  const auto counts = report::parts_of(subject.model());
  const OptionValues values = values_of(b);
  json::Members parts, blueprint, drawn;
  std::vector<std::string> changes;
  for (const RunChange& change : subject.changes) changes.push_back(as_json(change));
  for (const auto& [part, count] : counts) parts.emplace_back(part, json::number(count));
  for (const auto& [name, value] : values) blueprint.emplace_back(name, json::text(value));
  for (const report::Figure& figure : figures) drawn.emplace_back(figure.name, report::as_json(figure));
  json::Members members;
  if (subject.trained.hub() == nullptr) {
    members = checkpoint_members(subject.trained);
  } else {
    for (const auto& [name, value] : subject.origin) members.emplace_back(name, json::text(value));
  }
  members.insert(members.end(), {{"scheme", json::text(b.scheme)},
                                 {"max_length", json::number(b.max_length)},
                                 {"past_max_length", json::text(past_max_length(b))},
                                 {"parameters", json::number(subject.model().parameters().numel())},
                                 {"parts", json::object(parts)},
                                 {"blueprint", json::object(blueprint)},
                                 {"changes", json::list(changes)},
                                 {"figures", json::object(drawn)}});
  return json::lines(members);
}

std::string as_html(const Subject& subject, const std::vector<report::Figure>& figures) {
  report::Page page(subject.name);
  const SchemeInfo& info = scheme_info(subject.model().blueprint().scheme);
  page.lead(fmt::format("{}, {} parameters. Position scheme {}: {}.", subject.origin.front().second,
                        subject.model().parameters().numel(), info.name, info.summary));
  page.formula(info.formula);
  page.facts(facts_of(subject));
  page.figures(figures);
  return page.html();
}

}  // namespace

void add_inspect(CLI::App& program) {
  Command command(program, "inspect", "Describe the model in a folder and draw its position scheme");
  command.footer(
      "Examples:\n"
      "  locus inspect models/all-MiniLM-L6-v2\n"
      "  locus inspect models/all-MiniLM-L6-v2 --out minilm.html   with figures\n"
      "  locus inspect runs/verdict --json                         the best checkpoint of a run");
  struct Request {
    std::string folder;
    std::optional<std::string> out;
    bool json = false;
  };
  auto request = std::make_shared<Request>();
  command.option("DIR", request->folder, "A Hugging Face model folder, a run, or a checkpoint of a run")
      .required();
  command.option("--out", request->out, "Write an .html page with figures").ends_in({".html"});
  command.flag("--json", request->json, "Print JSON, with the numbers of the figures");
  command.callback([request] {
    const Subject subject = open(request->folder);
    std::vector<report::Figure> figures;
    if (request->out || request->json) figures = report::model_figures(subject.model());
    if (request->out) write_file(*request->out, as_html(subject, figures));
    print(request->json ? as_json(subject, figures) : as_text(subject));
  });
}

}  // namespace locus::cli
