#include "locus/text/pipeline/pipeline_files.h"

#include "locus/base/error.h"
#include "locus/base/file.h"
#include "locus/base/json.h"
#include "locus/base/paths.h"
#include "locus/text/pipeline/marian.h"
#include "locus/text/text_lines.h"
#include "locus/text/tokenizer_config.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

std::string named(const fs::path& file) { return fmt::format("'{}'", file.string()); }

// The normalizer that tokenizer_config.json describes.
std::string bert_normalizer(const JsonPart& config) {
  const bool given = config.has("strip_accents");
  return json::object({{"type", json::text("BertNormalizer")},
                       {"clean_text", "true"},
                       {"lowercase", json::boolean(config.flag("do_lower_case", true))},
                       {"strip_accents", given ? json::boolean(config.flag("strip_accents", true)) : "null"},
                       {"handle_chinese_chars", json::boolean(config.flag("tokenize_chinese_chars", true))}});
}

// The special tokens of a WordPiece vocabulary, and how they are placed around a text.
struct Frame {
  const char *processor, *first, *last, *mask, *padding;
};
constexpr Frame kBert = {"BertProcessing", "[CLS]", "[SEP]", "[MASK]", "[PAD]"},
                kMpnet = {"RobertaProcessing", "<s>", "</s>", "<mask>", "<pad>"};

// The vocabulary of MPNet also has the special tokens of BERT.
const Frame& frame_of(const TokenIds& ids, const JsonPart& config) {
  const std::string name = config.text("tokenizer_class", "");
  const bool mpnet = name.empty() ? ids.contains(kMpnet.first) && ids.contains(kMpnet.last)
                                  : name.starts_with("MPNetTokenizer");
  return mpnet ? kMpnet : kBert;
}

std::string processor_of(const Frame& frame, const TokenIds& ids) {
  if (!ids.contains(frame.first) || !ids.contains(frame.last)) return "null";
  return fmt::format(
      R"({{"type": "{}", "sep": ["{}", {}], "cls": ["{}", {}], "trim_offsets": true, "add_prefix_space": true}})",
      frame.processor, frame.last, ids.at(frame.last), frame.first, ids.at(frame.first));
}

}  // namespace

std::string special_tokens(const TokenIds& ids, const std::vector<std::string>& names,
                           const std::string& blank_taking) {
  std::vector<std::string> tokens;
  for (const std::string& name : names) {
    const auto found = ids.find(name);
    if (found == ids.end()) continue;
    tokens.push_back(json::object({{"id", json::number(int64_t{found->second})},
                                   {"content", json::text(name)},
                                   {"special", "true"},
                                   {"single_word", "false"},
                                   {"lstrip", json::boolean(name == blank_taking)},
                                   {"rstrip", "false"},
                                   {"normalized", "false"}}));
  }
  return json::list(tokens);
}

json::Document read_tokenizer_config(const fs::path& folder) {
  return {tokenizer_config_text(folder), named(folder / kTokenizerConfigFile)};
}

json::Document read_optional_json(const fs::path& file) {
  return {is_there(file) ? read_file(file) : "{}", named(file)};
}

PipelineParts read_pipeline_file(const fs::path& folder) {
  const json::Document config_file = read_tokenizer_config(folder);
  const JsonPart config(config_file, "tokenizer_config");
  return read_pipeline(read_file(folder / kPipelineFile), named(folder / kPipelineFile), &config);
}

PipelineParts read_wordpiece_files(const fs::path& folder) {
  const fs::path file = folder / kWordPieceFile;
  const std::string text = read_file(file);
  TokenIds ids;
  std::vector<std::string> entries;
  TextLines lines(text);
  std::string_view line;
  while (lines.next(line)) {
    const auto id = static_cast<int32_t>(lines.number() - 1);
    require(ids.emplace(line, id).second, "{}, line {}: duplicate token {}, expected each token once",
            named(file), lines.number(), json::text(line));
    entries.push_back(fmt::format("{}: {}", json::text(line), id));
  }
  const json::Document config_file = read_tokenizer_config(folder);
  const JsonPart config(config_file, "tokenizer_config");
  const Frame& frame = frame_of(ids, config);
  return read_pipeline(
      json::object(
          {{"added_tokens",
            special_tokens(ids, {frame.padding, "[UNK]", frame.first, frame.last, frame.mask}, kMpnet.mask)},
           {"normalizer", bert_normalizer(config)},
           {"pre_tokenizer", R"({"type": "BertPreTokenizer"})"},
           {"post_processor", processor_of(frame, ids)},
           {"decoder", R"({"type": "WordPiece", "prefix": "##", "cleanup": true})"},
           {"model", json::object({{"type", json::text("WordPiece")},
                                   {"unk_token", json::text("[UNK]")},
                                   {"continuing_subword_prefix", json::text("##")},
                                   {"max_input_chars_per_word", "100"},
                                   {"vocab", fmt::format("{{{}}}", fmt::join(entries, ", "))}})}}),
      named(file));
}

PipelineParts read_marian_files(const fs::path& folder) {
  const fs::path source = folder / kMarianFile, target = folder / kMarianTargetFile,
                 vocabulary = folder / kBpeVocabularyFile;
  MarianFiles files = {read_file(source), named(source), read_file(vocabulary), named(vocabulary)};
  PipelineParts parts = read_marian(files);
  parts.files = {{kMarianFile, files.spm}, {kBpeVocabularyFile, files.vocabulary}};
  if (!is_there(target)) {
    parts.missing_targets = named(target);
    return parts;
  }
  files.spm = read_file(target);
  files.spm_where = named(target);
  parts.targets = std::make_unique<Pipeline>(read_marian(files));
  parts.files.emplace_back(kMarianTargetFile, std::move(files.spm));
  return parts;
}

}  // namespace locus
