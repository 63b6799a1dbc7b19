#include "locus/tensor/cuda/gpu.h"

#include <atomic>
#include <mutex>

#include "locus/base/error.h"

namespace locus::cuda {
namespace {

struct Gpu {
  Context context = nullptr;
  Stream stream = nullptr;
  int multiprocessors = 0;
};

std::mutex opening;
Gpu open;
std::atomic<bool> is_open{false};
std::atomic<int> openings{0};

void open_gpu() {
  const std::lock_guard lock(opening);
  if (is_open) return;
  const Finding found = find();
  if (!found.problem.empty()) {
    fail({Fault::resource, Code::none, "compute on the CPU"}, "no GPU can be used: {}", found.problem);
  }
  const Calls& cuda = calls();
  int device = 0;
  check(cuda.device(&device, 0), "open the GPU");
  // The primary context is the one that CUDA's own libraries use, too.
  check(cuda.retain(&open.context, device), "open the GPU");
  check(cuda.set_current(open.context), "open the GPU");
  check(cuda.new_stream(&open.stream, kNonBlocking), "create a stream");
  open.multiprocessors = found.multiprocessors;
  is_open = true;
}

// The GPU, with its context current on this thread.
const Gpu& gpu() {
  if (!is_open) open_gpu();
  thread_local const void* current = nullptr;
  if (current != open.context) {
    check(calls().set_current(open.context), "use the GPU");
    current = open.context;
  }
  return open;
}

}  // namespace

void forget_gpu() {
  open = {};
  is_open = false;
  ++openings;
}

int generation() { return openings; }

int multiprocessors() { return gpu().multiprocessors; }

Address allocate(int64_t bytes) {
  gpu();
  Address memory = 0;
  const int error = calls().allocate(&memory, static_cast<size_t>(bytes > 0 ? bytes : 1));
  if (error == kOutOfMemory) {
    size_t free = 0, total = 0;
    check(calls().free_memory(&free, &total), "report its free memory");
    fail({Fault::resource, Code::none, "use a smaller batch or shorter sequences"},
         "out of GPU memory: cannot allocate {} bytes, {} of {} bytes are free", bytes, free, total);
  }
  check(error, "allocate memory");
  return memory;
}

void release(Address memory) {
  gpu();
  check(calls().release(memory), "release memory");
}

void upload(Address to, std::span<const std::byte> from) {
  const Gpu& target = gpu();
  if (from.empty()) return;
  check(calls().upload(to, from.data(), from.size(), target.stream), "copy to the GPU");
}

void download(std::span<std::byte> to, Address from) {
  const Gpu& source = gpu();
  if (!to.empty()) {
    check(calls().download(to.data(), from, to.size(), source.stream), "copy from the GPU");
  }
  wait();
}

void wait() { check(calls().wait(gpu().stream), "finish a kernel"); }

Module load(const void* image) {
  gpu();
  Module module = nullptr;
  check(calls().load(&module, image), "load kernels");
  return module;
}

Function find_function(Module module, const char* name) {
  gpu();
  Function function = nullptr;
  return calls().function(&function, module, name) == kSuccess ? function : nullptr;
}

void launch(Function function, const Launch& how, std::span<const std::byte> argument) {
  const Gpu& target = gpu();
  const auto& [x, y, z] = how.grid;
  if (x <= 0 || y <= 0 || z <= 0) return;
  if (x > INT32_MAX || y > UINT16_MAX || z > UINT16_MAX) {
    fail(Fault::resource, "a kernel needs {} x {} x {} blocks, more than a GPU can count", x, y, z);
  }
  size_t size = argument.size();
  void* extra[] = {reinterpret_cast<void*>(kParameterBuffer), const_cast<std::byte*>(argument.data()),
                   reinterpret_cast<void*>(kParameterSize), &size, reinterpret_cast<void*>(kEnd)};
  check(calls().launch(function, static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(z),
                       static_cast<unsigned>(how.threads), 1, 1, static_cast<unsigned>(how.shared_bytes),
                       target.stream, nullptr, extra),
        "start a kernel");
}

}  // namespace locus::cuda
