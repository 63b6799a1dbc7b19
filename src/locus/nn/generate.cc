#include "locus/nn/generate.h"

namespace locus {

Tokens tokens_of(const std::vector<std::vector<int32_t>>& sequences, const Blueprint& blueprint) {
  std::vector<int32_t> ids;
  std::vector<int64_t> lengths;
  for (const std::vector<int32_t>& sequence : sequences) {
    ids.insert(ids.end(), sequence.begin(), sequence.end());
    lengths.push_back(static_cast<int64_t>(sequence.size()));
  }
  return {Indices::of(ids), Placement::of_lengths(lengths, blueprint.policy()), {}};
}

std::vector<std::vector<int32_t>> generate(const Model& model,
                                           const std::vector<std::vector<int32_t>>& prompts,
                                           const GenerateOptions& options,
                                           const std::vector<std::vector<int32_t>>& texts,
                                           const OnToken& on_token) {
  require(options.max_tokens >= 0, "generate: max_tokens is {}, expected 0 or more", options.max_tokens);
  require(texts.empty() || texts.size() == prompts.size(),
          "generate: got {} encoder texts, expected one per prompt, {}", texts.size(), prompts.size());
  check_rules(options.rules, model.blueprint().vocabulary);  // here, because they are not of one prompt
  check_sampling(options.sampling);
  std::vector<std::vector<int32_t>> results(prompts.size());
  if (options.max_tokens == 0) return results;
  Generation generation(model);
  for (size_t i = 0; i < prompts.size(); ++i) {
    try {
      generation.add(prompts[i], options, texts.empty() ? std::vector<int32_t>() : texts[i]);
    } catch (const Error& error) {
      throw error.at(fmt::format("prompt {}", i));
    }
  }
  while (!generation.empty()) {
    for (const GeneratedToken& fresh : generation.step()) {  // ids are the indices of prompts
      results[static_cast<size_t>(fresh.id)].push_back(fresh.token);
      if (on_token && !on_token(fresh.id, fresh.token)) generation.remove(fresh.id);
    }
  }
  return results;
}

}  // namespace locus
