// Combinations of schemes, such as "learned+t5" (MPNet). The parts act in different places. Options and
// parameters carry the name of their part as a prefix: "t5.buckets".
#pragma once

#include "locus/scheme/scheme.h"

namespace locus {

inline constexpr char kPlus = '+';

// The option's name without the prefix of its part: "buckets" for both "t5.buckets" and "buckets".
constexpr std::string_view own_name(std::string_view option) { return option.substr(option.rfind('.') + 1); }

// Throws if a part is unknown or does nothing, or if two parts act in the same place.
const SchemeInfo& combination_info(std::string_view name);
std::unique_ptr<Scheme> make_combination(const SchemeInfo& info, const Geometry& geometry,
                                         const Options& options, const Scope& scope,
                                         const InitRandom& random);

}  // namespace locus
