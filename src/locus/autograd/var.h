// Automatic differentiation: a value that records how it was computed, so that gradients can flow back to its
// inputs.
//
// Var is a handle: copies share the value and its gradient. An op records a Step if one of its inputs
// requires a gradient. backward() runs the steps from the newest to the oldest and frees each one after it
// has run.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "locus/tensor/tensor.h"

namespace locus {

class Step;

class Var {
 public:
  Var() = default;                     // no value: converts to false
  explicit Var(Tensor value);          // a constant
  static Var parameter(Tensor value);  // a leaf that requires a gradient

  explicit operator bool() const { return state_ != nullptr; }
  const Tensor& value() const;
  const Shape& shape() const { return value().shape(); }

  // The sum of the gradients of all backward passes, for leaves only; no tensor if there were none.
  const Tensor& grad() const;
  void clear_grad();
  bool wants_grad() const;
  void set_wants_grad(bool wanted);  // freezes or unfreezes a leaf

  // Adds the gradient of this single number with respect to every leaf to that leaf's grad(). This frees the
  // graph: a second call fails with Code::graph_freed.
  void backward() const;
  void backward(const Tensor& gradient) const;  // for a value of any shape, given its own gradient

  // For the backward closures of ops: adds to this value's gradient if it requires one.
  void accumulate(const Tensor& gradient) const;
  // For closures that add to a few rows of a large value: its gradient, to add to in place. It is zero at
  // first and shares its memory with no other tensor. The value must require a gradient.
  const Tensor& open_grad() const;

 private:
  Tensor& collected() const;  // the tensor that accumulates the gradient

  friend class Step;
  friend std::vector<Var> record(std::vector<Tensor>, std::vector<Var>,
                                 std::function<void(std::span<const Tensor>)>);
  struct State;
  std::shared_ptr<State> state_;
};

// Records how `values` were computed from `inputs`. The closure gets the gradients of the values (no tensor
// for an unused value) and calls accumulate() on the inputs. Records nothing if no input requires a gradient,
// or inside NoGrad.
std::vector<Var> record(std::vector<Tensor> values, std::vector<Var> inputs,
                        std::function<void(std::span<const Tensor>)> backward);
// The same for an op with one result.
Var record(Tensor value, std::vector<Var> inputs, std::function<void(const Tensor& dy)> backward);

// Whether an op with these inputs would be recorded. If not, the op need not keep values for the backward
// pass.
bool recording(std::span<const Var> inputs);
bool recording(std::initializer_list<Var> inputs);

// While an object of this class exists, nothing is recorded on its thread.
class NoGrad {
 public:
  NoGrad();
  ~NoGrad();
  NoGrad(const NoGrad&) = delete;
  NoGrad& operator=(const NoGrad&) = delete;

 private:
  bool before_;
};

}  // namespace locus
