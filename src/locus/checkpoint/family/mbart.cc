// Pre-norm encoder-decoders with the names of BART. mBART has the learned positions of BART and is
// multilingual. M2M100 and NLLB have sinusoidal positions that count the non-padding tokens from padding + 1.
// Pegasus, for summarization, has the sinusoidal positions of Marian. Liu et al. 2020, arXiv 2001.08210; Fan
// et al. 2020, arXiv 2010.11125; Zhang et al. 2019, arXiv 1912.08777.
#include "locus/checkpoint/family/bart.h"

namespace locus {
namespace {

void read_mbart(const Config& config, Blueprint& b) {
  bart::read(config, b);
  bart::read_learned(b);
}

void m2m100_fields(ConfigFields& f, Blueprint& b) {
  bart::sizes(f, b);
  f.activation("activation_function", b.feed_forward.activation, "relu");
  f.dropout("attention_dropout", b.attention.dropout, 0.1);
}

void read_m2m100(const Config& config, Blueprint& b) {
  bart::read(config, b, {.scaled = true});
  bart::read_sines(b);
  b.scheme_options["spacing"] = "closed";
  b.positions = PositionPolicy::Kind::count;
  b.position_offset = b.embedding.padding_token.value_or(-1) + 1;
  b.head.bias = false;
}

void read_pegasus(const Config& config, Blueprint& b) {
  bart::read(config, b, {.padding = 0});
  bart::read_sines(b);
}

constexpr ModelType kMbart[] = {{"mbart", "MBart", "ForConditionalGeneration"}};
constexpr ModelType kM2m100[] = {{"m2m_100", "M2M100", "ForConditionalGeneration"}};
constexpr ModelType kPegasus[] = {{"pegasus", "Pegasus", "ForConditionalGeneration"}};

json::Members mbart_config(const Blueprint& b) { return bart::config(kMbart[0], b); }
// The decoder cannot start with the padding token here, because padding has no position.
json::Members m2m100_config(const Blueprint& b) {
  return bart::config(kM2m100[0], b, b.embedding.padding_token == 0 ? 1 : 0);
}
json::Members pegasus_config(const Blueprint& b) { return bart::config(kPegasus[0], b); }

// transformers computes these tables, and ignores those in a file.
constexpr std::string_view kSines[] = {".embed_positions.weight"};

}  // namespace

extern const Family kMbartFamily = {.name = "mBART",
                                    .types = kMbart,
                                    .heads = bart::kHeads,
                                    .prefixes = bart::kPrefixes,
                                    .last_label_starts = true,
                                    .second_names = bart::kSecondNames,
                                    .fields = bart::fields,
                                    .read = read_mbart,
                                    .names = bart::names,
                                    .config = mbart_config};

extern const Family kM2m100Family = {.name = "M2M100",
                                     .types = kM2m100,
                                     .heads = bart::kHeads,
                                     .prefixes = bart::kPrefixes,
                                     .padding_by_id = true,
                                     .leftovers = kSines,
                                     .second_names = bart::kSecondNames,
                                     .fields = m2m100_fields,
                                     .read = read_m2m100,
                                     .names = bart::names,
                                     .config = m2m100_config};

extern const Family kPegasusFamily = {.name = "Pegasus",
                                      .types = kPegasus,
                                      .heads = bart::kHeads,
                                      .prefixes = bart::kPrefixes,
                                      .sine_tables = true,
                                      .second_names = bart::kSecondNames,
                                      .fields = bart::fields,
                                      .read = read_pegasus,
                                      .names = bart::names,
                                      .config = pegasus_config};

}  // namespace locus
