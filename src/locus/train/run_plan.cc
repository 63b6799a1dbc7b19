#include "locus/train/run_plan.h"

#include <algorithm>

#include "locus/base/error.h"
#include "locus/base/fields.h"
#include "locus/base/quote.h"
#include "locus/base/spelling.h"
#include "locus/text/byte_vocabulary.h"
#include "locus/text/text_blocks.h"
#include "locus/text/token_file.h"
#include "locus/train/text_samples.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSections[] = {"model", "model.scheme", "data", "train"};

void check_sections(const Settings& settings, std::vector<std::string>& problems) {
  for (const Setting& setting : settings.all()) {
    const size_t dot = setting.key.rfind('.');
    const std::string section = dot == std::string::npos ? "" : setting.key.substr(0, dot);
    if (std::ranges::count(kSections, section) > 0) continue;
    problems.push_back(
        fmt::format("unknown key {}; keys stand in [model], [model.scheme], [data] and [train]{}",
                    quote(setting.key), suggestion(section, kSections)));
  }
}

template <class T>
void read_section(const Settings& settings, const std::string& section, T& object,
                  std::vector<std::string>& problems) {
  for (const std::string& problem : read_fields(object, settings.section(section))) {
    problems.push_back(fmt::format("[{}] {}", section, problem));
  }
}

OptionValues model_values(const Settings& settings) {
  OptionValues values = settings.section("model");
  for (const auto& [name, value] : settings.section("model.scheme")) values.emplace("scheme." + name, value);
  return values;
}

// A text or a token file as one stream.
std::shared_ptr<const TokenStream> stream_of(const fs::path& file, const Tokenizer& tokenizer) {
  if (TokenFile::recognises(file)) {
    auto tokens = std::make_shared<TokenFile>(file);
    require(tokens->vocabulary() <= tokenizer.size(), "{} has a vocabulary of {}, the tokenizer of {}",
            tokens->name(), tokens->vocabulary(), tokenizer.size());
    return tokens;
  }
  std::vector<int32_t> ids;
  each_block(file, [&](std::string_view block, uint64_t, uint64_t) {
    const std::vector<int32_t> more = tokenizer.encode(block);
    ids.insert(ids.end(), more.begin(), more.end());
  });
  return std::make_shared<MemoryTokens>(std::move(ids), tokenizer.size(), fmt::format("'{}'", file.string()));
}

bool on_streams(const Blueprint& blueprint) {
  return blueprint.kind != ModelKind::encoder_decoder &&
         (blueprint.head == HeadKind::next_token || blueprint.head == HeadKind::masked_token);
}

std::unique_ptr<Samples> window_samples(const RunPlan& plan, std::shared_ptr<const TokenStream> stream) {
  std::optional<Masking> masking;
  if (plan.blueprint.head == HeadKind::masked_token) {
    masking = {.rate = plan.data.mask_rate,
               .mask = plan.tokenizer->special(kMaskToken),
               .vocabulary = plan.tokenizer->size()};
    for (const auto& [name, id] : plan.tokenizer->specials().ids()) masking->kept.insert(id);
  }
  return std::make_unique<WindowSamples>(std::move(stream), plan.data.context, plan.data.stride,
                                         std::move(masking), static_cast<uint64_t>(plan.train.seed));
}

std::vector<Sample> task_samples(const RunPlan& plan, const fs::path& file) {
  std::vector<Sample> samples;
  if (plan.blueprint.kind == ModelKind::encoder_decoder) {
    for (const TextPair& pair : read_pairs(file)) samples.push_back(pair_sample(pair, *plan.tokenizer));
    return samples;
  }
  require(plan.blueprint.head == HeadKind::sequence_class,
          "model.head: such a model is not trained from files yet; expected next_token, masked_token or "
          "sequence_class");
  LabelledTexts texts = read_labelled(file);
  for (LabelledText& text : texts.examples) {
    const std::string& name = texts.names[static_cast<size_t>(text.label)];
    const auto known = std::ranges::find(plan.labels, name);
    require(known != plan.labels.end(), "'{}': the label {} does not occur in training", file.string(),
            quote(name));
    text.label = static_cast<int32_t>(known - plan.labels.begin());
    samples.push_back(labelled_sample(text, *plan.tokenizer));
  }
  return samples;
}

