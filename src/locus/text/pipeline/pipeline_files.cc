#include "locus/text/pipeline/pipeline_files.h"

#include "locus/base/error.h"
#include "locus/base/file.h"
#include "locus/base/json.h"
#include "locus/base/paths.h"
#include "locus/text/pipeline/marian.h"
#include "locus/text/text_lines.h"
#include "locus/text/token_ids.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

std::string named(const fs::path& file) { return fmt::format("'{}'", file.string()); }

std::string added_token(std::string_view content, int64_t id) {
  return json::object({{"id", json::number(id)},
                       {"content", json::text(content)},
                       {"special", "true"},
                       {"normalized", "false"}});
}

}  // namespace

PipelineParts read_pipeline_file(const fs::path& folder) {
  return read_pipeline(read_file(folder / kPipelineFile), named(folder / kPipelineFile));
}

PipelineParts read_wordpiece_files(const fs::path& folder) {
  const fs::path file = folder / kWordPieceFile;
  const std::string text = read_file(file);
  std::unordered_map<std::string, int64_t> ids;
  std::vector<std::string> entries, added;
  TextLines lines(text);
  std::string_view line;
  while (lines.next(line)) {
    const int64_t id = lines.number() - 1;
    require(ids.emplace(line, id).second, "{}, line {}: token {} stands twice, expected once", named(file),
            lines.number(), json::text(line));
    entries.push_back(fmt::format("{}: {}", json::text(line), id));
  }
  for (const char* name : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}) {
    const auto found = ids.find(name);
    if (found != ids.end()) added.push_back(added_token(name, found->second));
  }
  std::string lowercase = "true", processor = "null";
  const fs::path config = folder / "tokenizer_config.json";
  if (is_there(config)) {
    const JsonText json(config);
    bool flag = true;
    if (!json.object().at_key("do_lower_case").get_bool().get(flag) && !flag) lowercase = "false";
  }
  if (ids.contains("[CLS]") && ids.contains("[SEP]")) {
    processor = fmt::format(R"({{"type": "BertProcessing", "sep": ["[SEP]", {}], "cls": ["[CLS]", {}]}})",
                            ids.at("[SEP]"), ids.at("[CLS]"));
  }
  return read_pipeline(
      json::object(
          {{"added_tokens", json::list(added)},
           {"normalizer", R"({"type": "BertNormalizer", "lowercase": )" + lowercase + "}"},
           {"pre_tokenizer", R"({"type": "BertPreTokenizer"})"},
           {"post_processor", processor},
           {"decoder", R"({"type": "WordPiece"})"},
           {"model", fmt::format(R"({{"type": "WordPiece", "vocab": {{{}}}}})", fmt::join(entries, ", "))}}),
      named(file));
}

PipelineParts read_merge_files(const fs::path& folder) {
  const fs::path file = folder / kBpeMergesFile;
  const JsonText vocabulary(folder / kBpeVocabularyFile);
  const auto ids = read_token_ids(vocabulary, vocabulary.object());
  const std::string text = read_file(file);
  std::vector<std::string> merges, added;
  TextLines lines(text);
  std::string_view line;
  while (lines.next(line)) {
    if (!line.empty() && !(lines.number() == 1 && line.starts_with("#version"))) {
      merges.push_back(json::text(line));
    }
  }
  for (const char* name : {"<|endoftext|>", "<s>", "<pad>", "</s>", "<unk>", "<mask>"}) {
    const auto found = ids.find(name);
    if (found != ids.end()) added.push_back(added_token(name, found->second));
  }
  std::string processor = R"({"type": "ByteLevel", "trim_offsets": false})";
  if (ids.contains("<s>") && ids.contains("</s>")) {
    processor = fmt::format(
        R"({{"type": "RobertaProcessing", "sep": ["</s>", {}], "cls": ["<s>", {}], "add_prefix_space": false}})",
        ids.at("</s>"), ids.at("<s>"));
  }
  return read_pipeline(
      json::object({{"added_tokens", json::list(added)},
                    {"pre_tokenizer", R"({"type": "ByteLevel", "add_prefix_space": false})"},
                    {"post_processor", processor},
                    {"decoder", R"({"type": "ByteLevel"})"},
                    {"model", fmt::format(R"({{"type": "BPE", "vocab": {}, "merges": [{}]}})",
                                          simdjson::minify(vocabulary.object()), fmt::join(merges, ", "))}}),
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
