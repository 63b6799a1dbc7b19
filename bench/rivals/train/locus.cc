#include <memory>

#include "bench/rivals/contender.h"
#include "locus/checkpoint/model_folder.h"
#include "locus/train/model_objective.h"
#include "locus/train/optimizer.h"
#include "locus/train/text_samples.h"

namespace locus::bench {
namespace {

std::function<Tensor()> training(const Inputs& in) {
  const auto folder = std::make_shared<ModelFolder>(open_model(in.folder / "model"));
  const auto optimizer = std::make_shared<AdamW>(folder->model.parameters(), AdamWSettings{.clip = 1});
  const Tensor ids = in.tensor("ids");
  std::vector<Sample> samples(static_cast<size_t>(ids.size(0)));
  for (int64_t i = 0; i < ids.size(0); ++i) {
    const auto row = ids.rows(i, i + 1).data<int32_t>();
    samples[static_cast<size_t>(i)].ids.assign(row.begin(), row.end() - 1);
    samples[static_cast<size_t>(i)].targets.assign(row.begin() + 1, row.end());
  }
  return [=, step = uint64_t{0}]() mutable {
    const Var loss = batch_loss(folder->model, samples, {.training = true, .step = step++}).mean;
    loss.backward();
    optimizer->step(1e-4);
    return loss.value().clone();
  };
}

}  // namespace
}  // namespace locus::bench

int main(int argc, char** argv) { return locus::bench::serve(argc, argv, locus::bench::training); }
