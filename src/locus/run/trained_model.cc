#include "locus/run/trained_model.h"

#include <algorithm>

#include "locus/base/background.h"
#include "locus/base/error.h"
#include "locus/base/parallel.h"
#include "locus/base/paths.h"
#include "locus/checkpoint/config_fields.h"
#include "locus/run/saved_run.h"
#include "locus/text/text_frame.h"
#include "locus/text/tokenizer_config.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

int64_t length_limit(const Config& config, int64_t most) {
  const double limit = config.number("model_max_length", 1, 1e300, static_cast<double>(most));
  return limit < static_cast<double>(most) ? static_cast<int64_t>(limit) : most;
}

}  // namespace

bool has_segments(const Config& config) {
  const std::string list = "model_input_names";
  bool found = config.count(list) == 0;
  for (int64_t i = 0; i < config.count(list); ++i) {
    found |= config.text(fmt::format("{}.{}", list, i)) == "token_type_ids";
  }
  return found;
}

void read_framing(const fs::path& folder, const Config& config, const Blueprint& b, DataSettings& data) {
  data.framing = Framing::tokenizer;
  const Config tokenizer(tokenizer_config_text(folder), folder / kTokenizerConfigFile);
  data.pair_segments = has_segments(tokenizer);
  const std::string_view mask = tokenizer.is_object("mask_token") ? "mask_token.content" : "mask_token";
  if (b.head.kind == HeadKind::masked_token && tokenizer.has(mask)) data.mask_token = tokenizer.text(mask);
  data.padding_token = padding_of(config, b.embedding.padding_token, b.vocabulary).value_or(-1);
}

TextTask task_of(const ModelFolder& folder) {
  const Blueprint& b = folder.architecture.blueprint;
  const Config config(tokenizer_config_text(folder.path), folder.path / kTokenizerConfigFile);
  TextTask task{.blueprint = b};
  read_framing(folder.path, folder.config, b, task.data);
  task.data.tokenizer = folder.path.string();
  task.data.context = length_limit(config, b.max_length);
  constexpr const char* kStart = "decoder_start_token_id";
  if (task.is_encoder_decoder() && folder.config.has(kStart)) {
    task.data.start_token = token_of(folder.config, kStart, b.vocabulary);
  }
  if (task.has_labels()) {
    task.labels = named_labels(folder.config);
    name_remaining_labels(task.labels, b.head.labels);
  }
  return task;
}

ForwardModel forward_model(TrainedModel& trained) {
  if (trained.hub() != nullptr) return forward_model(*trained.hub());
  std::vector<Binding> bindings;
  for (const NamedParameter& parameter : trained.model().parameters().all()) {
    bindings.push_back(
        {.tensor = parameter.name, .owner = parameter.owner, .parameters = {parameter.var}, .layout = {}});
  }
  const auto token = [&trained](std::string_view field) {
    if (field == "decoder_start_token_id") return trained.task().start_token();
    const std::optional<int32_t> padding = trained.blueprint().embedding.padding_token;
    require(field == "pad_token_id" && padding, "the run in '{}' has no {}, expected decoder_input_ids",
            trained.folder().string(), field);
    return *padding;
  };
  return {.model = trained.model(), .bindings = std::move(bindings), .token = token};
}

TrainedModel::TrainedModel(const fs::path& folder, const Options& options)
    : folder_(folder), checkpoint_(folder) {
  if (!is_folder(folder)) {
    fail({Fault::io, Code::missing_file, download_hint(folder)},
         "no folder '{}', expected a Hugging Face model folder or the folder of a training run",
         folder.string());
  }
  is_there(folder / "config.json") ? open_hub(options) : open_run(options);
  if (options.for_text) check_text();
}

void TrainedModel::open_hub(const Options& options) {
  // Parsing the tokenizer on one thread takes about as long as reading the weights on the others.
  auto tokenizer = in_background(options.for_text && threads() > 1, [this] {
    return std::shared_ptr<const Tokenizer>(load_tokenizer(folder_.string()));
  });
  hub_ = open_model(
      folder_, {.weights = options.weights, .lazy_tokens = options.lazy_tokens, .device = options.device});
  warnings_ = hub_->warnings;
  task_ = task_of(*hub_);
  if (!options.for_text) return;
  task_.tokenizer = tokenizer.get();
}

void TrainedModel::open_run(const Options& options) {
  require(is_run(folder_), Code::missing_file,
          "no config.json and no checkpoint in '{}', expected a Hugging Face model folder or the folder of a "
          "training run",
          folder_.string());
  SavedRun run = load_run(folder_, options.weights, options.device);
  checkpoint_ = std::move(run.checkpoint);
  state_ = run.state;
  task_ = std::move(run.task);
  model_.emplace(std::move(run.model));
  warnings_ = std::move(run.warnings);
}

void TrainedModel::check_text() {
  const Blueprint& b = blueprint();
  // For example, Gemma 3's tokenizer has an image token, for which its text-only models have no row.
  if (task_.tokenizer->size() > b.vocabulary) {
    warnings_.push_back(fmt::format(
        "'{}': the tokenizer has {} tokens, but the model only {} rows; texts with other tokens are "
        "errors",
        folder_.string(), task_.tokenizer->size(), b.vocabulary));
  }
  const auto names = static_cast<int64_t>(task_.labels.size());
  require(!task_.has_labels() || names == b.head.labels,
          "'{}' has names for {} labels, expected {}, the number of classes of its head", folder_.string(),
          names, b.head.labels);
}

}  // namespace locus
