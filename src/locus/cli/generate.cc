// locus generate: what a trained model writes behind a prompt, or for a source.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "locus/base/error.h"
#include "locus/base/fields.h"
#include "locus/base/json.h"
#include "locus/base/quote.h"
#include "locus/cli/command.h"
#include "locus/cli/terminal.h"
#include "locus/nn/generate.h"
#include "locus/text/stop_text.h"
#include "locus/train/saved_run.h"
#include "locus/train/text_samples.h"

namespace locus::cli {
namespace {

using Ids = std::vector<int32_t>;

struct Request {
  std::string folder;
  std::vector<std::string> prompts, stops;
  OptionValues sampling;  // those given
  int64_t max_tokens = 128, beams = 1;
  float length_penalty = 1;
  uint64_t seed = 0;
  bool json = false;
};

// What goes into the model for every prompt, and where it ends.
struct Job {
  std::vector<Ids> prompts, texts;
  Ids ends;
  int64_t max_tokens = 0;
};

void check(const Request& request) {
  const auto refuse_if = [](bool wrong, const char* what) {
    if (wrong) fail(Fault::usage, "generate: {}", what);
  };
  refuse_if(request.beams > 1 && !request.sampling.empty(),
            "--beams and the options of sampling exclude each other");
  refuse_if(request.beams < 1 || request.beams > 1024, "--beams is a number from 1 to 1024");
  refuse_if(request.max_tokens < 0, "--max-tokens is negative");
  refuse_if(std::ranges::count(request.stops, "") > 0, "a stop string is empty");
}

Job job_of(const Request& request, const SavedRun& run) {
  const TextTask& task = run.task;
  Job job{.max_tokens = request.max_tokens};
  for (const auto& [name, id] : task.tokenizer->specials().ids()) {
    if (name == kEndToken || name == "<|endoftext|>") job.ends.push_back(id);
  }
  size_t longest = 1;
  for (const std::string& prompt : request.prompts) {
    if (task.on_pairs()) {
      job.texts.push_back(source_ids(prompt, *task.tokenizer));
      job.prompts.push_back({task.tokenizer->special(kStartToken)});
    } else {
      job.prompts.push_back(task.tokenizer->encode(prompt));
      if (job.prompts.back().empty())
        fail(Fault::usage, "generate: the prompt {} has no token", quote(prompt));
    }
    longest = std::max(longest, job.prompts.back().size());
  }
  if (!scheme_info(task.blueprint.scheme).extrapolates) {
    // The last token written is not read again.
    const int64_t room = task.blueprint.max_length - static_cast<int64_t>(longest) + 1;
    require(room > 0, "generate: a prompt has {} tokens; positions of this model, {}, end at {}", longest,
            task.blueprint.scheme, task.blueprint.max_length);
    job.max_tokens = std::min(job.max_tokens, room);
  }
  return job;
}

// All texts; with one prompt and no --json they are shown as they come.
std::vector<std::string> write(const Request& request, const SavedRun& run, const Job& job) {
  const Tokenizer& tokenizer = *run.task.tokenizer;
  std::vector<StopText> texts(job.prompts.size(), StopText(request.stops));
  const bool live = texts.size() == 1 && !request.json;
  const auto add = [&](int64_t prompt, int32_t token) {
    if (std::ranges::count(job.ends, token) > 0) return false;
    StopText& text = texts[static_cast<size_t>(prompt)];
    const std::string fresh = text.add(tokenizer.bytes(token));
    if (live) {
      print(fresh);
      std::fflush(stdout);
    }
    return !text.stopped();
  };
  if (request.beams > 1) {
    for (size_t i = 0; i < texts.size(); ++i) {
      const BeamOptions options = {.beams = request.beams,
                                   .max_tokens = job.max_tokens,
                                   .length_penalty = request.length_penalty,
                                   .end_tokens = job.ends};
      const Ids ids =
          beam_search(run.model, job.prompts[i], options, job.texts.empty() ? Ids() : job.texts[i]);
      for (size_t n = 0; n < ids.size() && add(static_cast<int64_t>(i), ids[n]); ++n) continue;
    }
  } else {
    GenerateOptions options = {.max_tokens = job.max_tokens, .end_tokens = job.ends, .seed = request.seed};
    refuse("generate", read_fields(options.sampling, request.sampling));
    options.on_token = add;
    generate(run.model, job.prompts, options, job.texts);
  }
  if (live) print(texts[0].finish() + "\n");
  std::vector<std::string> result;
  for (const StopText& text : texts) result.push_back(text.text());
  return result;
}

void run(const Request& request) {
  check(request);
  const SavedRun saved = load_run(request.folder);
  const std::vector<std::string> texts = write(request, saved, job_of(request, saved));
  if (texts.size() == 1 && !request.json) return;
  std::string out;
  for (size_t i = 0; i < texts.size(); ++i) {
    out += request.json
               ? json::object({{"prompt", json::text(request.prompts[i])}, {"text", json::text(texts[i])}}) +
                     "\n"
               : texts[i] + "\n";
  }
  print(out);
}

// The options of sampling are the fields of Sampling, under their names with dashes.
void add_sampling(CLI::App& command, const std::shared_ptr<Request>& request) {
  for (const Field& field : fields_of(Sampling())) {
    std::string flag = "--" + std::string(field.spec.name);
    std::ranges::replace(flag, '_', '-');
    const std::string name(field.spec.name);
    command.add_option_function<std::string>(
        flag, [request, name](const std::string& value) { request->sampling[name] = value; },
        fmt::format("{} [{}]", field.spec.help, field.value));
  }
}

}  // namespace

void add_generate(CLI::App& program) {
  CLI::App* command = program.add_subcommand("generate", "Let a trained model write");
  command->footer(
      "Examples:\n"
      "  locus generate runs/verdict \"I HAD always thought\"\n"
      "  locus generate runs/verdict \"I HAD\" --temperature 0.8 --top-p 0.9 --seed 3 --stop .\n"
      "  locus generate runs/reverse abcde fgh --beams 4 --json\n\n"
      "A decoder goes on behind the prompt; an encoder-decoder reads it and answers. One prompt is answered\n"
      "as the tokens come, several a line each.");
  auto request = std::make_shared<Request>();
  command->add_option("DIR", request->folder, "A run's folder: its best checkpoint; or one checkpoint")
      ->required();
  command->add_option("PROMPT", request->prompts, "What to go on from, or to translate")->required();
  command->add_option("--max-tokens", request->max_tokens, "New tokens at most")->capture_default_str();
  add_sampling(*command, request);
  command->add_option("--seed", request->seed, "What sampling depends on")->capture_default_str();
  command->add_option("--beams", request->beams, "Beam search with so many beams; 1: none")
      ->capture_default_str();
  command
      ->add_option("--length-penalty", request->length_penalty,
                   "Beams: log probabilities are divided by the length to this power")
      ->capture_default_str();
  command
      ->add_option("--stop", request->stops, "Text that ends the answer, and is not shown; may be repeated")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
  command->add_flag("--json", request->json, "A line of JSON for each prompt");
  command->callback([request] { run(*request); });
}

}  // namespace locus::cli
