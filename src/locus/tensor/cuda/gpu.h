// The GPU of this process, the first that the driver shows: its memory and one stream of work. Copies and
// kernels run in the order of the calls; only wait() and download() wait for them. Several GPUs need a
// process each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "locus/tensor/cuda/driver.h"

namespace locus::cuda {

// Fails with Fault::resource if there is no memory.
Address allocate(int64_t bytes);
Address allocate_or_null(int64_t bytes);  // 0 if there is no memory
void release(Address) noexcept;           // after the work so far
int64_t free_memory();

void upload(Address to, std::span<const std::byte> from);  // `from` may change after the call
void download(std::span<std::byte> to, Address from);      // waits
void copy(Address to, Address from, int64_t bytes);
void copy_rows(const RowCopy&);  // on the GPU, or from or to the host
// Rows of `cols` elements of `width` bytes (1, 2 or 4), which all get these bits.
struct RowFill {
  Address to = 0;
  int64_t pitch = 0, rows = 0, cols = 0, width = 0;  // pitch: bytes from one row's start to the next
  uint32_t bits = 0;
};
void fill_rows(const RowFill&);
void wait();
int64_t waits();  // calls of wait() so far, also by download()

// A compiled image: a fatbin, a cubin or PTX.
Module load(const void* image);
// Null if the image has no such function.
Function find_function(Module, const char* name);

// Lets blocks of the function have this much dynamic shared memory.
void allow_shared(Function, int64_t bytes);

struct Launch {
  std::array<int64_t, 3> grid = {1, 1, 1};  // blocks; nothing runs if there are none
  int threads = 256;                        // of a block
  int64_t shared_bytes = 0;                 // dynamic shared memory of a block
};
// Runs a function with one argument, which is copied.
void launch(Function, const Launch&, std::span<const std::byte> argument);

int multiprocessors();
int major_capability();  // 9 on Hopper

// Every function above opens the GPU if it is not open. Forgets it, for tests that replace the driver;
// handles from before then belong to an older generation.
void forget_gpu();
int generation();

}  // namespace locus::cuda
