// Rows that a scheme adds to the tokens' embeddings, or joins on behind them: the options that say which, and
// what they say.
#pragma once

#include "locus/base/options.h"
#include "locus/scheme/scheme.h"

namespace locus {

inline constexpr OptionSpec kCombineOption = {
    .name = "combine",
    .kind = OptionSpec::Kind::choice,
    .preset = "added",
    .help = "added to the token's embedding, or joined on behind it",
    .choices = "added|joined"};
inline constexpr OptionSpec kWidthOption = {.name = "width",
                                            .kind = OptionSpec::Kind::integer,
                                            .preset = "0",
                                            .help = "of a joined row; 0: the model's width",
                                            .least = 0};

struct InputRows {
  bool joined;
  int64_t width;
};
InputRows read_input_rows(std::string_view scheme, const Geometry& geometry, const Options& options);

}  // namespace locus
