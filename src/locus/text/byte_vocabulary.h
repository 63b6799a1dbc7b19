// Every byte is a token: ids 0 to 255, then special tokens. It needs no file and encodes any text.
#pragma once

#include "locus/text/tokenizer.h"

namespace locus {

class ByteVocabulary final : public Tokenizer {
 public:
  explicit ByteVocabulary(const std::vector<std::string>& specials = {});

  std::string_view kind() const override { return "bytes"; }
  void save(const std::filesystem::path& folder) const override;

 private:
  void append(std::string_view text, std::vector<int32_t>& ids) const override;
  std::string_view plain_bytes(int32_t id) const override;
};

}  // namespace locus
