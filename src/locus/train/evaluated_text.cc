#include "locus/train/evaluated_text.h"

#include <algorithm>
#include <limits>
#include <numbers>
#include <vector>

#include "locus/base/error.h"
#include "locus/base/file.h"
#include "locus/run/task_frame.h"
#include "locus/text/open_tokens.h"
#include "locus/text/task_file.h"
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

// The bytes of a target up to the end of its last token.
int64_t bytes_read(const TextTask& task, const std::string& target) {
  if (!task.data.truncate) return std::ssize(target);
  const auto read = [&](size_t longest) {
    return frame_of(task).read({target}, task.tokenizer->targets(),
                               {.unit = OffsetUnit::bytes, .longest = longest});
  };
  const Encoding whole = read(std::numeric_limits<size_t>::max()), cut = read(task.longest());
  if (cut.size() == whole.size()) return std::ssize(target);
  uint32_t end = 0;
  for (const TextSpan& span : cut.offsets) end = std::max(end, span.end);
  return end;
}

}  // namespace

double bits_per_byte(double loss, int64_t tokens, int64_t bytes) {
  return static_cast<double>(tokens) / static_cast<double>(bytes) * loss / std::numbers::ln2;
}

double EvaluatedText::bits_per_byte(double loss) const {
  return locus::bits_per_byte(loss, tokens->size(), bytes);
}

int64_t target_bytes(const TextTask& task, const std::filesystem::path& file) {
  int64_t bytes = 0;
  for (const TextPair& pair : read_pairs(file)) bytes += bytes_read(task, pair.target);
  return bytes;
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
