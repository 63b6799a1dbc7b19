// Any bytes as a safetensors file: throws an Error, or every tensor in it can be read.
// Seeds: *.safetensors
#include <cstdlib>

#include "locus/base/error.h"
#include "locus/checkpoint/safetensors.h"
#include "tests/fuzz/memory_file.h"

namespace {

void read_all(const locus::SafetensorsFile& file) {
  for (const locus::TensorEntry& entry : file.entries()) {
    try {
      const locus::Tensor tensor = file.read(entry.name);
      if (tensor.numel() * locus::size_of(tensor.dtype()) != static_cast<int64_t>(entry.end - entry.begin))
        std::abort();
    } catch (const locus::Error&) {
      // A valid file may have tensors with an unsupported dtype or shape.
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const MemoryFile memory(data, size);
  try {
    read_all(locus::SafetensorsFile(memory.path()));
  } catch (const locus::Error&) {
  }
  return 0;
}
