// Compares every folder of tests/golden/family, made by tools/golden/families.py, with transformers: hidden
// states, logits, loss and every gradient.
#include <gtest/gtest.h>

#include <cmath>

#include "locus/checkpoint/forward.h"
#include "locus/checkpoint/safetensors.h"
#include "locus/op/convert.h"
#include "tests/other_device.h"
#include "tests/temporary_folder.h"

namespace locus {
namespace {

namespace fs = std::filesystem;
using testing::other_device;

// f32 compared to f32: a few hundred roundings of 2^-24 each, amplified by two layers with large weights.
constexpr double kForward = 2e-5, kGradient = 2e-4;

std::vector<std::string> golden_families() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(fs::path(LOCUS_GOLDEN) / "family")) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

double largest(const std::vector<float>& values) {
  double most = 0;
  for (const float value : values) most = std::max<double>(most, std::abs(value));
  return most;
}

// The largest difference, relative to the largest number of the golden tensor or to `floor`.
void expect_near(const std::string& name, const Tensor& got, const Tensor& wanted, double tolerance,
                 double floor) {
  ASSERT_EQ(got.shape(), wanted.shape()) << name;
  const std::vector<float> left = got.values(), right = wanted.values();
  double difference = 0;
  for (size_t i = 0; i < right.size(); ++i) {
    difference = std::max<double>(difference, std::abs(left[i] - right[i]));
    ASSERT_TRUE(std::isfinite(left[i])) << name << " [" << i << "]";
  }
  EXPECT_LE(difference, tolerance * std::max(largest(right), floor)) << name;
}

class FamilyGolden : public ::testing::TestWithParam<std::string> {};

TEST_P(FamilyGolden, ComputesWhatTransformersDoes) {
  const fs::path path = fs::path(LOCUS_GOLDEN) / "family" / GetParam();
  const SafetensorsFile golden(path / "expected.safetensors");
  // A bias on keys does not change the softmax, so its gradient is zero except for rounding errors, which
  // have the size of the other gradients.
  double most = 0;
  for (const TensorEntry& entry : golden.entries()) {
    if (entry.name.starts_with("grad.")) most = std::max(most, largest(golden.read(entry.name).values()));
  }
  ModelFolder folder = open_model(path);
  EXPECT_TRUE(folder.warnings.empty());
  size_t compared = 0;
  for (const auto& [name, tensor] : forward(folder, read_inputs(path / "inputs.json"), golden.has("loss"))) {
    ASSERT_TRUE(golden.has(name)) << name;
    const bool gradient = name.starts_with("grad.");
    expect_near(name, tensor, golden.read(name), gradient ? kGradient : kForward, gradient ? 1e-2 * most : 0);
    ++compared;
  }
  EXPECT_EQ(compared, golden.entries().size());
}

// Compared to a model with the same rounded weights in f32. The other factor is rounded to bf16 before each
// of a dozen products, with a relative error of up to 2^-9, and large weights amplify it. The bound is 32
// roundings; the bound for f32 above is 335 roundings of 2^-24.
constexpr double kBf16 = 32 * 0x1p-9;

TEST_P(FamilyGolden, ComputesItWithBf16WeightsToTwoDigits) {
  const fs::path path = fs::path(LOCUS_GOLDEN) / "family" / GetParam();
  ModelFolder folder = open_model(path, {.weights = DType::bf16}), rounded = open_model(path);
  for (const auto& [name, var, role, owner] : folder.model.parameters().all()) {
    Tensor(rounded.model.parameters().at(name).value()).copy_from(op::convert(var.value(), DType::f32));
  }
  const ForwardInputs inputs = read_inputs(path / "inputs.json");
  const std::vector<NamedTensor> got = forward(folder, inputs, false),
                                 wanted = forward(rounded, inputs, false);
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i].first, wanted[i].first);
    expect_near(got[i].first, got[i].second, wanted[i].second, kBf16, 0);
  }
}

