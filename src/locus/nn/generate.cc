#include "locus/nn/generate.h"

#include <algorithm>
#include <numeric>

#include "locus/nn/decoder.h"

namespace locus {

Tokens tokens_of(const std::vector<std::vector<int32_t>>& sequences, const Blueprint& blueprint) {
  std::vector<int32_t> ids;
  std::vector<int64_t> lengths;
  for (const std::vector<int32_t>& sequence : sequences) {
    ids.insert(ids.end(), sequence.begin(), sequence.end());
    lengths.push_back(static_cast<int64_t>(sequence.size()));
  }
  return {Tensor::of({static_cast<int64_t>(ids.size())}, ids),
          Placement::of_lengths(lengths, blueprint.policy()),
          {}};
}

std::vector<std::vector<int32_t>> generate(const Model& model,
                                           const std::vector<std::vector<int32_t>>& prompts,
                                           const GenerateOptions& options,
                                           const std::vector<std::vector<int32_t>>& texts) {
  require(options.max_tokens >= 0, "generate: max_tokens is {}, expected 0 or more", options.max_tokens);
  for (size_t i = 0; i < prompts.size(); ++i) {
    require(!prompts[i].empty(), "generate: prompt {} is empty, expected at least one token", i);
  }
  require(texts.empty() || texts.size() == prompts.size(),
          "generate: got {} encoder texts, expected one per prompt, {}", texts.size(), prompts.size());
  check_rules(options.rules, model.blueprint().vocabulary);
  check_sampling(options.sampling);
  std::vector<std::vector<int32_t>> histories = prompts, results(prompts.size()), fresh = prompts;
  if (prompts.empty() || options.max_tokens == 0) return results;
  Decoder decoder(model);
  for (size_t i = 0; i < prompts.size(); ++i) {
    decoder.add(texts.empty() ? std::vector<int32_t>() : texts[i]);
  }
  std::vector<int64_t> open(prompts.size());  // prompts whose sequence has not ended
  std::iota(open.begin(), open.end(), 0);
  const Random random(options.seed, 0);
  for (int64_t n = 0; n < options.max_tokens && !open.empty(); ++n) {
    const Tensor logits = decoder.step(fresh);
    std::vector<int64_t> stay, prompts_left;
    fresh.clear();
    for (size_t row = 0; row < open.size(); ++row) {
      const auto prompt = static_cast<size_t>(open[row]);
      std::vector<float> values =
          logits.rows(static_cast<int64_t>(row), static_cast<int64_t>(row) + 1).values();
      apply_rules(options.rules, histories[prompt], n, options.max_tokens, std::span(values));
      const int32_t token = sample(values, histories[prompt], options.sampling, random);
      histories[prompt].push_back(token);
      results[prompt].push_back(token);
      const bool continues = !options.on_token || options.on_token(open[row], token);
      if (!continues || std::ranges::count(options.end_tokens, token) > 0) continue;
      stay.push_back(static_cast<int64_t>(row));
      prompts_left.push_back(open[row]);
      fresh.push_back({token});
    }
    if (stay.size() < open.size()) decoder.select(stay);
    open = std::move(prompts_left);
  }
  return results;
}

}  // namespace locus
