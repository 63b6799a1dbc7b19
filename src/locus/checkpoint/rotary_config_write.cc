// Writes rotary settings in both spellings.
#include "locus/checkpoint/rotary_config.h"

#include <algorithm>

#include "locus/base/parse.h"
#include "locus/checkpoint/config_fields.h"

namespace locus {
namespace {

constexpr std::string_view kOriginalLength = "original_max_position_embeddings";

// The names that older versions read. All versions prefer an original length outside of the block.
constexpr std::string_view kOlderNames[] = {
    "rope_scaling",      "rope_theta",       "rotary_emb_base",      "rotary_pct",   "partial_rotary_factor",
    "global_rope_theta", "local_rope_theta", "rope_local_base_freq", kOriginalLength};

std::string option(const OptionValues& options, std::string_view name) {
  const auto found = options.find(name);
  return found == options.end() ? std::string() : found->second;
}

// Some classes of transformers reject 4 as a float.
std::string decimal(const std::string& number) {
  return number.find_first_of(".e") == std::string::npos ? number + ".0" : number;
}

std::string base_of(const OptionValues& options) {
  const std::string base = option(options, "base");
  return decimal(base.empty() ? "10000" : base);
}

std::string fraction_of(const OptionValues& options, int64_t head_size) {
  const auto width = static_cast<double>(parse<int64_t>(option(options, "width")).value_or(head_size));
  return decimal(fmt::format("{}", width / static_cast<double>(head_size)));
}

std::string scaling_of(const OptionValues& options) {
  const std::string scaling = option(options, "scaling");
  return scaling.empty() || scaling == "none" ? "default" : scaling;
}

// The members of a block that describe the scaling.
json::Members scaling_members(const OptionValues& options, std::string_view type) {
  json::Members members = {{type, json::text(scaling_of(options))}};
  const auto add = [&](std::string_view field, const std::string& value) {
    if (!value.empty()) members.emplace_back(field, value);
  };
  if (!option(options, "factor").empty()) add("factor", decimal(option(options, "factor")));
  add("truncate", option(options, "truncate"));
  add(kOriginalLength, option(options, "original_length"));
  for (const std::string_view name : kRotaryNumbers) {
    if (!option(options, name).empty()) add(name, decimal(option(options, name)));
  }
  for (const std::string_view name : {"short_factor", "long_factor"}) {
    if (!option(options, name).empty()) add(name, fmt::format("[{}]", option(options, name)));
  }
  return members;
}

std::string newer_block(const OptionValues& options, int64_t head_size) {
  json::Members members = scaling_members(options, "rope_type");
  members.insert(members.begin(), {{"rope_theta", base_of(options)},
                                   {"partial_rotary_factor", fraction_of(options, head_size)}});
  return json::object(members);
}

bool is_for_whole_length(const OptionValues& options, int64_t max_length) {
  return parse<int64_t>(option(options, "original_length")).value_or(max_length) == max_length;
}

// Older versions divide max_position_embeddings by the original length, whatever the factor is: YaRN for the
// frequencies, LongRoPE for the default of the attention factor.
bool older_expresses(const OptionValues& options, int64_t max_length) {
  const std::string scaling = scaling_of(options);
  const std::optional<double> factor = parse<double>(option(options, "factor")),
                              original = parse<double>(option(options, "original_length"));
  const bool ratio = factor && original && *factor == static_cast<double>(max_length) / *original;
  if (scaling == "yarn") return ratio || is_for_whole_length(options, max_length);
  return scaling != "longrope" || !factor || !option(options, "attention_factor").empty() || ratio;
}

// rope_scaling, and for LongRoPE the original length, which is a field of its own there.
json::Members older_scaling(const OptionValues& options, std::string_view type, int64_t max_length) {
  const std::string scaling = scaling_of(options);
  if (scaling == "default") return {};
  json::Members block = scaling_members(options, type);
  // Without an original length, older versions of YaRN use the factor.
  if (scaling == "longrope" || (scaling == "yarn" && is_for_whole_length(options, max_length))) {
    std::erase_if(block, [](const auto& member) { return member.first == kOriginalLength; });
  }
  json::Members members = {{"rope_scaling", json::object(block)}};
  if (scaling == "longrope") members.emplace_back(kOriginalLength, option(options, "original_length"));
  return members;
}

void append(json::Members& to, json::Members from) {
  to.insert(to.end(), std::move_iterator(from.begin()), std::move_iterator(from.end()));
}

}  // namespace

void write_rotary(const RotaryFields& fields, const Blueprint& b, json::Members& to) {
  const OptionValues& options = b.scheme_options;
  to.emplace_back("rope_parameters", newer_block(options, b.size_of_head()));
  if (!fields.fraction.empty()) to.emplace_back(fields.fraction, fraction_of(options, b.size_of_head()));
  const bool scaled = scaling_of(options) != "default";
  if ((scaled && !fields.scales) || !older_expresses(options, b.max_length)) {
    to.emplace_back(fields.base, "null");
    return;
  }
  to.emplace_back(fields.base, base_of(options));
  append(to, older_scaling(options, fields.type, b.max_length));
}

void write_two_rotations(const TwoRotations& rotations, const Blueprint& b, json::Members& to) {
  const LayerKinds kinds = {};
  const OptionValues& sliding = b.scheme_options;
  const OptionValues& full = b.global.scheme.empty() ? sliding : b.global.scheme_options;
  to.emplace_back("rope_parameters",
                  json::object({{kinds.global, newer_block(full, b.size_of_head())},
                                {kinds.windowed, newer_block(sliding, b.size_of_head())}}));
  const bool one_base = rotations.global_base == rotations.sliding_base;
  const json::Members scaling = older_scaling(full, "rope_type", b.max_length),
                      expected = rotations.scales_both ? scaling : json::Members();
  const bool alike =
      b.attention.window == 0 || ((!one_base || base_of(full) == base_of(sliding)) &&
                                  older_scaling(sliding, "rope_type", b.max_length) == expected);
  const bool expressed = alike && older_expresses(full, b.max_length);
  to.emplace_back(rotations.global_base, expressed ? base_of(full) : "null");
  if (!one_base) to.emplace_back(rotations.sliding_base, expressed ? base_of(sliding) : "null");
  if (expressed) append(to, scaling);
}

json::Members rotary_changes(const json::Members& members) {
  const auto named = [&](std::string_view name) {
    return std::ranges::find(members, name, &json::Members::value_type::first);
  };
  const auto block = named("rope_parameters");
  if (block == members.end()) return {};
  json::Members changes = {*block};
  for (const std::string_view name : kOlderNames) {
    const auto found = named(name);
    changes.emplace_back(name, found == members.end() ? "" : found->second);
  }
  return changes;
}

}  // namespace locus
