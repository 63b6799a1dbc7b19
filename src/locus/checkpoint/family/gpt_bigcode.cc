// GPT-BigCode (the first StarCoder, SantaCoder): GPT-2 with one key and value head for all heads (MQA), and
// weights stored as [out, in]. Ben Allal et al. 2023, arXiv 2301.03988; Li et al. 2023, arXiv 2305.06161.
#include "locus/checkpoint/family/gpt2.h"

namespace locus {
namespace {

void fields(ConfigFields& f, Blueprint& b) { gpt2::fields(f, b, 0.1); }

void read(const Config& config, Blueprint& b) {
  gpt2::read(config, b);
  const int64_t key_heads = config.flag("multi_query", true) ? 1 : b.attention.heads;
  if (config.size("num_key_value_heads", key_heads) != key_heads)
    config.refuse("num_key_value_heads", "expected {}, which follows from multi_query", key_heads);
  b.attention.key_heads = key_heads;
}

void names(NameMap& map, const Blueprint& b) {
  // Without multi_query, the fused matrix has query, key and value of each head together.
  gpt2::names(map, b, {}, grouped(b));
}

constexpr ModelType kTypes[] = {{"gpt_bigcode", "GPTBigCode"}};
constexpr HeadKind kHeads[] = {HeadKind::none, HeadKind::next_token, HeadKind::sequence_class,
                               HeadKind::token_class};

json::Members config(const Blueprint& b) {
  json::Members members = gpt2::config(kTypes[0], b);
  members.emplace_back("multi_query", json::boolean(b.attention.key_heads == 1));
  return members;
}

}  // namespace

extern const Family kGptBigcodeFamily = {.name = "GPT-BigCode",
                                         .types = kTypes,
                                         .heads = kHeads,
                                         .prefixes = gpt2::kPrefixes,
                                         .length_field = "n_positions",
                                         .segments_are_tokens = true,
                                         .packs_by_position = true,
                                         .second_names = gpt2::kSecondNames,
                                         .fields = fields,
                                         .read = read,
                                         .names = names,
                                         .config = config};

}  // namespace locus
