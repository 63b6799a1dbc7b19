#include "locus/op/check.h"

namespace locus::op {

void Check::floating(std::string_view argument, const Tensor& tensor) {
  that(static_cast<bool>(tensor), "{} is missing", argument);
  const bool wide = tensor.dtype() == DType::f64 && tensor.device() == Device::reference;
  that(tensor.dtype() == DType::f32 || wide, Code::bad_shape, "{} is {} on the {}, expected f32", argument,
       name_of(tensor.dtype()), name_of(tensor.device()));
  if (!first_) {
    first_ = tensor;
    first_argument_ = argument;
    return;
  }
  that(tensor.dtype() == first_.dtype() && tensor.device() == first_.device(), Code::bad_shape,
       "{} is {} on the {}, expected {} on the {} like {}", argument, name_of(tensor.dtype()),
       name_of(tensor.device()), name_of(first_.dtype()), name_of(first_.device()), first_argument_);
}

void Check::weight(std::string_view argument, const Tensor& tensor) {
  if (!tensor || tensor.dtype() != DType::bf16) return floating(argument, tensor);
  that(!first_ || tensor.device() == first_.device(), Code::bad_shape,
       "{} is bf16 on the {}, expected the {} like {}", argument, name_of(tensor.device()),
       name_of(first_.device()), first_argument_);
}

void Check::shaped(std::string_view argument, const Tensor& tensor, const Shape& expected,
                   std::string_view because) {
  floating(argument, tensor);
  that(tensor.shape() == expected, Code::bad_shape, "{} has shape {}, expected {} ({})", argument,
       tensor.shape(), expected, because);
}

void Check::rank_at_least(std::string_view argument, const Tensor& tensor, int rank) {
  floating(argument, tensor);
  that(tensor.shape().rank() >= rank, Code::bad_shape, "{} has shape {}, expected rank {} or more", argument,
       tensor.shape(), rank);
}

void Check::ids(std::string_view argument, const Indices& ids, int64_t size, int32_t also, Code invalid) {
  that(static_cast<bool>(ids), "{} are missing", argument);
  that(ids.dtype() == DType::i32, Code::bad_shape, "{} are {}, expected i32", argument, name_of(ids.dtype()));
  that(ids.contiguous(), Code::bad_shape, "{} of shape {} are not contiguous; clone() them first", argument,
       ids.shape());
  const auto [least, most] = ids.range();
  if (least >= 0 && most < size) return;
  const auto values = ids.values();
  for (size_t i = 0; i < values.size(); ++i) {
    if ((values[i] >= 0 && values[i] < size) || (also < 0 && values[i] == also)) continue;
    const std::string range = size > 0 ? fmt::format("0 to {}", size - 1) : "none: the table is empty";
    that(false, invalid, "{}[{}] is {}, expected {}{}", argument, i, values[i], range,
         also < 0 ? fmt::format(", or {}", also) : "");
  }
}

Tensor Check::result(const Tensor& like, std::span<const int64_t> sizes) const {
  try {
    return like.like(Shape(sizes));
  } catch (const Error& error) {
    throw error.at(fmt::format("{}: result [{}]", op_, fmt::join(sizes, ", ")));
  }
}

const Tensor& Check::value(std::string_view argument, const Var& var) const {
  that(static_cast<bool>(var), "{} is missing", argument);
  return var.value();
}

}  // namespace locus::op
