// Generation of one token per sequence, after contexts of 32 to 2,048 tokens: a Llama-shaped model of 135M
// parameters and GPT-2 124M, with f32 and bf16 weights, for one sequence and for eight sequences of unlike
// lengths together. Weights and tokens are random; GPT-2's table of positions is extended to 4,096. The work
// counted is one read of the weights that are multiplied and of all cached keys and values. Every job adds a
// token, so a context grows by some dozens of tokens while it is measured.
#include <memory>
#include <utility>

#include "bench/cases.h"
#include "bench/gpt2.h"
#include "locus/nn/decoder.h"

namespace locus::bench {
namespace {

struct Architecture {
  const char* name;
  Blueprint blueprint;
};

const Architecture kLlama = {
    "llama-135M",
    {.kind = ModelKind::decoder,
     .vocabulary = 49152,
     .width = 576,
     .layers = 30,
     .max_length = 4096,
     .scheme = "rotary",
     .norms = {.kind = NormKind::rms, .bias = false},
     .attention = {.heads = 9,
                   .key_heads = 3,
                   .query_bias = false,
                   .key_bias = false,
                   .value_bias = false,
                   .output_bias = false},
     .feed_forward = {.hidden = 1536, .activation = Activation::silu, .gated = true, .bias = false}}};
const Architecture kGpt2 = {"gpt2-124M", gpt2(4096)};

// Some sequences of one model. The last has the whole context; the others are shorter, in equal steps.
class Generating {
 public:
  Generating(const Blueprint& blueprint, DType weights, int64_t sequences)
      : model_(blueprint, {.weights = weights}), decoder_(model_), lengths_(static_cast<size_t>(sequences)) {
    model_.parameters().freeze("");
    for (int64_t i = 0; i < sequences; ++i) decoder_.add();
  }

  void extend_to(int64_t context) {
    const auto count = static_cast<int64_t>(lengths_.size());
    std::vector<int64_t> added;
    for (int64_t i = 0; i < count; ++i) {
      added.push_back(std::max<int64_t>(1, context * (i + 1) / count - lengths_[static_cast<size_t>(i)]));
    }
    add(added);
  }
  void step() { add(std::vector<int64_t>(lengths_.size(), 1)); }

 private:
  void add(const std::vector<int64_t>& counts) {
    std::vector<std::vector<int32_t>> fresh(counts.size());
    for (size_t i = 0; i < counts.size(); ++i) {
      for (int64_t n = 0; n < counts[i]; ++n, ++lengths_[i]) {
        const uint64_t index = static_cast<uint64_t>(lengths_[i]) * counts.size() + i;
        fresh[i].push_back(static_cast<int32_t>(random_.below(index, 40000)));
      }
    }
    decoder_.step(fresh);
  }

  Model model_;
  Decoder decoder_;
  std::vector<int64_t> lengths_;
  Random random_{1, 0};
};

// Weights that a step reads. Of the token table, which is also the head, it reads all rows.
double weight_bytes(const Blueprint& b, DType weights) {
  const auto width = static_cast<double>(b.width), hidden = static_cast<double>(b.hidden_width());
  const auto keys = static_cast<double>(b.key_head_count() * b.size_of_head());
  const double layer = 2 * width * width + 2 * width * keys + (b.feed_forward.gated ? 3 : 2) * width * hidden;
  return (static_cast<double>(b.layers) * layer + width * static_cast<double>(b.vocabulary)) *
         static_cast<double>(size_of(weights));
}

double cache_bytes(const Blueprint& b, int64_t context, int64_t sequences) {
  const int64_t tokens = context * (sequences + 1) / 2;  // of all sequences
  return static_cast<double>(tokens * b.layers * 2 * b.key_head_count() * b.size_of_head() * 4);
}

// The contexts of one model share it, in ascending order, because prompts take far longer than tokens.
void add_cases(const Architecture& shape, DType weights, int64_t sequences) {
  const auto shared = std::make_shared<std::weak_ptr<Generating>>();
  for (const int64_t context : {32, 512, 1500, 2048}) {
    const double work =
        weight_bytes(shape.blueprint, weights) + cache_bytes(shape.blueprint, context, sequences);
    const auto reached = std::make_shared<bool>(false);
    add({.kernel = fmt::format("generate_{}", name_of(weights)),
         .shape = fmt::format("{} {}x{}", shape.name, sequences, context),
         .work = work,
         .footprint = static_cast<int64_t>(work),
         .limit = Limit::read,
         .tokens = sequences,
         .prepare = [=, blueprint = shape.blueprint] {
           static std::shared_ptr<Generating> current;  // only one model is in memory
           if (shared->expired()) {
             current.reset();
             current = std::make_shared<Generating>(blueprint, weights, sequences);
             *shared = current;
           }
           if (!std::exchange(*reached, true)) current->extend_to(context);
           return [model = current] { model->step(); };
         }});
  }
}

}  // namespace

void add_generate_cases() {
  for (const Architecture& shape : {kLlama, kGpt2}) {
    for (const DType weights : {DType::f32, DType::bf16}) {
      for (const int64_t sequences : {1, 8}) add_cases(shape, weights, sequences);
    }
  }
}

}  // namespace locus::bench
