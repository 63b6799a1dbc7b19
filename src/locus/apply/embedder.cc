#include "locus/apply/embedder.h"

#include <algorithm>
#include <cmath>

#include "locus/apply/dense_step.h"
#include "locus/base/paths.h"
#include "locus/base/quote.h"
#include "locus/base/spelling.h"
#include "locus/checkpoint/sentence_modules.h"
#include "locus/nn/blueprint_fields.h"
#include "locus/nn/pooling.h"
#include "locus/text/pipeline/normalizer.h"

namespace locus {
namespace fs = std::filesystem;

void scale_to_length_one(std::span<float> row) {
  double squares = 0;
  for (const float value : row) squares += static_cast<double>(value) * value;
  const double length = std::max(std::sqrt(squares), 1e-12);  // a vector of zeros stays zero
  for (float& value : row) value = static_cast<float>(value / length);
}

namespace {

constexpr const char* kExpectedPooling = "expected pooling by mean, cls or lasttoken";

// The format since sentence-transformers 6: a name, or a list of names.
Pooling named_pooling(const Config& config) {
  constexpr std::pair<std::string_view, Pooling> kModes[] = {
      {"mean", Pooling::mean}, {"cls", Pooling::first}, {"lasttoken", Pooling::last}};
  const bool one = config.is_list("pooling_mode") && config.count("pooling_mode") == 1;
  const std::string_view name = one ? "pooling_mode.0" : "pooling_mode";
  const std::string mode = config.is_text(name) ? config.text(name) : "";
  const auto* const found = std::ranges::find(kModes, mode, &std::pair<std::string_view, Pooling>::first);
  if (found == std::end(kModes)) config.unsupported(name, kExpectedPooling);
  return found->second;
}

// The older format: one flag per mode.
Pooling flagged_pooling(const Config& config) {
  constexpr std::pair<const char*, Pooling> kModes[] = {{"pooling_mode_mean_tokens", Pooling::mean},
                                                        {"pooling_mode_cls_token", Pooling::first},
                                                        {"pooling_mode_lasttoken", Pooling::last}};
  for (const char* name :
       {"pooling_mode_max_tokens", "pooling_mode_mean_sqrt_len_tokens", "pooling_mode_weightedmean_tokens"}) {
    if (config.flag(name, false)) config.unsupported(name, kExpectedPooling);
  }
  Pooling pooling = Pooling::mean;  // if no flag is set
  int chosen = 0;
  for (const auto& [name, mode] : kModes) {
    if (!config.flag(name, false)) continue;
    pooling = mode;
    ++chosen;
  }
  require(chosen <= 1, "'{}': {} of the pooling modes mean, cls and lasttoken are set, expected one",
          config.path().string(), chosen);
  return pooling;
}

// Throws if settings are not empty that would change the vectors and that Locus does not support.
void expect_empty(const Config& config, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (config.has(name) && config.count(name) != 0) config.unsupported(name, "expected it to be empty");
  }
}

}  // namespace

Embedder::Embedder(const fs::path& folder, DType weights, Device device)
    : Embedder(TextModel(folder, weights, device)) {}
Embedder::Embedder(TextModel model) : model_(std::move(model)) {
  const fs::path& folder = model_.folder();
  const ModelKind kind = model_.blueprint().kind;
  const bool has_modules = is_there(folder / kModulesFile);
  if (kind != ModelKind::encoder && !(kind == ModelKind::decoder && has_modules)) {
    fail({Fault::data, Code::wrong_head},
         "model in '{}' cannot embed texts: its kind is {}, expected encoder, or decoder with a {} that "
         "defines its "
         "pooling",
         folder.string(), field_values(model_.blueprint()).at("kind"), kModulesFile);
  }
  read_prompts();
  read_limits();
  if (has_modules) read_modules();
}

Embedder::Embedder(Embedder&&) noexcept = default;
Embedder& Embedder::operator=(Embedder&&) noexcept = default;
Embedder::~Embedder() = default;

int64_t Embedder::width() const { return dense_.empty() ? model_.blueprint().width : dense_.back().width(); }

void Embedder::read_limits() {
  const auto there = [&](const char* name) { return is_there(model_.folder() / name); };
  const auto* const file = std::ranges::find_if(kSentenceLimitFiles, there);
  if (file == std::end(kSentenceLimitFiles)) return;
  const Config config(model_.folder() / *file);
  model_.limit_length(config.integer("max_seq_length", 1, int64_t{1} << 40, model_.longest()));
  lower_ = config.flag("do_lower_case", false);
  expect_empty(config, {"processing_kwargs", "tokenizer_args"});
}

void Embedder::read_prompts() {
  const fs::path file = model_.folder() / "config_sentence_transformers.json";
  if (!is_there(file)) return;
  const Config config(file);
  if (config.has("prompts")) prompts_ = config.members("prompts");
  if (config.has("default_prompt_name")) {
    default_prompt_ = config.text("prompts." + config.text("default_prompt_name"));
  }
}

