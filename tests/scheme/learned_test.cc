#include <gtest/gtest.h>

#include <cmath>

#include "locus/op/gather.h"
#include "tests/expect_error.h"
#include "tests/scheme/making.h"

namespace locus {
namespace {

constexpr Geometry kLearnedGeometry{.width = 8, .heads = 2, .head_size = 4, .max_length = 8};

TEST(Learned, LooksUpAsTransformersDoes) {
  const SafetensorsFile file = golden("learned");
  const Placement placement = Placement::given(file.read("ids"), {}, 8);
  for (const std::string model : {"bert", "gpt2"}) {
    const Made made = make("learned", {}, kLearnedGeometry);
    Tensor table = made.parameters->at("position.table").value();
    table.copy_from(file.read(model + ".table"));
    const SchemePass pass = made.scheme->begin(placement);
    ASSERT_TRUE(pass.input());
    EXPECT_FALSE(pass.input()->joined);
    EXPECT_EQ(op::gather(pass.input()->table, pass.input()->rows).value().values(),
              file.read(model + ".rows").values());
  }
}

TEST(Learned, HasAWidthOfItsOwnWhenJoined) {
  const Made made = make("learned", {{"combine", "joined"}, {"width", "3"}, {"rows", "5"}}, kLearnedGeometry);
  EXPECT_EQ(made.parameters->at("position.table").shape(), (Shape{5, 3}));
  EXPECT_TRUE(made.scheme->begin(of_lengths({2})).input()->joined);
}

TEST(Learned, AStretchedTableMixesNeighbouringRows) {
  const Made made = make("learned", {{"rows", "3"}, {"stretched", "5"}}, kLearnedGeometry);
  Tensor table = made.parameters->at("position.table").value();
  for (int64_t row = 0; row < 3; ++row) table.rows(row, row + 1).fill(static_cast<double>(row * row));
  const SchemePass pass = made.scheme->begin(of_lengths({5}));
  const Tensor rows = op::gather(pass.input()->table, pass.input()->rows).value();
  for (int64_t p = 0; p < 5; ++p) {
    EXPECT_EQ(rows.rows(p, p + 1).values()[7],
              (std::vector<float>{0, 0.5, 1, 2.5, 4})[static_cast<size_t>(p)]);
  }
  expect_error(Fault::data, Code::bad_position, {"learned", "position 5", "5 rows"},
               [&] { made.scheme->begin(of_lengths({6})); });
  expect_error(Fault::usage, {"learned", "stretched", "2", "0", "3"}, [] {
    make("learned", {{"rows", "3"}, {"stretched", "2"}}, kLearnedGeometry);
  });
}

TEST(Learned, StartsNormalAndRepeatable) {
  const Geometry large{.width = 64, .heads = 1, .head_size = 64, .max_length = 256};
  const auto values = [&](uint64_t seed) {
    return make("learned", {}, large, Random(seed, 0)).parameters->at("position.table").value().values();
  };
  EXPECT_EQ(values(1), values(1));
  EXPECT_NE(values(1), values(2));
  double sum = 0, squares = 0;
  for (const float value : values(1)) {
    sum += value;
    squares += double{value} * value;
  }
  // 16384 values: the mean is within 4 standard errors (0.02/128), the standard deviation within 4 of its own
  // (1/181).
  EXPECT_NEAR(sum / 16384, 0, 4 * 0.02 / 128);
  EXPECT_NEAR(std::sqrt(squares / 16384), 0.02, 0.02 * 4 / 181);
}

TEST(Learned, LetsGradientsReachItsTable) {
  const Made made = make("learned", {}, kLearnedGeometry);
  const SchemePass pass = made.scheme->begin(of_lengths({2, 1}));
  op::gather(pass.input()->table, pass.input()->rows).backward(Tensor::full({3, 8}, 1));
  const Tensor grad = made.parameters->at("position.table").grad();
  EXPECT_EQ(grad.rows(0, 1).values(), std::vector<float>(8, 2));
  EXPECT_EQ(grad.rows(1, 2).values(), std::vector<float>(8, 1));
  EXPECT_EQ(grad.rows(2, 8).values(), std::vector<float>(48, 0));
}

TEST(Learned, RefusesAPositionPastItsTable) {
  const Made made = make("learned", {}, kLearnedGeometry);
  EXPECT_NO_THROW(made.scheme->begin(of_lengths({8})));
  expect_error(Fault::data, Code::bad_position,
               {"learned", "token 6", "sequence 1", "position 8", "8 rows", "option rows"}, [&] {
                 made.scheme->begin(of_lengths({3, 7}, {.offset = 2}));
               });
}

TEST(Learned, RefusesOptionsThatDoNotFit) {
  expect_error(Fault::usage, {"learned", "option rows", "max_length"},
               [] { make("learned", {}, {.width = 8, .heads = 2, .head_size = 4}); });
  expect_error(Fault::usage, {"learned", "width", "3", "0", "joined"}, [] {
    make("learned", {{"width", "3"}}, kLearnedGeometry);
  });
}

}  // namespace
}  // namespace locus
