#include "locus/kernel/room.h"

#include <algorithm>

#include "locus/kernel/cpu/cpu.h"

namespace locus::kernel::cpu {

void extend_room(const ExtendRoomArgs& args) {
  const auto& [keys, values, room, G, count] = args;
  const int64_t D = keys.cols / G, tokens = room.values.rows / G, width = room.values.cols;
  for (int64_t g = 0; g < G; ++g) {
    for (int64_t i = 0; i < keys.rows; ++i) {
      const int64_t j = count + i;
      const float* key = keys.row<float>(i) + g * D;
      float* column = room.keys.row<float>((g * (tokens / kRoomBlock) + j / kRoomBlock) * D) + j % kRoomBlock;
      for (int64_t c = 0; c < D; ++c) column[c * room.keys.stride] = key[c];
      float* row = room.values.row<float>(g * tokens + j);
      std::copy_n(values.row<float>(i) + g * D, D, row);
      std::fill(row + D, row + width, 0.0f);
    }
  }
}

}  // namespace locus::kernel::cpu
