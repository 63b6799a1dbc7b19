// Argument checks of all ops. Each error names the op, the argument, what it got and what was expected.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include "locus/autograd/var.h"
#include "locus/tensor/indices.h"

namespace locus::op {

// Checks the arguments of one op. All tensors must have the device of the first one checked, activations its
// dtype, and parameters f32 beside bf16 activations, else also its dtype. Failed checks of shape, dtype and
// device have Code::bad_shape.
class Check {
 public:
  explicit Check(std::string_view op) : op_(op) {}

  // An activation in a format that kernels support: f32, bf16, or f64 on the reference device.
  void floating(std::string_view argument, const Tensor& tensor);
  void floating(std::string_view argument, const Var& var) { floating(argument, value(argument, var)); }
  // A parameter, or a table of scores: f32, or f64 on the reference device.
  void parameter(std::string_view argument, const Tensor& tensor);
  void parameter(std::string_view argument, const Var& var) { parameter(argument, value(argument, var)); }
  void parameter(std::string_view argument, const Tensor& tensor, const Shape& expected,
                 std::string_view because);
  void parameter(std::string_view argument, const Var& var, const Shape& expected, std::string_view because) {
    parameter(argument, value(argument, var), expected, because);
  }
  // A parameter, or bf16: the right operand of a product may be bf16 with any left operand.
  void weight(std::string_view argument, const Tensor& tensor);
  void weight(std::string_view argument, const Var& var) { weight(argument, value(argument, var)); }
  // An activation with exactly this shape. `because` explains the expected shape: "the last size of x".
  void shaped(std::string_view argument, const Tensor& tensor, const Shape& expected,
              std::string_view because);
  void shaped(std::string_view argument, const Var& var, const Shape& expected, std::string_view because) {
    shaped(argument, value(argument, var), expected, because);
  }
  void rank_at_least(std::string_view argument, const Tensor& tensor, int rank);
  void rank_at_least(std::string_view argument, const Var& var, int rank) {
    rank_at_least(argument, value(argument, var), rank);
  }
  // Ids in [0, size), or equal to `also` if it is given (a negative number). The error names the first
  // invalid id and its index, and has the code `invalid`.
  void ids(std::string_view argument, const Indices& ids, int64_t size, int32_t also = 0,
           Code invalid = Code::bad_token);

  // A new tensor for the result, with the dtype and device of `like`. An error names this op.
  Tensor result(const Tensor& like, std::span<const int64_t> sizes) const;
  Tensor result(const Tensor& like, std::initializer_list<int64_t> sizes) const {
    return result(like, std::span<const int64_t>(sizes.begin(), sizes.size()));
  }

  template <class... Parts>
  void that(bool condition, fmt::format_string<Parts...> text, Parts&&... parts) const {
    if (!condition) [[unlikely]] {
      throw make_error(Fault::data, text, fmt::make_format_args(parts...)).at(op_);
    }
  }
  template <class... Parts>
  void that(bool condition, Code code, fmt::format_string<Parts...> text, Parts&&... parts) const {
    if (!condition) [[unlikely]] {
      throw make_error({Fault::data, code}, text, fmt::make_format_args(parts...)).at(op_);
    }
  }

 private:
  const Tensor& value(std::string_view argument, const Var& var) const;
  void remember(std::string_view argument, const Tensor& tensor);

  std::string_view op_;
  std::string_view first_argument_;
  Tensor first_;
};

}  // namespace locus::op
