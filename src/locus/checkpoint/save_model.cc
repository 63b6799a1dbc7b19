// Writes a model to a folder that transformers can open: the tensors as f32 under their original names, and
// config.json with the members that changed.
#include <algorithm>

#include "locus/base/folder.h"
#include "locus/base/json.h"
#include "locus/base/json_document.h"
#include "locus/base/paths.h"
#include "locus/checkpoint/model_folder.h"
#include "locus/checkpoint/sentence_modules.h"
#include "locus/text/tokenizer_files.h"

namespace locus {
namespace {

namespace fs = std::filesystem;

// Other small files of a model folder: settings of the tokenizer, of generation and of sentence-transformers.
constexpr std::string_view kCompanions[] = {
    "generation_config.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "config_sentence_transformers.json",
};

void copy_companions(const fs::path& from, const fs::path& to) {
  const auto copy = [&](const fs::path& name) {
    if (!is_there(from / name)) return;
    make_folder((to / name).parent_path());
    write_file(to / name, read_file(from / name));
  };
  std::ranges::for_each(tokenizer_files(from), copy);
  std::ranges::for_each(kCompanions, copy);
  std::ranges::for_each(kSentenceLimitFiles, copy);
  if (!is_there(from / kModulesFile)) return;
  copy(kModulesFile);
  for (const SentenceModule& module : read_sentence_modules(from).list) {
    if (module.path.empty()) continue;
    for (const char* name : {"config.json", "model.safetensors"}) copy(module.path / name);
  }
}

}  // namespace

std::string changed_config(const fs::path& file, const json::Members& changes) {
  return changed_config(read_file(file), file, changes);
}

std::string changed_config(const std::string& text, const fs::path& file, const json::Members& changes) {
  const json::Document document(text, fmt::format("'{}'", file.string()));
  json::Members members;
  for (const auto [key, value] : document.object()) {
    if (std::ranges::count(changes, key, &json::Members::value_type::first) > 0) continue;
    members.emplace_back(key, value.print());
  }
  for (const auto& [name, value] : changes) {
    if (!value.empty()) members.emplace_back(name, value);
  }
  return json::lines(members);
}

namespace {

// A config.json with rotary settings for all versions of transformers.
std::string with_both_spellings(const std::string& config, const fs::path& file) {
  const Architecture own = read_architecture(Config(config, file));
  return changed_config(config, file, rotary_changes(own.family->config(own.blueprint)));
}

}  // namespace

std::vector<NamedTensor> tensors_of(const std::vector<Binding>& bindings) {
  std::vector<NamedTensor> tensors;
  for (const Binding& binding : bindings) {
    require(!binding.lazy,
            "save_model: the token embeddings are not fully loaded, expected a model opened without "
            "lazy_tokens");
    std::vector<Tensor> values;
    for (const Var& parameter : binding.parameters) values.push_back(parameter.value());
    tensors.emplace_back(binding.tensor, binding.assemble(values));
  }
  return tensors;
}

void write_model(const fs::path& from, std::vector<NamedTensor> tensors, const fs::path& to,
                 json::Members changes) {
  write_safetensors(to / "model.safetensors", std::move(tensors), {{"format", "pt"}});
  changes.emplace_back("dtype", json::text("float32"));
  changes.emplace_back("torch_dtype", "");  // the former name of dtype
  const fs::path file = from / "config.json";
  write_file(to / "config.json", with_both_spellings(changed_config(file, changes), file));
  copy_companions(from, to);
}

void save_model(const ModelFolder& folder, const fs::path& to) {
  write_folder(to, [&](const fs::path& unfinished) {
    write_model(folder.path, tensors_of(folder.bindings), unfinished, folder.changes);
  });
}

}  // namespace locus
