// Any bytes as a rank file: throws an Error, or every text round-trips. The 256 bytes are always tokens, so
// that the fuzzer can explore the other tokens.
#include <cstdlib>
#include <string>

#include "locus/base/error.h"
#include "locus/text/base64.h"
#include "locus/text/bpe_files.h"
#include "tests/fuzz/memory_file.h"

namespace {

std::string every_byte() {
  std::string lines;
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    lines += locus::base64_encoded({&c, 1}) + ' ' + std::to_string(byte) + '\n';
  }
  return lines;
}

void check(const std::string& lines, std::string_view text) {
  const MemoryFile memory(reinterpret_cast<const uint8_t*>(lines.data()), lines.size());
  try {
    const locus::Bpe bpe(locus::read_ranks(memory.path()));
    if (bpe.decode(bpe.encode(text)) != text) std::abort();
  } catch (const locus::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string bytes = every_byte();
  const std::string_view given(reinterpret_cast<const char*>(data), size);
  check(std::string(given), given);
  check(bytes + std::string(given), given);
  return 0;
}
