// The smallest model that a scheme can act in: one attention block, built from the public ops.
//   x (+ input term) -> q, k, v -> rotation -> attention with score terms -> output
// It runs on the reference in f64 or on the CPU in f32, with the same parameters.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "locus/kernel/element.h"
#include "locus/op/attention.h"
#include "locus/op/elementwise.h"
#include "locus/op/gather.h"
#include "locus/op/layout.h"
#include "locus/op/matmul.h"
#include "locus/op/rotate.h"
#include "tests/conformance/variant.h"

namespace locus::testing {

inline DType dtype_on(Device device) { return device == Device::reference ? DType::f64 : DType::f32; }

// The elements in order, as double.
inline std::vector<double> numbers(const Tensor& tensor) {
  std::vector<double> all;
  const Tensor here = tensor.on_host();
  const ConstView view = here.view();
  kernel::each(view, [&](int64_t r, int64_t c) { all.push_back(kernel::at(view, r, c)); });
  return all;
}

inline double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

// Fails if any element differs by more than `tolerance` times the largest one, or times `least`, because some
// results are sums of numbers of that size that cancel to zero.
inline void expect_near(const Tensor& got, const std::vector<double>& want, double tolerance,
                        const std::string& what, double least = 1) {
  const std::vector<double> values = numbers(got);
  ASSERT_EQ(values.size(), want.size()) << what;
  const double allowed = tolerance * std::max(largest(want), least);
  for (size_t i = 0; i < values.size(); ++i) {
    ASSERT_TRUE(std::abs(values[i] - want[i]) <= allowed)
        << what << ", element " << i << ": " << values[i] << ", expected " << want[i] << " to " << allowed;
  }
}

// Normal numbers, exact in f32.
inline Tensor normal_rows(Shape shape, uint64_t seed, double scale = 1) {
  const Tensor tensor = Tensor::empty(shape);
  const auto values = tensor.data<float>();
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(scale * Random(seed, 7).normal(i));
  }
  return tensor;
}

// The rows of all parts, stacked.
inline Tensor stack(const std::vector<Tensor>& parts) {
  int64_t rows = 0;
  for (const Tensor& part : parts) rows += part.size(0);
  const Tensor all = parts[0].like({rows, parts[0].size(1)});
  int64_t at = 0;
  for (const Tensor& part : parts) {
    all.rows(at, at + part.size(0)).copy_from(part);
    at += part.size(0);
  }
  return all;
}

struct BlockShape {
  int64_t heads = 2;
  bool causal = false;
};

class Block {
 public:
  static constexpr int64_t kHeadSize = 4, kMaxLength = 2048, kLayer = 1;

  Block(const Variant& variant, BlockShape shape, Device device, uint64_t seed = 1)
      : parameters(dtype_on(device), device), shape_(shape), width_(shape.heads * kHeadSize) {
    const Geometry geometry{.width = width_,
                            .heads = shape.heads,
                            .head_size = kHeadSize,
                            .layers = kLayer + 1,
                            .max_length = kMaxLength,
                            .causal = shape.causal};
    scheme_ = make_scheme(variant.info->name, geometry, variant.options, Scope(parameters, "position"),
                          Random(seed, 2));
    enlarge(seed);
    // A joined input term makes the rows wider; the terms of a single token show by how much.
    const std::optional<InputTerm> input = scheme_->begin(Placement::rectangle(1, 1)).input();
    const int64_t from = width_ + (input && input->joined ? input->table.shape()[1] : 0);
    const Scope scope(parameters, "layer");
    const auto weight = [&](const char* name, Shape size) {
      return scope.add(name, normal_rows(size, seed + parameters.all().size(), 0.6),
                       size.rank() == 1 ? Role::bias : Role::matrix);
    };
    view_.layer = kLayer;
    view_.query_weight = weight("query.weight", {width_, from});
    view_.query_bias = weight("query.bias", {width_});
    view_.key_weight = weight("key.weight", {width_, from});
    view_.key_bias = weight("key.bias", {width_});
    value_weight_ = weight("value.weight", {width_, from});
    out_weight_ = weight("out.weight", {width_, width_});
  }

