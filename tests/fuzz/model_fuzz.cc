// Any bytes as a config.json: throws an Error, or the model is made, its parameters get the names of the
// family's checkpoints, and the config.json that Locus writes for it describes a model like it.
// Seeds: config.json
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "locus/base/error.h"
#include "locus/base/parse.h"
#include "locus/checkpoint/family.h"
#include "locus/nn/model.h"

namespace {

// Models of the fuzzer take at most a few megabytes.
bool is_small(const locus::Blueprint& blueprint) {
  return std::ranges::all_of(locus::values_of(blueprint), [](const auto& field) {
    const int64_t most = field.first.ends_with("layers") ? 4 : 600;
    return locus::parse<int64_t>(field.second).value_or(0) <= most;
  });
}

// Of all parameters: a family may store queries, keys and values as one matrix.
int64_t numbers_of(const locus::Model& model) {
  int64_t count = 0;
  for (const auto& parameter : model.parameters().all()) count += parameter.var.value().numel();
  return count;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const locus::Config config({reinterpret_cast<const char*>(data), size}, "config.json");
    const locus::Architecture read = locus::read_architecture(config);
    if (!is_small(read.blueprint)) return 0;
    const locus::Model model(read.blueprint, {.seed = {}});
    const auto bindings = locus::bindings_of(*read.family, read.blueprint, model.parameters());
    if (bindings.empty()) std::abort();
    const locus::ExportedConfig written = locus::export_config(read.blueprint);
    const locus::Config again(written.config, "written");
    const locus::Model same(locus::read_architecture(again).blueprint, {.seed = {}});
    if (numbers_of(same) != numbers_of(model)) std::abort();
  } catch (const locus::Error&) {
  }
  return 0;
}
