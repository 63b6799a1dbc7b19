#include "locus/apply/index_model.h"

#include <algorithm>

#include "locus/apply/cosine.h"
#include "locus/base/error.h"

namespace locus {
namespace {

// The same model gives 1 up to rounding, with bf16 weights or vectors about 0.9999.
constexpr double kSameModel = 0.99;

// The largest cosine of row 0 and a vector that the model gives its text.
double agreement(const Embedder& embedder, const VectorIndex& index) {
  const std::vector<std::string> text = {index.text(0)};
  const ReadOptions truncated = {.truncate = true};
  const std::vector<float> stored = index.vector(0);
  double best = -1;
  const auto compare = [&](const Tensor& own) { best = std::max(best, cosine(own.data<float>(), stored)); };
  compare(embedder.embed_as("", text, truncated));  // without a prompt
  for (const std::string& prompt : embedder.prompt_names()) compare(embedder.embed(text, truncated, prompt));
  return best;
}

}  // namespace

void require_vectors_of(const Embedder& embedder, const VectorIndex& index) {
  const std::string folder = embedder.model().folder().string();
  require(embedder.width() == index.width(), Code::bad_shape,
          "the vectors in '{}' have {} numbers, but those of the model in '{}' have {}; expected an index "
          "made with this model",
          index.path().string(), index.width(), folder, embedder.width());
  if (!index.has_texts() || index.rows() == 0) return;
  const double found = agreement(embedder, index);
  if (found >= kSameModel) return;
  fail(
      {Fault::data, Code::none, "search with the model that made the index, or embed the texts again"},
      "the vectors in '{}' come from another model than '{}': the cosine similarity of row 0 with the vector "
      "that this model gives its text is {:.4f}, expected 1",
      index.path().string(), folder, found);
}

}  // namespace locus
