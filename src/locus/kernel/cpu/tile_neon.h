// Runs of the eight-row register tile, in assembly (tile_neon.cc).
#pragma once

#include "locus/kernel/cpu/tile.h"

namespace locus::kernel::cpu {

void run_tiles_of_eight(const TileRun<float>& run);

}  // namespace locus::kernel::cpu
