// Reads rotary settings. If both rope_scaling and rope_parameters exist, they must agree. The scaling is
// named by rope_type or, in older files, by type.
#include "locus/checkpoint/rotary_config.h"

#include "locus/checkpoint/config_fields.h"

namespace locus {
namespace {

constexpr std::string_view kOlder = "rope_scaling.", kNewer = "rope_parameters.",
                           kOriginal = "original_max_position_embeddings";
constexpr const char* kSame =
    "expected the same value in both, because versions of transformers differ in "
    "which of them they read";

// A block with rotary settings, and the fields outside of it that it may leave out.
struct Block {
  std::string name;
  std::string base;
  double preset = 0;
  std::string fraction;
  double fraction_preset = 1;
};

// The value of a setting that may be in a block and outside of it.
template <class Read>
auto agreed(const Config& config, const std::string& inside, const std::string& outside, const Read& read) {
  if (!config.has(inside)) return read(outside);
  const auto value = read(inside);
  if (config.has(outside) && read(outside) != value) {
    config.refuse(inside, "but {} is {}, {}", outside, read(outside), kSame);
  }
  return value;
}

std::string type_of(const Config& config, const std::string& at) {
  const std::string field = config.has(at + "rope_type") ? at + "rope_type" : at + "type";
  const std::string type = config.text(field, "default");
  for (const std::string_view known : {"default", "linear", "dynamic", "yarn", "longrope", "llama3"}) {
    if (type == known) return type;
  }
  if (type == "su") return "longrope";  // the original name of longrope
  config.unsupported(field, "expected one of default, linear, dynamic, yarn, longrope, llama3");
}

int64_t width_of(const Config& config, const Block& block, int64_t head_size) {
  const std::string inside = block.name + "partial_rotary_factor";
  const double part = agreed(config, inside, block.fraction, [&](const std::string& field) {
    return config.number(field, 0, 1, block.fraction_preset);
  });
  if (block.fraction.empty() && part != 1) config.unsupported(inside, "expected 1 for this family");
  const auto width = static_cast<int64_t>(static_cast<double>(head_size) * part);
  if (width % 2 != 0) {
    fail(Fault::data,
         "'{}': the rotated width of a head is {}, expected an even number, because pairs are rotated",
         config.path().string(), width);
  }
  return width;
}

int64_t original_length(const Config& config, const std::string& block, std::optional<int64_t> preset) {
  const std::string field(kOriginal);
  return agreed(config, block + field, field,
                [&](const std::string& name) { return config.integer(name, 1, 1e9, preset); });
}

OptionValues options_of(const Config& config, const Block& block, const Blueprint& b) {
  const std::string& at = block.name;
  const double base = agreed(config, at + "rope_theta", block.base, [&](const std::string& field) {
    return config.number(field, 1, 1e15, block.preset);
  });
  OptionValues options = {{"precision", "hf"},
                          {"width", fmt::format("{}", width_of(config, block, b.size_of_head()))},
                          {"base", fmt::format("{}", base)}};
  const std::string type = type_of(config, at);
  if (type == "default") return options;
  options["scaling"] = type;
  if (type != "longrope" || config.has(at + "factor")) {
    options["factor"] = fmt::format("{}", config.number(at + "factor", 1, 1e6));
  }
  if (type == "linear" || type == "dynamic") return options;
  const auto preset = type == "longrope" ? std::nullopt : std::optional(b.max_length);
  options["original_length"] = fmt::format("{}", original_length(config, at, preset));
  for (const std::string_view name : kRotaryNumbers) {
    const bool takes = name.ends_with("freq_factor") ? type == "llama3" : type != "llama3";
    if (takes && config.has(at + std::string(name))) {
      const double least = name == "attention_factor" ? 1e-6 : 0;  // 0 would mean "not set"
      options[std::string(name)] = fmt::format("{}", config.number(at + std::string(name), least, 1e6));
    }
  }
  if (config.has(at + "truncate")) options["truncate"] = config.flag(at + "truncate") ? "true" : "false";
  for (const char* name : {"short_factor", "long_factor"}) {
    if (type != "longrope" || !config.has(at + name)) continue;
    options[name] = fmt::format("{}", fmt::join(config.numbers(at + name), ", "));
  }
  return options;
}

// The name of an option of the scheme in a block.
std::string_view field_of(std::string_view option) {
  if (option == "base") return "rope_theta";
  if (option == "scaling") return "rope_type";
  if (option == "width") return "partial_rotary_factor";
  return option == "original_length" ? kOriginal : option;
}

void expect_same(const Config& config, const OptionValues& older, std::string_view newer_block,
                 const OptionValues& newer) {
  const auto all = [](const OptionValues& values) {
    return Options("rotary", scheme_info("rotary").options.list(), values).values();
  };
  const OptionValues left = all(older), right = all(newer);
  const auto compare = [&](const std::string& option) {
    if (left.at(option) == right.at(option)) return;
    fail(Fault::data, "'{}': {}{} is {}, but {}{} is {}, {}", config.path().string(), kOlder,
         field_of(option), left.at(option), newer_block, field_of(option), right.at(option), kSame);
  };
  compare("scaling");  // the cause of other differences
  for (const auto& [option, value] : left) compare(option);
}

void expect_objects(const Config& config) {
  for (const std::string_view name : {"rope_scaling", "rope_parameters"}) {
    if (config.has(name) && !config.is_object(name)) config.refuse(name, "expected an object");
  }
}

}  // namespace

void read_rotary(const Config& config, const RotaryFields& fields, Blueprint& b) {
  expect_objects(config);
  const auto options = [&](std::string_view block) {
    return options_of(config,
                      {std::string(block), std::string(fields.base), fields.preset,
                       std::string(fields.fraction), fields.fraction_preset},
                      b);
  };
  const bool older = config.count("rope_scaling") > 0, newer = config.count("rope_parameters") > 0;
  b.scheme = "rotary";
  b.scheme_options = options(older ? kOlder : kNewer);
  if (older && newer) expect_same(config, b.scheme_options, kNewer, options(kNewer));
}

void read_two_rotations(const Config& config, const TwoRotations& rotations, Blueprint& b) {
  expect_objects(config);
  const LayerKinds kinds = {};
  const bool flat = config.has("rope_parameters.rope_type") || config.has("rope_parameters.rope_theta");
  if (flat && !config.has(fmt::format("rope_parameters.{}", kinds.global))) {
    config.refuse("rope_parameters", "expected one block for each kind of layer, {} and {}", kinds.global,
                  kinds.windowed);
  }
  const auto options = [&](std::string_view kind, std::string_view base, double preset, bool scales) {
    const std::string newer = fmt::format("{}{}.", kNewer, kind);
    OptionValues own = options_of(config, {newer, std::string(base), preset, {}}, b);
    if (!scales || config.count("rope_scaling") == 0) return own;
    // rope_scaling has no base of its own here.
    const std::string outside = config.has(base) ? std::string(base) : newer + "rope_theta";
    OptionValues scaled = options_of(config, {std::string(kOlder), outside, preset, {}}, b);
    if (config.has(newer + "rope_type")) expect_same(config, scaled, newer, own);
    return scaled;
  };
  OptionValues full = options(kinds.global, rotations.global_base, rotations.global_preset, true);
  b.scheme = "rotary";
  OptionValues sliding =
      options(kinds.windowed, rotations.sliding_base, rotations.sliding_preset, rotations.scales_both);
  b.scheme_options = b.attention.window > 0 ? std::move(sliding) : full;
  if (b.global.every == 0 || full == b.scheme_options) return;
  b.global.scheme = "rotary";
  b.global.scheme_options = std::move(full);
}

}  // namespace locus
