// Any bytes as a .npy file: throws an Error, or all of its numbers can be read.
// Seeds: *.npy
#include <cstdlib>
#include <vector>

#include "locus/base/error.h"
#include "locus/checkpoint/npy.h"
#include "tests/fuzz/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const MemoryFile memory(data, size);
  try {
    const locus::NpyFile file(memory.path());
    std::vector<std::byte> numbers(static_cast<size_t>(file.shape().numel() * locus::size_of(file.dtype())));
    if (numbers.size() > size) std::abort();
    file.read_part(0, numbers);
  } catch (const locus::Error&) {
  }
  return 0;
}
