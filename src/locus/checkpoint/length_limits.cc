#include "locus/checkpoint/length_limits.h"

#include "locus/base/file.h"
#include "locus/base/json_document.h"
#include "locus/base/paths.h"
#include "locus/checkpoint/model_folder.h"
#include "locus/checkpoint/sentence_modules.h"
#include "locus/text/pipeline/pipeline_files.h"
#include "locus/text/tokenizer_config.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

class Limits {
 public:
  Limits(const fs::path& folder, int64_t from, int64_t to) : folder_(folder), from_(from), to_(to) {}

  void raise_sentence_limit(const char* name) {
    if (!is_there(folder_ / name)) return;
    if (is_below(Config(folder_ / name), "max_seq_length")) set(name, "max_seq_length");
  }

  void raise_tokenizer_limits() {
    const Config config(tokenizer_config_text(folder_), folder_ / kTokenizerConfigFile);
    for (const char* field : {"model_max_length", "max_len"}) {  // max_len: the name in old files
      if (is_below(config, field)) set(kTokenizerConfigFile, field);
    }
  }

  // generation_config.json limits prompt and output together. Only a limit that is the old context follows.
  void raise_generation_limit() {
    const char* name = "generation_config.json";
    if (!is_there(folder_ / name)) return;
    const Config config(folder_ / name);
    if (config.has("max_length") && config.integer("max_length", 0, 1e15) == from_) set(name, "max_length");
  }

  // "truncation": {"max_length": 128, ...} in tokenizer.json
  void raise_truncation() {
    const fs::path file = folder_ / kPipelineFile;
    if (!is_there(file)) return;
    const json::Document document(file);
    const auto member = document.object().find("truncation");
    const auto truncation = member ? member->object() : std::nullopt;
    const auto limit = truncation ? truncation->find("max_length") : std::nullopt;
    if (!limit || limit->integer().value_or(to_) >= to_) return;
    json::Members members;
    for (const auto [name, value] : *truncation) {
      members.emplace_back(name, name == "max_length" ? json::number(to_) : value.print());
    }
    write_file(file, changed_config(file, {{"truncation", json::object(members)}}));
    note(kPipelineFile, "truncation.max_length");
  }

  std::vector<FileChange> changes;

 private:
  bool is_below(const Config& config, std::string_view field) const {
    return config.has(field) && config.number(field, 0, 1e300) < static_cast<double>(to_);
  }

  void set(const char* name, const char* field) {
    write_file(folder_ / name, changed_config(folder_ / name, {{field, json::number(to_)}}));
    note(name, field);
  }

  void note(const char* name, const char* field) {
    changes.push_back({name, fmt::format("{} {}", field, to_)});
  }

  fs::path folder_;
  int64_t from_, to_;
};

}  // namespace

std::vector<FileChange> raise_length_limits(const fs::path& folder, int64_t from, int64_t to) {
  Limits limits(folder, from, to);
  for (const char* name : kSentenceLimitFiles) limits.raise_sentence_limit(name);
  limits.raise_tokenizer_limits();
  limits.raise_truncation();
  limits.raise_generation_limit();
  return std::move(limits.changes);
}

}  // namespace locus
