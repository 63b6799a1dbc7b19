// Models with bf16 weights: how close their results are to those with f32.
#include <gtest/gtest.h>

#include <cmath>

#include "locus/apply/cosine.h"
#include "locus/apply/embedder.h"
#include "locus/apply/similarity.h"
#include "locus/apply/writer.h"
#include "locus/base/parallel.h"
#include "tests/apply/expected.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

// Largest allowed 1 - cosine. Both factors of a product have relative rounding errors of up to 2^-9, and a
// layer has six products. Independent errors give a relative error e of about 2^-9 sqrt(12 layers), and 1 -
// cosine of e^2 / 2, which is 2e-4 for six layers. The limit is five times that.
constexpr double kMostTurn = 1e-3;

void expect_alike(const fs::path& folder, std::span<const std::string> texts) {
  const Tensor wide = Embedder(folder).embed(texts), half = Embedder(folder, DType::bf16).embed(texts);
  const auto C = static_cast<size_t>(wide.size(1));
  EXPECT_NE(half.values(), wide.values());
  for (size_t i = 0; i < texts.size(); ++i) {
    EXPECT_GT(cosine(wide.data<float>().subspan(i * C, C), half.data<float>().subspan(i * C, C)),
              1 - kMostTurn)
        << texts[i];
  }
}

TEST(Bf16, EmbeddingsAreCloseToThoseInF32) {
  const std::vector<std::string> texts = texts_of(Expected("embed"));
  expect_alike(golden_model("embed"), texts);
  const fs::path real = fs::path(LOCUS_GOLDEN) / "../../models/all-MiniLM-L6-v2";
  if (!fs::exists(real)) GTEST_SKIP() << "no " << real << " (./run fetch minilm downloads it)";
  expect_alike(real, texts);
}

TEST(Bf16, TheBitsOfATextDependNeitherOnItsBatchNorOnThreads) {
  const Embedder embedder(golden_model("embed"), DType::bf16);
  const std::vector<std::string> texts = texts_of(Expected("embed"));
  const std::vector<float> all = embedder.embed(texts).values();
  EXPECT_EQ(embedder.embed(texts, {.batch_tokens = 1}).values(), all);
  const int before = threads();
  set_threads(3);
  EXPECT_EQ(embedder.embed(texts).values(), all);
  set_threads(before);
}

// With a KV cache and beam search, also for an encoder-decoder.
TEST(Bf16, GenerationDoesNotDependOnTheBatch) {
  for (const char* job : {"write", "translate"}) {
    const Writer writer(golden_model(job), DType::bf16);
    const std::vector<std::string> texts = {"the dog", "it ran", "a cat"};
    const std::vector<std::string> all = writer.write(texts, writer.defaults());
    for (size_t i = 0; i < texts.size(); ++i) {
      EXPECT_EQ(writer.write(std::span(texts).subspan(i, 1), writer.defaults()).front(), all[i]) << job;
    }
  }
}

}  // namespace
}  // namespace locus
