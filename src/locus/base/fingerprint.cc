#include "locus/base/fingerprint.h"

#include <algorithm>

#include "locus/base/checksum.h"
#include "locus/base/error.h"
#include "locus/base/file.h"

namespace locus {

std::string fingerprint(const std::filesystem::path& path) {
  constexpr uint64_t kPieces = 64, kPiece = 1 << 20;
  const InputFile file(path);
  const uint64_t size = file.size(), looked_at = std::min(size, kPieces * kPiece);
  std::string bytes(looked_at, '\0');
  for (uint64_t done = 0; done < looked_at; done += kPiece) {
    const uint64_t piece = std::min(kPiece, looked_at - done);
    // The last piece ends with the file.
    const uint64_t offset = size == looked_at ? done : done / kPiece * ((size - kPiece) / (kPieces - 1));
    file.read_at(offset, std::as_writable_bytes(std::span(bytes).subspan(done, piece)));
  }
  return fmt::format("{} bytes, {:016x}\n", size, checksum(bytes));
}

}  // namespace locus
