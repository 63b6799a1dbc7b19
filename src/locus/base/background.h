// A function that runs while the caller does something else.
#pragma once

#include <future>
#include <system_error>
#include <utility>

namespace locus {

// Runs `function` on a thread of its own, or in get() of the future if `wanted` is false or the system
// refuses a thread.
template <class F>
auto in_background(bool wanted, const F& function) {
  try {
    if (wanted) return std::async(std::launch::async, function);
  } catch (const std::system_error&) {  // no more threads are allowed
  }
  return std::async(std::launch::deferred, function);
}

}  // namespace locus
