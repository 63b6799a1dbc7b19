#include "locus/checkpoint/model_folder.h"

#include <algorithm>
#include <iterator>

#include "locus/base/paths.h"
#include "locus/checkpoint/lazy_rows.h"
#include "locus/checkpoint/parameters_file.h"
#include "locus/checkpoint/unread_fields.h"
#include "locus/nn/transformer.h"

namespace locus {
namespace {

// Removes from the blueprint what the weights may omit: the pooler of a base model, and the bias on the
// logits.
void follow_weights(const WeightFiles& files, Blueprint& b) {
  const auto has = [&](std::string_view part) {
    return std::ranges::any_of(files.files(), [&](const SafetensorsFile& file) {
      return std::ranges::any_of(file.entries(), [&](const TensorEntry& entry) {
        return entry.name.find(part) != std::string::npos;
      });
    });
  };
  if (b.head.kind == HeadKind::none && !has("pooler.")) b.head.pooler = Activation::none;
  if (b.kind == ModelKind::encoder_decoder && !has("final_logits_bias")) b.head.bias = false;
}

// Whether config.json ties the head, but the files contain a head that differs from the token embeddings.
// Then, as in transformers, the head is not tied.
bool has_own_head(const WeightFiles& files, const std::vector<Binding>& bindings) {
  return std::ranges::any_of(bindings, [&](const Binding& binding) {
    return !binding.tied.empty() && binding.tied != binding.tensor && files.find(binding.tied) &&
           !files.same(binding.tensor, binding.tied);
  });
}

bool head_is_tied(const Blueprint& b) { return b.head.tied && predicts_tokens(b.head.kind); }

// Makes the model. Scheme options that do not fit together come from config.json, so the error names the
// file.
Model make_model(const Config& config, const Blueprint& blueprint, const Model::Options& options) {
  try {
    return Model(blueprint, options);
  } catch (const Error& error) {
    if (error.fault() != Fault::usage) throw;
    fail({Fault::data, error.code(), error.hint()}, "'{}': {}", config.path().string(), error.message());
  }
}

std::string architecture_with(const Config& config, HeadKind head) {
  const Architecture own = read_architecture(config);
  const auto type = std::ranges::find(own.family->types, own.model_type, &ModelType::name);
  return named(*type, head).back().second;
}

ModelFolder opened(const std::filesystem::path& path, Config config, std::optional<uint64_t> seed,
                   const Opening& opening);

// Folders made by sentence-transformers may name a class with a head, but contain no weights of it.
ModelFolder without_head(const std::filesystem::path& path, const Config& config, const Opening& opening) {
  json::Members changes = {{"architectures", architecture_with(config, HeadKind::none)}};
  ModelFolder folder =
      opened(path, Config(changed_config(config.path(), changes), config.path()), {}, opening);
  folder.changes = std::move(changes);
  folder.warnings.push_back(fmt::format(
      "'{}': config.json names {}, but the weights contain no such head: the model opens without a head",
      path.string(), config.text("architectures.0")));
  return folder;
}

// With a seed, the head is new and randomly initialized. Without one, everything comes from the files.
ModelFolder opened(const std::filesystem::path& path, Config config, std::optional<uint64_t> seed,
                   const Opening& opening) {
  Architecture architecture = read_architecture(config);
  Blueprint& blueprint = architecture.blueprint;
  const auto weight_files = std::make_shared<const WeightFiles>(path);
  const WeightFiles& files = *weight_files;
  require_numbers(blueprint, files.numbers(), config.path());
  follow_weights(files, blueprint);
  const Model::Options options = {.seed = seed, .weights = opening.weights, .device = opening.device};
  Model model = make_model(config, blueprint, options);
  const Family& family = *architecture.family;
  const HeadSource head = seed                                    ? HeadSource::new_head
                          : blueprint.head.kind == HeadKind::none ? HeadSource::none
                                                                  : HeadSource::files;
  std::vector<Binding> bindings = bindings_of(family, blueprint, model.parameters());
  if (head == HeadSource::files && head_is_missing(family, files, bindings)) {
    return without_head(path, config, opening);
  }
  match_tensors(family, files, path, head, bindings);
  if (head_is_tied(blueprint) && has_own_head(files, bindings)) {
    blueprint.head.tied = false;
    model = make_model(config, blueprint, options);
    bindings = bindings_of(family, blueprint, model.parameters());
    match_tensors(family, files, path, head, bindings);
  }
  if (opening.lazy_tokens && on_host(opening.device) && !head_is_tied(blueprint)) {
    const auto table = std::ranges::find(bindings, Owner::tokens, &Binding::owner);
    table->lazy = true;
    model.transformer().load_tokens_from(std::make_shared<LazyRows>(weight_files, *table));
  }
  std::vector<std::string> warnings = unread_warnings(config);
  std::ranges::move(read_tensors(files, bindings, opening.progress), std::back_inserter(warnings));
  for (Binding& binding : bindings) {
    if (!binding.constant) continue;
    for (Var& parameter : binding.parameters) parameter.set_wants_grad(false);
  }
  return {path,
          std::move(config),
          std::move(architecture),
          std::move(model),
          std::move(bindings),
          std::move(warnings),
          {}};
}

}  // namespace

std::string download_hint(const std::filesystem::path& path) {
  const std::filesystem::path owner = path.parent_path(), name = path.filename();
  const bool two_words = path.is_relative() && !name.empty() && !owner.empty() &&
                         owner.parent_path().empty() && owner != "." && owner != "..";
  if (!two_words || is_there(owner)) return "";
  return fmt::format(
      "to download the model of this name from the Hugging Face Hub, run `hf download {} --local-dir {}`",
      path.string(), name.string());
}

Config read_config(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "config.json";
  if (!is_there(file)) {
    fail({Fault::io, Code::missing_file, is_folder(folder) ? "" : download_hint(folder)},
         "'{}' {}, expected a Hugging Face model folder", folder.string(),
         is_folder(folder) ? "has no config.json" : "is not a folder");
  }
  return Config(file);
}

ModelFolder open_model(const std::filesystem::path& path, const Opening& opening) {
  return opened(path, read_config(path), {}, opening);
}

json::Members label_members(const std::vector<std::string>& labels) {
  std::vector<std::string> numbers;
  for (size_t i = 0; i < labels.size(); ++i) numbers.push_back(fmt::format("{}", i));
  json::Members names, ids;
  for (size_t i = 0; i < labels.size(); ++i) {
    names.emplace_back(numbers[i], json::text(labels[i]));
    ids.emplace_back(labels[i], numbers[i]);
  }
  // id2label defines the number of labels, and the old problem_type no longer applies.
  return {{"id2label", json::object(names)},
          {"label2id", json::object(ids)},
          {"num_labels", ""},
          {"problem_type", ""}};
}

json::Members head_members(const Config& own, HeadKind kind, const std::vector<std::string>& labels) {
  json::Members members;
  if (!labels.empty()) members = label_members(labels);
  members.emplace_back("architectures", architecture_with(own, kind));
  return members;
}

ModelFolder open_model(const std::filesystem::path& path, const NewHead& head) {
  const Config own = read_config(path);
  json::Members changes = head_members(own, head.kind, head.labels);
  ModelFolder folder = opened(path, Config(changed_config(own.path(), changes), own.path()), head.seed, {});
  folder.changes = std::move(changes);
  // The tensor names of a base model have no prefix, but with a head they need one.
  folder.bindings =
      bindings_of(*folder.architecture.family, folder.architecture.blueprint, folder.model.parameters());
  return folder;
}

std::vector<std::string> named_labels(const Config& config) {
  std::vector<std::string> names;
  for (int64_t i = 0; i < config.count("id2label"); ++i) {
    names.push_back(config.text(fmt::format("id2label.{}", i)));
  }
  return names;
}

void name_remaining_labels(std::vector<std::string>& labels, int64_t count) {
  for (auto i = static_cast<int64_t>(labels.size()); i < count; ++i)
    labels.push_back(fmt::format("LABEL_{}", i));
}

}  // namespace locus
