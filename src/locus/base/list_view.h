// A view of the values of a vector, an array, a span, or a list in braces:
//   embedder.embed({"The dog ran.", "It sat."})
// Use it for parameters only: a list in braces ends with the call.
#pragma once

#include <concepts>
#include <initializer_list>
#include <span>

namespace locus {

template <class T>
class ListView : public std::span<const T> {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor)
  ListView(std::initializer_list<T> list) : std::span<const T>(list.begin(), list.size()) {}
  template <class Values>
  requires std::convertible_to<const Values&, std::span<const T>>
  // NOLINTNEXTLINE(google-explicit-constructor)
  ListView(const Values& values) : std::span<const T>(values) {}
};

}  // namespace locus