  // Keys and values of one sequence, as projected: the cache.
  struct Cache {
    std::vector<Tensor> k, v;
  };

  // [Nq, C] to [Nq, C]. With caches, one per sequence, the cached keys come before the new ones.
  Var run(const Var& x, const Placement& placement, std::vector<Cache>* caches = nullptr) const {
    const SchemePass pass = scheme_->begin(placement);
    const Var rows = pass.input() ? with_input(x, *pass.input()) : x;
    Var q = op::linear(rows, view_.query_weight, view_.query_bias);
    Var k = op::linear(rows, view_.key_weight, view_.key_bias);
    Var v = op::linear(rows, value_weight_);
    if (caches) extend(*caches, k, v, placement);
    if (pass.rotation()) {
      q = op::rotate_queries(q, *pass.rotation(), shape_.heads);
      k = op::rotate_keys(k, *pass.rotation(), shape_.heads);
    }
    const Var mixed = op::attention(q, k, v, placement.sequences(), pass.scores(view_),
                                    {.heads = shape_.heads, .causal = shape_.causal});
    return op::linear(mixed, out_weight_);
  }

  int64_t width() const { return width_; }
  // Rows for this block: the same numbers on every device.
  Tensor rows(int64_t count, uint64_t seed) const {
    return parameters.constant(normal_rows({count, width_}, seed));
  }

  Parameters parameters;

 private:
  // A table without parameters is f32 on the CPU, whatever the device of the model.
  Var with_input(const Var& x, const InputTerm& input) const {
    const Var rows = op::gather(
        input.table.wants_grad() ? input.table : Var(parameters.constant(input.table.value())), input.rows);
    return input.joined ? op::join({x, rows}) : op::add(x, rows);
  }

  // Many initial values are close to zero, where a wrong position could go unnoticed: make them larger.
  void enlarge(uint64_t seed) {
    for (size_t i = 0; i < parameters.all().size(); ++i) {
      Tensor value = parameters.all()[i].var.value();
      if (largest(numbers(value)) >= 0.1) continue;
      value.copy_from(parameters.constant(normal_rows(value.shape(), seed + 100 + i, 0.5)));
    }
  }

  static void extend(std::vector<Cache>& caches, Var& k, Var& v, const Placement& placement) {
    const auto starts = placement.sequences().query_starts.values();
    std::vector<Tensor> keys, values;
    for (size_t b = 0; b < caches.size(); ++b) {
      caches[b].k.push_back(k.value().rows(starts[b], starts[b + 1]));
      caches[b].v.push_back(v.value().rows(starts[b], starts[b + 1]));
      keys.insert(keys.end(), caches[b].k.begin(), caches[b].k.end());
      values.insert(values.end(), caches[b].v.begin(), caches[b].v.end());
    }
    k = Var(stack(keys));
    v = Var(stack(values));
  }

  BlockShape shape_;
  int64_t width_;
  std::unique_ptr<Scheme> scheme_;
  LayerView view_;
  Var value_weight_, out_weight_;
};

// One forward and backward pass: the result, and the gradients of x and of every parameter by name.
struct ForwardPass {
  Tensor out, dx;
  std::map<std::string, Tensor> gradients;  // an empty tensor for a parameter without gradient
};

inline ForwardPass pass(Block& block, const Tensor& x, const Placement& placement, const Tensor& dout) {
  block.parameters.clear_grads();
  const Var input = Var::parameter(x);
  const Var out = block.run(input, placement);
  out.backward(dout);
  ForwardPass result{out.value(), input.grad(), {}};
  for (const NamedParameter& parameter : block.parameters.all()) {
    result.gradients[parameter.name] = parameter.var.grad();
  }
  return result;
}

}  // namespace locus::testing
