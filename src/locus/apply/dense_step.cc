#include "locus/apply/dense_step.h"

#include <algorithm>
#include <cmath>

#include "locus/base/paths.h"
#include "locus/checkpoint/config_fields.h"
#include "locus/checkpoint/safetensors.h"
#include "locus/op/convert.h"

namespace locus {
namespace {

// By the class names of PyTorch.
Activation activation_in(const Config& config) {
  constexpr std::pair<std::string_view, Activation> kKnown[] = {
      {"Identity", Activation::none}, {"Tanh", Activation::tanh}, {"GELU", Activation::gelu},
      {"ReLU", Activation::relu},     {"SiLU", Activation::silu},
  };
  const std::string name = config.text("activation_function", "torch.nn.modules.activation.Tanh");
  for (const auto& [known, activation] : kKnown) {
    if (name.substr(name.rfind('.') + 1) == known) return activation;
  }
  config.unsupported("activation_function", "expected a class named Identity, Tanh, GELU, ReLU or SiLU");
}

Var read(const SafetensorsFile& file, std::string_view name, const Shape& shape, Device device) {
  require(file.shape(name) == shape, Code::bad_shape, "'{}': {} has shape {}, expected {}",
          file.path().string(), name, file.shape(name), shape);
  const Tensor values = op::convert(file.read(name), DType::f32);
  require(std::ranges::all_of(values.data<float>(), [](float value) { return std::isfinite(value); }),
          "'{}': {} has values that are not finite, expected finite ones", file.path().string(), name);
  return Var(values.on(device));
}

}  // namespace

DenseStep read_dense(const std::filesystem::path& folder, int64_t width, Device device) {
  const Config config(folder / "config.json");
  if (config.size("in_features") != width) {
    config.refuse("in_features", "expected {}, the size of its input vectors", width);
  }
  const int64_t out = config.size("out_features");
  const bool biased = config.flag("bias", true);
  expect_flag(config, "use_residual", false);
  for (const std::string_view name : {"module_input_name", "module_output_name"}) {
    if (config.text(name, "sentence_embedding") != "sentence_embedding") {
      config.unsupported(name, "expected sentence_embedding");
    }
  }
  const std::filesystem::path weights = folder / "model.safetensors";
  require(is_there(weights), Code::missing_file,
          "'{}' not found; pickle files are not supported, save the layer as safetensors", weights.string());
  const SafetensorsFile file(weights);
  DenseStep step = {.activation = activation_in(config)};
  step.linear.weight = read(file, "linear.weight", {out, width}, device);
  if (biased) step.linear.bias = read(file, "linear.bias", {out}, device);
  return step;
}

}  // namespace locus
