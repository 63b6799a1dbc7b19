#include "locus/scheme/position_ids.h"

#include <cmath>
#include <limits>
#include <type_traits>

namespace locus {
namespace {

// From here on floats lie more than one apart: 16777217 is stored as 16777216, so neither can be trusted.
constexpr float kInexact = 0x1p24f;

// What is wrong with an id, or nothing.
template <class T>
const char* fault_of(T id) {
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::isfinite(id)) return "it is not finite";
    if (id != std::trunc(id)) return "it is no whole number";
    if (id >= kInexact)
      return "f32 does not hold whole numbers from 2^24 on exactly; give the ids as integers";
  } else if (id > std::numeric_limits<int32_t>::max()) {
    return "positions have 31 bits";
  }
  return id < 0 ? "it is negative" : nullptr;
}

void check_rectangle(std::string_view what, std::string_view argument, const Tensor& tensor) {
  require(static_cast<bool>(tensor), "{}: {} missing", what, argument);
  require(tensor.shape().rank() == 2, "{}: {} of shape {}, expected [sequences, tokens]", what, argument,
          tensor.shape());
}

}  // namespace

std::vector<uint8_t> read_mask(std::string_view what, const Tensor& mask) {
  check_rectangle(what, "mask", mask);
  std::vector<uint8_t> real;
  real.reserve(static_cast<size_t>(mask.numel()));
  const int64_t columns = mask.size(1);
  for (const float value : mask.values()) {
    const auto index = static_cast<int64_t>(real.size());
    require(
        value == 0 || value == 1,
        "{}: mask[{}, {}] is {}, expected 1 for a real token or 0 for padding; a mask of values to add to "
        "scores is another thing",
        what, index / columns, index % columns, value);
    real.push_back(value == 1 ? 1 : 0);
  }
  return real;
}

std::vector<int32_t> read_position_ids(std::string_view what, const Tensor& ids,
                                       std::span<const uint8_t> real, std::optional<int64_t> table_length) {
  check_rectangle(what, "positions", ids);
  std::vector<int32_t> result(static_cast<size_t>(ids.numel()));
  const auto read = [&]<class T>(T) {
    const View view = ids.view();
    for (int64_t row = 0; row < view.rows; ++row) {
      for (int64_t column = 0; column < view.cols; ++column) {
        const auto index = static_cast<size_t>(row * view.cols + column);
        if (!real.empty() && real[index] == 0) continue;
        const T id = view.row<T>(row)[column];
        if (const char* fault = fault_of(id)) {
          fail(Fault::data, "{}: positions[{}, {}] is {}: {}{}", what, row, column, id, fault,
               table_length ? fmt::format(" (the table has {} rows)", *table_length) : "");
        }
        require(!table_length || static_cast<int64_t>(id) < *table_length,
                "{}: positions[{}, {}] is {}, past the table, which has {} rows", what, row, column, id,
                table_length.value_or(0));
        result[index] = static_cast<int32_t>(id);
      }
    }
  };
  switch (ids.dtype()) {
    case DType::i32:
      read(int32_t{});
      break;
    case DType::i64:
      read(int64_t{});
      break;
    case DType::f32:
      read(float{});
      break;
    default:
      fail(Fault::data, "{}: positions are {}, expected i32, i64, or f32 holding whole numbers", what,
           name_of(ids.dtype()));
  }
  return result;
}

}  // namespace locus
