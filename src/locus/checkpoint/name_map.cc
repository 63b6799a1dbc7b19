#include "locus/checkpoint/name_map.h"

#include <algorithm>

#include "locus/base/error.h"

namespace locus {
namespace {

int64_t rows_of(const Tensor& value) { return value.size(0); }

}  // namespace

int64_t Binding::rows() const {
  int64_t rows = 0;
  for (const Var& parameter : parameters) rows += rows_of(parameter.value());
  return rows;
}

int64_t Binding::columns() const { return parameters[0].shape().rank() == 2 ? parameters[0].shape()[1] : 1; }

Shape Binding::shape() const {
  if (parameters[0].shape().rank() == 1) return layout.one_row ? Shape{1, rows()} : Shape{rows()};
  return layout.transposed ? Shape{columns(), rows()} : Shape{rows(), columns()};
}

int64_t Binding::row(int64_t tensor_row) const {
  const auto [groups, queries] = std::pair(layout.groups, layout.queries);
  if (groups == 0) return tensor_row;
  const int64_t parts = queries + 2, size = rows() / (parts * groups);
  const int64_t group = tensor_row / (parts * size), part = tensor_row / size % parts;
  const int64_t head = part < queries ? group * queries + part : groups * part + group;
  return head * size + tensor_row % size;
}

Tensor Binding::assemble(std::span<const Tensor> given) const {
  std::vector<Tensor> values;
  for (const Tensor& value : given) {
    require(value.dtype() == DType::f32,
            "tensor '{}' has the format {}, expected f32: open the model with f32 weights", tensor,
            name_of(value.dtype()));
    values.push_back(value.on_host());
  }
  if (is_plain()) return values[0].reshape(shape());
  const Tensor result = values[0].like(shape());
  const int64_t all = rows(), width = columns();
  const auto to = result.data<float>();
  std::vector<const float*> from;
  for (const Tensor& value : values) {
    for (int64_t r = 0; r < rows_of(value); ++r) from.push_back(value.data<float>().data() + r * width);
  }
  for (int64_t r = 0; r < all; ++r) {
    if (layout.transposed) {
      for (int64_t c = 0; c < width; ++c) to[c * all + r] = from[r][c];
    } else {
      std::copy_n(from[row(r)], width, to.data() + r * width);
    }
  }
  return result;
}

Binding* NameMap::tensor(std::string_view ours, std::string_view theirs, const Layout& layout) {
  if (!parameters_.has(ours)) return nullptr;
  joined({std::string(ours)}, theirs, layout);
  return &bindings_.back();
}

void NameMap::module(std::string_view ours, std::string_view theirs, const Layout& layout) {
  for (const char* part : {".weight", ".bias"}) {
    tensor(std::string(ours) + part, std::string(theirs) + part, layout);
  }
}

void NameMap::modules(std::string_view ours, std::string_view theirs, std::span<const NamePair> names,
                      const Layout& layout) {
  for (const auto& [left, right] : names) {
    module(fmt::format("{}{}", ours, left), fmt::format("{}{}", theirs, right), layout);
  }
}

void NameMap::layers(std::string_view ours, std::string_view theirs, int64_t count,
                     std::span<const NamePair> names, const Layout& layout) {
  for (int64_t i = 0; i < count; ++i) modules(numbered(ours, i), numbered(theirs, i), names, layout);
}

void NameMap::tokens(std::string_view theirs, std::string_view head, bool tied) {
  Binding* table = tensor("tokens", theirs);
  if (tied) {
    table->aliases.emplace_back(head);
    table->tied = head;
  }
  tensor("head.weight", head);
}

void NameMap::joined(const std::vector<std::string>& ours, std::string_view theirs, const Layout& layout) {
  const Owner owner = parameters_.entry(ours[0]).owner;
  Binding binding = {.tensor = std::string(theirs), .owner = owner, .parameters = {}, .layout = layout};
  for (const std::string& name : ours) {
    binding.parameters.push_back(parameters_.at(name));
    bound_.push_back(name);
  }
  bindings_.push_back(std::move(binding));
}

void NameMap::stacked(const std::vector<std::string>& ours, std::string_view theirs, const Layout& layout) {
  for (const char* part : {".weight", ".bias"}) {
    std::vector<std::string> parts;
    for (const std::string& name : ours) parts.push_back(name + part);
    if (parameters_.has(parts[0])) joined(parts, std::string(theirs) + part, layout);
  }
}

void NameMap::qkv(std::string_view ours, std::string_view theirs, const Layout& layout) {
  const std::string attention(ours);
  module(attention + ".qkv", theirs, layout);
  stacked({attention + ".query", attention + ".key", attention + ".value"}, theirs, layout);
}

void NameMap::alias(std::string_view theirs, std::string_view other) {
  for (Binding& binding : bindings_) {
    if (binding.tensor == theirs) binding.aliases.emplace_back(other);
  }
}

std::vector<Binding> NameMap::take() {
  std::ranges::sort(bound_);
  for (const NamedParameter& parameter : parameters_.all()) {
    const auto [first, end] = std::equal_range(bound_.begin(), bound_.end(), parameter.name);
    const auto times = end - first;
    if (times == 1) continue;
    fail(Fault::bug, "NameMap: parameter '{}' is named {} times, expected once", parameter.name, times);
  }
  return std::move(bindings_);
}

}  // namespace locus
