#include "locus/op/check.h"

#include "locus/op/sums.h"

namespace locus::op {
namespace {

bool is_wide(const Tensor& tensor) {
  return tensor.dtype() == DType::f64 && tensor.device() == Device::reference;
}

}  // namespace

void Check::remember(std::string_view argument, const Tensor& tensor) {
  if (first_) return;
  first_ = tensor;
  first_argument_ = argument;
}

void Check::floating(std::string_view argument, const Tensor& tensor) {
  that(static_cast<bool>(tensor), "{} is missing", argument);
  const DType dtype = tensor.dtype();
  that(dtype == DType::f32 || dtype == DType::bf16 || is_wide(tensor), Code::bad_shape,
       "{} is {} on the {}, expected f32", argument, name_of(dtype), name_of(tensor.device()));
  remember(argument, tensor);
  that(dtype == first_.dtype() && tensor.device() == first_.device(), Code::bad_shape,
       "{} is {} on the {}, expected {} on the {} like {}", argument, name_of(dtype),
       name_of(tensor.device()), name_of(first_.dtype()), name_of(first_.device()), first_argument_);
}

void Check::parameter(std::string_view argument, const Tensor& tensor) {
  that(static_cast<bool>(tensor), "{} is missing", argument);
  that(tensor.dtype() == DType::f32 || is_wide(tensor), Code::bad_shape, "{} is {} on the {}, expected f32",
       argument, name_of(tensor.dtype()), name_of(tensor.device()));
  remember(argument, tensor);
  const DType wanted = sum_format(first_.dtype());
  that(tensor.dtype() == wanted && tensor.device() == first_.device(), Code::bad_shape,
       "{} is {} on the {}, expected {} on the {} {} {}", argument, name_of(tensor.dtype()),
       name_of(tensor.device()), name_of(wanted), name_of(first_.device()),
       wanted == first_.dtype() ? "like" : "beside bf16", first_argument_);
}

void Check::parameter(std::string_view argument, const Tensor& tensor, const Shape& expected,
                      std::string_view because) {
  parameter(argument, tensor);
  that(tensor.shape() == expected, Code::bad_shape, "{} has shape {}, expected {} ({})", argument,
       tensor.shape(), expected, because);
}

void Check::weight(std::string_view argument, const Tensor& tensor) {
  if (!tensor || tensor.dtype() != DType::bf16) return parameter(argument, tensor);
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
