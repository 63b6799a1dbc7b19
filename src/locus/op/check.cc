#include "locus/op/check.h"

namespace locus::op {

void Check::floating(std::string_view argument, const Tensor& tensor) {
  that(static_cast<bool>(tensor), "{} is missing", argument);
  const bool wide = tensor.dtype() == DType::f64 && tensor.device() == Device::reference;
  that(tensor.dtype() == DType::f32 || wide, "{} is {} on the {}, expected f32; convert it first", argument,
       name_of(tensor.dtype()), name_of(tensor.device()));
  if (!first_) {
    first_ = tensor;
    first_argument_ = argument;
    return;
  }
  that(tensor.dtype() == first_.dtype() && tensor.device() == first_.device(),
       "{} is {} on the {}, but {} is {} on the {}", argument, name_of(tensor.dtype()),
       name_of(tensor.device()), first_argument_, name_of(first_.dtype()), name_of(first_.device()));
}

void Check::weight(std::string_view argument, const Tensor& tensor) {
  if (!tensor || tensor.dtype() != DType::bf16) return floating(argument, tensor);
  that(!first_ || tensor.device() == first_.device(), "{} is bf16 on the {}, but {} is on the {}", argument,
       name_of(tensor.device()), first_argument_, name_of(first_.device()));
}

void Check::shaped(std::string_view argument, const Tensor& tensor, const Shape& expected,
                   std::string_view because) {
  floating(argument, tensor);
  that(tensor.shape() == expected, "{} has shape {}, expected {} ({})", argument, tensor.shape(), expected,
       because);
}

void Check::rank_at_least(std::string_view argument, const Tensor& tensor, int rank) {
  floating(argument, tensor);
  that(tensor.shape().rank() >= rank, "{} has shape {}, expected rank {} or more", argument, tensor.shape(),
       rank);
}

void Check::ids(std::string_view argument, const Tensor& ids, int64_t size, int32_t also) {
  that(static_cast<bool>(ids), "{} are missing", argument);
  that(ids.dtype() == DType::i32, "{} are {}, expected i32", argument, name_of(ids.dtype()));
  that(ids.contiguous(), "the rows of {} {} lie apart; clone() them first", argument, ids.shape());
  const auto values = ids.data<int32_t>();
  for (size_t i = 0; i < values.size(); ++i) {
    if ((values[i] >= 0 && values[i] < size) || (also < 0 && values[i] == also)) continue;
    const std::string range =
        size > 0 ? fmt::format("0 to {}", size - 1) : "none, there is nothing to choose";
    that(false, "{}[{}] is {}, expected {}{}", argument, i, values[i], range,
         also < 0 ? fmt::format(", or {}", also) : "");
  }
}

Tensor Check::result(const Tensor& like, std::span<const int64_t> sizes) const {
  try {
    return like.like(Shape(sizes));
  } catch (const Error& error) {
    fail(error.fault(), "{}: the result [{}]: {}", op_, fmt::join(sizes, ", "), error.what());
  }
}

const Tensor& Check::value(std::string_view argument, const Var& var) const {
  that(static_cast<bool>(var), "{} is missing", argument);
  return var.value();
}

}  // namespace locus::op
