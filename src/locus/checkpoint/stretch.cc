#include "locus/checkpoint/stretch.h"

#include <cmath>

#include "locus/base/folder.h"

namespace locus {
namespace {

// Rows [offset, offset + length) for the old ones behind the first `offset`, which stand for no position.
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

// The tensors of a folder with the tables of its learned positions made longer.
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

// What config.json says of a rotary model, for the new length.
json::Members rotary_changes(const ModelFolder& folder, int64_t length, Stretch how) {
  const Config& config = folder.config;
  const Blueprint& b = folder.architecture.blueprint;
  const Family& family = *folder.architecture.family;
  require(!family.fixed_rotation, "'{}': {} has no field for a scaling of its rotation",
          config.path().string(), family.name);
  require(!b.scheme_options.contains("scaling"),
          "'{}': the model has a scaling already, {}; stretch the one it came from", config.path().string(),
          b.scheme_options.contains("scaling") ? b.scheme_options.at("scaling") : "");
  const double factor = static_cast<double>(length) / static_cast<double>(b.max_length);
  const double width = std::stod(b.scheme_options.at("width")), base = std::stod(b.scheme_options.at("base"));
  json::Members fields = {{"rope_theta", json::exact(base)}, {"rope_type", json::text("default")}};
  if (how == Stretch::ntk) {
    require(width > 2, "ntk needs a rotated width above 2, the model has {}", width);
    fields[0].second = fmt::format("{}", base * std::pow(factor, width / (width - 2)));
  } else {
    fields[1].second = json::text(how == Stretch::linear ? "linear" : "yarn");
    fields.emplace_back("factor", fmt::format("{}", factor));
    if (how == Stretch::yarn)
      fields.emplace_back("original_max_position_embeddings", json::number(b.max_length));
  }
  if (width < static_cast<double>(b.size_of_head())) {
    fields.emplace_back("partial_rotary_factor",
                        fmt::format("{}", width / static_cast<double>(b.size_of_head())));
  }
  // One place for all of it; what said the same before would contradict it.
  return {{"rope_parameters", json::object(fields)},
          {"rope_scaling", ""},
          {"rope_theta", ""},
          {"rotary_emb_base", ""},
          {"rotary_pct", ""}};
}

}  // namespace

void stretch_model(const ModelFolder& folder, int64_t length, Stretch how, const std::filesystem::path& to) {
  const Blueprint& b = folder.architecture.blueprint;
  const Family& family = *folder.architecture.family;
  const bool table = how == Stretch::interpolate || how == Stretch::repeat;
  require(table ? !scheme_info(b.scheme).extrapolates : b.scheme == "rotary",
          "'{}': its scheme is {}; interpolate and repeat are for learned tables, linear, ntk and yarn for "
          "rotary",
          folder.path.string(), b.scheme);
  require(b.full_scheme.empty(),
          "'{}': its layers have two schemes, and none of these ways is known for both",
          folder.path.string());
  require(length > b.max_length && length <= 1 << 24,
          "--length is {}, expected more than the model's own {}, at most {}", length, b.max_length, 1 << 24);
  json::Members changes = table ? json::Members() : rotary_changes(folder, length, how);
  const int64_t said = length + (family.length_counts_offset ? b.position_offset : 0);
  changes.emplace_back(family.length_field, json::number(said));
  write_folder(to, [&](const std::filesystem::path& unfinished) {
    write_model(folder, table ? with_longer_tables(folder, length, how) : tensors_of(folder.bindings),
                unfinished, changes);
  });
}

}  // namespace locus
