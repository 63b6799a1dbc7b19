#include "locus/base/fingerprint.h"

#include <algorithm>

#include "locus/base/checksum.h"
#include "locus/base/error.h"
#include "locus/base/file.h"

namespace locus {

std::string fingerprint(const std::filesystem::path& path) {
  constexpr uint64_t kPieces = 64, kPiece = 1 << 20;
  const InputFile file(path);
  const uint64_t size = file.size(), sampled = std::min(size, kPieces * kPiece);
  std::string bytes(sampled, '\0');
  for (uint64_t done = 0; done < sampled; done += kPiece) {
    const uint64_t piece = std::min(kPiece, sampled - done);
    // The last piece ends with the file.
    const uint64_t offset = size == sampled ? done : done / kPiece * ((size - kPiece) / (kPieces - 1));
    file.read_at(offset, std::as_writable_bytes(std::span(bytes).subspan(done, piece)));
  }
  return fmt::format("{} bytes, {:016x}\n", size, checksum(bytes));
}

}  // namespace locus
