// TrainableScheme: the terms of a scheme as a function of its parameters, forward and backward, for
// locus.torch.Position. The parameters are the caller's; those of the scheme object are copies for the time
// of a call.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <mutex>
#include <string>
#include <tuple>

#include "locus/op/gather.h"
#include "locus/python/bindings.h"
#include "locus/python/caller_memory.h"
#include "locus/python/computing.h"
#include "locus/scheme/scheme.h"

namespace nb = nanobind;

namespace locus::python {
namespace {

// heads, head_size, width, layers, max_length, causal
using Sizes = std::tuple<int64_t, int64_t, int64_t, int64_t, int64_t, bool>;

// A tensor that a scheme adds: a table of the scores, angles, or rows for the input.
struct SchemeOutput {
  const char* name;
  Var value;
};

// What a scheme adds to a text, apart from tensors.
struct Facts {
  std::optional<float> scale;
  bool interleaved = false, joined = false;
};

// The terms of one text of `length` tokens, in a fixed order.
std::vector<SchemeOutput> outputs_of(const SchemePass& pass, const LayerView& layer, int64_t length,
                                     Facts& facts) {
  std::vector<SchemeOutput> outputs;
  if (const auto& input = pass.input()) {
    outputs.push_back({"input", op::gather(input->table, input->rows)});
    facts.joined = input->joined;
  }
  if (const auto& rotation = pass.rotation()) {
    const auto angles = [&](const char* name, const Tensor& table, const Indices& rows) {
      if (table) outputs.push_back({name, op::gather(Var(table), rows)});
    };
    angles("cos", rotation->cos, rotation->query_rows);
    angles("sin", rotation->sin, rotation->query_rows);
    angles("key_cos", rotation->key_cos, rotation->key_rows);
    angles("key_sin", rotation->key_sin, rotation->key_rows);
    facts.interleaved = rotation->interleaved;
  }
  const ScoreTerms scores = pass.scores(layer);
  const auto check_zero = [&](int64_t zero) {
    if (zero != length - 1)
      fail(Fault::bug, "a table has distance 0 in column {}, expected {}", zero, length - 1);
  };
  const auto slots = [&](const std::optional<SlotTerm>& term, const char* name, const char* slots_name) {
    if (!term) return;
    check_zero(term->zero);
    outputs.push_back({name, term->table});
    outputs.push_back({slots_name, Var(Tensor::of(term->slots.shape(), term->slots.values()))});
  };
  if (scores.by_distance) {
    check_zero(scores.by_distance->zero);
    outputs.push_back({"by_distance", scores.by_distance->table});
  }
  slots(scores.by_query, "by_query", "query_slots");
  slots(scores.by_key, "by_key", "key_slots");
  if (scores.dense) outputs.push_back({"dense", scores.dense});
  facts.scale = scores.scale;
  return outputs;
}

class TrainableScheme {
 public:
  TrainableScheme(const std::string& name, const Sizes& sizes,
                  const std::map<std::string, std::string>& options, bool f64, uint64_t seed)
      : dtype_(f64 ? DType::f64 : DType::f32),
        device_(f64 ? Device::reference : Device::cpu),
        parameters_(dtype_, device_) {
    const auto& [heads, head_size, width, layers, max_length, causal] = sizes;
    geometry_ = {.width = width,
                 .heads = heads,
                 .head_size = head_size,
                 .layers = layers,
                 .max_length = max_length,
                 .causal = causal};
    const OptionValues values(options.begin(), options.end());
    scheme_ = make_scheme(name, geometry_, values, Scope(parameters_), Random(seed, 0));
  }

  // The names and the initial values of the parameters.
  std::vector<std::tuple<std::string, nb::object>> initial() {
    std::vector<std::tuple<std::string, nb::object>> list;
    for (const NamedParameter& p : parameters_.all())
      list.emplace_back(p.name, array_of(p.var.value().clone()));
    return list;
  }

  // The names and shapes of the outputs for a text of this length, then scale, interleaved and joined.
  using Description = std::tuple<std::vector<std::tuple<std::string, std::vector<int64_t>>>,
                                 std::optional<float>, bool, bool>;
  Description describe(int64_t length, int64_t layer) {
    const std::lock_guard lock(mutex_);
    const NoGrad no_grad;
    Facts facts;
    Description description;
    for (const SchemeOutput& output : compute(length, stand_in(layer), facts)) {
      const auto sizes = output.value.shape().sizes();
      std::get<0>(description).emplace_back(output.name, std::vector<int64_t>(sizes.begin(), sizes.end()));
    }
    std::get<1>(description) = facts.scale;
    std::get<2>(description) = facts.interleaved, std::get<3>(description) = facts.joined;
    return description;
  }

  // `values` are those of the parameters, then the layer's query weight and bias, key weight and bias; empty
  // arrays for those that it has not.
  std::vector<nb::object> terms(const std::vector<Array>& values, int64_t length, int64_t layer) {
    std::vector<Tensor> results;
    {
      const WithoutGil without_gil;
      const std::lock_guard lock(mutex_);
      const NoGrad no_grad;
      Facts facts;
      for (const SchemeOutput& output : compute(length, take(values, layer), facts)) {
        results.push_back(output.value.value().clone());
      }
    }
    std::vector<nb::object> arrays;
    for (const Tensor& result : results) arrays.push_back(array_of(result));
    return arrays;
  }

