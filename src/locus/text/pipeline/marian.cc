#include "locus/text/pipeline/marian.h"

#include <algorithm>

#include "locus/base/error.h"
#include "locus/base/quote.h"
#include "locus/text/token_ids.h"

namespace locus {
namespace {

constexpr std::string_view kWordMark = "\u2581", kUnknown = "<unk>", kEnd = "</s>", kPad = "<pad>";

using Ids = std::unordered_map<std::string, int32_t>;

// The pieces of SentencePiece with the ids of vocab.json.
class MarianModel final : public TokenModel {
 public:
  MarianModel(const SentencePieceModel& model, const MarianFiles& files, Ids ids)
      : ids_(std::move(ids)),
        unknown_(ids_.at(std::string(kUnknown))),
        unknown_piece_(model.unknown),
        lengths_(files.vocabulary_where, ids_.size()) {
    const std::string& where = files.spm_where;
    UnigramVocabulary vocabulary = {.where = where, .single_precision = true};
    for (const SentencePiece& piece : model.pieces) {
      const auto index = static_cast<int32_t>(vocabulary.tokens.size());
      require(piece.type != SentencePiece::user_defined && piece.type != SentencePiece::byte,
              "{}: piece {} ({}) has type {}, expected neither user-defined (4) nor byte (6) pieces", where,
              index, quote(piece.text), piece.type);
      vocabulary.tokens.push_back(piece.type == SentencePiece::normal ? piece.text : "");
      vocabulary.scores.push_back(piece.score);
      const auto found = ids_.find(piece.text);
      renamed_.push_back(found == ids_.end() ? unknown_ : found->second);
    }
    vocabulary.unknown = unknown_piece_;
    pieces_ = make_unigram(std::move(vocabulary));
    for (const auto& [token, id] : ids_) {
      lengths_.set(token, id, token.size());
    }
  }

  std::string_view kind() const override { return "unigram"; }
  uint32_t length(int32_t id) const override { return lengths_[id]; }
  std::vector<std::pair<std::string, int32_t>> take_tokens() override { return {ids_.begin(), ids_.end()}; }

  void append(std::string_view word, std::vector<Piece>& pieces) const override {
    const size_t before = pieces.size();
    pieces_->append(word, pieces);
    for (Piece& piece : std::span(pieces).subspan(before)) {
      if (piece.id != unknown_piece_) {
        piece.id = renamed_[piece.id];
        continue;
      }
      // The vocabulary of the other language may have a token for it.
      const auto found = ids_.find(std::string(word.substr(piece.begin, piece.end - piece.begin)));
      piece.id = found == ids_.end() ? unknown_ : found->second;
    }
  }

 private:
  Ids ids_;
  int32_t unknown_, unknown_piece_;
  std::vector<int32_t> renamed_;  // from ids of SentencePiece to those of vocab.json
  TokenLengths lengths_;
  std::unique_ptr<TokenModel> pieces_;
};

// Marks become spaces, except at the start of a text. A space follows every special token.
class MarianDecoder final : public TokenDecoder {
 public:
  void apply(std::vector<std::string>& tokens, TextBudget&) const override {
    std::string text;
    bool first = true;
    for (const std::string& token : tokens) {
      if (token == kUnknown || token == kEnd || token == kPad) {
        text += token + ' ';
        first = true;
        continue;
      }
      std::string_view piece = token;
      while (first && piece.starts_with(kWordMark)) piece.remove_prefix(kWordMark.size());
      first = first && piece.empty();
      append(piece, text);
    }
    const size_t begin = std::min(text.find_first_not_of(' '), text.size());
    tokens.assign(1, text.substr(begin, text.find_last_not_of(' ') + 1 - begin));
  }

 private:
  static void append(std::string_view piece, std::string& text) {
    for (size_t mark = 0; (mark = piece.find(kWordMark)) != std::string_view::npos;) {
      text.append(piece.substr(0, mark)).append(" ");
      piece.remove_prefix(mark + kWordMark.size());
    }
    text += piece;
  }
};

std::vector<AddedToken> added_tokens(const Ids& ids) {
  std::vector<AddedToken> added;
  for (const auto& [token, id] : ids) {
    // >>fra<< before a text selects the target language.
    const bool language = token.size() > 4 && token.starts_with(">>") && token.ends_with("<<");
    const bool special = token == kUnknown || token == kEnd || token == kPad;
    if (language || special)
      added.push_back({.content = token, .id = id, .special = special, .normalized = false});
  }
  std::ranges::sort(added, {}, &AddedToken::id);
  return added;
}

}  // namespace

PipelineParts read_marian(const MarianFiles& files) {
  const SentencePieceModel model = read_sentencepiece(files.spm, files.spm_where);
  require(model.kind == SentencePieceModel::unigram && !model.byte_fallback && !model.spaces_as_suffix,
          "{}: got kind {}{}{}, expected a unigram model (kind 1) without byte_fallback and "
          "treat_whitespace_as_suffix",
          files.spm_where, model.kind, model.byte_fallback ? ", byte_fallback" : "",
          model.spaces_as_suffix ? ", treat_whitespace_as_suffix" : "");
  const json::Document json(files.vocabulary, files.vocabulary_where);
  Ids ids = read_token_ids(json, json.object());
  for (const std::string_view name : {kUnknown, kEnd}) {
    require(ids.contains(std::string(name)), "{}: token {} is missing", files.vocabulary_where, quote(name));
  }
  PipelineParts parts;
  parts.added = added_tokens(ids);
  const PostProcessor::Step end = {Encoding::kNoText, {ids.at(std::string(kEnd))}, 0};
  parts.post_processor = PostProcessor({{0, {}, 0}, end}, {{0, {}, 0}, {1, {}, 0}, end});
  parts.normalizer = sentencepiece_normalizer(model, files.spm_where);
  parts.decoder = std::make_unique<MarianDecoder>();
  parts.model = std::make_unique<MarianModel>(model, files, std::move(ids));
  parts.tokens = tokens_by_id(parts, files.vocabulary_where);
  return parts;
}

}  // namespace locus
