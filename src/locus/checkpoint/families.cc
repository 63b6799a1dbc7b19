#include <algorithm>
#include <array>
#include <vector>

#include "locus/base/quote.h"
#include "locus/base/spelling.h"
#include "locus/checkpoint/family.h"

namespace locus {

extern const Family kBertFamily, kRobertaFamily, kDistilbertFamily, kDebertaFamily, kGpt2Family, kGptjFamily,
    kNeoxFamily, kLlamaFamily, kBloomFamily, kOptFamily, kT5Family, kBartFamily;

namespace {

constexpr const Family* kFamilies[] = {
    &kBertFamily, &kRobertaFamily, &kDistilbertFamily, &kDebertaFamily, &kGpt2Family, &kGptjFamily,
    &kNeoxFamily, &kLlamaFamily,   &kBloomFamily,      &kOptFamily,     &kT5Family,   &kBartFamily,
};

// What the end of an architecture's name says about its head; longer ends stand before those they end with.
struct Ending {
  std::string_view text;
  HeadKind head;
};
constexpr Ending kEndings[] = {
    {"ForSequenceClassification", HeadKind::sequence_class},
    {"ForTokenClassification", HeadKind::token_class},
    {"ForQuestionAnswering", HeadKind::answer},
    {"ForMaskedLM", HeadKind::masked_token},
    {"ForPreTraining", HeadKind::masked_token},
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

// The heads of a family by the names of their classes, for an error.
std::vector<std::string> known_classes(const Family& family, std::string_view classes) {
  std::vector<std::string> names;
  for (const Ending& ending : kEndings) {
    if (std::ranges::count(family.heads, ending.head) > 0)
      names.push_back(fmt::format("{}{}", classes, ending.text));
  }
  return names;
}

HeadKind head_of(const Config& config, const Family& family, std::string_view classes) {
  if (config.count("architectures") == 0) return HeadKind::none;  // as transformers: the base model
  const std::string name = config.text("architectures.0");
  for (const Ending& ending : kEndings) {
    if (name == fmt::format("{}{}", classes, ending.text) &&
        std::ranges::count(family.heads, ending.head) > 0) {
      return ending.head;
    }
  }
  config.refuse("architectures.0", "expected one of {}", fmt::join(known_classes(family, classes), ", "));
}

}  // namespace

std::span<const Family* const> families() { return kFamilies; }

Architecture read_architecture(const Config& config) {
  const std::string type = config.text("model_type");
  for (const Family* family : families()) {
    const auto found = std::ranges::find(family->types, type, &ModelType::name);
    if (found == family->types.end()) continue;
    const HeadKind head = head_of(config, *family, found->classes);
    Architecture result = {family, type, family->blueprint(config, head)};
    result.blueprint.head = head;
    try {
      refuse("blueprint", problems(result.blueprint));
    } catch (const Error& error) {
      fail(Fault::data, "'{}': {}", config.path().string(), error.what());
    }
    return result;
  }
  const std::vector<std::string_view> known = known_types();
  config.refuse("model_type", "expected one of {}{}", fmt::join(known, ", "), suggestion(type, known));
}

json::Members named(std::string_view type, std::string_view classes, HeadKind head,
                    std::string_view next_token) {
  std::string_view ending = next_token;
  if (head != HeadKind::next_token) {
    const auto found = std::ranges::find(kEndings, head, &Ending::head);
    // Of the two for no head, the one that every family has.
    ending = head == HeadKind::none || found == std::end(kEndings) ? "Model" : found->text;
  }
  return {{"model_type", json::text(type)},
          {"architectures", json::list(std::vector{json::text(fmt::format("{}{}", classes, ending))})}};
}

std::vector<Binding> bindings_of(const Family& family, const Blueprint& blueprint,
                                 const Parameters& parameters) {
  NameMap map(parameters);
  family.names(map, blueprint);
  std::vector<Binding> bindings = map.take();
  if (blueprint.head == HeadKind::none && !family.prefixes.empty()) {
    const std::string_view prefix = family.prefixes[0];
    for (Binding& binding : bindings) {
      if (binding.tensor.starts_with(prefix)) binding.tensor.erase(0, prefix.size());
    }
  }
  return bindings;
}

std::string_view activation_name(Activation activation) {
  switch (activation) {
    case Activation::gelu:
      return "gelu";
    case Activation::gelu_tanh:
      return "gelu_new";
    case Activation::silu:
      return "silu";
    case Activation::relu:
      return "relu";
    case Activation::tanh:
      return "tanh";
    case Activation::none:
      break;
  }
  return "linear";
}

Activation activation_of(const Config& config, std::string_view field, std::string_view preset) {
  static constexpr std::pair<std::string_view, Activation> kNames[] = {
      {"gelu", Activation::gelu},
      {"gelu_new", Activation::gelu_tanh},
      {"gelu_pytorch_tanh", Activation::gelu_tanh},
      {"gelu_fast", Activation::gelu_tanh},
      {"relu", Activation::relu},
      {"silu", Activation::silu},
      {"swish", Activation::silu},
      {"tanh", Activation::tanh},
  };
  const std::string name = config.text(field, preset);
  for (const auto& [known, activation] : kNames) {
    if (known == name) return activation;
  }
  config.refuse(field,
                "expected one of gelu, gelu_new, gelu_pytorch_tanh, gelu_fast, relu, silu, swish, tanh");
}

int64_t labels_of(const Config& config) {
  return config.size("num_labels",
                     std::max<int64_t>(config.count("id2label"), 0) > 0 ? config.count("id2label") : 2);
}

int32_t padding_of(const Config& config, std::optional<int64_t> preset, int64_t vocabulary) {
  if (!config.has("pad_token_id") && !preset) return -1;
  return static_cast<int32_t>(config.integer("pad_token_id", -1, vocabulary - 1, preset));
}

void expect_flag(const Config& config, std::string_view field, bool value) {
  if (config.flag(field, value) != value) {
    config.refuse(field, "but Locus computes such models with {} only", value ? "true" : "false");
  }
}

}  // namespace locus
