#include "locus/text/pipeline/piece_class.h"

#include <algorithm>

#include "locus/base/error.h"

namespace locus {
namespace {

std::string metaspace_step(std::string_view scheme, bool cuts = true) {
  return fmt::format(R"({{"type": "Metaspace", "prepend_scheme": "{}", "split": {}}})", scheme, cuts);
}

std::string sequence_step(const char* name, const std::vector<std::string>& steps) {
  return json::object({{"type", json::text("Sequence")}, {name, json::list(steps)}});
}

void add_token(std::string token, double score, PieceRecipe& recipe) {
  recipe.tokens.push_back(std::move(token));
  recipe.scores.push_back(score);
}

// Adds the pieces from `first` on, and the special tokens among all pieces.
void add_pieces(const SentencePieceModel& model, size_t first, PieceRecipe& recipe) {
  for (size_t i = 0; i < model.pieces.size(); ++i) {
    const SentencePiece& piece = model.pieces[i];
    if (i >= first) add_token(piece.text, piece.score, recipe);
    const bool control = piece.type == SentencePiece::control;
    if (!control && piece.type != SentencePiece::user_defined) continue;
    recipe.special.push_back({.content = piece.text, .special = control, .normalized = false});
  }
}

// A split at spaces.
json::Members word_steps(bool blank_first) {
  const std::string mark = metaspace_step(blank_first ? "always" : "never");
  return {{"pre_tokenizer", sequence_step("pretokenizers", {R"({"type": "WhitespaceSplit"})", mark})},
          {"decoder", mark}};
}

PieceRecipe t5(const PieceSource& source) {
  PieceRecipe recipe = {
      .unknown = source.model.unknown, .charsmap = source.model.charsmap, .steps = word_steps(true)};
  add_pieces(source.model, 0, recipe);
  const auto extra_id = [](int64_t i) { return fmt::format("<extra_id_{}>", i); };
  const int64_t extra = source.tokens.config().integer("extra_ids", 0, 1 << 20, 100);
  for (int64_t i = extra; i-- > 0;) add_token(extra_id(i), 0, recipe);
  const bool listed = std::ranges::any_of(recipe.special, [](const AddedToken& token) {
    return token.content.find("<extra_id_") != std::string::npos;
  });
  for (int64_t i = 0; i < extra && !listed; ++i) recipe.special.push_back(special_token(extra_id(i)));
  const std::string& end = source.tokens.name(TokenRole::end);
  recipe.single = {{kFirstText, 0}, {end, 0}};
  recipe.pair = {{kFirstText, 0}, {end, 0}, {kSecondText, 0}, {end, 0}};
  return recipe;
}

// The numbering of fairseq: its own tokens come first and replace the first pieces of the file. The mask is
// last.
PieceRecipe fairseq(const PieceSource& source, std::vector<std::pair<std::string, double>> front,
                    size_t replaced) {
  const auto& [model, tokens, where] = source;
  for (size_t i = 0; i < replaced; ++i) {
    require(i < model.pieces.size() && model.pieces[i].type != SentencePiece::normal,
            "{}: piece {} is not a special one, expected special pieces for the first {}, such as <unk>, <s> "
            "and </s>",
            where, i, replaced);
  }
  PieceRecipe recipe = {.unknown = 3,
                        .charsmap = model.charsmap,
                        .steps = word_steps(tokens.config().flag("add_prefix_space", true))};
  for (auto& [token, score] : front) add_token(std::move(token), score, recipe);
  add_pieces(model, replaced, recipe);
  add_token(tokens.name(TokenRole::mask), 0, recipe);
  const std::string &begin = tokens.name(TokenRole::begin), &end = tokens.name(TokenRole::end);
  recipe.single = {{begin, 0}, {kFirstText, 0}, {end, 0}};
  recipe.pair = {{begin, 0}, {kFirstText, 0}, {end, 0}, {end, 0}, {kSecondText, 0}, {end, 0}};
  return recipe;
}

PieceRecipe xlm_roberta(const PieceSource& source) {
  const auto name = [&](TokenRole role) { return source.tokens.name(role); };
  return fairseq(source,
                 {{name(TokenRole::begin), 0},
                  {name(TokenRole::pad), 0},
                  {name(TokenRole::end), 0},
                  {name(TokenRole::unknown), 0}},
                 3);
}

PieceRecipe camembert(const PieceSource& source) {
  return fairseq(source,
                 {{"<s>NOTUSED", 0},
                  {source.tokens.name(TokenRole::pad), 0},
                  {"</s>NOTUSED", 0},
                  {source.tokens.name(TokenRole::unknown), 0},
                  {"<unk>NOTUSED", -100}},
                 1);
}

// transformers ignores the normalization rules of the file.
PieceRecipe deberta(const PieceSource& source) {
  const JsonPart& config = source.tokens.config();
  const std::string mark = metaspace_step(config.flag("add_prefix_space", true) ? "always" : "first");
  std::vector<std::string> normalizers, cuts;
  if (config.flag("do_lower_case", false)) normalizers.push_back(R"({"type": "Lowercase"})");
  normalizers.push_back(
      R"({"type": "Replace", "pattern": {"Regex": "\\s{2,}|[\\n\\r\\t]"}, "content": " "})");
  normalizers.push_back(R"({"type": "NFC"})");
  normalizers.push_back(R"({"type": "Strip", "strip_left": false, "strip_right": true})");
  if (config.flag("split_by_punct", false)) {
    cuts.push_back(R"({"type": "Punctuation", "behavior": "Isolated"})");
  }
  cuts.push_back(mark);
  PieceRecipe recipe = {.unknown = source.model.unknown,
                        .steps = {{"normalizer", sequence_step("normalizers", normalizers)},
                                  {"pre_tokenizer", sequence_step("pretokenizers", cuts)},
                                  {"decoder", mark}}};
  add_pieces(source.model, 0, recipe);
  const std::string &begin = source.tokens.name(TokenRole::whole),
                    &end = source.tokens.name(TokenRole::separator);
  recipe.single = {{begin, 0}, {kFirstText, 0}, {end, 0}};
  recipe.pair = {{begin, 0}, {kFirstText, 0}, {end, 0}, {kSecondText, 1}, {end, 1}};
  return recipe;
}

PieceRecipe llama(const PieceSource& source) {
  const JsonPart& config = source.tokens.config();
  const bool blank_first = config.flag("add_prefix_space", true), always = config.flag("legacy", false);
  std::vector<std::string> decoders = {R"({"type": "Replace", "pattern": {"String": "▁"}, "content": " "})",
                                       R"({"type": "ByteFallback"})", R"({"type": "Fuse"})"};
  if (blank_first) decoders.push_back(R"({"type": "Strip", "content": " ", "start": 1, "stop": 0})");
  const char* scheme = !blank_first ? "never" : always ? "always" : "first";
  PieceRecipe recipe = {.steps = {{"pre_tokenizer", metaspace_step(scheme, false)},
                                  {"decoder", sequence_step("decoders", decoders)}}};
  add_pieces(source.model, 0, recipe);
  for (int text = 0; text < 2; ++text) {
    if (config.flag("add_bos_token", false)) {
      recipe.pair.emplace_back(source.tokens.name(TokenRole::begin), text);
    }
    recipe.pair.emplace_back(text == 0 ? kFirstText : kSecondText, text);
    if (config.flag("add_eos_token", false)) {
      recipe.pair.emplace_back(source.tokens.name(TokenRole::end), text);
    }
    if (text == 0) recipe.single = recipe.pair;
  }
  return recipe;
}

constexpr RolePresets kFairseqRoles = {{"<s>", "</s>", "<unk>", "</s>", "<pad>", "<s>", "<mask>"}};

constexpr PieceClass kClasses[] = {
    {"CamembertTokenizer",
     {"camembert"},
     SentencePieceModel::unigram,
     {kFairseqRoles.names, true},
     camembert},
    {"DebertaV2Tokenizer",
     {"deberta-v2"},
     SentencePieceModel::unigram,
     {{"[CLS]", "[SEP]", "[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]"}},
     deberta},
    {"LlamaTokenizer", {}, SentencePieceModel::bpe, {{"<s>", "</s>", "<unk>", "", "", "", ""}}, llama},
    {"T5Tokenizer",
     {"t5", "mt5"},
     SentencePieceModel::unigram,
     {{"", "</s>", "<unk>", "", "<pad>", "", ""}},
     t5},
    {"XLMRobertaTokenizer", {"xlm-roberta"}, SentencePieceModel::unigram, kFairseqRoles, xlm_roberta},
};

}  // namespace

std::span<const PieceClass> piece_classes() { return kClasses; }

}  // namespace locus
