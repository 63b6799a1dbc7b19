// locus train: a model, from a configuration, in a folder that can be left and come back to.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <memory>

#include "locus/base/file.h"
#include "locus/cli/command.h"
#include "locus/cli/stop_signals.h"
#include "locus/cli/terminal.h"
#include "locus/report/training_page.h"
#include "locus/train/model_objective.h"
#include "locus/train/run_plan.h"

namespace locus::cli {
namespace {

namespace fs = std::filesystem;

struct Request {
  std::string config, out;
  std::vector<std::string> settings;
};

std::string duration(double seconds) {
  const auto whole = static_cast<int64_t>(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
  return fmt::format("{}:{:02} h", whole / 3600, whole / 60 % 60);
}

// One line that is written over on a terminal; elsewhere a line for every validation and every tenth of the
// run.
void show(const Progress& progress) {
  const StepMetrics& last = progress.last;
  std::string line =
      fmt::format("step {}/{}  loss {:.4f}  {:.0f} tokens/s  {} left", last.step, progress.steps, last.loss,
                  progress.tokens_per_second, duration(progress.seconds_left));
  if (progress.validation) {
    line += fmt::format("  validation {:.4f}", progress.validation->loss);
    for (const auto& [name, value] : progress.validation->more)
      line += fmt::format("  {} {:.4g}", name, value);
  }
  const bool keep = progress.validation || last.step == progress.steps;
  if (::isatty(STDERR_FILENO)) {
    fmt::print(stderr, "\r\x1b[K{}{}", line, keep ? "\n" : "");
  } else if (keep || last.step % std::max<int64_t>(1, progress.steps / 10) == 0) {
    fmt::print(stderr, "{}\n", line);
  }
}

// The tokenizer's files, as it saves them.
std::vector<std::pair<std::string, std::string>> files_of(const RunPlan& plan, const fs::path& out) {
  const fs::path folder = out / "tokenizer.part";
  plan.tokenizer->save(folder);
  std::vector<std::pair<std::string, std::string>> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::vector<std::byte> bytes = read_file(entry.path());
    files.emplace_back(entry.path().filename(),
                       std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
  std::ranges::sort(files);
  fs::remove_all(folder);
  if (!plan.labels.empty())
    files.emplace_back("labels.txt", fmt::format("{}\n", fmt::join(plan.labels, "\n")));
  return files;
}

void run(const Request& request) {
  Settings settings = Settings::read(request.config);
  for (const std::string& setting : request.settings) settings.set(setting);
  const RunPlan plan = plan_run(settings, fs::path(request.config).parent_path());
  RunFolder folder(request.out);
  Model model(plan.blueprint, {.seed = static_cast<uint64_t>(plan.train.seed)});
  ModelObjective objective(model, *plan.training, plan.validation.get(),
                           {.batches = {.batch = plan.data.batch,
                                        .tokens = plan.data.tokens_per_step,
                                        .seed = static_cast<uint64_t>(plan.train.seed)},
                            .smoothing = static_cast<float>(plan.data.smoothing),
                            .recompute = plan.data.recompute});
  const StopSignals signals;
  const int64_t step =
      train({.objective = objective,
             .parameters = model.parameters(),
             .folder = folder,
             .settings = plan.train,
             .config = plan.config,
             .files = files_of(plan, request.out),
             .hooks = {.progress = show,
                       .stop = [&] { return signals.asked(); },
                       .note = [](const std::string& text) { fmt::print(stderr, "locus: {}\n", text); }}});
  write_file(folder.path() / "curves.html",
             report::training_page(folder.path().filename().string(), read_metrics(folder.metrics())));
  if (step < plan.train.steps) {
    fmt::print(stderr, "\nlocus: stopped after step {}; the same command goes on from there\n", step);
    throw Stopped{signals.signal()};
  }
  print(fmt::format("{} steps done; the model is in {}\n", step, (folder.path() / "last").string()));
}

}  // namespace

void add_train(CLI::App& program) {
  CLI::App* command = program.add_subcommand("train", "Train a model, or go on with one");
  command->footer(
      "Examples:\n"
      "  locus train configs/causal-verdict.toml --out runs/verdict\n"
      "  locus train configs/causal-verdict.toml --out runs/alibi --set model.scheme.name=alibi\n\n"
      "The same command again goes on where it stopped. Ctrl-C saves and leaves.");
  auto request = std::make_shared<Request>();
  command->add_option("CONFIG", request->config, "A TOML file: [model], [data], [train]")->required();
  command->add_option("--out", request->out, "The run's folder")->required();
  command->add_option("--set", request->settings, "key=value: another value for a setting");
  command->callback([request] { run(*request); });
}

}  // namespace locus::cli
