#include "locus/cli/run_summary.h"

#include <fmt/format.h>

#include "locus/base/quote.h"
#include "locus/cli/terminal.h"
#include "locus/nn/blueprint_fields.h"

namespace locus::cli {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string count(int64_t number, std::string_view what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

std::string model_text(const RunPlan& plan, const Model& model) {
  const Blueprint& b = plan.task.blueprint;
  const OptionValues fields = field_values(b);
  std::string text = fmt::format("{}, head {}, scheme {}, {} of width {}, {}", fields.at("kind"),
                                 fields.at("head"), b.scheme, count(b.layers, "layer"), b.width,
                                 count(model.parameters().numel(), "parameter"));
  const Setting* from = plan.config.find("model.from");
  return from == nullptr ? text : fmt::format("{}, from '{}'", text, from->value);
}

std::string training_text(const DataSummary& data) {
  const std::string lengths =
      data.shortest == data.longest
          ? count(data.longest, "token")
          : fmt::format("{} to {}, median {}", data.shortest, count(data.longest, "token"), data.median);
  return fmt::format("{} of {}; {} in total", count(data.training, "sample"), lengths,
                     count(data.tokens, "token"));
}

std::string labels_text(const DataSummary& data) {
  constexpr size_t kShown = 5, kWide = 60;
  std::string text = fmt::format("{}:", data.labels.size());
  size_t shown = 0;
  for (; shown < std::min(data.labels.size(), kShown) && text.size() < kWide; ++shown) {
    const LabelCount& label = data.labels[shown];
    text += fmt::format("{} {} {}", shown == 0 ? "" : ",", quote(label.name), label.training);
  }
  return data.labels.size() > shown ? fmt::format("{} and {} more", text, data.labels.size() - shown) : text;
}

std::string steps_text(const RunPlan& plan, const DataSummary& data) {
  const TrainSettings& train = plan.train;
  const DataSettings& settings = plan.task.data;
  const auto steps = static_cast<double>(train.steps);
  const bool by_tokens = settings.tokens_per_step > 0;
  const double epochs = steps *
                        static_cast<double>(by_tokens ? settings.tokens_per_step : settings.batch_size) /
                        static_cast<double>(std::max<int64_t>(by_tokens ? data.tokens : data.training, 1));
  return fmt::format("{} of {} ({:.3g} epochs), learning rate {} after {} of warm-up", train.steps,
                     by_tokens ? fmt::format("up to {}", count(settings.tokens_per_step, "token"))
                               : count(settings.batch_size, "sample"),
                     epochs, train.learning_rate, count(train.warmup_steps(), "step"));
}

std::string checkpoints_text(const RunPlan& plan, const std::filesystem::path& run) {
  const int64_t every = plan.train.save_every;
  return fmt::format(
      "{}at the end, in '{}'; the newest two{} are kept",
      every > 0 && every < plan.train.steps ? fmt::format("every {} and ", count(every, "step")) : "",
      run.string(), plan.validation ? " and the best" : "");
}

}  // namespace

std::string run_summary(const RunPlan& plan, const DataSummary& data, const Model& model,
                        const std::filesystem::path& run, int64_t step) {
  const TextTask& task = plan.task;
  Rows rows = {
      {"model", model_text(plan, model)},
      {"vocabulary",
       fmt::format("{}, {}", count(task.blueprint.vocabulary, "token"),
                   task.data.tokenizer == "bytes" ? "bytes" : fmt::format("'{}'", task.data.tokenizer))},
      {"context", count(task.data.context, "token")},
      {"training", training_text(data)},
      {"validation", data.validation == 0 ? "none" : count(data.validation, "sample")}};
  if (!data.labels.empty()) rows.push_back({"labels", labels_text(data)});
  rows.push_back({"steps", steps_text(plan, data)});
  rows.push_back({"checkpoints", checkpoints_text(plan, run)});
  if (step > 0) rows.push_back({"resuming", fmt::format("from step {}", step)});
  return without_controls(table(rows, terminal_width()), "\n");
}

}  // namespace locus::cli
