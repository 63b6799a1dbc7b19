#include "bench/operands.h"

namespace locus::bench {

void add_rows_cases() {
  const int64_t V = 30522, N = 8192, C = 768, bytes = N * C * 4;
  // 4096 rows is the lookup of embed+norm alone.
  for (const int64_t count : {N / 2, N}) {
    add({.kernel = "gather",
         .shape = text(count, C),
         .work = 8.0 * static_cast<double>(count * C),
         .footprint = 8 * count * C,
         .prepare = [=] {
           return [table = filled({V, C}), ids = ids(count, V), out = filled({count, C})] {
             cpu().gather({.table = table.view(), .ids = ids.view(), .out = out.view()});
           };
         }});
  }
  // Reads the rows; reads and writes the table rows.
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
