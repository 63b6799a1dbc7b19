#include "locus/kernel/element.h"
#include "locus/kernel/reference/reference.h"

namespace locus::kernel::reference {

void extend_room(const ExtendRoomArgs& args) {
  const auto& [keys, values, room, G, count] = args;
  const int64_t D = keys.cols / G, tokens = room.values.rows / G, width = room.values.cols;
  for (int64_t g = 0; g < G; ++g) {
    for (int64_t i = 0; i < keys.rows; ++i) {
      const int64_t j = count + i, first = (g * (tokens / kRoomBlock) + j / kRoomBlock) * D;
      for (int64_t c = 0; c < D; ++c) put(room.keys, first + c, j % kRoomBlock, at(keys, i, g * D + c));
      for (int64_t c = 0; c < width; ++c) {
        put(room.values, g * tokens + j, c, c < D ? at(values, i, g * D + c) : 0);
      }
    }
  }
}

}  // namespace locus::kernel::reference
