// Compares one attention layer with the golden files of tools/golden/schemes_score.py: the output, and the
// gradients of q, k, v, of the parameters of the scheme and of the layer weights that it uses.
#include <filesystem>
#include <set>

#include "locus/checkpoint/safetensors.h"
#include "tests/conformance/block.h"
#include "tests/other_device.h"

namespace locus::testing {
namespace {

class Golden {
 public:
  Golden(const std::filesystem::path& path, Device device)
      : file_(path), parameters_(dtype_on(device), device) {
    OptionValues options;
    for (const auto& [name, value] : file_.metadata()) {
      if (name.starts_with("option.")) options[name.substr(7)] = value;
    }
    const Geometry geometry{.width = number("width"),
                            .heads = number("heads"),
                            .head_size = number("head_size"),
                            .layers = number("layers"),
                            .max_length = number("max_length"),
                            .causal = number("causal") != 0};
    scheme_ = make_scheme(file_.metadata().at("scheme"), geometry, options, Scope(parameters_), Random(1, 2));
    for (const NamedParameter& parameter : parameters_.all()) {
      Tensor value = parameter.var.value();
      value.copy_from(read("parameter." + parameter.name));
      leaves_["parameter." + parameter.name] = parameter.var;
    }
  }

  void check(double tolerance) {
    LayerView layer{.layer = number("layer")};
    if (file_.has("layer.query_weight")) {
      layer.query_weight = leaf("layer.query_weight"), layer.query_bias = leaf("layer.query_bias");
      layer.key_weight = leaf("layer.key_weight"), layer.key_bias = leaf("layer.key_bias");
    }
    const Var q = leaf("q"), k = leaf("k"), v = leaf("v");
    const Placement placement = Placement::rectangle(1, q.shape()[0]);
    const ScoreTerms scores = scheme_->begin(placement).scores(layer);
    const Var out = op::attention(q, k, v, placement.sequences(), scores,
                                  {.heads = number("heads"), .causal = number("causal") != 0});
    expect_near(out.value(), numbers(read("out")), tolerance, "out");
    out.backward(read("dout"));
    for (const auto& [name, var] : leaves_) {
      const std::string gradient = "gradient." + name;
      ASSERT_EQ(static_cast<bool>(var.grad()), file_.has(gradient)) << gradient;
      if (var.grad()) expect_near(var.grad(), numbers(read(gradient)), tolerance, gradient);
    }
    size_t wanted = 0;
    for (const TensorEntry& entry : file_.entries()) wanted += entry.name.starts_with("gradient.") ? 1 : 0;
    size_t got = 0;
    for (const auto& [name, var] : leaves_) got += var.grad() ? 1 : 0;
    EXPECT_EQ(got, wanted);
  }

 private:
  int64_t number(const std::string& name) const { return std::stoll(file_.metadata().at(name)); }
  Tensor read(const std::string& name) const { return parameters_.constant(file_.read(name)); }
  Var leaf(const std::string& name) { return leaves_[name] = Var::parameter(read(name)); }

  SafetensorsFile file_;
  Parameters parameters_;
  std::unique_ptr<Scheme> scheme_;
  std::map<std::string, Var> leaves_;
};

std::vector<std::filesystem::path> files() {
  std::vector<std::filesystem::path> all;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(LOCUS_GOLDEN) + "/scheme")) {
    if (SafetensorsFile(entry.path()).metadata().contains("scheme")) all.push_back(entry.path());
  }
  std::ranges::sort(all);
  return all;
}

TEST(GoldenScores, OnEveryDevice) {
  for (const auto& path : files()) {
    SCOPED_TRACE(path.filename());
    // The files are f32, and transformers computes slopes and scales in f32.
    Golden(path, Device::reference).check(5e-7);
    Golden(path, Device::cpu).check(5e-6);
    Golden(path, other_device()).check(other_device() == Device::cuda ? 2e-5 : 5e-6);
  }
}

// Every scheme that acts on scores has a golden file.
TEST(GoldenScores, EveryScoreSchemeHasOne) {
  std::set<std::string> have;
  for (const auto& path : files()) have.insert(SafetensorsFile(path).metadata().at("scheme"));
  for (const SchemeInfo* info : schemes()) {
    if (info->acts_on != ActsOn::score) continue;
    EXPECT_TRUE(have.contains(std::string(info->name))) << info->name << " has no golden file";
  }
}

}  // namespace
}  // namespace locus::testing
