// Rotary settings in config.json, which have two spellings. From version 5 on, transformers has all of them
// in rope_parameters. Before, a family has fields of its own (rope_theta, partial_rotary_factor) and the
// block rope_scaling. Every version ignores the spelling of the other, so Locus writes both, and refuses a
// config.json in which they disagree.
//
// If the older spelling has no words for the settings, its base is written as null: older versions then fail,
// and do not compute something else.
#pragma once

#include <string_view>

#include "locus/base/json.h"
#include "locus/checkpoint/config.h"
#include "locus/nn/blueprint.h"

namespace locus {

// The older names of a family whose layers all rotate alike.
struct RotaryFields {
  std::string_view base = "rope_theta";
  double preset = 10000;      // of the base
  std::string_view fraction;  // the rotated part of a head; empty: the whole head
  double fraction_preset = 1;
  std::string_view type = "rope_type";  // the name of a scaling inside rope_scaling
  bool scales = true;                   // older versions have scalings for this family
};
void read_rotary(const Config& config, const RotaryFields& fields, Blueprint& blueprint);
void write_rotary(const RotaryFields& fields, const Blueprint& blueprint, json::Members& to);

// The older names of a family with different rotations for global and sliding-window layers. Its
// rope_scaling applies to both kinds of layers, or to global layers only (scales_both = false). Call
// read_two_rotations() after read_window().
struct TwoRotations {
  std::string_view global_base, sliding_base;
  double global_preset = 0, sliding_preset = 0;
  bool scales_both = true;
};
void read_two_rotations(const Config& config, const TwoRotations& rotations, Blueprint& blueprint);
void write_two_rotations(const TwoRotations& rotations, const Blueprint& blueprint, json::Members& to);

// Numbers of scalings. The options of the scheme have the same names.
inline constexpr std::string_view kRotaryNumbers[] = {"attention_factor", "beta_fast",      "beta_slow",
                                                      "mscale",           "mscale_all_dim", "low_freq_factor",
                                                      "high_freq_factor"};

// The members of a config.json that are rotary settings. Older names that are missing there become removals
// (empty values). Empty if there are no rotary settings.
json::Members rotary_changes(const json::Members& members);

}  // namespace locus
