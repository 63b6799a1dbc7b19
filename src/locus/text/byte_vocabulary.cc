#include "locus/text/byte_vocabulary.h"

#include <array>

#include "locus/text/vocabulary_file.h"

namespace locus {
namespace {

constexpr int32_t kByteTokens = 256;

constexpr std::array<char, kByteTokens> kEveryByte = [] {
  std::array<char, kByteTokens> bytes{};
  for (int i = 0; i < kByteTokens; ++i) bytes[i] = static_cast<char>(i);
  return bytes;
}();

}  // namespace

ByteVocabulary::ByteVocabulary(const std::vector<std::string>& specials)
    : Tokenizer(kByteTokens + static_cast<int32_t>(specials.size()), numbered_from(kByteTokens, specials)) {}

void ByteVocabulary::append(std::string_view text, std::vector<int32_t>& ids) const {
  ids.reserve(ids.size() + text.size());
  for (const char c : text) ids.push_back(static_cast<unsigned char>(c));
}

std::string_view ByteVocabulary::plain_bytes(int32_t id) const { return {&kEveryByte[id], 1}; }

void ByteVocabulary::save(const std::filesystem::path& folder) const {
  write_vocabulary_file(folder, {.kind = "bytes", .specials = specials()});
}

}  // namespace locus
