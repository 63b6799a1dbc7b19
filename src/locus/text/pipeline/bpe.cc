// Byte-pair encoding (Sennrich et al. 2016, arXiv 1508.07909). A word starts as its characters, or as its
// bytes spelled as characters; then known pairs of neighbors merge, the earliest learned pair first. A
// character that is not a token becomes byte tokens if the vocabulary has them, otherwise the unknown token,
// otherwise it is dropped.
#include <algorithm>
#include <array>

#include "locus/base/error.h"
#include "locus/base/quote.h"
#include "locus/text/byte_alphabet.h"
#include "locus/text/merge_word.h"
#include "locus/text/pipeline/token_model.h"
#include "locus/text/token_ids.h"
#include "locus/text/token_trie.h"
#include "locus/text/unicode.h"

namespace locus {
namespace {

class BpeReader {
 public:
  explicit BpeReader(const JsonPart& part) : part_(part) {
    const auto vocabulary = part.member("vocab").object();
    if (!vocabulary) part.refuse("vocab", "an object");
    ids = read_token_ids(part.json(), *vocabulary);
    require(!ids.empty(), "{}: '{}.vocab' is empty, expected at least one token", part.json().where(),
            part.place());
    for (const json::Value merge : part.list("merges")) add(merge);
  }

  std::unordered_map<std::string, int32_t> ids;
  std::vector<Merge> merges;

 private:
  std::string place() const { return fmt::format("{}.merges[{}]", part_.place(), merges.size()); }

  int32_t id_of(const std::string& token) const {
    const auto found = ids.find(token);
    require(found != ids.end(), "{}: '{}': token {} is not in the vocabulary", part_.json().where(), place(),
            quote(token));
    return found->second;
  }

  // "left right", or ["left", "right"].
  void add(json::Value merge) {
    std::string_view left, right;
    if (const auto line = merge.text(); line && line->find(' ') == line->rfind(' ')) {
      const size_t blank = std::min(line->find(' '), line->size());
      left = line->substr(0, blank);
      right = line->substr(std::min(blank + 1, line->size()));
    } else if (const auto pair = merge.list(); pair && pair->size() == 2) {
      left = (*pair)[0].text().value_or("");
      right = (*pair)[1].text().value_or("");
    }
    if (left.empty() || right.empty()) part_.json().refuse("'" + place() + "'", merge, "two tokens");
    const std::string first(left), second(right);
    const Merge fresh = {id_of(first), id_of(second), id_of(first + second),
                         static_cast<uint32_t>(merges.size())};
    const auto [other, once] = ranks_.emplace(uint64_t(fresh.left) << 32 | uint64_t(fresh.right), fresh.rank);
    require(once, "{}: '{}': duplicate merge of {} and {}, first at index {}", part_.json().where(), place(),
            quote(left), quote(right), other->second);
    merges.push_back(fresh);
  }

  const JsonPart& part_;
  std::unordered_map<uint64_t, uint32_t> ranks_;
};

class MergingModel final : public TokenModel {
 public:
  explicit MergingModel(const MergeVocabulary& vocabulary)
      : as_bytes_(vocabulary.as_bytes),
        whole_(vocabulary.whole_words),
        fuse_(vocabulary.fuse_unknown),
        table_(vocabulary.merges),
        lengths_(vocabulary.where, vocabulary.ids.size()),
        unknown_(vocabulary.unknown) {
    bytes_.fill(-1);
    tokens_.reserve(vocabulary.ids.size());
    for (const auto& [token, id] : vocabulary.ids) {
      const std::optional<std::string> bytes = as_bytes_ ? unspelled(token) : token;
      if (bytes) trie_.add(*bytes, id);
      lengths_.set(token, id, bytes ? bytes->size() : 0);
      tokens_.emplace_back(token, id);
    }
    for (int byte = 0; vocabulary.byte_fallback && byte < 256; ++byte) {
      const auto found = vocabulary.ids.find(fmt::format("<0x{:02X}>", byte));
      if (found == vocabulary.ids.end()) continue;
      bytes_[byte] = found->second;
      lengths_.set(found->first, found->second, 1);
    }
  }

  std::string_view kind() const override { return "bpe"; }
  uint32_t length(int32_t id) const override { return lengths_[id]; }
  std::vector<std::pair<std::string, int32_t>> take_tokens() override { return std::move(tokens_); }

