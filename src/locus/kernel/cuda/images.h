// The compiled device code: a fatbin for every .cu file, embedded in the library if it was built with nvcc.
#pragma once

#include <span>

namespace locus::kernel::cuda {

struct Image {
  const char* name;  // of the .cu file
  const void* bytes;
};
std::span<const Image> images();

}  // namespace locus::kernel::cuda
