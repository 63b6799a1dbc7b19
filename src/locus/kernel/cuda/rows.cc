// Gathers and scatters rows, copies them into rooms, and rotates them.
#include "locus/kernel/cuda/cuda.h"
#include "locus/kernel/cuda/launch.h"

namespace locus::kernel::cuda {

void gather(const GatherArgs& args) {
  launch_eights("elementwise/gather", args.out.rows, args.out.cols,
                GatherParams{numbers(args.table), integers(args.ids), numbers(args.out)});
}

void scatter_add(const ScatterAddArgs& args) {
  constexpr int64_t kMostBlocksOfIds = 2048;
  if (args.rows.rows == 0) return;
  launch("scatter/scatter_add",
         {smaller(args.table.rows, kMostBlocksOfIds), divided_up(args.rows.cols, 8 * kThreads), 1},
         ScatterAddParams{numbers(args.rows), integers(args.ids), out(args.table), args.skip, args.factor,
                          numbers(args.table).wide});
}

void gather_columns(const GatherColumnsArgs& args) {
  launch_elements(
      "distance/gather_columns", args.out.numel(),
      GatherColumnsParams{.table = in(args.table), .ids = integers(args.ids), .columns = out(args.out)});
}

void gather_columns_backward(const GatherColumnsBackwardArgs& args) {
  launch(
      "distance/gather_columns_backward", {args.dtable.rows, args.dtable.cols, 1},
      GatherColumnsParams{.ids = integers(args.ids), .dcolumns = in(args.dout), .dtable = out(args.dtable)});
}

void extend_room(const ExtendRoomArgs& args) {
  launch_elements("elementwise/extend_room", args.keys.rows * args.key_heads * args.room.values.cols,
                  ExtendRoomParams{in(args.keys), in(args.values), out(args.room.keys), out(args.room.values),
                                   args.key_heads, args.count});
}

void rotate(const RotateArgs& args) {
  RotateParams params = {.x = numbers(args.x),
                         .y = numbers(args.y),
                         .cos = numbers(args.cos),
                         .sin = numbers(args.sin),
                         .rows = integers(args.rows),
                         .heads = args.heads,
                         .head_size = args.head_size,
                         .width = args.width,
                         .interleaved = args.interleaved,
                         .backward = args.backward};
  const int64_t half = args.width / 2;
  params.wide = params.x.wide && params.y.wide && args.head_size % 8 == 0 && half % 8 == 0;
  const int64_t of_head = divided_up(half, 8) + divided_up(args.head_size - args.width, 8);
  launch_elements("rotate/rotate", args.x.rows * args.heads * of_head, params);
}

}  // namespace locus::kernel::cuda
