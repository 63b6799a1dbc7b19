#include "locus/text/tokenizer_json.h"

#include <algorithm>
#include <unordered_set>

#include "locus/base/error.h"
#include "locus/base/file.h"
#include "locus/base/json.h"
#include "locus/base/json_document.h"
#include "locus/base/paths.h"
#include "locus/base/quote.h"
#include "locus/text/bpe.h"
#include "locus/text/byte_alphabet.h"
#include "locus/text/pipeline/pipeline_files.h"

namespace locus {
namespace {

constexpr const char* kByteLevel =
    R"({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": false, "use_regex": true})";

bool is_byte_level(const Tokenizer& tokenizer) { return tokenizer.kind() != "characters"; }

// A token as the vocabulary of tokenizer.json spells it. Empty: the id is unused.
std::string word_of(const Tokenizer& tokenizer, int32_t id) {
  const std::string bytes(tokenizer.bytes(id));
  const bool is_name = tokenizer.specials().name(id) != nullptr;
  return is_name || !is_byte_level(tokenizer) ? bytes : spelled(bytes);
}

// Special tokens are in the vocabulary, too: otherwise the ids of added tokens would follow its last one.
std::string vocabulary_of(const Tokenizer& tokenizer) {
  std::vector<std::string> entries;
  std::unordered_set<std::string> words;
  for (int32_t id = 0; id < tokenizer.size(); ++id) {
    const std::string word = word_of(tokenizer, id);
    if (word.empty()) continue;
    require(words.insert(word).second,
            "tokenizer.json cannot represent the vocabulary: two tokens are spelled {}, expected each once",
            quote(word));
    entries.push_back(fmt::format("{}: {}", json::text(word), id));
  }
  return fmt::format("{{{}}}", fmt::join(entries, ", "));
}

// In a list, an earlier merge takes precedence. Merges with the same rank are in the order of transformers,
// which converts rank files in the same way.
std::string merges_of(const Tokenizer& tokenizer) {
  const auto* bpe = dynamic_cast<const Bpe*>(&tokenizer);
  if (bpe == nullptr) return "[]";
  std::vector<Merge> merges = bpe->merges();
  std::ranges::stable_sort(
      merges, {}, [](const Merge& merge) { return std::tuple(merge.rank, merge.left, merge.right); });
  std::vector<std::string> lines;
  for (const Merge& merge : merges) {
    lines.push_back(json::text(word_of(tokenizer, merge.left) + ' ' + word_of(tokenizer, merge.right)));
  }
  return json::list(lines);
}

std::string model_of(const Tokenizer& tokenizer) {
  const bool has_unknown = tokenizer.kind() == "characters" && tokenizer.specials().ids().contains("<unk>");
  return json::object({{"type", json::text("BPE")},
                       {"dropout", "null"},
                       {"unk_token", has_unknown ? json::text("<unk>") : "null"},
                       {"continuing_subword_prefix", "null"},
                       {"end_of_word_suffix", "null"},
                       {"fuse_unk", "false"},
                       {"byte_fallback", "false"},
                       {"ignore_merges", json::boolean(tokenizer.kind() == "ranks")},
                       {"vocab", vocabulary_of(tokenizer)},
                       {"merges", merges_of(tokenizer)}});
}

std::string added_tokens_of(const Tokenizer& tokenizer) {
  std::vector<std::string> tokens;
  for (int32_t id = 0; id < tokenizer.size(); ++id) {
    const std::string* name = tokenizer.specials().name(id);
    if (name == nullptr) continue;
    tokens.push_back(json::object({{"id", json::number(int64_t{id})},
                                   {"content", json::text(*name)},
                                   {"single_word", "false"},
                                   {"lstrip", "false"},
                                   {"rstrip", "false"},
                                   {"normalized", "false"},
                                   {"special", "true"}}));
  }
  return json::list(tokens);
}

// TemplateProcessing, which adds the special tokens around a text or a pair.
std::string processor_of(const Tokenizer& tokenizer, const FrameTokens& frame) {
  std::vector<std::string> single, pair, tokens;
  std::unordered_set<int32_t> declared;
  const auto text = [](const char* name, int segment) {
    return fmt::format(R"({{"Sequence": {{"id": "{}", "type_id": {}}}}})", name, segment);
  };
  const auto token = [&](const std::optional<int32_t>& id, std::vector<std::string>& steps) {
    if (!id) return;
    const std::string name = json::text(tokenizer.bytes(*id));
    steps.push_back(fmt::format(R"({{"SpecialToken": {{"id": {}, "type_id": 0}}}})", name));
    if (!declared.insert(*id).second) return;
    tokens.push_back(fmt::format(R"({}: {{"id": {}, "ids": [{}], "tokens": [{}]}})", name, name, *id, name));
  };
  token(frame.start, single);
  single.push_back(text("A", 0));
  token(frame.end, single);
  token(frame.start, pair);
  pair.push_back(text("A", 0));
  token(frame.between, pair);
  pair.push_back(text("B", 1));
  return json::object({{"type", json::text("TemplateProcessing")},
                       {"single", json::list(single)},
                       {"pair", json::list(pair)},
                       {"special_tokens", fmt::format("{{{}}}", fmt::join(tokens, ", "))}});
}

std::string json_of(const Tokenizer& tokenizer) {
  const bool bytes = is_byte_level(tokenizer);
  return json::lines({{"version", json::text("1.0")},
                      {"truncation", "null"},
                      {"padding", "null"},
                      {"added_tokens", added_tokens_of(tokenizer)},
                      {"normalizer", "null"},
                      {"pre_tokenizer", bytes ? kByteLevel : "null"},
                      {"post_processor", "null"},
                      {"decoder", bytes ? kByteLevel : R"({"type": "Fuse"})"},
                      {"model", model_of(tokenizer)}});
}

// The text of a tokenizer.json with another post-processor, after the present one.
std::string with_processor(const std::string& text, const std::string& processor) {
  constexpr const char* kMember = "post_processor";
  const json::Document document(text, kPipelineFile);
  json::Members members;
  std::vector<std::string> processors;
  for (const auto [name, value] : document.object()) {
    const bool present = name == kMember;
    if (present && !value.is_null()) processors.push_back(value.print());
    if (!present) members.emplace_back(name, value.print());
  }
  processors.push_back(processor);
  members.emplace_back(kMember, processors.size() == 1
                                    ? processor
                                    : json::object({{"type", json::text("Sequence")},
                                                    {"processors", json::list(processors)}}));
  return json::lines(members);
}

}  // namespace

void save_for_hub(const Tokenizer& tokenizer, const FrameTokens& frame, const std::filesystem::path& folder) {
  constexpr std::string_view kOwnKinds[] = {"bytes", "characters", "merges", "ranks"};
  const bool own = std::ranges::count(kOwnKinds, tokenizer.kind()) > 0;
  const std::filesystem::path file = folder / kPipelineFile;
  if (own) {
    write_file(file, json_of(tokenizer));
  } else {
    tokenizer.save(folder);
  }
  if (frame.empty()) return;
  require(is_there(file), Code::unsupported_field,
          "the tokenizer has no {}, so the special token {} cannot be added to its texts; expected a "
          "tokenizer with {}, or one that adds special tokens itself",
          kPipelineFile,
          quote(tokenizer.bytes(frame.start ? *frame.start : *(frame.end ? frame.end : frame.between))),
          kPipelineFile);
  write_file(file, with_processor(read_file(file), processor_of(tokenizer, frame)));
}

}  // namespace locus
