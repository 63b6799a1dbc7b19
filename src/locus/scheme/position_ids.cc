#include "locus/scheme/position_ids.h"

#include <cmath>
#include <limits>
#include <type_traits>

namespace locus {
namespace {

// From 2^24 on f32 cannot represent every integer: 16777217 is stored as 16777216, so neither is trusted.
constexpr float kInexact = 0x1p24f;

// What is wrong with an id; nullptr if it is valid.
template <class T>
const char* expectation(T id) {
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::isfinite(id)) return "a finite number";
    if (id != std::trunc(id)) return "a whole number";
    if (id >= kInexact)
      return "less than 2^24, because f32 cannot represent all larger whole numbers (integer ids have no "
             "such limit)";
  } else if (id > std::numeric_limits<int32_t>::max()) {
    return "less than 2^31";
  }
  return id < 0 ? "0 or more" : nullptr;
}

void check_rectangle(std::string_view what, std::string_view argument, const Tensor& tensor) {
  require(static_cast<bool>(tensor), Code::bad_shape, "{}: {} is missing, expected [sequences, tokens]", what,
          argument);
  require(tensor.shape().rank() == 2, Code::bad_shape, "{}: {} has shape {}, expected [sequences, tokens]",
          what, argument, tensor.shape());
}

}  // namespace

std::vector<uint8_t> read_mask(std::string_view what, const Tensor& mask) {
  check_rectangle(what, "mask", mask);
  std::vector<uint8_t> real;
  real.reserve(static_cast<size_t>(mask.numel()));
  const int64_t columns = mask.size(1);
  for (const float value : mask.values()) {
    const auto index = static_cast<int64_t>(real.size());
    require(value == 0 || value == 1,
            "{}: mask[{}, {}] is {}, expected 1 for a real token or 0 for padding (additive masks are not "
            "supported)",
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
        if (const char* expected = expectation(id)) {
          fail({Fault::data, Code::bad_position}, "{}: positions[{}, {}] is {}, expected {}{}", what, row,
               column, id, expected,
               table_length ? fmt::format(" (the table has {} rows)", *table_length) : "");
        }
        require(!table_length || static_cast<int64_t>(id) < *table_length, Code::bad_position,
                "{}: positions[{}, {}] is {}, past the end of the table, which has {} rows", what, row,
                column, id, table_length.value_or(0));
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
      fail({Fault::data, Code::bad_shape},
           "{}: positions have dtype {}, expected i32, i64, or f32 holding whole numbers", what,
           name_of(ids.dtype()));
  }
  return result;
}

}  // namespace locus
