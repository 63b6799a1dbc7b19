#include "bench/operands.h"

namespace locus::bench {

void add_rows_cases() {
  const int64_t V = 30522, N = 8192, C = 768, bytes = N * C * 4;
  add({.kernel = "gather",
       .shape = text(N, C),
       .work = 2.0 * static_cast<double>(bytes),
       .footprint = 2 * bytes,
       .prepare = [=] {
         return [table = filled({V, C}), ids = ids(N, V), out = filled({N, C})] {
           cpu().gather({.table = table.view(), .ids = ids.view(), .out = out.view()});
         };
       }});
  // Reads the rows, reads and writes those of the table.
  add({.kernel = "scatter_add",
       .shape = text(N, C),
       .work = 3.0 * static_cast<double>(bytes),
       .footprint = 2 * bytes,
       .prepare = [=] {
         return [table = filled({V, C}), ids = ids(N, V), rows = filled({N, C})] {
           cpu().scatter_add({.rows = rows.view(), .ids = ids.view(), .table = table.view()});
         };
       }});
}

}  // namespace locus::bench