// The last part of a list, cut off.
template <class T>
std::vector<T> cut_off(std::vector<T>& list, double part) {
  const auto keep = static_cast<int64_t>(static_cast<double>(list.size()) * (1 - part));
  std::vector<T> rest(std::make_move_iterator(list.begin() + keep), std::make_move_iterator(list.end()));
  list.resize(static_cast<size_t>(keep));
  return rest;
}

void read_data(RunPlan& plan) {
  const fs::path file = plan.data.train;
  const double part = plan.data.validation.empty() ? plan.data.validation_part : 0;
  if (on_streams(plan.blueprint)) {
    const auto stream = stream_of(file, *plan.tokenizer);
    const auto keep = static_cast<int64_t>(static_cast<double>(stream->size()) * (1 - part));
    plan.training = window_samples(plan, std::make_shared<StreamPart>(stream, 0, keep));
    if (part > 0)
      plan.validation = window_samples(plan, std::make_shared<StreamPart>(stream, keep, stream->size()));
  } else {
    std::vector<Sample> samples = task_samples(plan, file);
    if (part > 0) {
      plan.validation =
          std::make_unique<ListedSamples>(cut_off(samples, part), fmt::format("'{}'", file.string()));
    }
    plan.training = std::make_unique<ListedSamples>(std::move(samples), fmt::format("'{}'", file.string()));
  }
  if (!plan.data.validation.empty()) plan.validation = samples_of(plan, plan.data.validation);
}

Settings resolved(const RunPlan& plan) {
  Settings config;
  for (const auto& [name, value] : values_of(plan.blueprint)) config.set("model." + name, value);
  for (const auto& [name, value] : field_values(plan.data)) config.set("data." + name, value);
  for (const auto& [name, value] : field_values(plan.train)) config.set("train." + name, value);
  return config;
}

// Names of files as they are seen from here: those in the configuration are seen from its folder.
void place(std::string& name, const Settings& settings, const char* key, const fs::path& folder) {
  const Setting* setting = settings.find(key);
  if (setting == nullptr || setting->line == 0 || name.empty() || name == "bytes") return;
  name = (folder / name).lexically_normal().string();
}

}  // namespace

RunPlan plan_run(const Settings& settings, const fs::path& folder) {
  RunPlan plan;
  std::vector<std::string> problems;
  check_sections(settings, problems);
  read_section(settings, "data", plan.data, problems);
  read_section(settings, "train", plan.train, problems);
  if (plan.data.train.empty()) problems.emplace_back("[data] train is missing: what to train on");
  refuse("configuration", problems);
  place(plan.data.train, settings, "data.train", folder);
  place(plan.data.validation, settings, "data.validation", folder);
  place(plan.data.tokenizer, settings, "data.tokenizer", folder);

  OptionValues model = model_values(settings);
  plan.tokenizer =
      plan.data.tokenizer == "bytes"
          ? std::make_unique<ByteVocabulary>(std::vector<std::string>{kStartToken, kEndToken, kMaskToken})
          : load_tokenizer(plan.data.tokenizer);
  model.emplace("vocabulary", fmt::format("{}", plan.tokenizer->size()));
  model.emplace("max_length", fmt::format("{}", plan.data.context));
  if (model["head"] == "sequence_class") {
    plan.labels = read_labelled(plan.data.train).names;
    model.emplace("labels", fmt::format("{}", plan.labels.size()));
  }
  plan.blueprint = blueprint_of("configuration: [model]", model);
  require(plan.blueprint.vocabulary >= plan.tokenizer->size(),
          "model.vocabulary is {}, the tokenizer has {} tokens", plan.blueprint.vocabulary,
          plan.tokenizer->size());
  plan.config = resolved(plan);
  read_data(plan);
  return plan;
}

std::unique_ptr<Samples> samples_of(const RunPlan& plan, const fs::path& file) {
  if (on_streams(plan.blueprint)) return window_samples(plan, stream_of(file, *plan.tokenizer));
  return std::make_unique<ListedSamples>(task_samples(plan, file), fmt::format("'{}'", file.string()));
}

}  // namespace locus
