#include "locus/checkpoint/model_folder.h"

namespace locus {
namespace {

// A blueprint needs at least this many numbers. A config that asks for a thousand times what its weights hold
// is refused before memory is taken for it.
double least_numbers(const Blueprint& b) {
  const auto product = [](int64_t a, int64_t c) { return static_cast<double>(a) * static_cast<double>(c); };
  double total = product(b.vocabulary + b.segments, b.width);
  if (b.scheme == "learned") total += product(b.max_length, b.width);
  const int stacks = b.kind == ModelKind::encoder_decoder ? 2 : 1;
  for (int stack = 0; stack < stacks; ++stack) {
    const Blueprint part = stack == 0 ? b : b.decoder_part();
    total += static_cast<double>(part.layers) *
             (2 * product(part.width, part.query_width()) + 2 * product(part.width, part.hidden_width()));
  }
  return total;
}

}  // namespace

ModelFolder open_model(const std::filesystem::path& path, const Progress& progress) {
  Config config(path / "config.json");
  Architecture architecture = read_architecture(config);
  const Blueprint& blueprint = architecture.blueprint;
  const WeightFiles files(path);
  const double wanted = least_numbers(blueprint), found = files.numbers();
  require(wanted <= found, "'{}': describes a model of at least {:.0f} numbers, but the weights hold {:.0f}",
          config.path().string(), wanted, found);
  Model model(blueprint, {.seed = {}});
  NameMap map(model.parameters());
  architecture.family->names(map, blueprint);
  std::vector<Binding> bindings = map.take();
  match_tensors(*architecture.family, files, path, bindings);
  std::vector<std::string> warnings = read_tensors(files, bindings, progress);
  for (Binding& binding : bindings) {
    if (!binding.constant) continue;
    for (Var& parameter : binding.parameters) parameter.set_wants_grad(false);
  }
  return {path,
          std::move(config),
          std::move(architecture),
          std::move(model),
          std::move(bindings),
          std::move(warnings)};
}

}  // namespace locus
