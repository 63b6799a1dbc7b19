// vocab.json and merges.txt: byte-level BPE, with the special tokens that the tokenizer class of transformers
// adds.
#include <algorithm>

#include "locus/base/error.h"
#include "locus/base/file.h"
#include "locus/base/json.h"
#include "locus/base/quote.h"
#include "locus/text/pipeline/pipeline_files.h"
#include "locus/text/text_lines.h"
#include "locus/text/token_ids.h"

namespace locus {
namespace {

// With all fields, which Hugging Face tokenizers requires.
std::string byte_level(bool blank_first, bool trims) {
  return json::object({{"type", json::text("ByteLevel")},
                       {"add_prefix_space", json::boolean(blank_first)},
                       {"trim_offsets", json::boolean(trims)},
                       {"use_regex", "true"}});
}

// {"content": "<s>", ..} or "<s>"
std::string token_name(const JsonPart& config, const char* role, const char* preset) {
  if (!config.has(role) || config.member(role).is_text()) return config.text(role, preset);
  return config.part(role).text("content");
}

class MergeFrame {
 public:
  MergeFrame(const TokenIds& ids, const JsonPart& config)
      : ids_(ids),
        config_(config),
        class_(config.text("tokenizer_class", "")),
        blank_first_(config.flag("add_prefix_space", false)) {
    if (class_.ends_with("Fast")) class_.resize(class_.size() - 4);
  }

  bool blank_first() const { return blank_first_; }

  // The mask token if it includes the space before it, or "".
  std::string blank_taking_mask() const {
    const bool object = config_.has("mask_token") && !config_.member("mask_token").is_text();
    const bool takes = object && config_.part("mask_token").flag("lstrip", false);
    return takes ? config_.part("mask_token").text("content") : "";
  }

  // The member "post_processor".
  std::string processor() const {
    if (is_one_of({"RobertaTokenizer", "BartTokenizer", "LongformerTokenizer", "LEDTokenizer"}) ||
        guessed("<s>", "</s>")) {
      return around("RobertaProcessing", "<s>", "</s>");
    }
    if (is_one_of({"DebertaTokenizer"}) || guessed("[CLS]", "[SEP]")) {
      return around("BertProcessing", "[CLS]", "[SEP]");
    }
    if (!is_one_of({"", "GPT2Tokenizer", "CodeGenTokenizer"})) {
      config_.refuse(
          "tokenizer_class",
          "GPT2Tokenizer, RobertaTokenizer, DebertaTokenizer or a related class; other classes need a "
          "tokenizer.json");
    }
    if (config_.flag("add_bos_token", false)) return before();
    return byte_level(true, false);
  }

 private:
  bool is_one_of(std::initializer_list<std::string_view> names) const {
    return std::ranges::count(names, class_) > 0;
  }
  bool guessed(const char* first, const char* last) const {
    return class_.empty() && ids_.contains(first) && ids_.contains(last);
  }

  int32_t id_of(const std::string& token) const {
    const auto found = ids_.find(token);
    require(found != ids_.end(), "{} adds the token {} around a text, expected it in {}", config_.where(),
            quote(token), kBpeVocabularyFile);
    return found->second;
  }

  std::string around(const char* type, const char* first, const char* last) const {
    const auto member = [&](const char* role, const char* preset) {
      const std::string token = token_name(config_, role, preset);
      return fmt::format("[{}, {}]", json::text(token), id_of(token));
    };
    return json::object({{"type", json::text(type)},
                         {"cls", member("cls_token", first)},
                         {"sep", member("sep_token", last)},
                         {"trim_offsets", "true"},
                         {"add_prefix_space", json::boolean(blank_first_)}});
  }

  // One token before each text.
  std::string before() const {
    const std::string token = token_name(config_, "bos_token", "<|endoftext|>"), name = json::text(token);
    const auto piece = [&](const char* text, int segment) {
      return fmt::format(R"({{"SpecialToken": {{"id": {0}, "type_id": {2}}}}}, )"
                         R"({{"Sequence": {{"id": "{1}", "type_id": {2}}}}})",
                         name, text, segment);
    };
    return fmt::format(R"({{"type": "TemplateProcessing", "single": [{0}], "pair": [{0}, {1}], )"
                       R"("special_tokens": {{{2}: {{"id": {2}, "ids": [{3}], "tokens": [{2}]}}}}}})",
                       piece("A", 0), piece("B", 1), name, id_of(token));
  }

  const TokenIds& ids_;
  const JsonPart& config_;
  std::string class_;  // tokenizer class of transformers, without "Fast"
  bool blank_first_;
};

std::vector<std::string> special_names(const JsonPart& config) {
  std::vector<std::string> names = {"<|endoftext|>", "<s>",   "<pad>", "</s>",  "<unk>", "<mask>",
                                    "[CLS]",         "[PAD]", "[SEP]", "[UNK]", "[MASK]"};
  for (const char* role :
       {"bos_token", "eos_token", "unk_token", "pad_token", "cls_token", "sep_token", "mask_token"}) {
    std::string name = token_name(config, role, "");
    if (std::ranges::count(names, name) == 0) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

PipelineParts read_merge_files(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kBpeMergesFile;
  const json::Document vocabulary(folder / kBpeVocabularyFile), config_json = read_tokenizer_config(folder);
  const TokenIds ids = read_token_ids(vocabulary, vocabulary.object());
  const JsonPart config(config_json, "tokenizer_config");
  const MergeFrame frame(ids, config);
  const std::string text = read_file(file);
  std::vector<std::string> merges;
  TextLines lines(text);
  std::string_view line;
  while (lines.next(line)) {
    if (!line.empty() && !(lines.number() == 1 && line.starts_with("#version"))) {
      merges.push_back(json::text(line));
    }
  }
  return read_pipeline(
      json::object({{"added_tokens", special_tokens(ids, special_names(config), frame.blank_taking_mask())},
                    {"pre_tokenizer", byte_level(frame.blank_first(), true)},
                    {"post_processor", frame.processor()},
                    {"decoder", byte_level(true, true)},
                    {"model", fmt::format(R"({{"type": "BPE", "vocab": {}, "merges": [{}]}})",
                                          vocabulary.root().print(), fmt::join(merges, ", "))}}),
      fmt::format("'{}'", file.string()));
}

}  // namespace locus
