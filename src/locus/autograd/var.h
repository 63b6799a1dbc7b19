// A value that remembers how it was made, so that gradients can flow back to what it was made from.
//
// Var is a handle: copies share the value and its gradient. Ops record a Step for each result that depends on
// something that wants a gradient; backward() walks the steps newest first and releases each as it goes.
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
  Var() = default;                     // no value: false in a condition
  explicit Var(Tensor value);          // a constant
  static Var parameter(Tensor value);  // a leaf that wants a gradient

  explicit operator bool() const { return state_ != nullptr; }
  const Tensor& value() const;
  const Shape& shape() const { return value().shape(); }

  // The sum of what backward passes brought, kept for leaves only; no tensor when nothing came yet.
  const Tensor& grad() const;
  void clear_grad();
  bool wants_grad() const;
  void set_wants_grad(bool wanted);  // leaves only: freezing and unfreezing

  // Adds the gradient of this single number with respect to every leaf to that leaf's grad(). The steps it
  // was made by are released: a second call finds nothing to do and is refused.
  void backward() const;
  void backward(const Tensor& gradient) const;  // of any shape, given its own gradient

  // Used by the closures of ops: adds to this value's gradient when it is wanted.
  void accumulate(const Tensor& gradient) const;
  // For closures that add to a few rows of a large value: its gradient, to be added to in place. Zeros at
  // first; memory that nobody else sees. Only of a value that wants a gradient.
  const Tensor& open_grad() const;

 private:
  Tensor& collected() const;  // where the gradient is added up

  friend class Step;
  friend std::vector<Var> record(std::vector<Tensor>, std::vector<Var>,
                                 std::function<void(std::span<const Tensor>)>);
  struct State;
  std::shared_ptr<State> state_;
};

// Records how `values` were made from `inputs`. The closure gets the values' gradients (no tensor for a value
// nobody used) and calls accumulate() on the inputs. When no input wants a gradient, or inside NoGrad,
// nothing is recorded.
std::vector<Var> record(std::vector<Tensor> values, std::vector<Var> inputs,
                        std::function<void(std::span<const Tensor>)> backward);
// The same for the usual op with one result.
Var record(Tensor value, std::vector<Var> inputs, std::function<void(const Tensor& dy)> backward);

// Whether an op over these inputs would be recorded: ops ask before they keep what only the backward pass
// needs.
bool recording(std::span<const Var> inputs);
bool recording(std::initializer_list<Var> inputs);

// While one of these lives, nothing is recorded on this thread.
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
