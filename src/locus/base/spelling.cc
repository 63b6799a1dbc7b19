#include "locus/base/spelling.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "locus/base/quote.h"

namespace locus {
namespace {

// Longer words are not names, and the cost of the distance grows with the product of both lengths.
constexpr size_t kLongestWord = 64;

// Names of settings in other libraries or in earlier versions of Locus, and their names here.
constexpr std::pair<std::string_view, std::string_view> kSynonyms[] = {
    {"lr", "learning_rate"},
    {"rate", "learning_rate"},
    {"epochs", "steps"},
    {"max_steps", "steps"},
    {"wd", "weight_decay"},
    {"decay", "weight_decay"},
    {"batch", "batch_size"},
    {"parts", "micro_batches"},
    {"gradient_accumulation", "micro_batches"},
    {"gradient_accumulation_steps", "micro_batches"},
    {"gradient_checkpointing", "recompute"},
    {"grad_clip", "clip"},
    {"max_grad_norm", "clip"},
    {"warmup_steps", "warmup"},
    {"validation_part", "validation_split"},
    {"smoothing", "label_smoothing"},
    {"seq_len", "context"},
    {"block_size", "context"},
    {"deviation", "init_std"},
    {"initializer_range", "init_std"},
    {"hidden_size", "width"},
    {"d_model", "width"},
    {"n_embd", "width"},
    {"intermediate_size", "hidden"},
    {"d_ff", "hidden"},
    {"num_hidden_layers", "layers"},
    {"n_layer", "layers"},
    {"num_attention_heads", "heads"},
    {"n_head", "heads"},
    {"num_key_value_heads", "key_heads"},
    {"head_dim", "head_size"},
    {"max_position_embeddings", "max_length"},
    {"vocab_size", "vocabulary"},
    {"full_every", "global_every"},
    {"full_first", "global_first"},
    {"theta", "base"},
    {"rope_theta", "base"},
};

char lowercase(char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the table d[i][j]: the distance between the first i letters of a and the first j of b.
  const size_t width = b.size() + 1;
  std::vector<int> before(width), last(width), row(width);
  for (size_t j = 0; j < width; ++j) row[j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    std::swap(before, last);
    std::swap(last, row);
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j < width; ++j) {
      const bool same = lowercase(a[i - 1]) == lowercase(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lowercase(a[i - 1]) == lowercase(b[j - 2]) &&
                           lowercase(a[i - 2]) == lowercase(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
  std::string_view best;
  int best_distance = 0;
  if (word.size() > kLongestWord) return best;
  for (const auto& [elsewhere, here] : kSynonyms) {
    if (word == elsewhere && std::ranges::count(candidates, here) > 0) return here;
  }
  for (const std::string_view candidate : candidates) {
    const int distance = edit_distance(word, candidate);
    const bool near = 3 * distance <= static_cast<int>(std::max(word.size(), candidate.size()));
    if (near && (best.empty() || distance < best_distance)) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
  const std::string_view best = nearest(word, candidates);
  return best.empty() ? "" : fmt::format("did you mean {}?", quote(best));
}

std::string suggestion(std::string_view word, std::span<const std::string_view> candidates) {
  const std::string hint = did_you_mean(word, candidates);
  return hint.empty() ? "" : "; " + hint;
}

}  // namespace locus
