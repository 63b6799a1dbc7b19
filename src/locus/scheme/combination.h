// Several schemes at once, as "learned+t5", which MPNet has: each acts in a place of its own. Their options
// and parameters go by the names of the parts, "t5.buckets".
#pragma once

#include "locus/scheme/scheme.h"

namespace locus {

inline constexpr char kAnd = '+';

// What a part calls an option itself: "buckets" of "t5.buckets", and of "buckets".
constexpr std::string_view own_name(std::string_view option) { return option.substr(option.rfind('.') + 1); }

// A part that is unknown or does nothing, or two that act on the same: an error.
const SchemeInfo& combination_info(std::string_view name);
std::unique_ptr<Scheme> make_combination(const SchemeInfo& info, const Geometry& geometry,
                                         const Options& options, const Scope& scope, const InitRandom& start);

}  // namespace locus
