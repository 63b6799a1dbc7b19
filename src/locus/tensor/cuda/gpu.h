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
void release(Address);

void upload(Address to, std::span<const std::byte> from);  // `from` may change after the call
void download(std::span<std::byte> to, Address from);      // waits
void wait();

// A compiled image: a fatbin, a cubin or PTX.
Module load(const void* image);
// Null if the image has no such function.
Function find_function(Module, const char* name);

struct Launch {
  std::array<int64_t, 3> grid = {1, 1, 1};  // blocks; nothing runs if there are none
  int threads = 256;                        // of a block
  int64_t shared_bytes = 0;                 // dynamic shared memory of a block
};
// Runs a function with one argument, which is copied.
void launch(Function, const Launch&, std::span<const std::byte> argument);

int multiprocessors();

// Every function above opens the GPU if it is not open. Forgets it, for tests that replace the driver;
// handles from before then belong to an older generation.
void forget_gpu();
int generation();

}  // namespace locus::cuda