void expect_decoding(const fs::path& path, Device device) {
  ModelFolder folder = open_model(path, {.device = device});
  const Blueprint& b = folder.architecture.blueprint;
  if (b.kind != ModelKind::decoder) return;
  const int64_t length = 7;
  const Tensor ids = read_inputs(path / "inputs.json").input_ids.columns(2, 2 + length).clone();
  const NoGrad scope;
  const Placement whole = Placement::rectangle(ids.size(0), length, b.policy());
  const Tensor full = folder.model.hidden({whole.pack(ids), whole, {}}).value().on_host();
  Cache cache(ids.size(0));
  for (int64_t i = 0; i < length; ++i) {
    const Placement one = Placement::rectangle(ids.size(0), 1, b.policy());
    ForwardPass pass;
    pass.cache = &cache;
    const Tensor step =
        folder.model.hidden({one.pack(ids.columns(i, i + 1).clone()), one, {}}, pass).value().on_host();
    for (int64_t row = 0; row < ids.size(0); ++row) {
      expect_near("step", step.rows(row, row + 1), full.rows(row * length + i, row * length + i + 1),
                  kForward, 1);
    }
  }
}

// Decoding token by token with a KV cache equals the full pass, on every device.
TEST_P(FamilyGolden, DecodesWithACacheWhatTheFullPassGives) {
  for (const Device device : {Device::cpu, other_device()}) {
    SCOPED_TRACE(name_of(device));
    expect_decoding(fs::path(LOCUS_GOLDEN) / "family" / GetParam(), device);
  }
}

TEST_P(FamilyGolden, IsSavedAsItWas) {
  const fs::path path = fs::path(LOCUS_GOLDEN) / "family" / GetParam();
  const TemporaryFolder copy;
  save_model(open_model(path), copy.path());
  const SafetensorsFile before(path / "model.safetensors"), after(copy / "model.safetensors");
  ASSERT_EQ(after.entries().size(), before.entries().size());
  for (const TensorEntry& entry : before.entries()) {
    EXPECT_EQ(after.shape(entry.name), before.shape(entry.name));
    EXPECT_EQ(after.read(entry.name).values(), before.read(entry.name).values()) << entry.name;
  }
  const ModelFolder again = open_model(copy.path());
  EXPECT_EQ(values_of(again.architecture.blueprint), values_of(open_model(path).architecture.blueprint));
}

// On a GPU, compared with transformers: it adds in another order than the CPU, whose own bounds are above.
constexpr double kDeviceForward = 5e-5, kDeviceGradient = 5e-4;

// In memory that the host cannot read: the same results, and the same folder when it is saved.
TEST_P(FamilyGolden, ComputesTheSameOnADevice) {
  const fs::path path = fs::path(LOCUS_GOLDEN) / "family" / GetParam();
  const ForwardInputs inputs = read_inputs(path / "inputs.json");
  const SafetensorsFile golden(path / "expected.safetensors");
  const bool gradients = golden.has("loss");
  ModelFolder cpu = open_model(path), other = open_model(path, {.device = other_device()});
  for (const NamedParameter& parameter : other.model.parameters().all()) {
    ASSERT_EQ(parameter.var.value().device(), other_device()) << parameter.name;
  }
  const std::vector<NamedTensor> got = forward(other, inputs, gradients),
                                 wanted = forward(cpu, inputs, gradients);
  ASSERT_EQ(got.size(), wanted.size());
  double most = 0;  // as above
  for (const auto& [name, tensor] : wanted) {
    if (name.starts_with("grad.")) most = std::max(most, largest(tensor.values()));
  }
  for (size_t i = 0; i < got.size(); ++i) {
    const std::string& name = got[i].first;
    ASSERT_EQ(name, wanted[i].first);
    if (other_device() == Device::fenced) {
      EXPECT_EQ(got[i].second.values(), wanted[i].second.values()) << name;
    } else {
      const bool gradient = name.starts_with("grad.");
      expect_near(name, got[i].second, golden.read(name), gradient ? kDeviceGradient : kDeviceForward,
                  gradient ? 1e-2 * most : 0);
    }
  }
  const std::vector<NamedTensor> saved = tensors_of(other.bindings), own = tensors_of(cpu.bindings);
  for (size_t i = 0; i < own.size(); ++i) {
    EXPECT_EQ(saved[i].second.values(), own[i].second.values()) << own[i].first;
  }
}

INSTANTIATE_TEST_SUITE_P(All, FamilyGolden, ::testing::ValuesIn(golden_families()), [](const auto& family) {
  std::string name = family.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace locus
