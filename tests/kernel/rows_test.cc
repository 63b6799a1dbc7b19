#include "tests/kernel/compare.h"

namespace locus::testing {
namespace {

TEST(Rows, Gather) {
  compare_sizes({}, [](Stage& stage, int64_t rows, int64_t cols) {
    stage.kernels().gather({.table = stage.activation({11, cols}, 1),
                            .ids = stage.ids(rows, 2, 11),
                            .out = stage.result({rows, cols})});
  });
}

TEST(Rows, GatherColumns) {
  compare_sizes({}, [](Stage& stage, int64_t rows, int64_t cols) {
    stage.kernels().gather_columns({.table = stage.input({11, rows}, 1),
                                    .ids = stage.ids(cols, 2, 11),
                                    .out = stage.output({rows, cols})});
  });
}

// Sums in double, rounded once to f32. Up to 3000 numbers per sum, whose size is at most 200.
TEST(Rows, GatherColumnsBackward) {
  compare_sizes({.relative = 1e-7, .absolute = 1e-9}, [](Stage& stage, int64_t rows, int64_t cols) {
    stage.kernels().gather_columns_backward({.dout = stage.input({rows, cols}, 1),
                                             .ids = stage.ids(cols, 2, 11),
                                             .dtable = stage.output({11, rows})});
  });
}

TEST(Rows, ScatterAdd) {
  // About a hundred rows are added to each table row: a hundred roundings of numbers up to 40.
  compare_sizes({.absolute = 7e-5}, [](Stage& stage, int64_t rows, int64_t cols) {
    stage.kernels().scatter_add({.rows = stage.activation({rows, cols}, 1),
                                 .ids = stage.ids(rows, 2, 11),
                                 .table = stage.updated({11, cols}, 3),
                                 .skip = 4,
                                 .factor = 1.25f});
  });
}

// In f32 the order matters: 1e8 + 1 is 1e8, so the sum in order is 1; with the ones first it would be 0.
TEST(Rows, ScatterAddsInOrder) {
  const Tensor rows = Tensor::of({4, 1}, {1e8f, 1.0f, -1e8f, 1.0f}), table = Tensor::zeros({1, 1});
  const Tensor ids = Tensor::of({4}, {0, 0, 0, 0});
  kernels(Device::cpu).scatter_add({.rows = rows.view(), .ids = ids.view(), .table = table.view()});
  EXPECT_EQ(table.values()[0], 1);
}

}  // namespace
}  // namespace locus::testing
