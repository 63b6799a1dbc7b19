#include "locus/checkpoint/generation_config.h"

#include <algorithm>

#include "locus/base/paths.h"

namespace locus {
namespace {

// Settings of transformers that change the generated text and that Locus does not support. They have no
// effect if they are null, 0, false or an empty list; penalties if they are 1; cutoffs if nothing is sampled.
constexpr std::string_view kLists[] = {
    "begin_suppress_tokens", "sequence_bias",       "exponential_decay_length_penalty",
    "stop_strings",          "force_words_ids",     "constraints",
    "forced_decoder_ids",    "watermarking_config", "dola_layers"};
constexpr std::string_view kCounts[] = {"encoder_no_repeat_ngram_size"};
constexpr std::string_view kFactors[] = {"encoder_repetition_penalty", "guidance_scale", "num_beam_groups"};
constexpr std::string_view kWeights[] = {"penalty_alpha", "diversity_penalty"};
constexpr std::string_view kCutoffs[] = {"epsilon_cutoff", "eta_cutoff", "top_h"};

void add_unsupported_of_beams(const Config& config, std::vector<std::string>& unsupported) {
  if (config.integer("num_beams", 1, 10000, 1) == 1) return;
  if (config.flag("do_sample", false)) {
    unsupported.emplace_back("do_sample with num_beams (beam search runs without sampling)");
  }
  if (config.is_text("early_stopping"))
    unsupported.push_back("early_stopping " + config.text("early_stopping"));
  if (config.flag("renormalize_logits", false)) unsupported.emplace_back("renormalize_logits");
}

// Forced first and last tokens apply to an encoder-decoder only: with a prompt the first token is the
// prompt's, and the room for a last token differs between prompts.
bool supports_forced_tokens(const Blueprint& b) { return b.kind == ModelKind::encoder_decoder; }

std::vector<std::string> unsupported_of(const Config& config, const Blueprint& b) {
  std::vector<std::string> unsupported;
  for (const std::string_view name : {"forced_bos_token_id", "forced_eos_token_id"}) {
    if (config.has(name) && (!supports_forced_tokens(b) || (config.is_list(name) && config.count(name) > 1)))
      unsupported.emplace_back(name);
  }
  for (const std::string_view name : kLists) {
    if (config.is_text(name) || config.count(name) > 0) unsupported.emplace_back(name);
  }
  for (int64_t i = 0; i < config.count("bad_words_ids"); ++i) {
    if (config.count(fmt::format("bad_words_ids.{}", i)) == 1) continue;
    unsupported.emplace_back("bad_words_ids with several tokens");
    break;
  }
  for (const std::string_view name : kCounts) {
    if (config.integer(name, 0, 1e9, 0) > 0) unsupported.emplace_back(name);
  }
  for (const std::string_view name : kFactors) {
    if (config.number(name, 0, 1e6, 1) != 1) unsupported.emplace_back(name);
  }
  for (const std::string_view name : kWeights) {
    if (config.number(name, -1e6, 1e6, 0) != 0) unsupported.emplace_back(name);
  }
  if (config.flag("do_sample", false) && config.number("typical_p", 0, 1e6, 1) != 1) {
    unsupported.emplace_back("typical_p");
  }
  for (const std::string_view name : kCutoffs) {
    if (config.flag("do_sample", false) && config.number(name, 0, 1, 0) > 0) unsupported.emplace_back(name);
  }
  add_unsupported_of_beams(config, unsupported);
  return unsupported;
}

// One token id or a list of them; -1 means none.
std::vector<int32_t> tokens_of(const Config& config, std::string_view name, int64_t vocabulary) {
  std::vector<int32_t> tokens;
  const auto add = [&](std::string_view at) {
    const int64_t token = config.integer(at, -1, vocabulary - 1);
    if (token >= 0) tokens.push_back(static_cast<int32_t>(token));
  };
  if (!config.has(name)) return {};
  if (!config.is_list(name)) add(name);
  for (int64_t i = 0; config.is_list(name) && i < config.count(name); ++i) {
    add(fmt::format("{}.{}", name, i));
  }
  return tokens;
}

TokenRules rules_of(const Config& config, const Blueprint& b) {
  const int64_t vocabulary = b.vocabulary;
  TokenRules rules{.banned = tokens_of(config, "suppress_tokens", vocabulary)};
  const std::vector<int32_t> ends = tokens_of(config, "eos_token_id", vocabulary);
  for (int64_t i = 0; i < config.count("bad_words_ids"); ++i) {
    const std::vector<int32_t> word = tokens_of(config, fmt::format("bad_words_ids.{}", i), vocabulary);
    // As in transformers, end tokens in the list are not banned.
    if (word.size() == 1 && std::ranges::count(ends, word[0]) == 0) rules.banned.push_back(word[0]);
  }
  if (supports_forced_tokens(b)) {
    const std::vector<int32_t> first = tokens_of(config, "forced_bos_token_id", vocabulary);
    const std::vector<int32_t> last = tokens_of(config, "forced_eos_token_id", vocabulary);
    if (!first.empty()) rules.first = first[0];
    if (!last.empty()) rules.last = last[0];
  }
  rules.no_repeat_ngram = static_cast<size_t>(config.integer("no_repeat_ngram_size", 0, 1e9, 0));
  rules.ends = ends;
  rules.min_new_tokens = config.integer("min_new_tokens", 0, 1e9, 0);
  if (rules.min_new_tokens == 0) rules.min_length = config.integer("min_length", 0, 1e9, 0);
  return rules;
}

// Missing settings have the defaults of transformers.
Sampling sampling_of(const Config& config) {
  Sampling sampling;
  sampling.repetition_penalty = static_cast<float>(config.number("repetition_penalty", 1e-3, 1e3, 1));
  if (!config.flag("do_sample", false)) return sampling;
  sampling.temperature = static_cast<float>(config.number("temperature", 0, 1000, 1));
  sampling.top_k = config.integer("top_k", 0, 1 << 24, 50);
  sampling.top_p = static_cast<float>(config.number("top_p", 0, 1, 1));
  sampling.min_p = static_cast<float>(config.number("min_p", 0, 1, 0));
  return sampling;
}

}  // namespace

GenerationConfig read_generation(const ModelFolder& folder) {
  return read_generation(folder.path, folder.config, folder.architecture.blueprint);
}

GenerationConfig read_generation(const std::filesystem::path& folder, const Config& of_model,
                                 const Blueprint& b) {
  const std::filesystem::path path = folder / "generation_config.json";
  std::optional<Config> own;
  if (is_there(path)) own.emplace(path);
  const Config& config = own ? *own : of_model;
  const std::string_view start = b.kind == ModelKind::encoder_decoder && config.has("decoder_start_token_id")
                                     ? "decoder_start_token_id"
                                     : "bos_token_id";
  GenerationConfig result;
  result.end_tokens = tokens_of(config, "eos_token_id", b.vocabulary);
  const std::vector<int32_t> starts = tokens_of(config, start, b.vocabulary);
  if (!starts.empty()) result.start_token = starts[0];
  result.max_tokens = config.integer("max_new_tokens", 1, 1e9, 0);
  result.max_length = config.integer("max_length", 1, 1e9, 0);
  result.rules = rules_of(config, b);
  result.sampling = sampling_of(config);
  result.beams = config.integer("num_beams", 1, 10000, 0);
  result.length_penalty = static_cast<float>(config.number("length_penalty", -1e3, 1e3, 1));
  result.stops_early = !config.is_text("early_stopping") && config.flag("early_stopping", false);
  result.unsupported = unsupported_of(config, b);
  return result;
}

}  // namespace locus
