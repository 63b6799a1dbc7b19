#include "locus/kernel/cuda/launch.h"

#include <map>
#include <mutex>
#include <string_view>

#include "locus/kernel/cuda/cuda.h"
#include "locus/kernel/cuda/images.h"
#include "locus/kernel/elementwise.h"
#include "locus/tensor/blocks.h"

namespace locus::kernel::cuda {
namespace {

using locus::cuda::Function;
using locus::cuda::Module;

// The functions found so far. An image is loaded when its first function is looked for.
class Library {
 public:
  Function find(std::string_view name, int64_t shared_bytes) {
    const std::lock_guard lock(mutex_);
    if (generation_ != locus::cuda::generation()) {
      modules_.clear();
      functions_.clear();
      generation_ = locus::cuda::generation();
    }
    if (const auto known = functions_.find(name); known != functions_.end()) return known->second;
    const size_t slash = name.find('/');
    const std::string symbol = fmt::format("locus_{}", name.substr(slash + 1));
    const Function found = locus::cuda::find_function(module(name.substr(0, slash)), symbol.c_str());
    if (found == nullptr) fail(Fault::bug, "no kernel for GPUs is named {}", name);
    locus::cuda::allow_shared(found, shared_bytes);
    return functions_[std::string(name)] = found;
  }

 private:
  Module module(std::string_view image) {
    if (const auto known = modules_.find(image); known != modules_.end()) return known->second;
    for (const Image& one : images()) {
      if (one.name == image) return modules_[std::string(image)] = locus::cuda::load(one.bytes);
    }
    if (images().empty()) {
      fail({Fault::resource, Code::none, "build Locus on a machine that has nvcc"},
           "no kernels for GPUs are compiled in");
    }
    fail(Fault::bug, "no image of kernels is named {}", image);
  }

  std::mutex mutex_;
  int generation_ = -1;
  std::map<std::string, Module, std::less<>> modules_;
  std::map<std::string, Function, std::less<>> functions_;
};

Library& library() {
  static Library the_library;
  return the_library;
}

}  // namespace

std::vector<std::string> compiled() {
  std::vector<std::string> names;
  for (const Image& image : images()) names.emplace_back(image.name);
  return names;
}

void launch_as(const char* name, const locus::cuda::Launch& how, std::span<const std::byte> params) {
  locus::cuda::launch(library().find(name, how.shared_bytes), how, params);
}

namespace {

struct Kept {
  std::mutex mutex;
  locus::cuda::Address address = 0;
  int64_t bytes = 0;
  int generation = -1;

  locus::cuda::Address at_least(int64_t wanted) {
    if (generation != locus::cuda::generation()) address = 0, bytes = 0;
    generation = locus::cuda::generation();
    if (bytes >= wanted) return address;
    if (address != 0) locus::cuda::release(address);  // waits for the kernels that use it
    address = 0, bytes = 0;
    address = locus::cuda::allocate_or_null(wanted);
    if (address == 0) {
      release_cached_blocks(Device::cuda);
      address = locus::cuda::allocate(wanted);
    }
    bytes = wanted;
    return address;
  }
};

Kept& kept_for(Use use) {
  static std::array<Kept, 2> all;
  return all[static_cast<size_t>(use)];
}

}  // namespace

Scratch::Scratch(Use use, int64_t bytes)
    : lock_(kept_for(use).mutex), address_(kept_for(use).at_least(bytes)) {}

Dropout dropout_of(float rate, uint64_t seed, uint64_t stream) {
  return {rate, 1 / (1 - rate), dropout_threshold(rate), seed, stream};
}

}  // namespace locus::kernel::cuda