  void append(std::string_view word, std::vector<Piece>& pieces) const override {
    const auto size = static_cast<uint32_t>(word.size());
    if (whole_) {
      const int32_t id = trie_.find(word);
      if (id >= 0) return pieces.push_back({id, 0, size});
    }
    Run run;
    uint32_t unknown = 0;  // number of unknown bytes before `place` that have no token yet
    uint32_t place = 0;    // offset in the word; dropped characters do not count
    for (uint32_t i = 0; i < size;) {
      const uint32_t length = as_bytes_ ? 1 : character_at(word, i).length;
      const std::string_view character = word.substr(i, length);
      const int32_t id = trie_.find(character);
      if (id >= 0) {
        if (unknown > 0) end_unknown(place, unknown, run, pieces);
        run.push(id, place);
        place += length;
      } else if (spell_bytes(character, place, run)) {
        place += length;
      } else if (unknown_ >= 0) {
        if (unknown > 0 && !fuse_) end_unknown(place, unknown, run, pieces);
        if (unknown == 0) merge(run, pieces);
        unknown += length;
        place += length;
      }
      i += length;
    }
    if (unknown > 0) end_unknown(place, unknown, run, pieces);
    merge(run, pieces);
  }

 private:
  // Consecutive characters that are all tokens.
  struct Run {
    std::vector<int32_t> ids;
    uint32_t begin = 0;
    void push(int32_t id, uint32_t place) {
      if (ids.empty()) begin = place;
      ids.push_back(id);
    }
  };

  bool spell_bytes(std::string_view character, uint32_t place, Run& run) const {
    const auto id_of = [&](char c) { return bytes_[static_cast<unsigned char>(c)]; };
    if (!std::ranges::all_of(character, [&](char c) { return id_of(c) >= 0; })) return false;
    for (const char c : character) run.push(id_of(c), place);
    return true;
  }

  void end_unknown(uint32_t end, uint32_t& length, Run& run, std::vector<Piece>& pieces) const {
    merge(run, pieces);
    pieces.push_back({unknown_, end - length, end});
    length = 0;
  }

  void merge(Run& run, std::vector<Piece>& pieces) const {
    if (run.ids.size() <= kShortWord) {
      run.ids.resize(merge_short(table_, run.ids.data(), run.ids.size()));
    } else {
      merge_long(table_, run.ids);
    }
    uint32_t place = run.begin;
    for (const int32_t id : run.ids) {
      pieces.push_back({id, place, place + lengths_[id]});
      place += lengths_[id];
    }
    run.ids.clear();
  }

  bool as_bytes_, whole_, fuse_;
  MergeTable table_;
  TokenTrie trie_;
  std::array<int32_t, 256> bytes_{};  // tokens of the byte fallback; -1: none
  TokenLengths lengths_;              // in bytes
  int32_t unknown_;
  std::vector<std::pair<std::string, int32_t>> tokens_;  // until take_tokens()
};

}  // namespace

std::unique_ptr<TokenModel> make_bpe(const MergeVocabulary& vocabulary) {
  return std::make_unique<MergingModel>(vocabulary);
}

std::unique_ptr<TokenModel> read_bpe(const JsonPart& part, bool as_bytes) {
  for (const char* name : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    if (!part.text(name, "").empty()) part.refuse(name, "none; it is not supported");
  }
  if (part.has("dropout")) {
    if (part.member("dropout").number() != 0.0) part.refuse("dropout", "null");
  }
  BpeReader reader(part);
  MergeVocabulary vocabulary = {.where = part.json().where(),
                                .ids = std::move(reader.ids),
                                .merges = std::move(reader.merges),
                                .as_bytes = as_bytes,
                                .whole_words = part.flag("ignore_merges", false),
                                .fuse_unknown = part.flag("fuse_unk", false),
                                .byte_fallback = part.flag("byte_fallback", false)};
  for (int byte = 0; vocabulary.byte_fallback && as_bytes && byte < 256; ++byte) {
    if (!vocabulary.ids.contains(spelled(std::string(1, static_cast<char>(byte)))))
      part.refuse("byte_fallback", "false, because ByteLevel spells bytes, and the vocabulary lacks some");
  }
  if (part.has("unk_token")) {
    const std::string unknown = part.text("unk_token");
    const auto found = vocabulary.ids.find(unknown);
    require(found != vocabulary.ids.end(), "{}: '{}.unk_token' is {}, expected a token of the vocabulary",
            vocabulary.where, part.place(), quote(unknown));
    vocabulary.unknown = found->second;
  }
  return make_bpe(vocabulary);
}

}  // namespace locus
