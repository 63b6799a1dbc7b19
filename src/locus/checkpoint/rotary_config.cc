// Rotary settings in config.json. Older files have rope_theta next to rope_scaling, newer ones have
// everything in rope_parameters. If both blocks exist, rope_scaling counts. The scaling is named by rope_type
// or, in older files, by type.
#include "locus/base/parse.h"
#include "locus/checkpoint/config_fields.h"

namespace locus {
namespace {

// Numeric parameters of scalings; the options of the scheme have the same names.
constexpr std::string_view kNumbers[] = {"attention_factor", "beta_fast",       "beta_slow",       "mscale",
                                         "mscale_all_dim",   "low_freq_factor", "high_freq_factor"};

std::string type_of(const Config& config, const std::string& at) {
  const std::string field = config.has(at + "rope_type") ? at + "rope_type" : at + "type";
  const std::string type = config.text(field, "default");
  for (const std::string_view known : {"default", "linear", "dynamic", "yarn", "longrope", "llama3"}) {
    if (type == known) return type;
  }
  if (type == "su") return "longrope";  // the original name of longrope
  config.unsupported(field, "expected one of default, linear, dynamic, yarn, longrope, llama3");
}

void read_lists(const Config& config, const std::string& at, OptionValues& options) {
  for (const char* name : {"short_factor", "long_factor"}) {
    if (config.has(at + name)) options[name] = fmt::format("{}", fmt::join(config.numbers(at + name), ", "));
  }
}

// The options of a rotary scheme as a block of config.json.
std::string block_of(const OptionValues& options, int64_t head_size) {
  const auto value = [&](std::string_view name) {
    const auto found = options.find(name);
    return found == options.end() ? std::string() : found->second;
  };
  json::Members members = {
      {"rope_theta", value("base").empty() ? "10000" : value("base")},
      {"rope_type",
       json::text(value("scaling").empty() || value("scaling") == "none" ? "default" : value("scaling"))}};
  const auto width = static_cast<double>(parse<int64_t>(value("width")).value_or(head_size));
  members.emplace_back("partial_rotary_factor", fmt::format("{}", width / static_cast<double>(head_size)));
  for (const std::string_view name : {"factor", "truncate"}) {
    if (!value(name).empty()) members.emplace_back(name, value(name));
  }
  if (!value("original_length").empty()) {
    members.emplace_back("original_max_position_embeddings", value("original_length"));
  }
  for (const std::string_view name : kNumbers) {
    if (!value(name).empty()) members.emplace_back(name, value(name));
  }
  for (const std::string_view name : {"short_factor", "long_factor"}) {
    if (!value(name).empty()) members.emplace_back(name, fmt::format("[{}]", value(name)));
  }
  return json::object(members);
}

// The prefix of the block with rotary settings.
std::string rotary_block(const Config& config) {
  for (const std::string_view name : {"rope_scaling", "rope_parameters"}) {
    if (config.has(name) && !config.is_object(name)) config.refuse(name, "expected an object");
  }
  return config.count("rope_scaling") > 0 ? "rope_scaling." : "rope_parameters.";
}

}  // namespace

int64_t rotated_width(const Config& config, int64_t head_size, std::string_view outside, double preset) {
  const std::string inside = rotary_block(config) + "partial_rotary_factor";
  const double part = config.number(config.has(inside) ? inside : std::string(outside), 0, 1, preset);
  return static_cast<int64_t>(static_cast<double>(head_size) * part);
}

OptionValues rotary_options(const Config& config, const RotaryBlock& source, int64_t width,
                            int64_t max_length) {
  if (width % 2 != 0) {
    fail(Fault::data,
         "'{}': the rotated width of a head is {}, expected an even number, because pairs are rotated",
         config.path().string(), width);
  }
  const std::string& block = source.name;
  const std::string theta =
      config.has(block + "rope_theta") ? block + "rope_theta" : std::string(source.base);
  OptionValues options = {{"precision", "hf"},
                          {"width", fmt::format("{}", width)},
                          {"base", fmt::format("{}", config.number(theta, 1, 1e15, source.preset))}};
  const std::string type = type_of(config, block);
  if (type == "default") return options;
  options["scaling"] = type;
  if (type != "longrope" || config.has(block + "factor")) {
    options["factor"] = fmt::format("{}", config.number(block + "factor", 1, 1e6));
  }
  if (type == "linear" || type == "dynamic") return options;
  const std::string original = config.has("original_max_position_embeddings")
                                   ? "original_max_position_embeddings"
                                   : block + "original_max_position_embeddings";
  const auto preset = type == "longrope" ? std::nullopt : std::optional(max_length);
  options["original_length"] = fmt::format("{}", config.integer(original, 1, 1e9, preset));
  for (const std::string_view name : kNumbers) {
    const bool takes = name.ends_with("freq_factor") ? type == "llama3" : type != "llama3";
    if (takes && config.has(block + std::string(name))) {
      const double least = name == "attention_factor" ? 1e-6 : 0;  // 0 would mean "not set"
      options[std::string(name)] = fmt::format("{}", config.number(block + std::string(name), least, 1e6));
    }
  }
  if (config.has(block + "truncate"))
    options["truncate"] = config.flag(block + "truncate") ? "true" : "false";
  if (type == "longrope") read_lists(config, block, options);
  return options;
}

void read_rotary(const Config& config, int64_t width, Blueprint& b, std::string_view base, double preset) {
  b.scheme = "rotary";
  b.scheme_options = rotary_options(config, {rotary_block(config), base, preset}, width, b.max_length);
}

void read_two_rotations(const Config& config, const TwoRotations& rotations, Blueprint& b) {
  const bool scaled = config.count("rope_scaling") > 0;
  if (scaled && config.has("rope_parameters")) {
    config.refuse("rope_scaling", "and rope_parameters is also set, expected only one of them");
  }
  const LayerKinds kinds = {};
  const bool flat = config.has("rope_parameters.rope_type") || config.has("rope_parameters.rope_theta");
  if (flat && !config.has(fmt::format("rope_parameters.{}", kinds.global))) {
    config.refuse("rope_parameters", "expected one block for each kind of layer, {} and {}", kinds.global,
                  kinds.windowed);
  }
  const auto options = [&](std::string_view kind, std::string_view base, double preset, bool scales) {
    const std::string block = scaled && scales ? "rope_scaling." : fmt::format("rope_parameters.{}.", kind);
    return rotary_options(config, {block, base, preset}, b.size_of_head(), b.max_length);
  };
  OptionValues full = options(kinds.global, rotations.global_base, rotations.global_preset, true);
  b.scheme = "rotary";
  b.scheme_options = b.window > 0 ? options(kinds.windowed, rotations.sliding_base, rotations.sliding_preset,
                                            rotations.scales_both)
                                  : full;
  if (b.global_every == 0 || full == b.scheme_options) return;
  b.global_scheme = "rotary";
  b.global_scheme_options = std::move(full);
}

std::string two_rotations_config(const Blueprint& b) {
  const LayerKinds kinds = {};
  const OptionValues& full = b.global_scheme.empty() ? b.scheme_options : b.global_scheme_options;
  return json::object({{kinds.global, block_of(full, b.size_of_head())},
                       {kinds.windowed, block_of(b.scheme_options, b.size_of_head())}});
}

std::string rotary_config(const Blueprint& b) { return block_of(b.scheme_options, b.size_of_head()); }

}  // namespace locus
