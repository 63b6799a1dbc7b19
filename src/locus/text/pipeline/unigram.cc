// Unigram (Kudo 2018, arXiv 1804.10959): the split of a word into tokens with the largest sum of scores, by
// dynamic programming over the ends of tokens. A character without a token is unknown, with a score 10 below
// the lowest. Neighboring unknown characters become one unknown token, or byte tokens if the vocabulary has
// them.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>

#include "locus/base/error.h"
#include "locus/base/quote.h"
#include "locus/text/pipeline/token_model.h"
#include "locus/text/token_trie.h"
#include "locus/text/unicode.h"

namespace locus {
namespace {

constexpr double kUnknownPenalty = 10;
constexpr size_t kShortWord = 64;  // in bytes: paths of shorter words are on the stack
constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

// A score as Hugging Face tokenizers reads it: its JSON parser reads the digits as an integer and divides
// once, which may differ from the nearest double in the last bit. Ties between splits resolve the same way
// only with the same bits.
double as_tokenizers_reads(double score) {
  char text[32];
  const auto [end, error] =
      std::to_chars(text, text + sizeof(text), std::abs(score), std::chars_format::scientific);
  if (error != std::errc()) return score;
  uint64_t digits = 0;
  int decimals = 0, exponent = 0;
  const char* c = text;
  for (bool point = false; c != end && *c != 'e'; ++c) {
    point = point || *c == '.';
    if (*c == '.') continue;
    digits = digits * 10 + static_cast<uint64_t>(*c - '0');
    decimals += point ? 1 : 0;
  }
  std::from_chars(c + (c[1] == '+' ? 2 : 1), end, exponent);
  const int power = exponent - decimals;
  if (power < -22 || power > 22) return score;
  const double scale = std::pow(10.0, std::abs(power));
  const auto whole = static_cast<double>(digits);
  return std::copysign(power < 0 ? whole / scale : whole * scale, score);
}

void add(const JsonPart& part, json::Value entry, UnigramVocabulary& vocabulary) {
  const auto pair = entry.list();
  const bool two = pair && pair->size() == 2;
  const auto token = two ? (*pair)[0].text() : std::nullopt;
  const auto score = two ? (*pair)[1].number() : std::nullopt;
  if (!token || !score || !std::isfinite(*score)) {
    part.json().refuse(fmt::format("'{}.vocab[{}]'", part.place(), vocabulary.tokens.size()), entry,
                       "a token and its score");
  }
  require(!token->empty(), "{}: got an empty token, expected at least one byte", vocabulary.where);
  vocabulary.tokens.emplace_back(*token);
  vocabulary.scores.push_back(as_tokenizers_reads(*score));
}

class Unigram final : public TokenModel {
 public:
  explicit Unigram(UnigramVocabulary vocabulary)
      : where_(std::move(vocabulary.where)),
        tokens_(std::move(vocabulary.tokens)),
        scores_(std::move(vocabulary.scores)),
        unknown_(vocabulary.unknown),
        single_(vocabulary.single_precision) {
    trie_.reserve(2 * tokens_.size());
    lowest_ = *std::ranges::min_element(scores_);
    trie_.add_all(
        tokens_.size(),
        [&](size_t i) -> std::pair<std::string_view, int32_t> {
          return {tokens_[i], tokens_[i].empty() ? -1 : static_cast<int32_t>(i)};
        },
        [](size_t, int32_t) {});  // some trainers list the unknown token twice
    bytes_.fill(-1);
    if (!vocabulary.byte_fallback) return;
    for (int byte = 0; byte < 256; ++byte) bytes_[byte] = trie_.find(fmt::format("<0x{:02X}>", byte));
  }

  std::string_view kind() const override { return "unigram"; }
  uint32_t length(int32_t id) const override { return static_cast<uint32_t>(tokens_[id].size()); }
  int32_t unknown() const override { return unknown_; }
  std::vector<std::pair<std::string, int32_t>> take_tokens() override {
    std::vector<std::pair<std::string, int32_t>> all;
    for (size_t i = 0; i < tokens_.size(); ++i) all.emplace_back(tokens_[i], static_cast<int32_t>(i));
    return all;
  }

