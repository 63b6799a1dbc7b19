#include <algorithm>

#include "locus/base/error.h"
#include "locus/base/quote.h"
#include "locus/text/pipeline/piece_class.h"
#include "locus/text/token_trie.h"

namespace locus {
namespace {

// Average number of merges per piece. Real vocabularies have two or three. Pieces that are prefixes of each
// other have one per letter, and could exhaust memory.
constexpr size_t kMostMerges = 16;

// The file has no merges: every split of a piece into two pieces is one, in the order of the pieces, and with
// the shorter left part first.
MergeVocabulary merging(const std::vector<std::string>& tokens, const std::string& where) {
  MergeVocabulary vocabulary = {.where = where, .fuse_unknown = true, .byte_fallback = true};
  TokenTrie trie;
  for (int32_t id = 0; const std::string& token : tokens) {
    trie.add(token, id);
    vocabulary.ids.emplace(token, id++);
  }
  for (int32_t result = 0; const std::string_view token : tokens) {
    TokenTrie::Node node = trie.root();
    for (size_t i = 1; i < token.size(); ++i) {
      node = trie.next(node, token[i - 1]);
      const int32_t right = trie.find(token.substr(i));
      if (node.id < 0 || right < 0) continue;
      vocabulary.merges.push_back({node.id, right, result, static_cast<uint32_t>(vocabulary.merges.size())});
      require(
          vocabulary.merges.size() <= kMostMerges * tokens.size(),
          "{}: got more than {} splits of pieces into two pieces, expected at most that many for {} pieces",
          where, kMostMerges * tokens.size(), tokens.size());
    }
    ++result;
  }
  return vocabulary;
}

PostProcessor::Template template_of(const PieceFrame& frame, const std::vector<AddedToken>& added,
                                    const std::string& where) {
  PostProcessor::Template steps;
  for (const auto& [name, segment] : frame) {
    if (name == kFirstText || name == kSecondText) {
      steps.push_back({static_cast<int8_t>(name == kFirstText ? 0 : 1), {}, segment});
      continue;
    }
    const auto token = std::ranges::find(added, name, &AddedToken::content);
    require(token != added.end(),
            "{}: the tokenizer adds the token {} around a text, expected one of its special tokens", where,
            quote(name));
    steps.push_back({Encoding::kNoText, {token->id}, segment});
  }
  return steps;
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
  PipelineParts parts;
  parts.added = tokens.added(recipe.special, recipe.tokens);
  parts.post_processor = PostProcessor(template_of(recipe.single, parts.added, where),
                                       template_of(recipe.pair, parts.added, where));
  const json::Document steps(json::object(recipe.steps), where);
  read_steps(JsonPart(steps, "tokenizer"), parts);
  if (!recipe.charsmap.empty()) {
    parts.normalizer = make_precompiled(recipe.charsmap, where + ": character map");
  }
  if (type.kind == SentencePieceModel::bpe) {
    parts.model = make_bpe(merging(recipe.tokens, where));
  } else {
    parts.model = make_unigram({.where = where,
                                .tokens = std::move(recipe.tokens),
                                .scores = std::move(recipe.scores),
                                .unknown = recipe.unknown});
  }
  fill_tokens(parts, where);
  return parts;
}

}  // namespace locus
