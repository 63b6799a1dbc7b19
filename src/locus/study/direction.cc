#include "locus/study/direction.h"

#include <algorithm>
#include <cmath>

#include "locus/nn/model.h"
#include "locus/study/conditions.h"

namespace locus::study {
namespace {

constexpr int32_t kLength = 12;

std::vector<float> logits_of(const Model& model, bool mirrored) {
  std::vector<int32_t> ids(kLength);
  for (int32_t i = 0; i < kLength; ++i) ids[static_cast<size_t>(mirrored ? kLength - 1 - i : i)] = i;
  const NoGrad scope;
  const Tensor logits =
      model(Tokens{Tensor::of({kLength}, ids), Placement::rectangle(1, kLength), {}}).value();
  std::vector<float> rows;
  for (int64_t i = 0; i < kLength; ++i) {
    const int64_t row = mirrored ? kLength - 1 - i : i;
    const auto values = logits.rows(row, row + 1).data<float>();
    rows.insert(rows.end(), values.begin(), values.end());
  }
  return rows;
}

}  // namespace

bool has_direction(std::string_view scheme) {
  constexpr double kRounding = 1e-3;  // relative to the largest: sums over keys run in the opposite order
  const Conditions small = {.length = kLength, .width = 8, .layers = 1, .heads = 2, .hidden = 8};
  const Task encoder = {.kind = ModelKind::encoder, .vocabulary = kLength};
  const Model model(blueprint(small, encoder, scheme), Model::Options{.seed = 1});
  uint64_t stream = 0;
  for (const NamedParameter& parameter : model.parameters().all()) {
    const Random random(1, ++stream);
    uint64_t index = 0;
    Tensor value = parameter.var.value();
    for (float& number : value.data<float>())
      number = random.normal(index++);  // some tables are initialized to zero
  }
  const std::vector<float> straight = logits_of(model, false), mirrored = logits_of(model, true);
  double largest = 0, difference = 0;
  for (size_t i = 0; i < straight.size(); ++i) {
    largest = std::max<double>(largest, std::abs(straight[i]));
    difference = std::max<double>(difference, std::abs(straight[i] - mirrored[i]));
  }
  return difference > kRounding * largest;
}

}  // namespace locus::study
