#include "locus/checkpoint/parameters_file.h"

#include "locus/base/error.h"
#include "locus/nn/min_weights.h"
#include "locus/op/convert.h"

namespace locus {

std::vector<NamedTensor> named_tensors(const Parameters& parameters) {
  std::vector<NamedTensor> tensors;
  for (const NamedParameter& one : parameters.all()) tensors.emplace_back(one.name, one.var.value());
  return tensors;
}

void read_parameters(const SafetensorsFile& file, const Parameters& parameters) {
  require(file.entries().size() == parameters.all().size(),
          "'{}': got {} tensors, expected {}, one per parameter of the model", file.path().string(),
          file.entries().size(), parameters.all().size());
  for (const NamedParameter& parameter : parameters.all()) {
    Tensor value = parameter.var.value();
    if (value.dtype() == DType::bf16) {
      value.copy_from(op::convert(file.read(parameter.name), DType::bf16));
    } else {
      file.read_into(parameter.name, value);
    }
  }
}

void require_numbers(const Blueprint& blueprint, double found, const std::filesystem::path& owner) {
  const double wanted = min_weights(blueprint);
  require(wanted <= found,
          "'{}': describes a model with at least {:.0f} weights, but the weight files contain only {:.0f}",
          owner.string(), wanted, found);
}

}  // namespace locus
