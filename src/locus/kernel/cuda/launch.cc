#include "locus/kernel/cuda/launch.h"

#include <array>
#include <map>
#include <mutex>
#include <string_view>

#include "locus/kernel/cuda/cuda.h"
#include "locus/kernel/cuda/images.h"
#include "locus/kernel/elementwise.h"

namespace locus::kernel::cuda {
namespace {

using locus::cuda::Function;
using locus::cuda::Module;

// The functions found so far. Images are loaded when a function is looked for that no loaded image has.
class Library {
 public:
  Function find(std::string_view name) {
    const std::lock_guard lock(mutex_);
    if (generation_ != locus::cuda::generation()) {
      modules_.clear();
      functions_.clear();
      generation_ = locus::cuda::generation();
    }
    if (const auto known = functions_.find(name); known != functions_.end()) return known->second;
    for (size_t i = 0; i < images().size(); ++i) {
      if (i == modules_.size()) modules_.push_back(locus::cuda::load(images()[i].bytes));
      const Function found = locus::cuda::find_function(modules_[i], std::string(name).c_str());
      if (found != nullptr) return functions_[std::string(name)] = found;
    }
    if (images().empty()) {
      fail({Fault::resource, Code::none, "build Locus on a machine that has nvcc"},
           "no kernels for GPUs are compiled in");
    }
    fail(Fault::bug, "no kernel for GPUs is named {}", name);
  }

 private:
  std::mutex mutex_;
  int generation_ = -1;
  std::vector<Module> modules_;
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

void launch(const char* name, std::array<int64_t, 3> grid, std::span<const std::byte> params) {
  locus::cuda::launch(library().find(name), {.grid = grid, .threads = kThreads}, params);
}

void* scratch(Scratch use, int64_t bytes) {
  struct Memory {
    locus::cuda::Address address = 0;
    int64_t bytes = 0;
    int generation = -1;
  };
  static std::mutex mutex;
  static std::array<Memory, 2> memories;
  const std::lock_guard lock(mutex);
  Memory& memory = memories[static_cast<size_t>(use)];
  if (memory.generation != locus::cuda::generation()) memory = {};
  if (memory.bytes < bytes) {
    if (memory.address != 0) locus::cuda::release(memory.address);  // waits for the kernels that use it
    memory = {};
    memory = {locus::cuda::allocate(bytes), bytes, locus::cuda::generation()};
  }
  return reinterpret_cast<void*>(memory.address);
}

Dropout dropout_of(float rate, uint64_t seed, uint64_t stream) {
  return {rate, 1 / (1 - rate), dropout_threshold(rate), seed, stream};
}

}  // namespace locus::kernel::cuda