  void append(std::string_view word, std::vector<Piece>& pieces) const override {
    require(word.size() < kNone, "word too long: got {} bytes without a break, expected fewer than {}",
            word.size(), kNone);
    std::array<Node, kShortWord + 1> few;
    std::vector<Node> many;
    std::span<Node> nodes = few;
    if (word.size() > kShortWord) {
      many.resize(word.size() + 1);
      nodes = many;
    }
    find_best_paths(word, nodes);
    const size_t before = pieces.size();
    for (auto end = static_cast<uint32_t>(word.size()); end > 0; end = nodes[end].begin) {
      pieces.push_back({nodes[end].id, nodes[end].begin, end});
    }
    const auto cut = std::span(pieces).subspan(before);
    std::ranges::reverse(cut);
    if (std::ranges::find(cut, unknown_, &Piece::id) != cut.end()) spell_unknown(word, before, pieces);
  }

 private:
  struct Node {
    uint32_t begin = kNone;  // of the last token of the best path; kNone: no path ends here
    int32_t id = -1;
    double score = 0;
    void offer(uint32_t from, int32_t token, double total) {
      if (begin == kNone || total > score) *this = {from, token, total};
    }
  };

  double sum(double before, double score) const {
    return single_ ? static_cast<double>(static_cast<float>(before + score)) : before + score;
  }

  void find_best_paths(std::string_view word, std::span<Node> nodes) const {
    for (uint32_t begin = 0; begin < word.size();) {
      const uint32_t length = character_at(word, begin).length;
      bool alone = false;  // whether the character alone is a token
      TokenTrie::Node node = trie_.root();
      for (uint32_t i = begin; i < word.size(); ++i) {
        node = trie_.next(node, word[i]);
        if (!node.exists()) break;
        if (node.id < 0) continue;
        nodes[i + 1].offer(begin, node.id, sum(nodes[begin].score, scores_[node.id]));
        alone = alone || i + 1 == begin + length;
      }
      if (!alone) {
        require(unknown_ >= 0, "{}: no token for {}, and no 'unk_id' for unknown characters", where_,
                name_of(character_at(word, begin), word, begin));
        nodes[begin + length].offer(begin, unknown_, sum(nodes[begin].score, lowest_ - kUnknownPenalty));
      }
      begin += length;
    }
  }

  // Merges neighboring unknown characters into one unknown token, or into byte tokens.
  void spell_unknown(std::string_view word, size_t before, std::vector<Piece>& pieces) const {
    const std::vector<Piece> cut(pieces.begin() + static_cast<std::ptrdiff_t>(before), pieces.end());
    pieces.resize(before);
    for (size_t i = 0; i < cut.size(); ++i) {
      if (cut[i].id != unknown_) {
        pieces.push_back(cut[i]);
        continue;
      }
      const uint32_t begin = cut[i].begin;
      while (i + 1 < cut.size() && cut[i + 1].id == unknown_) ++i;
      append_unknown(word, begin, cut[i].end, pieces);
    }
  }

  void append_unknown(std::string_view word, uint32_t begin, uint32_t end, std::vector<Piece>& pieces) const {
    const std::string_view text = word.substr(begin, end - begin);
    const auto id_of = [&](char c) { return bytes_[static_cast<unsigned char>(c)]; };
    const int32_t whole = trie_.find(text);
    if (whole < 0 && std::ranges::all_of(text, [&](char c) { return id_of(c) >= 0; })) {
      for (const char c : text) pieces.push_back({id_of(c), begin, end});
    } else {
      pieces.push_back({whole < 0 ? unknown_ : whole, begin, end});
    }
  }

  std::string where_;
  std::vector<std::string> tokens_;
  std::vector<double> scores_;
  double lowest_ = 0;
  int32_t unknown_;
  bool single_;
  std::array<int32_t, 256> bytes_{};  // byte tokens; -1: none
  TokenTrie trie_;
};

}  // namespace

std::unique_ptr<TokenModel> make_unigram(UnigramVocabulary vocabulary) {
  return std::make_unique<Unigram>(std::move(vocabulary));
}

std::unique_ptr<TokenModel> read_unigram(const JsonPart& part) {
  UnigramVocabulary vocabulary = {.where = part.json().where(),
                                  .byte_fallback = part.flag("byte_fallback", false)};
  for (const json::Value entry : part.list("vocab")) add(part, entry, vocabulary);
  const auto count = static_cast<int64_t>(vocabulary.tokens.size());
  require(count > 0, "{}: '{}.vocab' is empty, expected at least one token", vocabulary.where, part.place());
  if (part.has("unk_id")) vocabulary.unknown = static_cast<int32_t>(part.integer("unk_id", 0, count - 1));
  return make_unigram(std::move(vocabulary));
}

}  // namespace locus
