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

constexpr std::string_view kTables[] = {"encoder.scheme.table", "decoder.scheme.table",
                                        "encoder.scheme.learned.table", "decoder.scheme.learned.table"};

// Extends the tables of learned positions among the tensors of a folder. Returns their names.
std::vector<std::string> extend_tables(const ModelFolder& folder, int64_t length, Stretch how,
                                       std::vector<NamedTensor>& tensors) {
  const Parameters& parameters = folder.model.parameters();
  std::vector<std::string> names;
  for (const std::string_view name : kTables) {
    if (!parameters.has(name)) continue;
    for (size_t i = 0; i < folder.bindings.size(); ++i) {
      const Tensor& value = folder.bindings[i].parameters[0].value();
      if (!value.shares_memory_with(parameters.at(name).value())) continue;
      tensors[i].second =
          longer_table(value.on_host(), folder.architecture.blueprint.position_offset, length, how);
      names.push_back(tensors[i].first);
    }
  }
  return names;
}

// The blueprint with a rotation for the new length. If global-attention layers have their own rotation, only
// that one changes, because the other layers do not see farther than before.
Blueprint with_longer_rotation(const ModelFolder& folder, int64_t length, Stretch how) {
  Blueprint b = folder.architecture.blueprint;
  OptionValues& options = b.global.scheme == "rotary" ? b.global.scheme_options : b.scheme_options;
  require(!options.contains("scaling"),
          "'{}': the model already has scaling {}, expected a model without scaling",
          folder.config.path().string(), options.contains("scaling") ? options.at("scaling") : "");
  const double factor = static_cast<double>(length) / static_cast<double>(b.max_length);
  if (how == Stretch::ntk) {
    const auto set = read_options<Rotary>(Options("rotary", scheme_info("rotary").options.list(), options));
    const auto width = static_cast<double>(rotated_width("rotary", b.geometry(), set.width));
    require(width > 2, "method ntk: the rotated width of the model is {}, expected more than 2", width);
    options["base"] = fmt::format("{}", set.base * std::pow(factor, width / (width - 2)));
  } else {
    options["scaling"] = how == Stretch::linear ? "linear" : "yarn";
    options["factor"] = fmt::format("{}", factor);
    if (how == Stretch::yarn) options["original_length"] = fmt::format("{}", b.max_length);
  }
  b.max_length = length;
  return b;
}

constexpr const char* kMethods[] = {"interpolate", "repeat", "linear", "ntk",
                                    "yarn"};  // in the order of Stretch

bool is_rotary(const Blueprint& b) { return b.scheme == "rotary" || b.global.scheme == "rotary"; }
bool is_for_tables(Stretch how) { return how == Stretch::interpolate || how == Stretch::repeat; }

}  // namespace

void check_stretch(const Blueprint& b, const std::string& path, int64_t length, Stretch how) {
  require(has_context_to_stretch(b), "'{}': scheme {} needs no stretching: it is defined at every length",
          path, b.scheme);
  const bool fits = is_for_tables(how) ? !scheme_info(b.scheme).extrapolates : is_rotary(b);
  require(fits, "'{}': method {} does not fit scheme {}, expected {}", path, kMethods[static_cast<int>(how)],
          b.scheme, is_rotary(b) ? "linear, ntk or yarn" : "interpolate or repeat");
  require(length > b.max_length && length <= 1 << 24,
          "length is {}, expected more than {}, the model's maximum length, and at most {}", length,
          b.max_length, 1 << 24);
}

namespace {

// The members of config.json with the new rotation, in both spellings.
json::Members rotary_members(const ModelFolder& folder, const Blueprint& longer) {
  const Family& family = *folder.architecture.family;
  json::Members changes = rotary_changes(family.config(longer));
  require(!changes.empty(), "'{}': family {} has no config.json field for a rotary scaling",
          folder.config.path().string(), family.name);
  return changes;
}

json::Members length_members(const ModelFolder& folder, int64_t length) {
  const Blueprint& b = folder.architecture.blueprint;
  const Family& family = *folder.architecture.family;
  const int64_t stored = length + (family.length_counts_offset ? b.position_offset : 0);
  json::Members members = {{family.length_field, json::number(stored)}};
  // In files without generation_config.json, the limit of prompt and output together.
  if (folder.config.has("max_length") && folder.config.integer("max_length", 0, 1e15) == b.max_length) {
    members.emplace_back("max_length", json::number(length));
  }
  return members;
}

// What changes in config.json, for people: long values are left out.
FileChange config_change(const json::Members& changes) {
  std::vector<std::string> words;
  for (const auto& [name, value] : changes) {
    if (value.empty()) continue;
    words.push_back(value.starts_with('{') ? std::string(name) : fmt::format("{} {}", name, value));
  }
  return {"config.json", fmt::format("{}", fmt::join(words, ", "))};
}

}  // namespace

bool has_context_to_stretch(const Blueprint& b) {
  return is_rotary(b) || !scheme_info(b.scheme).extrapolates;
}

Stretched stretch_model(const ModelFolder& folder, int64_t length, Stretch how, const fs::path& to) {
  check_stretch(folder.architecture.blueprint, folder.path.string(), length, how);
  const Blueprint& b = folder.architecture.blueprint;
  json::Members changes = length_members(folder, length);
  Stretched result = {.from = b.max_length, .to = length, .changes = {}};
  if (!is_for_tables(how)) {
    const json::Members rotary = rotary_members(folder, with_longer_rotation(folder, length, how));
    result.only_newer = std::ranges::count(rotary, "null", &json::Members::value_type::second) > 0;
    changes.insert(changes.end(), rotary.begin(), rotary.end());
  }
  const fs::path& config = folder.config.path();
  read_architecture(
      Config(changed_config(config, changes), config));  // throws if the family cannot represent it
  result.changes.push_back(config_change(changes));
  changes.insert(changes.end(), folder.changes.begin(), folder.changes.end());
  write_folder(to, [&](const fs::path& unfinished) {
    std::vector<NamedTensor> tensors = tensors_of(folder.bindings);
    if (is_for_tables(how)) {
      for (const std::string& name : extend_tables(folder, length, how, tensors)) {
        result.changes.push_back({"model.safetensors", fmt::format("{} {} rows", name, length)});
      }
    }
    write_model(folder.path, std::move(tensors), unfinished, changes);
    std::ranges::move(raise_length_limits(unfinished, b.max_length, length),
                      std::back_inserter(result.changes));
  });
  return result;
}

}  // namespace locus
