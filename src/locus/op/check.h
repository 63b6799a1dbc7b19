// What every op checks at its door. Each error names the op, the argument, what it got and what was expected.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include "locus/autograd/var.h"

namespace locus::op {

// The op whose arguments are checked, and the device and dtype the first checked tensor has: all must share
// them.
class Check {
 public:
  explicit Check(std::string_view op) : op_(op) {}

  // A floating tensor the kernels can work on: f32, or f64 on the reference device.
  void floating(std::string_view argument, const Tensor& tensor);
  void floating(std::string_view argument, const Var& var) { floating(argument, value(argument, var)); }
  // The same, or bf16, as the right side of a product may be beside any left one.
  void weight(std::string_view argument, const Tensor& tensor);
  void weight(std::string_view argument, const Var& var) { weight(argument, value(argument, var)); }
  // Floating, and of this very shape; `because` says where the expectation comes from: "the last size of x".
  void shaped(std::string_view argument, const Tensor& tensor, const Shape& expected,
              std::string_view because);
  void shaped(std::string_view argument, const Var& var, const Shape& expected, std::string_view because) {
    shaped(argument, value(argument, var), expected, because);
  }
  void rank_at_least(std::string_view argument, const Tensor& tensor, int rank);
  void rank_at_least(std::string_view argument, const Var& var, int rank) {
    rank_at_least(argument, value(argument, var), rank);
  }
  // i32 ids in [0, size), or equal to `also` where that is given (a negative number); the error names the
  // first bad one and its place.
  void ids(std::string_view argument, const Tensor& ids, int64_t size, int32_t also = 0);

  // Memory for a result, of the dtype and on the device of `like`. Sizes that are too large are an error of
  // this op.
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

 private:
  const Tensor& value(std::string_view argument, const Var& var) const;

  std::string_view op_;
  std::string_view first_argument_;
  Tensor first_;
};

}  // namespace locus::op
