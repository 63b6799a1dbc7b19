// Builds SentencePiece models byte by byte.
#pragma once

#include <cstring>
#include <string>

#include "locus/text/pipeline/sentencepiece_file.h"

namespace locus {

inline std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}
inline std::string integer(uint64_t field, uint64_t value) { return varint(field << 3) + varint(value); }
inline std::string message(uint64_t field, std::string_view bytes) {
  return varint(field << 3 | 2) + varint(bytes.size()) + std::string(bytes);
}
inline std::string piece(std::string_view text, float score, uint64_t type = SentencePiece::normal) {
  std::string bytes(4, '\0');
  std::memcpy(bytes.data(), &score, 4);
  return message(1, message(1, text) + varint(2 << 3 | 5) + bytes + integer(3, type));
}

inline const std::string kUnknownPiece = piece("<unk>", 0, SentencePiece::unknown);
inline const std::string kModel = kUnknownPiece + piece("</s>", 0, SentencePiece::control) + piece("▁", -3) +
                                  piece("a", -2) + piece("▁a", -2.5F) + piece("b", -4);

}  // namespace locus
