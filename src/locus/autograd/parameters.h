// The named parameters of a model, in the order they were added. Dotted names form a tree.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "locus/autograd/var.h"

namespace locus {

// What a parameter is to the layer that holds it. Weight decay applies to matrices only.
enum class Role {
  matrix,  // the weights of a product
  table,   // rows that are looked up
  gain,    // factors, such as those of a norm
  bias,    // added
};

// The part of a model that a parameter belongs to. No part of the library decides it by a name.
enum class Owner { body, tokens, scheme, global_scheme, head, labels };

struct NamedParameter {
  std::string name;
  Var var;
  Role role = Role::matrix;
  Owner owner = Owner::body;
};

class Parameters {
 public:
  // All parameters have this dtype and device: f32, or f64 on the reference. Values in bf16 stay bf16.
  explicit Parameters(DType dtype = DType::f32, Device device = Device::cpu);

  // Adds a leaf that requires a gradient; a bf16 leaf does not. The value is converted to the common dtype.
  // Fails if the name exists.
  Var add(const std::string& name, const Tensor& value, Role role, Owner owner = Owner::body);
  // A constant for computations with the parameters: the value in their dtype and on their device.
  Tensor constant(const Tensor& value) const;

  Device device() const { return device_; }
  std::span<const NamedParameter> all() const { return list_; }
  // Both fail for an unknown name, with a suggestion.
  Var at(std::string_view name) const { return entry(name).var; }
  const NamedParameter& entry(std::string_view name) const;
  bool has(std::string_view name) const;
  int64_t numel() const;  // of all parameters together

  // Stops (or resumes) training the parameters at or below a branch ("encoder.layer.0"). Returns their
  // number; fails if there are none. Values derived from frozen parameters are cached. Unfreeze before you
  // modify them, or the cache goes stale.
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

// A node in the tree of names. Modules add their parameters below the scope they get.
class Scope {
 public:
  Scope(Parameters& parameters, std::string path = "") : parameters_(&parameters), path_(std::move(path)) {}
  Scope operator/(std::string_view name) const;  // the child `name`, with the same owner
  Scope owned_by(Owner owner) const;
  Var add(std::string_view name, const Tensor& value, Role role) const;
  Var at(std::string_view name) const;  // an existing parameter
  Tensor constant(const Tensor& value) const { return parameters_->constant(value); }
  Device device() const { return parameters_->device(); }
  const std::string& path() const { return path_; }

 private:
  Parameters* parameters_;
  std::string path_;
  Owner owner_ = Owner::body;
};

}  // namespace locus
