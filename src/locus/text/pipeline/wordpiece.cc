// WordPiece (Schuster and Nakajima 2012, as in BERT): the longest token that begins the word, then repeatedly
// the longest token that continues it; continuing tokens are spelled with ##. A word that cannot be split
// like this, or is too long, becomes the unknown token as a whole.

#include "locus/base/error.h"
#include "locus/base/quote.h"
#include "locus/text/pipeline/token_model.h"
#include "locus/text/token_ids.h"
#include "locus/text/token_trie.h"
#include "locus/text/unicode.h"

namespace locus {
namespace {

class WordPiece final : public TokenModel {
 public:
  explicit WordPiece(const JsonPart& part)
      : longest_(static_cast<size_t>(part.integer("max_input_chars_per_word", 1, 1 << 20, 100))) {
    const auto vocabulary = part.member("vocab").object();
    if (!vocabulary) part.refuse("vocab", "an object");
    const size_t size = vocabulary->size();
    lengths_ = TokenLengths(part.json().where(), size);
    const std::string prefix = part.text("continuing_subword_prefix", "##");
    tokens_.reserve(size);
    each_token_id(part.json(), *vocabulary, [&](std::string_view token, int32_t id) {
      lengths_.set(token, id, token.size() - (token.starts_with(prefix) ? prefix.size() : 0));
      tokens_.emplace_back(token, id);
      return true;  // the trie detects duplicates
    });
    trie_.reserve(2 * tokens_.size());
    trie_.add_all(
        tokens_.size(), [&](size_t i) -> std::pair<std::string_view, int32_t> { return tokens_[i]; },
        [&](size_t i, int32_t had) {
          if (had >= 0) fail_duplicate(part.json(), tokens_[i].first);
        });
    require(!tokens_.empty(), "{}: '{}.vocab' is empty, expected at least one token", part.json().where(),
            part.place());
    const std::string unknown = part.text("unk_token", "[UNK]");
    unknown_ = trie_.find(unknown);
    require(unknown_ >= 0, "{}: '{}.unk_token' is {}, expected a token of the vocabulary",
            part.json().where(), part.place(), quote(unknown));
    inside_ = trie_.walk(prefix);
  }

  std::string_view kind() const override { return "wordpiece"; }
  uint32_t length(int32_t id) const override { return lengths_[id]; }
  std::vector<std::pair<std::string, int32_t>> take_tokens() override { return std::move(tokens_); }

  void append(std::string_view word, std::vector<Piece>& pieces) const override {
    const size_t before = pieces.size();
    bool known = characters(word) <= longest_;
    for (size_t begin = 0; known && begin < word.size();) {
      const Piece piece = longest_from(word, begin);
      known = piece.id >= 0;
      pieces.push_back(piece);
      begin = piece.end;
    }
    if (known) return;
    pieces.resize(before);
    pieces.push_back({unknown_, 0, static_cast<uint32_t>(word.size())});
  }

 private:
  size_t characters(std::string_view word) const {
    if (word.size() <= longest_) return word.size();
    size_t count = 0;
    for (size_t i = 0; i < word.size() && count <= longest_; ++count) i += character_at(word, i).length;
    return count;
  }

  Piece longest_from(std::string_view word, size_t begin) const {
    const auto [length, id] = trie_.longest(word.substr(begin), begin == 0 ? trie_.root() : inside_);
    return {id, static_cast<uint32_t>(begin), static_cast<uint32_t>(begin + length)};
  }

  size_t longest_;
  TokenTrie trie_;
  TokenTrie::Node inside_;  // the node of the prefix ##
  int32_t unknown_ = -1;
  TokenLengths lengths_;                                 // in bytes, without ##
  std::vector<std::pair<std::string, int32_t>> tokens_;  // until take_tokens()
};

}  // namespace

std::unique_ptr<TokenModel> read_wordpiece(const JsonPart& part) { return std::make_unique<WordPiece>(part); }

}  // namespace locus
