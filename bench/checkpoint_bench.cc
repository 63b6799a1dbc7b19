#include <memory>

#include "bench/operands.h"
#include "locus/checkpoint/model_folder.h"
#include "tests/temporary_folder.h"

namespace locus::bench {
namespace {

// 500 MB of weights, most of them in a few large tensors, as in real checkpoints.
Blueprint large() {
  Blueprint b;
  b.vocabulary = 32000;
  b.width = 1024;
  b.layers = 8;
  b.heads = 16;
  b.scheme = "learned";
  return b;
}

}  // namespace

void add_checkpoint_cases() {
  // Written once for all repetitions; afterwards it is in the page cache.
  auto folder = std::make_shared<std::unique_ptr<TemporaryFolder>>();
  const auto bytes = 4 * (32000 + 256 + 8 * 12 * 1024) * int64_t{1024};
  add({.kernel = "open_model",
       .shape = "500MB",
       .work = 2.0 * static_cast<double>(bytes),
       .footprint = 2 * bytes,
       .limit = Limit::fresh,
       .prepare = [=] {
         if (!*folder) {
           *folder = std::make_unique<TemporaryFolder>();
           save_model(Model(large()), (*folder)->path());
         }
         return [folder] { open_model((*folder)->path()); };
       }});
}

}  // namespace locus::bench
