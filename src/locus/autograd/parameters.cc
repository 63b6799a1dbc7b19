#include "locus/autograd/parameters.h"

#include <algorithm>

#include "locus/base/error.h"
#include "locus/base/spelling.h"

namespace locus {
namespace {

bool below(std::string_view name, std::string_view branch) {
  return branch.empty() || name == branch ||
         (name.size() > branch.size() && name.starts_with(branch) && name[branch.size()] == '.');
}

std::string join(std::string_view path, std::string_view name) {
  return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
}

}  // namespace

Parameters::Parameters(DType dtype, Device device) : dtype_(dtype), device_(device) {
  require(dtype == DType::f32 || (dtype == DType::f64 && device == Device::reference), Code::bad_shape,
          "parameters: got {} on the {}, expected f32, or f64 on the reference", name_of(dtype),
          name_of(device));
}

Tensor Parameters::constant(const Tensor& value) const {
  if (value.dtype() == dtype_) return value.on(device_);
  const std::vector<float> values = value.on_host().values();
  const Tensor converted = Tensor::empty(value.shape(), dtype_);
  if (dtype_ == DType::f64) {
    std::ranges::copy(values, converted.data<double>().begin());
  } else {
    std::ranges::copy(values, converted.data<float>().begin());
  }
  return converted.on(device_);
}

Var Parameters::add(const std::string& name, const Tensor& value, Role role, Owner owner) {
  require(!name.empty(), "parameter name is empty, expected at least one character");
  require(static_cast<bool>(value), "parameter '{}' has no value", name);
  require(index_.emplace(name, list_.size()).second, "parameter '{}' already exists", name);
  const bool fixed = value.dtype() == DType::bf16;
  list_.push_back({name, fixed ? Var(value.on(device_)) : Var::parameter(constant(value)), role, owner});
  return list_.back().var;
}

bool Parameters::has(std::string_view name) const { return index_.contains(std::string(name)); }

const NamedParameter& Parameters::entry(std::string_view name) const {
  const auto found = index_.find(std::string(name));
  if (found == index_.end()) {
    std::vector<std::string_view> names;
    for (const NamedParameter& parameter : list_) names.push_back(parameter.name);
    fail({Fault::data, Code::none, did_you_mean(name, names)}, "unknown parameter '{}'", name);
  }
  return list_[found->second];
}

int64_t Parameters::numel() const {
  int64_t total = 0;
  for (const NamedParameter& parameter : list_) total += parameter.var.value().numel();
  return total;
}

int Parameters::set_wants_grad(std::string_view branch, bool wanted) {
  int count = 0;
  for (NamedParameter& parameter : list_) {
    if (!below(parameter.name, branch)) continue;
    parameter.var.set_wants_grad(wanted);
    if (!wanted) parameter.var.clear_grad();
    ++count;
  }
  require(count > 0, "no parameter is at or below '{}'", branch);
  return count;
}

void Parameters::clear_grads() {
  for (NamedParameter& parameter : list_) parameter.var.clear_grad();
}

Scope Scope::operator/(std::string_view name) const {
  Scope child = *this;
  child.path_ = join(path_, name);
  return child;
}

Scope Scope::owned_by(Owner owner) const {
  Scope same = *this;
  same.owner_ = owner;
  return same;
}

Var Scope::add(std::string_view name, const Tensor& value, Role role) const {
  return parameters_->add(join(path_, name), value, role, owner_);
}

Var Scope::at(std::string_view name) const { return parameters_->at(join(path_, name)); }

}  // namespace locus
