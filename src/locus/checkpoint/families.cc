// The list of families, and how config.json determines the family of a model, its head and its blueprint.
#include <algorithm>
#include <vector>

#include "locus/base/quote.h"
#include "locus/checkpoint/family.h"

namespace locus {

extern const Family kBertFamily, kRobertaFamily, kMpnetFamily, kDistilbertFamily, kDebertaFamily,
    kElectraFamily, kAlbertFamily, kModernbertFamily, kEurobertFamily, kNomicBertFamily, kRoformerFamily,
    kGpt2Family, kGptBigcodeFamily, kGptNeoFamily, kGptjFamily, kNeoxFamily, kLlamaFamily, kPhiFamily,
    kPhi3Family, kSmollm3Family, kStarcoder2Family, kStablelmFamily, kCohereFamily, kGraniteFamily,
    kOlmoFamily, kGemmaFamily, kGemma2Family, kGemma3Family, kBloomFamily, kMptFamily, kFalconFamily,
    kOptFamily, kT5Family, kBartFamily, kMarianFamily, kMbartFamily, kM2m100Family, kPegasusFamily;

namespace {

constexpr const Family* kFamilies[] = {
    &kBertFamily,       &kRobertaFamily,  &kMpnetFamily,      &kDistilbertFamily, &kDebertaFamily,
    &kElectraFamily,    &kAlbertFamily,   &kModernbertFamily, &kEurobertFamily,   &kNomicBertFamily,
    &kRoformerFamily,   &kGpt2Family,     &kGptBigcodeFamily, &kGptNeoFamily,     &kGptjFamily,
    &kNeoxFamily,       &kLlamaFamily,    &kPhiFamily,        &kPhi3Family,       &kSmollm3Family,
    &kStarcoder2Family, &kStablelmFamily, &kCohereFamily,     &kGraniteFamily,    &kOlmoFamily,
    &kGemmaFamily,      &kGemma2Family,   &kGemma3Family,     &kBloomFamily,      &kMptFamily,
    &kFalconFamily,     &kOptFamily,      &kT5Family,         &kBartFamily,       &kMarianFamily,
    &kMbartFamily,      &kM2m100Family,   &kPegasusFamily,
};

// The head of a model class by the end of its name. A longer ending comes before a shorter one that it
// contains.
struct Ending {
  std::string_view text;
  HeadKind head;
};
constexpr std::string_view kPreTraining = "ForPreTraining";
constexpr Ending kEndings[] = {
    {"ForSequenceClassification", HeadKind::sequence_class},
    {"ForTokenClassification", HeadKind::token_class},
    {"ForQuestionAnswering", HeadKind::answer},
    {"ForMaskedLM", HeadKind::masked_token},
    {kPreTraining, HeadKind::masked_token},
    {"ForCausalLM", HeadKind::next_token},
    {"LMHeadModel", HeadKind::next_token},
    {"ForConditionalGeneration", HeadKind::next_token},
    {"MTModel", HeadKind::next_token},
    {"EncoderModel", HeadKind::none},
    {"Model", HeadKind::none},
};

std::vector<std::string_view> known_types() {
  std::vector<std::string_view> names;
  for (const Family* family : families()) {
    for (const ModelType& type : family->types) names.push_back(type.name);
  }
  return names;
}

// The class names of the heads of a family, for an error.
std::vector<std::string> known_classes(const Family& family, std::string_view classes) {
  std::vector<std::string> names;
  for (const Ending& ending : kEndings) {
    if (std::ranges::count(family.heads, ending.head) > 0)
      names.push_back(fmt::format("{}{}", classes, ending.text));
  }
  return names;
}

HeadKind head_of(const Config& config, const Family& family, const ModelType& type) {
  if (config.count("architectures") == 0) return HeadKind::none;  // the base model, as in transformers
  std::string name = config.text("architectures.0");
  if (!type.old_classes.empty() && name.starts_with(type.old_classes)) {
    name.replace(0, type.old_classes.size(), type.classes);
  }
  if (name == fmt::format("{}{}", type.classes, type.base)) return HeadKind::none;
  for (const Ending& ending : kEndings) {
    const HeadKind head = ending.text == kPreTraining ? family.pretraining : ending.head;
    if (name == fmt::format("{}{}", type.classes, ending.text) &&
        std::ranges::count(family.heads, head) > 0) {
      return head;
    }
  }
  config.unsupported("architectures.0", "expected one of {}",
                     fmt::join(known_classes(family, type.classes), ", "));
}

void expect_same_sizes(const Family& family, const Config& config) {
  for (const auto& [name, second] : family.second_names) {
    if (!config.has(name) || !config.has(second) || config.size(name) == config.size(second)) continue;
    config.refuse(second, "but {} is {}, expected the same value in both", name, config.size(name));
  }
}

// transformers reads null as false here.
void expect_kind(const Config& config, ModelKind kind) {
  if (kind == ModelKind::encoder) {
    expect_flag(config, "is_causal", false);  // depends on the implementation of attention and on padding
  } else if (!flag_not_null(config, "is_causal", true)) {
    config.unsupported("is_causal", "expected true");
  }
  if (kind == ModelKind::encoder_decoder && !flag_not_null(config, "is_encoder_decoder", true))
    config.unsupported("is_encoder_decoder", "expected true");
}

Blueprint read_blueprint(const Family& family, const Config& config, HeadKind head) {
  Blueprint b;
  // New heads of a pretrained model, and what they read, are as in transformers.
  b.init_std = 0.02f;
  b.head.pooling = Pooling::first;
  b.head.kind = head;
  b.vocabulary = config.size("vocab_size");
  b.head.tied = config.flag("tie_word_embeddings", family.tied);
  b.head.labels = labels_of(config);
  expect_same_sizes(family, config);
  ConfigFields fields(config);
  family.fields(fields, b);
  family.read(config, b);
  expect_kind(config, b.kind);
  // Rotary embeddings of transformers read head_dim even in families whose heads have another size.
  if (config.has("head_dim") && config.size("head_dim") != b.size_of_head())
    config.refuse("head_dim", "expected {}, the size of a head of this family", b.size_of_head());
  if (b.kind == ModelKind::decoder) {
    // Decoders classify a sequence from its last token, without a bias.
    b.head.pooling = Pooling::last;
    b.head.label_bias = head != HeadKind::sequence_class;
  }
  return b;
}

}  // namespace

std::span<const Family* const> families() { return kFamilies; }

Architecture read_architecture(const Config& config) {
  const std::string type = config.text("model_type");
  if (config.has("quantization_config")) {
    config.unsupported("quantization_config",
                       "expected the original, unquantized model with F32, BF16, F16 or F64 weights");
  }
  for (const Family* family : families()) {
    const auto found = std::ranges::find(family->types, type, &ModelType::name);
    if (found == family->types.end()) continue;
    const HeadKind head = head_of(config, *family, *found);
    Architecture result = {family, type, read_blueprint(*family, config, head)};
    try {
      refuse("blueprint", problems(result.blueprint));
    } catch (const Error& error) {
      fail({Fault::data, error.code(), error.hint()}, "'{}': {}", config.path().string(), error.message());
    }
    return result;
  }
  // No "did you mean": similar names, such as gpt_neox and gpt_neox_japanese, are different models.
  fail({Fault::data, Code::unknown_family}, "'{}': model_type is {}, expected one of {}",
       config.path().string(), quote(type), fmt::join(known_types(), ", "));
}

json::Members named(const ModelType& type, HeadKind head) {
  std::string_view ending = type.next_token;
  if (head != HeadKind::next_token) {
    const auto found = std::ranges::find(kEndings, head, &Ending::head);
    ending = head == HeadKind::none || found == std::end(kEndings) ? type.base : found->text;
  }
  return {{"model_type", json::text(type.name)},
          {"architectures", json::list(std::vector{json::text(fmt::format("{}{}", type.classes, ending))})}};
}

std::string_view label_module(const Blueprint& b) {
  if (b.head.kind == HeadKind::answer) return "qa_outputs";
  return b.kind == ModelKind::decoder && b.head.kind == HeadKind::sequence_class ? "score" : "classifier";
}

std::vector<Binding> bindings_of(const Family& family, const Blueprint& blueprint,
                                 const Parameters& parameters) {
  NameMap map(parameters);
  family.names(map, blueprint);
  std::vector<Binding> bindings = map.take();
  if (blueprint.head.kind == HeadKind::none && !family.prefixes.empty()) {
    const std::string_view prefix = family.prefixes[0];
    for (Binding& binding : bindings) {
      if (!binding.tensor.starts_with(prefix)) continue;
      binding.aliases.push_back(binding.tensor);  // the name in files that also contain a head
      binding.tensor.erase(0, prefix.size());
    }
  }
  return bindings;
}

}  // namespace locus
