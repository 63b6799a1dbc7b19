#include "locus/train/evaluated_text.h"

#include <algorithm>
#include <numbers>
#include <vector>

#include "locus/base/error.h"
#include "locus/base/file.h"
#include "locus/text/open_tokens.h"
#include "locus/text/token_file.h"

namespace locus {
namespace {

int64_t decoded_bytes(const TokenStream& tokens, const Tokenizer& tokenizer) {
  constexpr int64_t kBlock = 1 << 16;
  int64_t bytes = 0;
  for (int64_t begin = 0; begin < tokens.size(); begin += kBlock) {
    std::vector<int32_t> ids(static_cast<size_t>(std::min(kBlock, tokens.size() - begin)));
    tokens.read(begin, ids);
    bytes += std::ssize(tokenizer.decode(ids));
  }
  return bytes;
}

}  // namespace

double EvaluatedText::bits_per_byte(double loss) const {
  return static_cast<double>(tokens->size()) / static_cast<double>(bytes) * loss / std::numbers::ln2;
}

EvaluatedText read_text(const TextTask& task, const std::filesystem::path& file) {
  EvaluatedText text{.tokens = open_tokens(file, *task.tokenizer)};
  require(text.tokens->size() > 1, "{} has {} tokens, expected at least 2", text.tokens->name(),
          text.tokens->size());
  text.bytes = TokenFile::recognizes(file) ? decoded_bytes(*text.tokens, *task.tokenizer)
                                           : static_cast<int64_t>(InputFile(file).size());
  return text;
}

}  // namespace locus