  // The gradients of all values, from those of the outputs; an output may have none.
  std::vector<nb::object> backward(const std::vector<Array>& values,
                                   const std::vector<OptionalArray>& gradients, int64_t length,
                                   int64_t layer) {
    std::vector<Tensor> results;
    {
      const WithoutGil without_gil;
      const std::lock_guard lock(mutex_);
      const LayerView view = take(values, layer);
      Facts facts;
      const std::vector<SchemeOutput> outputs = compute(length, view, facts);
      require(gradients.size() == outputs.size(), Code::bad_shape, "Position: got {} gradients, expected {}",
              gradients.size(), outputs.size());
      go_back(outputs, gradients);
      std::vector<Var> leaves;
      for (const NamedParameter& p : parameters_.all()) leaves.push_back(p.var);
      for (const Var& weight : {view.query_weight, view.query_bias, view.key_weight, view.key_bias})
        leaves.push_back(weight);
      for (Var& leaf : leaves) {
        if (!leaf) {
          results.push_back(Tensor::empty({0}, dtype_, device_));
        } else {
          results.push_back(leaf.grad() ? leaf.grad().clone() : leaf.value().zeros_like());
        }
      }
      parameters_.clear_grads();
    }
    std::vector<nb::object> arrays;
    for (const Tensor& result : results) arrays.push_back(array_of(result));
    return arrays;
  }

 private:
  std::vector<SchemeOutput> compute(int64_t length, const LayerView& layer, Facts& facts) const {
    require(length >= 1, "Position: length is {}, expected at least 1", length);
    const std::vector<int64_t> lengths = {length};
    return outputs_of(scheme_->begin(Placement::of_lengths(lengths)), layer, length, facts);
  }

  Tensor copy_of(const Array& array, const Shape& shape, std::string_view name) const {
    CallerMemory memory("Position");
    memory.shaped(array, name, shape);
    const ConstView view = memory.numbers(array, name);
    require(view.dtype == dtype_ && view.contiguous(), Code::bad_shape,
            "Position: {} is {}, expected {}, contiguous", name, name_of(view.dtype), name_of(dtype_));
    const Tensor copy = Tensor::empty(shape, dtype_, device_);
    std::memcpy(copy.view().data, view.data, static_cast<size_t>(shape.numel() * size_of(dtype_)));
    return copy;
  }

  // Sets the parameters and returns the layer's own weights.
  LayerView take(const std::vector<Array>& values, int64_t layer) {
    const auto all = parameters_.all();
    require(values.size() == all.size() + 4, Code::bad_shape, "Position: got {} tensors, expected {}",
            values.size(), all.size() + 4);
    for (size_t n = 0; n < all.size(); ++n) {
      Tensor value = all[n].var.value();
      value.copy_from(copy_of(values[n], value.shape(), all[n].name));
    }
    const int64_t rows = geometry_.heads * geometry_.head_size;
    const auto weight = [&](size_t n, const Shape& shape, const char* name) {
      const Array& array = values[all.size() + n];
      return array.size() == 0 ? Var() : Var::parameter(copy_of(array, shape, name));
    };
    return {.layer = layer,
            .query_weight = weight(0, {rows, geometry_.width}, "query_weight"),
            .query_bias = weight(1, {rows}, "query_bias"),
            .key_weight = weight(2, {rows, geometry_.width}, "key_weight"),
            .key_bias = weight(3, {rows}, "key_bias")};
  }

  LayerView stand_in(int64_t layer) const {
    const int64_t rows = geometry_.heads * geometry_.head_size;
    const Var weight = Var::parameter(Tensor::zeros({rows, geometry_.width}, dtype_, device_));
    return {.layer = layer, .query_weight = weight, .key_weight = weight};
  }

  // All outputs in one backward pass, because they may share steps.
  void go_back(const std::vector<SchemeOutput>& outputs, const std::vector<OptionalArray>& gradients) const {
    std::vector<Var> values;
    std::vector<Tensor> given;
    for (size_t n = 0; n < outputs.size(); ++n) {
      if (!gradients[n] || !outputs[n].value.wants_grad()) continue;
      values.push_back(outputs[n].value);
      given.push_back(copy_of(*gradients[n], values.back().shape(), outputs[n].name));
    }
    if (values.empty()) return;
    record(Tensor::zeros({1}, dtype_, device_), values, [values, given](const Tensor&) {
      for (size_t n = 0; n < values.size(); ++n) values[n].accumulate(given[n]);
    }).backward();
  }

  DType dtype_;
  Device device_;
  Geometry geometry_;
  Parameters parameters_;
  std::unique_ptr<Scheme> scheme_;
  std::mutex mutex_;
};

}  // namespace

void bind_trainable_scheme(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<TrainableScheme>(module, "TrainableScheme")
      .def(nb::init<const std::string&, const Sizes&, const std::map<std::string, std::string>&, bool,
                    uint64_t>(),
           kCounted, "name"_a, "sizes"_a, "options"_a, "f64"_a, "seed"_a)
      .def("initial", &TrainableScheme::initial, kCounted)
      .def("describe", &TrainableScheme::describe, kCounted, "length"_a, "layer"_a)
      .def("terms", &TrainableScheme::terms, kCounted, "values"_a, "length"_a, "layer"_a)
      .def("backward", &TrainableScheme::backward, kCounted, "values"_a, "gradients"_a, "length"_a,
           "layer"_a);
}

}  // namespace locus::python