void Embedder::read_modules() {
  const SentenceModules modules = read_sentence_modules(model_.folder());
  const Config& file = modules.file;
  for (const SentenceModule& module : modules.list) {
    const auto own_folder = [&] {
      if (module.path.empty()) file.refuse(module.place, "expected a path to its files");
      return model_.folder() / module.path;
    };
    if (normalize_) file.refuse(module.place, "expected no module after Normalize");
    if (module.kind == "Pooling") {
      if (!dense_.empty()) file.refuse(module.place, "expected Pooling before Dense");
      read_pooling(own_folder() / "config.json");
    } else if (module.kind == "Dense") {
      dense_.push_back(read_dense(own_folder(), width(), model_.model().parameters().device()));
    } else if (module.kind == "Normalize") {
      normalize_ = true;
    } else if (module.kind != "Transformer") {
      file.refuse(module.place, "expected a module named Transformer, Pooling, Dense or Normalize");
    } else if (!module.path.empty() && module.path != ".") {
      file.refuse(module.place, "expected the model in the folder of modules.json, got the path {}",
                  quote(module.path.native()));
    }
  }
}

void Embedder::read_pooling(const fs::path& file) {
  const Config config(file);
  for (const char* name : {"word_embedding_dimension", "embedding_dimension"}) {
    if (config.size(name, width()) == width()) continue;
    config.refuse(name, "expected {}, the size of the model's vectors", width());
  }
  pooling_ = config.has("pooling_mode") ? named_pooling(config) : flagged_pooling(config);
  pools_prompts_ = config.flag("include_prompt", true);
  if (!default_prompt_.empty()) expect_flag(config, "include_prompt", true);
}

const std::string& Embedder::prompt_named(std::string_view name) const {
  if (name.empty()) return default_prompt_;
  const auto found = prompts_.find(std::string(name));
  if (found == prompts_.end()) {
    std::vector<std::string_view> names;
    std::vector<Quoted> listed;
    for (const auto& [known, text] : prompts_) names.push_back(known), listed.push_back(quote(known));
    fail(
        {Fault::usage, Code::unknown_option}, "unknown prompt {} in '{}', expected {}{}", quote(name),
        model_.folder().string(),
        names.empty() ? "none: the folder has no prompts" : fmt::format("one of {}", fmt::join(listed, ", ")),
        suggestion(name, names));
  }
  require(
      pools_prompts_ || found->second.empty(), Code::unsupported_field,
      "prompt {} cannot be used with '{}': pooling without the tokens of the prompt (include_prompt) is not "
      "supported",
      quote(name), model_.folder().string());
  return found->second;
}

Tensor Embedder::embed(ListView<std::string> texts, const ReadOptions& options,
                       std::string_view prompt) const {
  return vectors(read(texts, options, prompt), options);
}

std::vector<std::string> Embedder::prompt_names() const {
  std::vector<std::string> names;
  for (const auto& [name, text] : prompts_) names.push_back(name);
  return names;
}

Tensor Embedder::embed_as(std::string_view purpose, ListView<std::string> texts,
                          const ReadOptions& options) const {
  const bool known = prompts_.contains(std::string(purpose));
  return vectors(read_with_prompt(known ? prompt_named(purpose) : "", texts, options), options);
}

std::vector<Encoding> Embedder::read(ListView<std::string> texts, const ReadOptions& options,
                                     std::string_view prompt) const {
  return read_with_prompt(prompt_named(prompt), texts, options);
}

std::vector<Encoding> Embedder::read_with_prompt(const std::string& prompt, ListView<std::string> texts,
                                                 const ReadOptions& options) const {
  return encode_each(texts.size(), options, [&](size_t i) {
    const std::string text = prompt + texts[i];
    return model_.read({lower_ ? lowered(text) : text}, options.truncate, Specials::are_text,
                       OffsetUnit::none);
  });
}

TextRows Embedder::compute(const Tokens& texts) const {
  Var rows = pooled(model_.model().hidden(texts), texts.placement, pooling_);
  for (const DenseStep& step : dense_) rows = step(rows);
  return rows_of_texts(rows.value());
}

TextRows Embedder::compute_states(const Tokens& texts) const {
  return rows_of_tokens(model_.model().hidden(texts).value(), texts);
}

Tensor Embedder::vectors(std::span<const Encoding> texts, const ReadOptions& options) const {
  const Tensor out = Tensor::zeros({std::ssize(texts), width()});
  const auto C = static_cast<size_t>(width());
  read_batches(model_, texts, options, TextPass::of<&Embedder::compute>(*this),
               [&, to = out.data<float>()](size_t text, std::span<const float> own) {
                 const auto place = to.subspan(text * C, C);
                 std::ranges::copy(own, place.begin());
                 if (normalize_) scale_to_length_one(place);
               });
  return out;
}

std::vector<std::vector<float>> Embedder::states(std::span<const Encoding> texts,
                                                 const ReadOptions& options) const {
  std::vector<std::vector<float>> result(texts.size());
  read_batches(model_, texts, options, TextPass::of<&Embedder::compute_states>(*this),
               [&](size_t text, std::span<const float> own) { result[text].assign(own.begin(), own.end()); });
  return result;
}

}  // namespace locus
