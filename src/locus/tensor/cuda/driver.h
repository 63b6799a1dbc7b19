// The functions of NVIDIA's driver library, libcuda.so.1, that Locus calls. The library is opened at run time
// and declared here, so that neither building nor starting Locus needs CUDA.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace locus::cuda {

// Handles of the driver.
struct Context_;
struct Stream_;
struct Module_;
struct Function_;
using Context = Context_*;
using Stream = Stream_*;
using Module = Module_*;
using Function = Function_*;
using Address = uint64_t;  // in the memory of the GPU

// Values of the driver's enumerations.
inline constexpr int kSuccess = 0, kOutOfMemory = 2, kNotFound = 500;
inline constexpr int kMultiprocessors = 16, kMajor = 75, kMinor = 76;           // attributes of a GPU
inline constexpr int kMostShared = 8;                                           // attribute of a function
inline constexpr unsigned kNonBlocking = 1;                                     // flag of a stream
inline constexpr uintptr_t kEnd = 0, kParameterBuffer = 1, kParameterSize = 2;  // how parameters are passed

// A copy of rows between memories, CUDA_MEMCPY2D of the driver.
struct RowCopy {
  struct Side {
    size_t column = 0, row = 0;  // where it starts
    int memory = 0;              // kOfHost or kOfGpu
    void* host = nullptr;
    Address gpu = 0;
    void* array = nullptr;
    size_t pitch = 0;  // bytes from one row's start to the next
  };
  Side from, to;
  size_t bytes = 0, rows = 0;  // of a row
};
inline constexpr int kOfHost = 1, kOfGpu = 2;

// Every function: its name here, its symbol and its parameters.
// clang-format off
#define LOCUS_CUDA_CALLS(X) \
  X(init, "cuInit", (unsigned flags)) \
  X(version, "cuDriverGetVersion", (int*)) \
  X(count, "cuDeviceGetCount", (int*)) \
  X(device, "cuDeviceGet", (int*, int ordinal)) \
  X(name, "cuDeviceGetName", (char*, int length, int device)) \
  X(attribute, "cuDeviceGetAttribute", (int*, int attribute, int device)) \
  X(total_memory, "cuDeviceTotalMem_v2", (size_t*, int device)) \
  X(retain, "cuDevicePrimaryCtxRetain", (Context*, int device)) \
  X(set_current, "cuCtxSetCurrent", (Context)) \
  X(free_memory, "cuMemGetInfo_v2", (size_t* free, size_t* total)) \
  X(new_stream, "cuStreamCreate", (Stream*, unsigned flags)) \
  X(wait, "cuStreamSynchronize", (Stream)) \
  X(allocate, "cuMemAlloc_v2", (Address*, size_t bytes)) \
  X(release, "cuMemFree_v2", (Address)) \
  X(upload, "cuMemcpyHtoDAsync_v2", (Address, const void*, size_t bytes, Stream)) \
  X(download, "cuMemcpyDtoHAsync_v2", (void*, Address, size_t bytes, Stream)) \
  X(copy, "cuMemcpyDtoDAsync_v2", (Address to, Address from, size_t bytes, Stream)) \
  X(copy_rows, "cuMemcpy2DAsync_v2", (const RowCopy*, Stream)) \
  X(fill_8, "cuMemsetD8Async", (Address, uint8_t, size_t count, Stream)) \
  X(fill_16, "cuMemsetD16Async", (Address, uint16_t, size_t count, Stream)) \
  X(fill_32, "cuMemsetD32Async", (Address, uint32_t, size_t count, Stream)) \
  X(fill_rows_8, "cuMemsetD2D8Async", (Address, size_t pitch, uint8_t, size_t cols, size_t rows, Stream)) \
  X(fill_rows_16, "cuMemsetD2D16Async", (Address, size_t pitch, uint16_t, size_t cols, size_t rows, Stream)) \
  X(fill_rows_32, "cuMemsetD2D32Async", (Address, size_t pitch, uint32_t, size_t cols, size_t rows, Stream)) \
  X(load, "cuModuleLoadData", (Module*, const void* image)) \
  X(function, "cuModuleGetFunction", (Function*, Module, const char* name)) \
  X(set_attribute, "cuFuncSetAttribute", (Function, int attribute, int value)) \
  X(launch, "cuLaunchKernel", (Function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, \
    unsigned block_y, unsigned block_z, unsigned shared_bytes, Stream, void** parameters, void** extra)) \
  X(error_text, "cuGetErrorString", (int error, const char**))
// clang-format on

#define LOCUS_CUDA_POINTER(name, symbol, parameters) int(*name) parameters = nullptr;

// Every function returns kSuccess or an error of the driver.
struct Calls {
  LOCUS_CUDA_CALLS(LOCUS_CUDA_POINTER)
};

// The functions of this machine's driver. Fails with Fault::resource if it has none.
const Calls& calls();
// Tests replace the driver by their own functions; null: the driver again. Everything known about a GPU is
// forgotten.
void replace_calls(const Calls*);

// What this machine has, for `locus doctor`. Never fails.
struct Finding {
  int driver = 0;  // version of CUDA that the driver supports, as 1000 major + 10 minor; 0: no driver
  int gpus = 0;
  std::string gpu;  // name of the first
  int major = 0, minor = 0, multiprocessors = 0;
  int64_t memory = 0;
  std::string problem;  // why there is no GPU
};
Finding find();

// Fails with Fault::resource unless `error` is kSuccess; `what` is what the driver was to do.
void check(int error, const char* what);

}  // namespace locus::cuda
