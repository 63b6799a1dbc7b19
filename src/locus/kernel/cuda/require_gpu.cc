#include "locus/base/error.h"
#include "locus/kernel/cuda/cuda.h"
#include "locus/kernel/cuda/images.h"
#include "locus/tensor/cuda/driver.h"

namespace locus::kernel::cuda {

void require_gpu() {
  constexpr int kOldest = 8;  // major compute capability of the oldest GPUs that the kernels are compiled for
  const locus::cuda::Finding gpu = locus::cuda::find();
  if (!gpu.problem.empty()) {
    fail({Fault::resource, Code::no_gpu, "install the driver of an NVIDIA GPU, or compute on the CPU"},
         "no GPU: {}", gpu.problem);
  }
  if (images().empty()) {
    fail({Fault::resource, Code::no_gpu, "build Locus where nvcc is installed, or compute on the CPU"},
         "no kernels for GPUs are compiled in");
  }
  if (gpu.major < kOldest) {
    fail({Fault::resource, Code::no_gpu, "compute on the CPU"},
         "the GPU {} has compute capability {}.{}, expected at least {}.0", gpu.gpu, gpu.major, gpu.minor,
         kOldest);
  }
}

}  // namespace locus::kernel::cuda
