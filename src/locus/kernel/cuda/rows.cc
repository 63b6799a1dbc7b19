// Gathers and scatters rows, copies them into rooms, and rotates them.
#include "locus/kernel/cuda/cuda.h"
#include "locus/kernel/cuda/launch.h"

namespace locus::kernel::cuda {

void gather(const GatherArgs& args) {
  launch_map("elementwise/gather", args.out.numel(),
             GatherParams{in(args.table), integers(args.ids), out(args.out)});
}

void scatter_add(const ScatterAddArgs& args) {
  launch("reduce/scatter_add", {args.rows.rows, divided_up(args.rows.cols, kThreads), 1},
         ScatterAddParams{in(args.rows), integers(args.ids), out(args.table), args.skip, args.factor});
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
  launch_elements("elementwise/rotate", args.x.numel(),
                  RotateParams{.x = in(args.x),
                               .y = out(args.y),
                               .cos = in(args.cos),
                               .sin = in(args.sin),
                               .rows = integers(args.rows),
                               .heads = args.heads,
                               .head_size = args.head_size,
                               .width = args.width,
                               .interleaved = args.interleaved,
                               .backward = args.backward});
}

}  // namespace locus::kernel::cuda
