// Rank files define merges implicitly: every split of a token into two tokens is a pair that merges into it,
// with its rank.
#include <limits>
#include <string>

#include "locus/base/error.h"
#include "locus/base/file.h"
#include "locus/base/quote.h"
#include "locus/text/base64.h"
#include "locus/text/bpe_files.h"
#include "locus/text/text_lines.h"
#include "locus/text/token_ids.h"
#include "locus/text/token_index.h"

namespace locus {
namespace {

constexpr size_t kLongestToken = 1024;

struct RankedToken {
  std::string bytes;
  int32_t rank;
};

class RankReader {
 public:
  explicit RankReader(std::filesystem::path file) : file_(std::move(file)) {}

  std::vector<RankedToken> read() const {
    const std::string text = read_file(file_);
    TextLines lines(text);
    std::vector<RankedToken> tokens;
    std::string_view line;
    while (lines.next(line)) tokens.push_back(token(line, lines.number()));
    require(!tokens.empty(), "'{}': the vocabulary is empty, expected at least one token", file_.string());
    return tokens;
  }

 private:
  RankedToken token(std::string_view line, int64_t number) const {
    const size_t blank = line.find(' ');
    const std::optional<std::string> bytes = base64_decoded(line.substr(0, blank));
    const std::optional<int32_t> rank =
        blank == std::string_view::npos ? std::nullopt : rank_of(line.substr(blank + 1));
    require(bytes && rank,
            "'{}', line {}: got {}, expected a token in base64, a space and a rank below 2147483647",
            file_.string(), number, quote(line));
    require(!bytes->empty() && bytes->size() <= kLongestToken,
            "'{}', line {}: the token has {} bytes, expected 1 to {}", file_.string(), number, bytes->size(),
            kLongestToken);
    return {*bytes, *rank};
  }

  static std::optional<int32_t> rank_of(std::string_view digits) {
    if (digits.empty()) return {};
    int64_t rank = 0;
    for (const char c : digits) {
      if (c < '0' || c > '9') return {};
      rank = rank * 10 + (c - '0');
      if (rank >= std::numeric_limits<int32_t>::max()) return {};
    }
    return static_cast<int32_t>(rank);
  }

  std::filesystem::path file_;
};

}  // namespace

BpeVocabulary read_ranks(const std::filesystem::path& file, SpecialTokens specials) {
  const std::vector<RankedToken> ranked = RankReader(file).read();
  const std::string where = fmt::format("'{}'", file.string());
  BpeVocabulary vocabulary = {.form = BpeForm::ranks};
  vocabulary.tokens.resize(ranked.size() + specials.ids().size());
  IdCheck check(where, vocabulary.tokens.size());
  for (const auto& [name, id] : specials.ids()) check.take(id, name);
  TokenIndex index(ranked.size());
  for (const RankedToken& token : ranked) {
    check.take(token.rank, token.bytes);
    vocabulary.tokens[token.rank] = token.bytes;
    require(index.add(vocabulary.tokens[token.rank], token.rank),
            "{}: duplicate token {}, expected each token once", where, quote(token.bytes));
  }
  for (size_t id = 0; id < vocabulary.tokens.size(); ++id) {
    index.each_cut(vocabulary.tokens[id], [&](int32_t left, int32_t right) {
      vocabulary.merges.push_back({.left = left,
                                   .right = right,
                                   .result = static_cast<int32_t>(id),
                                   .rank = static_cast<uint32_t>(id)});
    });
  }
  vocabulary.specials = std::move(specials);
  return vocabulary;
}

}  // namespace locus
