#include <fmt/ranges.h>

#include "locus/base/error.h"
#include "locus/text/pipeline/piece_class.h"
#include "locus/text/token_trie.h"

namespace locus {
namespace {

// Average number of merges per piece. Real vocabularies have two or three. Pieces that are prefixes of each
// other have one per letter, and could exhaust memory.
constexpr size_t kMostMerges = 16;

// The member "model" of a BPE vocabulary. The file has no merges: every split of a piece into two pieces is
// one, in the order of the pieces, and with the shorter left part first.
std::string merge_model(const std::vector<std::string>& tokens, const std::string& where) {
  TokenTrie trie;
  std::vector<std::string> vocabulary, merges;
  for (size_t i = 0; i < tokens.size(); ++i) {
    trie.add(tokens[i], static_cast<int32_t>(i));
    vocabulary.push_back(fmt::format("{}: {}", json::text(tokens[i]), i));
  }
  for (const std::string_view token : tokens) {
    TokenTrie::Node node = trie.root();
    for (size_t i = 1; i < token.size(); ++i) {
      node = trie.next(node, token[i - 1]);
      const std::string_view left = token.substr(0, i), right = token.substr(i);
      if (node.id < 0 || trie.find(right) < 0) continue;
      merges.push_back(fmt::format("[{}, {}]", json::text(left), json::text(right)));
      require(
          merges.size() <= kMostMerges * tokens.size(),
          "{}: got more than {} splits of pieces into two pieces, expected at most that many for {} pieces",
          where, kMostMerges * tokens.size(), tokens.size());
    }
  }
  return fmt::format(
      R"({{"type": "BPE", "vocab": {{{}}}, "merges": [{}], "fuse_unk": true, "byte_fallback": true}})",
      fmt::join(vocabulary, ", "), fmt::join(merges, ", "));
}

std::string added_member(const std::vector<AddedToken>& added) {
  std::vector<std::string> tokens;
  for (const AddedToken& token : added) {
    tokens.push_back(json::object({{"id", json::number(int64_t{token.id})},
                                   {"content", json::text(token.content)},
                                   {"special", json::boolean(token.special)},
                                   {"normalized", json::boolean(token.normalized)},
                                   {"lstrip", json::boolean(token.left)},
                                   {"rstrip", json::boolean(token.right)},
                                   {"single_word", json::boolean(token.single_word)}}));
  }
  return json::list(tokens);
}

std::string frame_member(const PieceRecipe& recipe, const std::vector<AddedToken>& added) {
  std::vector<std::string> special;
  for (const AddedToken& token : added) {
    special.push_back(fmt::format(R"({}: {{"ids": [{}]}})", json::text(token.content), token.id));
  }
  const auto steps = [](const PieceFrame& frame) {
    std::vector<std::string> list;
    for (const auto& [name, segment] : frame) {
      const bool text = name == kFirstText || name == kSecondText;
      list.push_back(fmt::format(R"({{"{}": {{"id": {}, "type_id": {}}}}})",
                                 text ? "Sequence" : "SpecialToken", json::text(text ? name.substr(1) : name),
                                 segment));
    }
    return json::list(list);
  };
  return json::object({{"type", json::text("TemplateProcessing")},
                       {"single", steps(recipe.single)},
                       {"pair", steps(recipe.pair)},
                       {"special_tokens", fmt::format("{{{}}}", fmt::join(special, ", "))}});
}

}  // namespace

PipelineParts read_pieces(std::string_view bytes, const std::string& where, const PieceClass& type,
                          const FolderTokens& tokens) {
  const SentencePieceModel model = read_sentencepiece(bytes, where);
  require(model.kind == type.kind, "{}: kind is {}, expected {} for {} (1 is unigram, 2 is bpe)", where,
          model.kind, fmt::underlying(type.kind), type.name);
  require(!model.spaces_as_suffix,
          "{}: treat_whitespace_as_suffix is true, expected false: spaces before words", where);
  PieceRecipe recipe = type.recipe({model, tokens, where});
  const std::vector<AddedToken> added = tokens.added(recipe.special, recipe.tokens);
  json::Members members = std::move(recipe.steps);
  members.emplace_back("added_tokens", added_member(added));
  members.emplace_back("post_processor", frame_member(recipe, added));
  std::unique_ptr<TokenModel> pieces;
  if (type.kind == SentencePieceModel::bpe) {
    members.emplace_back("model", merge_model(recipe.tokens, where));
  } else {
    pieces = make_unigram({.where = where,
                           .tokens = std::move(recipe.tokens),
                           .scores = std::move(recipe.scores),
                           .unknown = recipe.unknown});
  }
  return read_pipeline(json::object(members), where, std::move(pieces));
}

}  // namespace locus
