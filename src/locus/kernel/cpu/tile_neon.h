// Runs of the register tile of eight rows, in assembly (tile_neon.cc).
#pragma once

#include "locus/kernel/cpu/tile.h"

namespace locus::kernel::cpu {

void run_tiles_of_eight(const TileRun<float>& run);

}  // namespace locus::kernel::cpu
