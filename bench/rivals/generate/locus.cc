#include <memory>

#include "bench/rivals/contender.h"
#include "locus/checkpoint/model_folder.h"
#include "locus/nn/generate.h"

int main(int argc, char** argv) {
  using namespace locus;
  return bench::serve(argc, argv, [](const bench::Inputs& in) {
    const auto folder = std::make_shared<ModelFolder>(open_model(in.folder / "model"));
    const Tensor ids = in.tensor("ids");
    const auto values = ids.data<int32_t>();
    const std::vector<std::vector<int32_t>> prompts = {{values.begin(), values.end()}};
    return [=] {
      const auto tokens = generate(folder->model, prompts, {.max_tokens = 128});
      return Tensor::of({128}, std::span<const int32_t>(tokens[0]));
    };
  });
}
