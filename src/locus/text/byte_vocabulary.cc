#include "locus/text/byte_vocabulary.h"

#include <array>

#include "locus/text/vocabulary_file.h"

namespace locus {
namespace {

constexpr int32_t kBytes = 256;

constexpr std::array<char, kBytes> kEveryByte = [] {
  std::array<char, kBytes> bytes{};
  for (int i = 0; i < kBytes; ++i) bytes[i] = static_cast<char>(i);
  return bytes;
}();

}  // namespace

ByteVocabulary::ByteVocabulary(const std::vector<std::string>& specials)
    : Tokenizer(kBytes + static_cast<int32_t>(specials.size()), numbered_from(kBytes, specials)) {}

void ByteVocabulary::append(std::string_view text, std::vector<int32_t>& ids) const {
  ids.reserve(ids.size() + text.size());
  for (const char c : text) ids.push_back(static_cast<unsigned char>(c));
}

std::string_view ByteVocabulary::plain_bytes(int32_t id) const { return {&kEveryByte[id], 1}; }

void ByteVocabulary::save(const std::filesystem::path& folder) const {
  write_vocabulary_file(folder, {.kind = "bytes", .specials = specials()});
}

}  // namespace locus
