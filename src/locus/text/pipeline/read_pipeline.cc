// Reads tokenizer.json, part by part.
#include <algorithm>

#include "locus/base/error.h"
#include "locus/base/quote.h"
#include "locus/text/pipeline/pipeline_files.h"
#include "locus/text/token_ids.h"

namespace locus {
namespace {

class TokenList {
 public:
  TokenList(std::string where, size_t count) : where_(std::move(where)), count_(count) {}

  void add(std::string token, int32_t id) {
    const auto place = static_cast<size_t>(id);
    check_table_id(where_, token, id, count_);
    if (tokens.size() <= place) tokens.resize(place + 1);
    if (!tokens[place].empty() && tokens[place] != token) {
      fail(Fault::data, "{}: tokens {} and {} have the same id {}, expected different ids", where_,
           quote(tokens[place]), quote(token), id);
    }
    tokens[place] = std::move(token);
  }

  std::vector<std::string> tokens;

 private:
  std::string where_;
  size_t count_;
};

// A setting that is in tokenizer_config.json and in a step of tokenizer.json.
struct SharedSetting {
  const char *step, *type, *step_name, *config_name;
};
constexpr SharedSetting kSharedSettings[] = {
    {"normalizer", "BertNormalizer", "lowercase", "do_lower_case"},
    {"normalizer", "BertNormalizer", "strip_accents", "strip_accents"},
    {"normalizer", "BertNormalizer", "handle_chinese_chars", "tokenize_chinese_chars"},
    {"pre_tokenizer", "ByteLevel", "add_prefix_space", "add_prefix_space"}};

// Most tokenizer classes of transformers build these steps from tokenizer_config.json and ignore
// tokenizer.json.
void check_agreement(const JsonPart& pipeline, const JsonPart& config) {
  const std::string made_by = config.text("tokenizer_class", "");
  if (made_by == "PreTrainedTokenizerFast" || made_by == "TokenizersBackend") return;
  for (const SharedSetting& field : kSharedSettings) {
    if (!config.has(field.config_name) || !pipeline.has(field.step)) continue;
    const JsonPart step = pipeline.part(field.step);
    if (step.text("type", "") != field.type || !step.has(field.step_name)) continue;
    const bool wanted = config.flag(field.config_name, true);
    require(step.flag(field.step_name, true) == wanted,
            "{}: '{}' is {}, but {}: '{}.{}' is {}, expected equal values; change one of them",
            config.json().where(), field.config_name, wanted, pipeline.json().where(), step.place(),
            field.step_name, !wanted);
  }
}

}  // namespace

std::vector<std::string> tokens_by_id(const PipelineParts& parts, const std::string& where) {
  auto vocabulary = parts.model->take_tokens();
  TokenList list(where, vocabulary.size() + parts.added.size());
  list.tokens.reserve(vocabulary.size());
  for (auto& [token, id] : vocabulary) list.add(std::move(token), id);
  for (const AddedToken& token : parts.added) list.add(token.content, token.id);
  return std::move(list.tokens);
}

void read_steps(const JsonPart& tokenizer, PipelineParts& parts) {
  if (tokenizer.has("normalizer")) parts.normalizer = read_normalizer(tokenizer.part("normalizer"));
  if (tokenizer.has("pre_tokenizer")) {
    parts.pre_tokenizer = read_pre_tokenizer(tokenizer.part("pre_tokenizer"));
  }
  if (tokenizer.has("decoder")) parts.decoder = read_decoder(tokenizer.part("decoder"));
}

void fill_tokens(PipelineParts& parts, const std::string& where) {
  parts.tokens = tokens_by_id(parts, where);
  TextBudget budget = budget_of(parts.added);
  for (const AddedToken& token : parts.added) {
    // A token that is matched in normalized text is also decoded as normalized text.
    if (!token.normalized || parts.normalizer == nullptr) continue;
    AlignedText content(token.content, 0, token.content.size(), &budget);
    parts.normalizer->apply(content);
    budget.finish(content.text().size());
    if (!content.text().empty()) parts.tokens[token.id] = content.text();
  }
  for (const int32_t id : parts.post_processor.ids()) {
    require(static_cast<size_t>(id) < parts.tokens.size() && !parts.tokens[id].empty(),
            "{}: 'tokenizer.post_processor' adds the token {}, expected an id of the vocabulary", where, id);
  }
}

PipelineParts read_pipeline(std::string text, const std::string& where, const JsonPart* config) {
  const json::Document json(text, where);
  const JsonPart all(json, "tokenizer");
  if (config != nullptr) check_agreement(all, *config);
  PipelineParts parts;
  parts.added = read_added_tokens(all);
  read_steps(all, parts);
  const bool as_bytes = parts.pre_tokenizer != nullptr && parts.pre_tokenizer->gives_bytes();
  parts.model = read_token_model(all.part("model"), as_bytes);
  if (all.has("post_processor")) parts.post_processor = PostProcessor(all.part("post_processor"));
  fill_tokens(parts, where);
  parts.files.emplace_back(kPipelineFile, std::move(text));
  return parts;
}

}  // namespace locus
