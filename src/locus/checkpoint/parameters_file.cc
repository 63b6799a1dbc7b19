#include "locus/checkpoint/parameters_file.h"

#include <algorithm>

#include "locus/base/error.h"
#include "locus/op/convert.h"
#include "locus/scheme/combination.h"

namespace locus {
namespace {

// A blueprint needs at least this many numbers.
double least_numbers(const Blueprint& b) {
  const auto product = [](int64_t a, int64_t c) { return static_cast<double>(a) * static_cast<double>(c); };
  double total = 0;
  const bool joined = std::ranges::any_of(b.scheme_options, [](const auto& option) {
    return own_name(option.first) == "combine" && option.second == "joined";
  });
  if (!joined) {  // else rows are narrower, by what the scheme joins on
    total = product(b.vocabulary + b.segments, b.row_width());
    if (!scheme_info(b.scheme).extrapolates) total += product(b.max_length, b.row_width());
  }
  const int stacks = b.kind == ModelKind::encoder_decoder ? 2 : 1;
  for (int stack = 0; stack < stacks; ++stack) {
    const Blueprint part = stack == 0 ? b : b.decoder_part();
    total += static_cast<double>(part.layers) *
             (2 * product(part.width, part.query_width()) + 2 * product(part.width, part.hidden_width()));
  }
  return total;
}

}  // namespace

std::vector<NamedTensor> named_tensors(const Parameters& parameters) {
  std::vector<NamedTensor> tensors;
  for (const auto& [name, var] : parameters.all()) tensors.emplace_back(name, var.value());
  return tensors;
}

void read_parameters(const SafetensorsFile& file, const Parameters& parameters) {
  require(file.entries().size() == parameters.all().size(), "'{}' has {} tensors, the model {} parameters",
          file.path().string(), file.entries().size(), parameters.all().size());
  for (const auto& [name, var] : parameters.all()) {
    Tensor value = var.value();
    if (value.dtype() == DType::bf16) {
      value.copy_from(op::convert(file.read(name), DType::bf16));
    } else {
      file.read_into(name, value);
    }
  }
}

void require_numbers(const Blueprint& blueprint, double found, const std::filesystem::path& owner) {
  const double wanted = least_numbers(blueprint);
  require(wanted <= found, "'{}': describes a model of at least {:.0f} numbers, but the weights hold {:.0f}",
          owner.string(), wanted, found);
}

}  // namespace locus
