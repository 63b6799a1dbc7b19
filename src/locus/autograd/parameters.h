// The named parameters of a model: a tree written as dotted names, in the order they were added.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "locus/autograd/var.h"

namespace locus {

struct NamedParameter {
  std::string name;
  Var var;
};

class Parameters {
 public:
  // All are kept in one format on one device, f32, or f64 on the reference; but bf16 stays bf16.
  explicit Parameters(DType dtype = DType::f32, Device device = Device::cpu);

  // A new leaf that wants a gradient, with this value in the format of all. One in bf16 wants none. A name
  // taken already is refused.
  Var add(const std::string& name, const Tensor& value);
  // Something that is no parameter but is computed with: the value in the format of all.
  Tensor constant(const Tensor& value) const;

  std::span<const NamedParameter> all() const { return list_; }
  Var at(std::string_view name) const;  // an unknown name is refused, with the nearest known one
  bool has(std::string_view name) const;
  int64_t numel() const;  // of all together

  // Parameters at or below a branch ("encoder.layer.0") stop, or go on, wanting gradients. Returns how many
  // there are; a branch without any is refused.
  // What is made of frozen parameters alone may be kept: write other numbers into them before, or unfrozen.
  int freeze(std::string_view branch) { return set_wants_grad(branch, false); }
  int unfreeze(std::string_view branch) { return set_wants_grad(branch, true); }
  void clear_grads();

 private:
  int set_wants_grad(std::string_view branch, bool wanted);
  DType dtype_;
  Device device_;
  std::vector<NamedParameter> list_;
  std::unordered_map<std::string, size_t> index_;
};

// A place in the tree: modules add their parameters below the scope they are given.
class Scope {
 public:
  Scope(Parameters& parameters, std::string path = "") : parameters_(&parameters), path_(std::move(path)) {}
  Scope operator/(std::string_view name) const;  // the branch `name` below this one
  Var add(std::string_view name, const Tensor& value) const;
  Var at(std::string_view name) const;  // one that is there
  Tensor constant(const Tensor& value) const { return parameters_->constant(value); }
  const std::string& path() const { return path_; }

 private:
  Parameters* parameters_;
  std::string path_;
};

}  // namespace locus
