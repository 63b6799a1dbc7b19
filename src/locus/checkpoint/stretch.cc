#include "locus/checkpoint/stretch.h"

#include <algorithm>
#include <cmath>

#include "locus/base/folder.h"
#include "locus/scheme/rotary_frequencies.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

// A table with `length` positions. The first `offset` rows are not positions and stay unchanged.
Tensor longer_table(const Tensor& table, int64_t offset, int64_t length, Stretch how) {
  const int64_t width = table.size(1), old = table.size(0) - offset;
  const Tensor result = Tensor::empty({offset + length, width});
  const auto row = [&](int64_t i) { return table.view().row<float>(offset + i); };
  std::copy_n(table.view().row<float>(0), offset * width, result.view().row<float>(0));
  for (int64_t i = 0; i < length; ++i) {
    float* to = result.view().row<float>(offset + i);
    if (how == Stretch::repeat) {
      std::copy_n(row(i % old), width, to);
      continue;
    }
    const double place =
        static_cast<double>(i) * static_cast<double>(old - 1) / static_cast<double>(length - 1);
    const auto low = static_cast<int64_t>(place);
    const int64_t high = std::min(low + 1, old - 1);
    const double part = place - static_cast<double>(low);
    for (int64_t c = 0; c < width; ++c) {
      to[c] = static_cast<float>((1 - part) * row(low)[c] + part * row(high)[c]);
    }
  }
  return result;
}

// The tensors of a folder, with extended tables of learned positions.
std::vector<NamedTensor> with_longer_tables(const ModelFolder& folder, int64_t length, Stretch how) {
  std::vector<NamedTensor> tensors = tensors_of(folder.bindings);
  const Parameters& parameters = folder.model.parameters();
  for (const char* name : {"encoder.scheme.table", "decoder.scheme.table", "encoder.scheme.learned.table"}) {
    if (!parameters.has(name)) continue;
    for (size_t i = 0; i < folder.bindings.size(); ++i) {
      const Tensor& value = folder.bindings[i].parameters[0].value();
      if (!value.shares_memory_with(parameters.at(name).value())) continue;
      tensors[i].second = longer_table(value, folder.architecture.blueprint.position_offset, length, how);
    }
  }
  return tensors;
}

// The blueprint with a rotation for the new length. If global-attention layers have their own rotation, only
// that one changes, because the other layers do not see farther than before.
Blueprint with_longer_rotation(const ModelFolder& folder, int64_t length, Stretch how) {
  Blueprint b = folder.architecture.blueprint;
  OptionValues& options = b.global_scheme == "rotary" ? b.global_scheme_options : b.scheme_options;
  require(!options.contains("scaling"),
          "'{}': the model already has scaling {}, expected a model without scaling",
          folder.config.path().string(), options.contains("scaling") ? options.at("scaling") : "");
  const double factor = static_cast<double>(length) / static_cast<double>(b.max_length);
  if (how == Stretch::ntk) {
    const Options set("rotary", scheme_info("rotary").options, options);
    const double base = set.number("base");
    const auto width = static_cast<double>(rotated_width("rotary", b.geometry(), set));
    require(width > 2, "method ntk: the rotated width of the model is {}, expected more than 2", width);
    options["base"] = fmt::format("{}", base * std::pow(factor, width / (width - 2)));
  } else {
    options["scaling"] = how == Stretch::linear ? "linear" : "yarn";
    options["factor"] = fmt::format("{}", factor);
    if (how == Stretch::yarn) options["original_length"] = fmt::format("{}", b.max_length);
  }
  return b;
}

// The changes to config.json: the family's rope_parameters are written, and older fields that would
// contradict them are removed.
json::Members rotary_changes(const ModelFolder& folder, const Blueprint& longer) {
  const Family& family = *folder.architecture.family;
  const json::Members members = family.config(longer);
  const auto block = std::ranges::find(members, "rope_parameters", &json::Members::value_type::first);
  require(block != members.end(), "'{}': family {} has no config.json field for a rotary scaling",
          folder.config.path().string(), family.name);
  json::Members changes = {*block};
  for (const char* old : {"rope_scaling", "rope_theta", "rotary_emb_base", "rotary_pct", "global_rope_theta",
                          "local_rope_theta", "rope_local_base_freq"}) {
    changes.emplace_back(old, "");
  }
  return changes;
}

}  // namespace

void stretch_model(const ModelFolder& folder, int64_t length, Stretch how, const fs::path& to) {
  const Blueprint& b = folder.architecture.blueprint;
  const Family& family = *folder.architecture.family;
  const bool table = how == Stretch::interpolate || how == Stretch::repeat;
  require(table ? !scheme_info(b.scheme).extrapolates : b.scheme == "rotary" || b.global_scheme == "rotary",
          "'{}': the scheme is {}, but interpolate and repeat need learned positions, and linear, ntk and "
          "yarn need rotary",
          folder.path.string(), b.scheme);
  require(length > b.max_length && length <= 1 << 24,
          "length is {}, expected more than max_length of the model, {}, and at most {}", length,
          b.max_length, 1 << 24);
  json::Members changes =
      table ? json::Members() : rotary_changes(folder, with_longer_rotation(folder, length, how));
  const int64_t stored_length = length + (family.length_counts_offset ? b.position_offset : 0);
  changes.emplace_back(family.length_field, json::number(stored_length));
  const fs::path& config = folder.config.path();
  read_architecture(
      Config(changed_config(config, changes), config));  // throws if the family cannot represent it
  write_folder(to, [&](const fs::path& unfinished) {
    write_model(folder, table ? with_longer_tables(folder, length, how) : tensors_of(folder.bindings),
                unfinished, changes);
  });
}

}  // namespace locus
