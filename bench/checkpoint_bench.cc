#include <memory>

#include "bench/cases.h"
#include "locus/checkpoint/model_folder.h"
#include "tests/temporary_folder.h"

namespace locus::bench {
namespace {

// 500 MB of weights, most of them in a few large tensors, as in real checkpoints. The decoder is saved as
// GPT-2, whose matrices are stored [in, out] and are transposed while loading. The encoder is saved as BERT,
// whose tensors are copied unchanged.
Blueprint large(ModelKind kind) {
  Blueprint b;
  b.kind = kind;
  b.vocabulary = 32000;
  b.width = 1024;
  b.layers = 8;
  b.attention.heads = 16;
  b.scheme = "learned";
  if (kind == ModelKind::decoder) return b;
  b.head.kind = HeadKind::masked_token;
  b.embedding.segments = 2;
  b.norms.place = NormPlace::after;
  b.norms.final = false;
  b.embedding.norm = b.head.dense = b.head.bias = true;
  return b;
}

void add_folder(const char* shape, ModelKind kind) {
  // Written once for all repetitions; afterwards it is in the page cache.
  auto folder = std::make_shared<std::unique_ptr<TemporaryFolder>>();
  const auto bytes = 4 * (32000 + 256 + 8 * 12 * 1024) * int64_t{1024};
  add({.kernel = "open_model",
       .shape = shape,
       .work = 2.0 * static_cast<double>(bytes),
       .footprint = 2 * bytes,
       .limit = Limit::fresh,
       .prepare = [=] {
         if (!*folder) {
           *folder = std::make_unique<TemporaryFolder>();
           save_model(Model(large(kind)), (*folder)->path());
         }
         return [folder] { open_model((*folder)->path()); };
       }});
}

}  // namespace

void add_checkpoint_cases() {
  add_folder("500MB", ModelKind::encoder);
  add_folder("500MB,transposed", ModelKind::decoder);
}

}  // namespace locus::bench
