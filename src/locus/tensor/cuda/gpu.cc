#include "locus/tensor/cuda/gpu.h"

#include <atomic>
#include <mutex>

#include "locus/base/error.h"

namespace locus::cuda {
namespace {

struct Gpu {
  Context context = nullptr;
  Stream stream = nullptr;
  int multiprocessors = 0, major = 0;
};

std::mutex opening;
Gpu open;
std::atomic<bool> is_open{false};
std::atomic<int> openings{0};
std::atomic<int64_t> waited{0};

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
  open.major = found.major;
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
int major_capability() { return gpu().major; }

Address allocate_or_null(int64_t bytes) {
  gpu();
  Address memory = 0;
  const int error = calls().allocate(&memory, static_cast<size_t>(bytes > 0 ? bytes : 1));
  if (error == kOutOfMemory) return 0;
  check(error, "allocate memory");
  return memory;
}

Address allocate(int64_t bytes) {
  if (const Address memory = allocate_or_null(bytes)) return memory;
  size_t free = 0, total = 0;
  check(calls().free_memory(&free, &total), "report its free memory");
  fail({Fault::resource, Code::none, "use a smaller batch or shorter sequences"},
       "out of GPU memory: cannot allocate {} bytes, {} of {} bytes are free", bytes, free, total);
}

int64_t free_memory() {
  gpu();
  size_t free = 0, total = 0;
  check(calls().free_memory(&free, &total), "report its free memory");
  return static_cast<int64_t>(free);
}

// What has failed before is reported by the next call that can fail, and memory that cannot be given back is
// lost.
void release(Address memory) noexcept {
  try {
    const Gpu& owner = gpu();
    calls().wait(owner.stream);  // the driver does not promise that cuMemFree waits
    calls().release(memory);
  } catch (const Error&) {
  }
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

void copy(Address to, Address from, int64_t bytes) {
  const Gpu& target = gpu();
  if (bytes > 0) {
    check(calls().copy(to, from, static_cast<size_t>(bytes), target.stream), "copy in its memory");
  }
}

void copy_rows(const RowCopy& rows) {
  const Gpu& target = gpu();
  if (rows.rows > 0 && rows.bytes > 0) check(calls().copy_rows(&rows, target.stream), "copy rows");
}

void fill_rows(const RowFill& fill) {
  const Gpu& target = gpu();
  if (fill.rows <= 0 || fill.cols <= 0) return;
  const auto pitch = static_cast<size_t>(fill.pitch), cols = static_cast<size_t>(fill.cols),
             rows = static_cast<size_t>(fill.rows);
  const Calls& cuda = calls();
  // A single row may be longer than the longest pitch, which has 31 bits.
  const auto with = [&](auto one, auto many, auto bits) {
    check(rows == 1 ? one(fill.to, bits, cols, target.stream)
                    : many(fill.to, pitch, bits, cols, rows, target.stream),
          "fill memory");
  };
  if (fill.width == 4) return with(cuda.fill_32, cuda.fill_rows_32, fill.bits);
  if (fill.width == 2) return with(cuda.fill_16, cuda.fill_rows_16, static_cast<uint16_t>(fill.bits));
  with(cuda.fill_8, cuda.fill_rows_8, static_cast<uint8_t>(fill.bits));
}

void wait() {
  ++waited;
  check(calls().wait(gpu().stream), "finish a kernel");
}

int64_t waits() { return waited; }

Module load(const void* image) {
  gpu();
  Module module = nullptr;
  check(calls().load(&module, image), "load kernels");
  return module;
}

Function find_function(Module module, const char* name) {
  gpu();
  Function function = nullptr;
  const int error = calls().function(&function, module, name);
  if (error == kNotFound) return nullptr;
  check(error, "find a kernel");
  return function;
}

void allow_shared(Function function, int64_t bytes) {
  constexpr int64_t kAlways = 48 << 10;  // what every function has
  if (bytes <= kAlways) return;
  gpu();
  check(calls().set_attribute(function, kMostShared, static_cast<int>(bytes)),
        "give shared memory to a kernel");
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
