// Every op against PyTorch's results and gradients (tools/golden/ops.py), on both devices.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

#include "locus/checkpoint/safetensors.h"
#include "locus/op/activation.h"
#include "locus/op/convert.h"
#include "locus/op/cross_entropy.h"
#include "locus/op/elementwise.h"
#include "locus/op/embed.h"
#include "locus/op/gather.h"
#include "locus/op/layout.h"
#include "locus/op/matmul.h"
#include "locus/op/norm.h"
#include "locus/op/rotate.h"
#include "tests/activations.h"
#include "tests/op/gradient.h"

namespace locus::op {
namespace {

using testing::elements;
using Vars = std::span<const Var>;
using Case = std::function<std::vector<Var>(Vars)>;

// Integer inputs are constants.
void add_input_cases(std::map<std::string, Case>& cases) {
  const auto one = [&](const std::string& name, auto f) {
    cases[name] = [f](Vars in) { return std::vector<Var>{f(in)}; };
  };
  one("embed.added", [](Vars in) {
    return embed(in[0], in[1].value(), InputTerm{.table = in[2], .rows = in[3].value()},
                 {.token_scale = 2.5f, .frozen_token = 2, .frozen_row = 1});
  });
  one("embed.segments.norm", [](Vars in) {
    return embed(
        in[0], in[1].value(), InputTerm{.table = in[2], .rows = in[3].value()},
        {.segments = in[4], .segment_ids = in[5].value(), .gamma = in[6], .beta = in[7], .eps = 1e-12f});
  });
  one("embed.joined.rms", [](Vars in) {
    return embed(in[0], in[1].value(), InputTerm{.table = in[2], .rows = in[3].value(), .joined = true},
                 {.gamma = in[4], .eps = 1e-6f, .rms = true});
  });
  for (const bool interleaved : {false, true}) {
    one(interleaved ? "rotate.interleaved" : "rotate.halves", [=](Vars in) {
      const RotationTerm term = {.cos = in[2].value(),
                                 .sin = in[3].value(),
                                 .query_rows = in[1].value(),
                                 .width = 6,
                                 .interleaved = interleaved};
      return rotate_queries(in[0], term, 2);
    });
  }
}

std::map<std::string, Case> all_cases() {
  std::map<std::string, Case> cases;
  const auto one = [&](const std::string& name, auto f) {
    cases[name] = [f](Vars in) { return std::vector<Var>{f(in)}; };
  };
  one("add", [](Vars in) { return add(in[0], in[1]); });
  one("multiply", [](Vars in) { return multiply(in[0], in[1]); });
  one("scale", [](Vars in) { return scale(in[0], -1.5f); });
  one("add_bias", [](Vars in) { return add_bias(in[0], in[1]); });
  one("sum", [](Vars in) { return sum(in[0]); });
  one("mean", [](Vars in) { return mean(in[0]); });
  for (const Activation f : kActivations) {
    const std::string name(name_of(f));
    one("activate." + name, [=](Vars in) { return activate(in[0], f); });
    one("gated." + name, [=](Vars in) { return gated(in[0], in[1], f); });
    one("linear." + name, [=](Vars in) { return linear(in[0], in[1], in[2], f); });
  }
  one("linear.unbiased", [](Vars in) { return linear(in[0], in[1]); });
  for (const char* how : {"nn", "nt", "tn", "tt"}) {
    const auto f = [=](Vars in) { return matmul(in[0], in[1], how[0] == 't', how[1] == 't'); };
    one(std::string("matmul.") + how, f);
    one(std::string("matmul.batch.") + how, f);
  }
  one("layer_norm", [](Vars in) { return layer_norm(in[0], in[1], in[2], 1e-5f); });
  one("layer_norm.unbiased", [](Vars in) { return layer_norm(in[0], in[1], {}, 1e-12f); });
  one("rms_norm", [](Vars in) { return rms_norm(in[0], in[1], 1e-6f); });
  one("reshape", [](Vars in) { return reshape(in[0], {3, 4}); });
  cases["split"] = [](Vars in) { return split(in[0], {2, 3, 1}); };
  one("join", [](Vars in) { return join({in[0], in[1]}); });
  one("gather", [](Vars in) { return gather(in[0], in[1].value()); });
  one("gather.frozen", [](Vars in) { return gather(in[0], in[1].value(), 2); });
  one("cross_entropy", [](Vars in) { return cross_entropy(in[0], in[1].value()); });
  one("cross_entropy.smoothed",
      [](Vars in) { return cross_entropy(in[0], in[1].value(), {.smoothing = 0.125f}); });
  one("cross_entropy.weighted",
      [](Vars in) { return cross_entropy(in[0], in[1].value(), {.weights = in[2].value()}); });
  one("cross_entropy.both", [](Vars in) {
    return cross_entropy(in[0], in[1].value(), {.smoothing = 0.125f, .weights = in[2].value()});
  });
  add_input_cases(cases);
  return cases;
}

void expect_near(const Tensor& got, const Tensor& want, double tolerance) {
  ASSERT_TRUE(got);
  ASSERT_EQ(got.shape(), want.shape());
  const std::vector<double> g = elements(got), w = elements(want);
  double largest = 0;
  for (const double value : w) largest = std::max(largest, std::abs(value));
  for (size_t i = 0; i < g.size(); ++i) ASSERT_NEAR(g[i], w[i], tolerance * largest) << "element " << i;
}

// `tolerance` is relative to a tensor's largest element.
void run_case(const SafetensorsFile& file, const std::string& name, const Case& f, Device device,
              double tolerance) {
  SCOPED_TRACE(name + " on the " + std::string(name_of(device)));
  const auto named = [&](const char* kind, size_t i) { return fmt::format("{}/{}{}", name, kind, i); };
  const auto placed = [&](const std::string& key) {
    const Tensor tensor = file.read(key).on(device);
    return device == Device::reference && is_float(tensor.dtype()) ? convert(tensor, DType::f64) : tensor;
  };
  std::vector<Var> inputs;
  for (size_t i = 0; file.has(named("in", i)); ++i) {
    const Tensor value = placed(named("in", i));
    inputs.push_back(file.has(named("grad", i)) ? Var::parameter(value) : Var(value));
  }
  const std::vector<Var> results = f(inputs);
  ASSERT_FALSE(file.has(named("out", results.size())));
  Var loss;
  for (size_t i = 0; i < results.size(); ++i) {
    SCOPED_TRACE(::testing::Message() << "result " << i);
    expect_near(results[i].value(), file.read(named("out", i)), tolerance);
    const Var part = sum(multiply(results[i], Var(placed(named("dout", i)))));
    loss = loss ? add(loss, part) : part;
  }
  loss.backward();
  for (size_t i = 0; i < inputs.size(); ++i) {
    SCOPED_TRACE(::testing::Message() << "gradient " << i);
    if (inputs[i].wants_grad()) expect_near(inputs[i].grad(), file.read(named("grad", i)), tolerance);
  }
}

TEST(OpGolden, AgreesWithPyTorch) {
  const SafetensorsFile file(LOCUS_GOLDEN "/ops.safetensors");
  EXPECT_TRUE(file.metadata().contains("torch"));
  for (const auto& [name, f] : all_cases()) {
    // The file's values are rounded to f32, by at most half an ulp; the reference computes in double.
    run_case(file, name, f, Device::reference, 0x1p-24);
    // The CPU computes in f32: sums of a few dozen terms, some of which cancel.
    run_case(file, name, f, Device::cpu, 3e-6);
  }
}

TEST(OpGolden, EveryCaseInTheFileIsRun) {
  const SafetensorsFile file(LOCUS_GOLDEN "/ops.safetensors");
  std::set<std::string> stored, run;
  for (const TensorEntry& entry : file.entries()) stored.insert(entry.name.substr(0, entry.name.find('/')));
  for (const auto& [name, f] : all_cases()) run.insert(name);
  EXPECT_EQ(stored, run);
}

}  // namespace
}  // namespace locus::op
