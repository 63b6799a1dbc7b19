// A model from a golden file: the blueprint is in the metadata, the parameters are the tensors.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "locus/checkpoint/safetensors.h"
#include "locus/nn/model.h"

namespace locus::testing {

class GoldenModel {
 public:
  explicit GoldenModel(const std::string& name, Device device = Device::cpu)
      : file_(fmt::format("{}/model/{}.safetensors", LOCUS_GOLDEN, name)),
        model(blueprint(), {.seed = {}, .device = device}) {
    for (const NamedParameter& parameter : model.parameters().all()) {
      Tensor value = parameter.var.value();
      value.copy_from(read("parameter." + parameter.name));
    }
  }

  Tensor read(const std::string& name) const { return file_.read(name); }

  // The largest difference, relative to the largest number of the golden tensor or to `floor`.
  void expect(const std::string& name, const Tensor& got, double tolerance, double floor = 0) const {
    const std::vector<float> wanted = read(name).values(), values = got.on_host().values();
    ASSERT_EQ(values.size(), wanted.size()) << name;
    double most = floor, difference = 0;
    for (size_t i = 0; i < wanted.size(); ++i) {
      most = std::max<double>(most, std::abs(wanted[i]));
      difference = std::max<double>(difference, std::abs(values[i] - wanted[i]));
      ASSERT_FALSE(std::isnan(values[i])) << name << " [" << i << "]";
    }
    EXPECT_LE(difference, tolerance * most) << name;
  }

  // Compares the loss and the gradient of every parameter; every golden gradient must be used.
  void expect_step(const Var& loss, double forward, double backward) {
    EXPECT_NEAR(loss.value().on_host().item(), read("loss").values()[0],
                forward * std::abs(read("loss").values()[0]));
    loss.backward();
    // A bias on keys does not change the softmax, so its gradient is zero except for rounding errors, which
    // have the size of the other gradients.
    double largest = 0;
    for (const NamedParameter& parameter : model.parameters().all()) {
      for (const float g : read("gradient." + parameter.name).values()) {
        largest = std::max<double>(largest, std::abs(g));
      }
    }
    size_t compared = 0;
    for (const NamedParameter& parameter : model.parameters().all()) {
      ASSERT_TRUE(parameter.var.grad()) << parameter.name;
      expect("gradient." + parameter.name, parameter.var.grad(), backward, 1e-2 * largest);
      ++compared;
    }
    size_t wanted = 0;
    for (const TensorEntry& entry : file_.entries()) wanted += entry.name.starts_with("gradient.") ? 1 : 0;
    EXPECT_EQ(compared, wanted);
  }

 private:
  Blueprint blueprint() const {
    OptionValues values;
    for (const auto& [name, value] : file_.metadata()) {
      if (name.starts_with("blueprint.")) values.emplace(name.substr(10), value);
    }
    return blueprint_of("golden", values);
  }

  SafetensorsFile file_;

 public:
  Model model;
};

// The target of each token is the next token of its row; the last token has no target.
inline Tensor next_tokens(const Tensor& ids) {
  std::vector<int32_t> targets;
  const auto values = ids.data<int32_t>();
  const int64_t columns = ids.size(1);
  for (int64_t i = 0; i < ids.numel(); ++i) targets.push_back((i + 1) % columns == 0 ? -100 : values[i + 1]);
  return Tensor::of({ids.numel()}, targets);
}

}  // namespace locus::testing
