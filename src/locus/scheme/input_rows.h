// The options of schemes that act on the input: their rows are added to the token embeddings, or joined,
// which means concatenated after the token's own components.
#pragma once

#include "locus/base/options.h"
#include "locus/scheme/scheme.h"

namespace locus {

inline constexpr OptionSpec kCombineOption = {
    .name = "combine",
    .kind = OptionSpec::Kind::choice,
    .preset = "added",
    .help = "how position vectors enter the model: added to the token embedding, or joined (concatenated)",
    .choices = "added|joined"};
inline constexpr OptionSpec kWidthOption = {
    .name = "width",
    .kind = OptionSpec::Kind::integer,
    .preset = "0",
    .help = "width of a joined position vector; 0: the width of the model",
    .least = 0};

struct InputRows {
  bool joined;
  int64_t width;
};
InputRows read_input_rows(std::string_view scheme, const Geometry& geometry, const Options& options);

}  // namespace locus
