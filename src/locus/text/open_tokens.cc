#include "locus/text/open_tokens.h"

#include "locus/base/error.h"
#include "locus/text/text_blocks.h"
#include "locus/text/token_file.h"

namespace locus {

std::shared_ptr<const TokenStream> open_tokens(const std::filesystem::path& file,
                                               const Tokenizer& tokenizer) {
  if (TokenFile::recognises(file)) {
    auto tokens = std::make_shared<TokenFile>(file);
    // Special tokens may have come later: ids of the others are the same.
    const auto specials = static_cast<int32_t>(tokenizer.specials().ids().size());
    require(tokens->vocabulary() == tokenizer.size() || tokens->vocabulary() == tokenizer.size() - specials,
            "{} was made with a vocabulary of {} tokens, but the tokenizer has {}", tokens->name(),
            tokens->vocabulary(), tokenizer.size());
    return tokens;
  }
  require(file.extension() != ".tokens",
          "'{}' does not begin as a token file does, expected one of locus tokenize --out; a text needs "
          "another name",
          file.string());
  std::vector<int32_t> ids;
  each_block(file, [&](std::string_view block, uint64_t, uint64_t) {
    const std::vector<int32_t> more = tokenizer.encode(block);
    ids.insert(ids.end(), more.begin(), more.end());
  });
  return std::make_shared<MemoryTokens>(std::move(ids), tokenizer.size(), fmt::format("'{}'", file.string()));
}

}  // namespace locus
