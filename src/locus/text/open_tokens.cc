#include "locus/text/open_tokens.h"

#include "locus/base/error.h"
#include "locus/text/text_blocks.h"
#include "locus/text/token_file.h"

namespace locus {

std::shared_ptr<const TokenStream> open_tokens(const std::filesystem::path& file,
                                               const Tokenizer& tokenizer) {
  if (TokenFile::recognizes(file)) {
    auto tokens = std::make_shared<TokenFile>(file);
    // Special tokens may have been added later; the ids of all other tokens stay the same.
    const auto specials = static_cast<int32_t>(tokenizer.specials().ids().size());
    require(tokens->vocabulary() == tokenizer.size() || tokens->vocabulary() == tokenizer.size() - specials,
            "{} has token ids of a vocabulary of {} tokens, expected {}, the size of the tokenizer",
            tokens->name(), tokens->vocabulary(), tokenizer.size());
    return tokens;
  }
  require(file.extension() != ".tokens", Code::damaged_file,
          "'{}' is not a token file, expected the token file format for the extension .tokens; rename it if "
          "it is a "
          "text",
          file.string());
  std::vector<int32_t> ids;
  const std::string name = fmt::format("'{}'", file.string());
  each_block(file, [&](std::string_view block, uint64_t, uint64_t) {
    try {
      const std::vector<int32_t> more = tokenizer.encode(block);
      ids.insert(ids.end(), more.begin(), more.end());
    } catch (const Error& error) {
      throw error.at(name);
    }
  });
  return std::make_shared<MemoryTokens>(std::move(ids), tokenizer.size(), name);
}

}  // namespace locus
